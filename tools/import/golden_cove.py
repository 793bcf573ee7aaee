# SPDX-License-Identifier: MIT
"""Timing rows of Golden Cove (ADL-P, SPR), put together from several sources.

uops.info's Redwood Cove table stands in for everything up to AVX2; LLVM's models
(made by Intel out of uops.info's Alder Lake figures and its own latency lists) fill
in the rest, AVX-512 above all; InstLatX64's Alder Lake dumps correct latencies that are
more than one cycle off (or one, if LLVM agrees) and give the divider's occupancy.
"""

import dataclasses
import re

import forms
import ports
import timing_file
import zen
from timing_file import Timing

PORT = re.compile(r"(?:ADLP|SPR)Port(\d\d(?:_\d\d)*)$")
LOAD_PORTS, STORE_DATA, STORE_ADDRESS = "p23A", "p49", "p78"
# LLVM counts loads as port 10 and the fifth ALU as 11; uops.info the other way round.
HEX = {"10": "A", "11": "B"}
UNKNOWN_LATENCY = 100
STORE_LATENCY = 1        # LLVM's 12 is not a latency to the forwarded value
FORWARD_LATENCY = 4      # and from there to the load's result
LOAD_INT, LOAD_VECTOR = 5, 7
ICE_LAKE_PORTS = {"p0156": "p0156B", "p06": "p06", "p23": LOAD_PORTS}
GATHER = re.compile(r"v(p?gather|p?scatter)")
FMA_LATENCY = 4          # 512-bit forms this slow run on the FMA units, p0 and p5 …
# … but for these, which run on p0 alone, and 16-bit FMA pays a cycle for a mask: measured.
NOT_FMA = re.compile(r"v(aes|gf2p8)|vpm(addubsw|ulhrsw|ulhu?w|ullw) zmm\{k\}")
MASKED_HALF_FMA = re.compile(r"vfn?m(add|sub|addsub|subadd)\d+[ps]h [xyz]mm\{k\}")


def ports_of(row):
    """{ports: count}, or None where LLVM names none."""
    out = {}
    for resource, count in row.resources.items():
        match = PORT.match(resource)
        if match is None:
            return None
        name = "p" + "".join(HEX.get(n, str(int(n))) for n in match[1].split("_"))
        out[name] = out.get(name, 0) + count
    return out


def slots_of(uops):
    """µops after micro-fusion: a load with its operation, a store's two halves."""
    total = sum(uops.values())
    stores = min(uops.get(STORE_DATA, 0), uops.get(STORE_ADDRESS, 0))
    work = total - uops.get(LOAD_PORTS, 0) - uops.get(STORE_DATA, 0) - uops.get(STORE_ADDRESS, 0)
    return max(1, total - stores - min(uops.get(LOAD_PORTS, 0), work))


# Tiles, which LLVM has no figures for: estimates after Intel's optimization manual. d1 is the
# tile multiplier, busy for the 16 rows of a full tile.
TILES = {
    "ldtilecfg m512": ({"p0156B": 16, LOAD_PORTS: 1}, 204), "sttilecfg m512": (
        {"p0156B": 8, STORE_DATA: 1, STORE_ADDRESS: 1}, 19),
    "tileloadd tmm, m": ({LOAD_PORTS: 16, "p0156B": 2}, 45),
    "tileloaddt1 tmm, m": ({LOAD_PORTS: 16, "p0156B": 2}, 45),
    "tilestored m, tmm": ({STORE_DATA: 16, STORE_ADDRESS: 16}, STORE_LATENCY),
    "tilezero tmm": ({"p05": 1}, 16), "tilerelease": ({"p0156B": 2}, 13),
    **{f"tdp{kind} tmm, tmm, tmm": ({"p0": 1, "d1": 16}, 52)
       for kind in ("bf16ps", "bssd", "bsud", "busd", "buud")},
}


class Builder:
    def __init__(self, llvm, dump, memory):
        self.llvm = {form: row for form, row in llvm.items()
                     if row.latency < UNKNOWN_LATENCY and ports_of(row) is not None}
        self.dump = dump
        self.memory = memory
        self.corrections = []
        self.ice_lake = {}

    def measured(self, form):
        """(reciprocal throughput, latency) of the dump."""
        figures = [f for name in (form, "{evex} " + form) for f in self.dump.get(name, [])]
        distinct = [f for f in figures if f.distinct] or figures
        throughputs = [f.rthroughput for f in distinct if f.rthroughput and f.rthroughput > 0.12]
        latencies = [f.latency for f in distinct if f.latency and f.latency > 0.8]
        return min(throughputs, default=None), min(latencies, default=None)

    # ---- rows out of LLVM -----------------------------------------------------

    def fill(self, rows, wanted):
        """Adds rows for forms of `wanted` that neither a row nor the lookup order covers."""
        added = {}
        known = dict(rows)
        # Register forms first, and before a form whatever a lookup falls back on.
        for form in sorted(wanted, key=lambda f: (forms.memory_operand(f) is not None,
                                                  len(list(timing_file.fallback(f))), f)):
            if form in known or form not in self.llvm or self.is_covered(form, known):
                continue
            if forms.memory_operand(form) and self.is_composed(form, known):
                continue
            added[form] = known[form] = self.row(form)
        return added

    def is_covered(self, form, known):
        """
        A less specific row exists and LLVM makes no difference between the two, or only
        one of embedded rounding, which as measured there is not.
        """
        if (MASKED_HALF_FMA.match(form) or NOT_FMA.match(form)) and "{k}" in form and \
                "{z}" not in form and not form.endswith("}"):
            return False
        plain = re.sub(r" \{(er|sae)\}$", "", form)
        if plain != form and (plain in known or self.is_covered(plain, known)):
            return True
        for keys in timing_file.fallback(form):
            found = [key for key in keys if key in known]
            if found:
                other = self.llvm.get(found[0])
                return other is None or (other.resources == self.llvm[form].resources and
                                         other.latency == self.llvm[form].latency)
        return False

    def is_composed(self, form, known):
        register = forms.register_form(form, self.llvm)
        if register is None:
            return False
        if not (register in known or self.is_covered(register, known)):
            return False
        if known.get(register) is not None and known[register].flag:
            return False
        direction = "".join(d for d, _ in self.memory.get(form, [("r", 0)]))
        expected = dict(ports_of(self.llvm[register]))
        if "r" in direction:
            expected[LOAD_PORTS] = expected.get(LOAD_PORTS, 0) + 1
        if "w" in direction:
            expected[STORE_DATA] = expected.get(STORE_DATA, 0) + 1
            expected[STORE_ADDRESS] = expected.get(STORE_ADDRESS, 0) + 1
        return expected == ports_of(self.llvm[form])

    def row(self, form):
        llvm = self.llvm[form]
        slots = slots_of(ports_of(llvm))
        uops = self.wide_ports(form, ports_of(llvm))
        _, latency = self.measured(form)
        divider = self.divider(form)
        if divider:
            uops["d0"] = divider
        pairs, tag = self.latency(form, llvm, latency)
        return Timing(uops=[(count, name) for name, count in uops.items()],
                      **forms.as_latency(pairs), slots=slots, source=tag)

    def wide_ports(self, form, uops):
        """
        512 bits, as measured on a server: what the 256-bit form runs on the FMA units
        runs on both of them here too (LLVM's figures are a client's, which has one),
        two loads a cycle, one store.
        """
        if "zmm" not in form:
            return uops
        narrow = form.replace("ymm", "xmm").replace("zmm", "ymm").replace("m256", "m128") \
            .replace("m512", "m256")
        sibling = self.llvm.get(narrow)
        out = {}
        for name, count in uops.items():
            if name == "p0" and sibling and sibling.latency >= FMA_LATENCY and \
                    "p01" in ports_of(sibling) and not NOT_FMA.match(form):
                name = "p05"
            elif name == LOAD_PORTS and "m512" in form:
                name = "p23"
            elif name == STORE_DATA and "m512" in form:
                count *= 2
            out[name] = out.get(name, 0) + count
        return out

    def divider(self, form):
        mnemonic, _ = forms.split(form)
        if not zen.FP_DIVIDE.fullmatch(mnemonic):
            return 0
        bare = re.sub(r"\{k\}(\{z\})?| \{(er|sae)\}$", "", form)
        register = forms.register_form(bare, self.llvm) if forms.memory_operand(bare) else bare
        rthroughput, _ = self.measured(register or bare)
        return round(rthroughput) if rthroughput else 0

    def latency(self, form, llvm, measured):
        accesses = self.memory.get(form, [])
        found = forms.memory_operand(form)
        if any(direction == "w" for direction, _ in accesses) or (
                found and found[0] == 1 and any("w" in d for d, _ in accesses)):
            return {forms.ALL: STORE_LATENCY}, "m"
        if found and accesses:
            load = LOAD_VECTOR if forms.is_vector(form) else LOAD_INT
            plain = max(1, llvm.latency - load)
            slot = str(found[0])
            return {forms.ALL: plain, ("a", "*"): llvm.latency,
                    (slot, "*"): plain + FORWARD_LATENCY}, "m"
        if MASKED_HALF_FMA.match(form) and not accesses:
            return {forms.ALL: FMA_LATENCY + 1}, "h"
        cycles = round(measured) if measured else max(1, llvm.latency)
        shape = self.ice_lake.get(form)
        if shape is not None and shape.latency and not accesses:
            chain = max((c for (source, target), c in shape.latency.items()
                         if target == "1" and source in "12345"), default=None)
            if chain == cycles:        # the same chain: Ice Lake's pairs say more
                return dict(shape.latency), "i" if measured else "m"
        if measured and not accesses:
            return {forms.ALL: cycles}, "i"
        return {forms.ALL: max(1, llvm.latency)}, "m"

    def tiles(self, wanted, isa_set):
        return {form: Timing(uops=ports.as_list(uops), **forms.as_latency({forms.ALL: cycles}),
                             slots=slots_of({n: c for n, c in uops.items() if n[0] == "p"}),
                             source="e")
                for form, (uops, cycles) in TILES.items() if isa_set.get(form) in wanted}

    # ---- rows out of Ice Lake ---------------------------------------------------

    def borrowed(self, rows, wanted, isa_set):
        """
        Gathers and scatters, which LLVM's model has as single loads; zero idioms and
        eliminated moves of AVX-512, which it has not; and hand-written estimates.
        """
        out = {}
        for key, row in self.ice_lake.items():
            form, qualifier = timing_file.split_qualifier(key)
            if isa_set.get(form, "i86") not in wanted or row.uops is None:
                continue
            gather = GATHER.match(form) and "{k}" in form
            idiom = row.flag and form in rows and key not in rows
            moved = row.flag == "elim" and rows.get(key) is not None and rows[key].source != ""
            by_hand = row.spec is not None and key not in rows
            if gather or idiom or moved or by_hand:
                uops = [(count, ICE_LAKE_PORTS.get(name, name)) for count, name in row.uops]
                out[key] = dataclasses.replace(row, uops=uops,
                                               source="e" if gather or by_hand else "c")
        return out

    # ---- throughput that ports do not explain ------------------------------------

    def add_throughputs(self, rows):
        for form, row in rows.items():
            rthroughput, latency = self.measured(form)
            if not rthroughput or rthroughput < 1.5 or row.rthroughput or row.uops is None or \
                    row.flag or "i16" in form:       # i16: a length-changing prefix
                continue
            explained = ports.bound({name: count for count, name in row.uops})
            chained = latency and abs(rthroughput - latency) <= 0.12 * latency
            if explained < 0.8 * rthroughput and not chained:
                row.rthroughput = rthroughput

    # ---- corrections ----------------------------------------------------------

    def contradicted(self, form, chain):
        """
        The chain's true latency where the stand-in's is wrong: a dump of the core itself is
        more than a cycle away, or a cycle away with LLVM's figure on its side (Redwood Cove
        multiplies floating-point numbers in 3 cycles, Golden Cove in 4).
        """
        _, measured = self.measured(form)
        if not measured:
            return None
        seconded = form in self.llvm and self.llvm[form].latency == round(measured)
        return round(measured) if abs(measured - chain) > (0.7 if seconded else 1.3) else None

    def correct(self, rows):
        """Chains of plain register forms that are contradicted, and their memory forms."""
        shifts = {}
        for form, row in rows.items():
            if forms.memory_operand(form) or row.flag or row.uops is None or "lea" in form:
                continue
            chain = max((cycles for (source, target), cycles in row.latency.items()
                         if target == "1" and source in "12345"), default=None)
            if chain is None or chain > 12:
                continue
            right = self.contradicted(form, chain)
            if right is None:
                continue
            self.corrections.append((form, chain, right))
            shifts[form] = right - chain
        for form, row in rows.items():
            plain = timing_file.split_qualifier(form)[0]
            memory = forms.memory_operand(plain)
            if memory and memory[0] > 1:
                plain = forms.register_form(plain, shifts)
            shift = shifts.get(plain)
            if not shift or row.flag:
                continue
            row.latency = {pair: max(1, cycles + shift) if pair[1] == "1" else cycles
                           for pair, cycles in row.latency.items()}
            row.source = "i"


def repair_same(rows):
    """
    [same] variants that the table counts a µop for, but names no port: they run where
    the form itself does, a move onto itself like any other operation. And what executes
    nowhere has no latency.
    """
    for key, row in rows.items():
        form, qualifier = timing_file.split_qualifier(key)
        if qualifier != "same" or row.uops:
            continue
        if not row.uop_count:
            row.latency, row.spec, row.flag = {}, (0, {}), "zero"
            continue
        base = rows[form]
        row.uop_count = None
        if base.flag == "elim":
            row.uops = [(1, "p015" if forms.is_vector(form) else "p0156B")]
            row.latency, row.flag = {pair: 1 for pair in row.latency}, ""
        else:
            row.uops = list(base.uops)
            row.latency, row.flag = {pair: 0 for pair in row.latency}, "breaks"


def restore_branches(rows):
    """Conditional jumps run on p0 when not taken; the table was rewritten to p6 only."""
    for form, row in rows.items():
        if re.match(r"j\w+ rel", form) and not form.startswith("jmp"):
            row.uops = [(count, "p06" if name == "p6" else name) for count, name in row.uops]
