# SPDX-License-Identifier: MIT
"""What Zen cores do at rename: eliminated moves, zero idioms, dependency breakers.

Read off uops.info's same-register latencies (Zen+ to Zen 3) and, for where a form
still executes, off InstLatX64: a form that reaches the dispatch width (0.17 cycles)
executes nowhere, one that stays at its pipes' 0.25 or 0.5 does.
"""

import re

from timing_file import Timing

ELIMINATED = re.compile(r"mov r(32|64), r(32|64)|v?mov(aps|apd|ups|upd|dqa|dqu|dqa32|dqa64|dqu8|"
                        r"dqu16|dqu32|dqu64) ([xyz]mm), \3")
EXCHANGED = re.compile(r"xchg (r32|r64|eax|rax), (r32|r64|eax|rax)|xchg r(32|64), (eax|rax)")
VECTOR_ZERO = re.compile(
    r"v?(xorp[sd]|andnp[sd]|pxor[dq]?|pandn[dq]?|psub[bwdq]|pcmpgt[bwdq]) ([xyz]mm)(, \2)+")
VECTOR_BREAKS = re.compile(r"(v?(pcmpeq[bwdq]|psubu?s[bw]) ([xy]mm)(, \3)+|"
                           r"(pxor|pandn|psub[bwdq]|pcmp(eq|gt)[bwd]|psubu?s[bw]) mm, mm)")
INT_ZERO = re.compile(r"(xor|sub) (r32|r64), \2")
INT_COMPARE = re.compile(r"cmp (r32|r64), \1")
CARRY_ONLY = re.compile(r"sbb (r32|r64), \1")
MASK_ZERO = re.compile(r"(kxor|kandn)[bwdq] k, k, k")
LOADED_ADDRESS = re.compile(r"lea r64, \[b\]")


def apply(rows, generation):
    """Adds the rows of `generation` ("ZEN+", "ZEN3" …) to `rows`, form -> Timing."""
    old = generation in ("ZEN+", "ZEN2")      # integer idioms still take an ALU
    for form in sorted(rows):
        row = rows[form]
        if ELIMINATED.fullmatch(form) or (LOADED_ADDRESS.fullmatch(form) and not old):
            rows[form] = nothing(row, "elim")
        elif EXCHANGED.fullmatch(form):
            rows[form] = nothing(row, "elim", slots=2)
        elif VECTOR_ZERO.fullmatch(form) or (INT_ZERO.fullmatch(form) and not old) or \
                (INT_COMPARE.fullmatch(form) and not old) or MASK_ZERO.fullmatch(form):
            rows[form + " [same]"] = nothing(row, "zero")
        elif VECTOR_BREAKS.fullmatch(form) or INT_ZERO.fullmatch(form):
            rows[form + " [same]"] = breaks(row)
        elif CARRY_ONLY.fullmatch(form):
            rows[form + " [same]"] = carry_only(row)


def nothing(row, flag, slots=None):
    return Timing(uops=[], latency={}, spec=(0, {}), slots=slots or row.slots, flag=flag,
                  source=row.source)


def breaks(row):
    """Executes as ever, but its results wait for no register."""
    latency = {(s, d): cycles if s == "f" else 0 for (s, d), cycles in row.latency.items()}
    return Timing(uops=row.uops, latency=latency, slots=row.slots, uop_count=row.uop_count,
                  flag="breaks", source=row.source, spec=(0, {}) if row.spec else None)


def carry_only(row):
    """sbb of a register with itself: waits for the carry flag, not for the register."""
    return Timing(uops=row.uops, slots=row.slots, uop_count=row.uop_count, source=row.source,
                  latency={(s, d): 0 if s in ("1", "2") else cycles
                           for (s, d), cycles in row.latency.items()})


def independent(form):
    """True if the form on one register is another instruction than on several."""
    return any(pattern.fullmatch(form) for pattern in (
        VECTOR_ZERO, VECTOR_BREAKS, INT_ZERO, INT_COMPARE, MASK_ZERO))
