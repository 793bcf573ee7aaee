#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes data/timing/{snb,ivb,hsw,bdw,skl,skx,clx,icl,tgl,rkl}.timing.

    uops_info_tables.py [--more DIR] [--mnemonics EnumMnemonic.h] FACTS OUT

FACTS has one CORE.tsv[.xz] per core with uops.info's measurements; --more a second
set of the same layout that fills latencies the first one lacks. Forms that neither
measured come from extra_rows.txt beside this script.
"""

import argparse
import os
import re
import sys

import timing_file
import uops_info
from timing_file import Timing

CORES = (  # core, base core, issue ports
    ("SNB", None, "p012345"), ("IVB", "SNB", "p012345"),
    ("HSW", None, "p01234567"), ("BDW", "HSW", "p01234567"),
    ("SKL", None, "p01234567"), ("SKX", "SKL", "p01234567"), ("CLX", "SKX", "p01234567"),
    ("ICL", None, "p0123456789"), ("TGL", "ICL", "p0123456789"), ("RKL", "ICL", "p0123456789"),
)

SOURCES = (
    "source u published  uops.info measurements (Abel, Reineke, ASPLOS 2019), "
    "as prepared for uiCA, mid 2023",
    "source i inferred   uops.info ports, latency of a sibling form",
    "source x published  InstLatX64 measurements, ports after LLVM 21's scheduling models",
    "source m model      LLVM 21 scheduling models",
    "source e estimated  from comparable instructions",
)

# Rows of the tables that are artefacts of how they were measured; extra_rows.txt has
# better ones (for jmp rel and call rel: of the cores that need them). The stores of the
# call before it were counted into ret.
ARTEFACTS = re.compile(r"ret( i16)?")

# Loads whose latency turns a register form's into the memory form's, by access size.
LOADS = {"m128": "movaps xmm, m128", "m256": "vmovups ymm, m256", "m512": "vmovups zmm, m512"}
INTEGER_LOAD, SCALAR_LOAD = "mov r64, m64", "movsd xmm, m64"

# Latencies nobody measured, as those of a comparable form: (form, donor, note).
DONORS = (
    (re.compile(r"vfpclass(p|s)(s|d) k(\{k\})?, ([xyz]mm).*"), r"vcmp\1\2 k\3, \4, \4, i8"),
    (re.compile(r"vfpclass(p|s)(s|d) k(\{k\})?, m(128|256|512|64|32)(\{b\})?, i8"),
     r"vcmp\1\2 k, xmm, xmm, i8"),
    (re.compile(r"(v?sqrt[ps][sd]) ymm, ymm"), r"\1 xmm, xmm"),
    (re.compile(r"\{evex\} (.*)"), r"\1"),
)

# Compares of a vector register with itself: all ones whatever it holds, though executed.
# Measured for the SSE forms only.
EQUAL_COMPARE = re.compile(r"vpcmpeq([bwdq]) ([xy])mm, \2mm, \2mm")


WIDE_RESULT = re.compile(r"(v?(movmskp[sd]|pmovmskb|pextr[bw]|extractps)) (r32)(, .*)")


def pick_encodings(rows):
    """One row per key: of the encodings that share a form, the one assemblers emit."""
    chosen = {}
    for row in rows:
        key = row.form + (" [imm0]" if row.imm0 else "")
        if key not in chosen or row.rank < chosen[key].rank:
            chosen[key] = row
    return chosen


def to_timing(variant, flag=""):
    uops = list(variant.ports)
    issue = sum(count for count, _ in uops)
    if variant.divider:
        uops.append((variant.divider, "d0"))
    return Timing(
        uops=uops, latency=dict(variant.latency), slots=variant.slots, mite=variant.mite,
        ms=variant.ms, complex=variant.complex, simple=variant.simple,
        uop_count=None if variant.uop_count == issue else variant.uop_count,
        rthroughput=variant.rthroughput, flag=flag)


def base_timing(row):
    is_move = not row.base.ports and not row.base.uop_count and row.base.latency
    return to_timing(row.base, "elim" if is_move else "")


def same_timing(row):
    if not row.same.independent():
        return to_timing(row.same)
    return to_timing(row.same, "breaks" if row.same.ports else "zero")


def core_timings(rows):
    """Key -> Timing of every measured variant."""
    timings = {}
    for key, row in rows.items():
        if ARTEFACTS.fullmatch(key):
            continue
        if row.imm0 and re.search(r"\bm\d", key):
            continue                             # would hide the [indexed] row
        timings[key] = base_timing(row)
        add_pointer_updates(key, timings[key])
        if row.imm0:
            continue
        if row.same:
            timings[key + " [same]"] = same_timing(row)
        if row.indexed:
            timings[key + " [indexed]"] = to_timing(row.indexed)
            timings[key + " [indexed]"].latency.update(timings[key].latency)
    add_equal_compares(timings)
    add_wide_results(timings)
    return timings


def add_pointer_updates(key, timing):
    """String instructions step their pointers in one cycle; nobody measured it."""
    match = re.fullmatch(r"(lods|stos|scas|movs|cmps)[bwdq]", key)
    if match:
        for pointer in uops_info.IMPLICIT_MEMORY[match[1]]:
            timing.latency[pointer, pointer] = 1


def add_equal_compares(timings):
    for key in [key for key in timings if EQUAL_COMPARE.fullmatch(key)]:
        width = EQUAL_COMPARE.fullmatch(key)[1]
        if f"pcmpeq{width} xmm, xmm [same]" in timings and key + " [same]" not in timings:
            donor = timings[key]
            timings[key + " [same]"] = Timing(
                uops=donor.uops, latency={pair: 0 for pair in donor.latency}, slots=donor.slots,
                mite=donor.mite, flag="breaks", source="i")


def add_wide_results(timings):
    """With REX.W a result that fits in 32 bits has a 64-bit register: the same otherwise."""
    for key in [key for key in timings if WIDE_RESULT.fullmatch(key)]:
        timings.setdefault(WIDE_RESULT.sub(r"\1 r64\4", key), timings[key])


# ---- latencies that were not measured ------------------------------------------

def fill_from(timings, more):
    """Pairs that only the second set has. Its 1 often stands for "no more than": not taken."""
    for key, row in more.items():
        if key in timings:
            for pair, cycles in row.base.latency.items():
                if cycles != 1 or pair == ("1", "1"):
                    timings[key].latency.setdefault(pair, cycles)


def operands(form):
    mnemonic, _, rest = re.sub(r"^(lock|repn?e?) |\{evex\} ", "", form).partition(" ")
    return mnemonic, [re.sub(r"\{[kz]\}", "", kind) for kind in rest.split(", ")] if rest else []


def register_form(form, timings):
    """(form with a register for its memory source, operand number) or None."""
    mnemonic, kinds = operands(form)
    for number, kind in enumerate(kinds, 1):
        if number > 1 and re.fullmatch(r"m\d+(\{b\})?", kind):
            for register in ("xmm", "ymm", "zmm", "r64", "r32", "r16", "r8", "k"):
                other = ", ".join(kinds[:number - 1] + [register] + kinds[number:])
                widest = [one for one in kinds if one in ("xmm", "ymm", "zmm")]
                if f"{mnemonic} {other}" in timings and (
                        not widest or register == widest[-1] or mnemonic.startswith("vcvt")):
                    return f"{mnemonic} {other}", number
    return None


def load_latency(form, kind, timings):
    vector = re.search(r"[xyz]mm", form)
    load = LOADS.get(kind, SCALAR_LOAD) if vector else INTEGER_LOAD
    latency = timings.get(load, timings[INTEGER_LOAD]).latency
    return latency["2b", "1"], latency["2", "1"]


def fill_from_siblings(timings):
    """
    A memory form without latency from its memory operand: that of the register form
    plus the core's load. A form without any: that of its donor. Both marked inferred.
    """
    for key, timing in timings.items():
        form, qualifier = timing_file.split_qualifier(key)
        if timing.latency and not any(pair[0][0].isdigit() for pair in timing.latency):
            continue
        sibling = register_form(form, timings)
        if sibling and not any(pair[0] == f"{sibling[1]}b" for pair in timing.latency):
            fill_memory(form, timing, sibling, timings)
        elif not timing.latency and not qualifier:
            for pattern, donor in DONORS:
                if pattern.fullmatch(form) and pattern.sub(donor, form) in timings:
                    donated = timings[pattern.sub(donor, form)].latency
                    if donated:
                        timing.latency.update(donated)
                        timing.source = "i"
                    break


def fill_memory(form, timing, sibling, timings):
    register, number = sibling
    _, kinds = operands(form)
    address, value = load_latency(form, kinds[number - 1], timings)
    for (source, destination), cycles in timings[register].latency.items():
        if source == f"{number}":
            timing.latency.setdefault((f"{number}b", destination), cycles + address)
            timing.latency.setdefault((f"{number}i", destination), cycles + address)
            timing.latency.setdefault((f"{number}", destination), cycles + value)
            timing.source = "i"
        else:
            timing.latency.setdefault((source, destination), cycles)


# ---- rows that were not measured ----------------------------------------------

def read_extra_rows(path):
    """core -> {key: Timing}; the file's first lines describe its grammar."""
    groups, extras = {}, {}
    cores, values, group = (), {}, None
    with open(path, encoding="utf-8") as file:
        for line in file:
            line = line.split("#")[0].strip()
            word, _, rest = line.partition(" ")
            if word == "rows":
                group = groups.setdefault(rest.strip(), [])
            elif word == "cores":
                cores, values = rest.split(), {}
            elif word == "let":
                name, value = rest.split(None, 1)
                values[name] = value
            elif word == "use":
                for text in groups[rest.strip()]:
                    key, uops, *attributes = (field.strip() for field in re.sub(
                        r"\$(\w+)", lambda match: values[match[1]], text).split("|"))
                    for core in cores:
                        extras.setdefault(core, {})[key] = parse_row(uops, *attributes)
            elif line:
                group.append(line)
    return extras


def parse_row(uops, attributes=""):
    counts = {}
    for item in [] if uops == "-" else uops.split("+"):
        count, ports = item.split("*")
        counts[ports] = counts.get(ports, 0) + int(count)
    timing = Timing(uops=[(count, ports) for ports, count in counts.items()], latency={})
    timing.slots = sum(count for count, ports in timing.uops if ports[0] != "d")
    timing.spec = (1, {})
    for word in attributes.split():
        name, _, value = word.partition("=")
        if name == "lat":
            default, *exceptions = value.split(",")
            pairs = [item.split(":") for item in exceptions]
            timing.spec = (int(default), {tuple(pair.split(">")): int(cycles)
                                          for pair, cycles in pairs})
        elif name == "src":
            timing.source = value
        elif name == "complex":
            timing.complex = True
        elif name in ("zero", "breaks", "elim"):
            timing.flag = name
        elif name == "rtp":
            timing.rthroughput = float(value)
        elif name == "uops":
            timing.uop_count = int(value)
        else:
            setattr(timing, {"slots": "slots", "mite": "mite", "ms": "ms",
                             "simple": "simple"}[name], int(value))
    return timing


# ---- the files -----------------------------------------------------------------

def check(core, ports, timings, complain):
    for key, timing in timings.items():
        if timing.uops is None:
            continue
        for _, names in timing.uops:
            if names != "d0" and not set(names) <= set(ports):
                complain(f"{core}: {key}: port of {names!r} that the core lacks")
        if timing.slots < 1:
            complain(f"{core}: {key}: {timing.slots} slots")


def find_table(folder, core):
    for name in (f"{core}.tsv.xz", f"{core}.tsv"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return None


def header(core, base):
    lines = [f"name  {core.lower()}"]
    if base:
        lines.append(f"base  {base.lower():<30} # its rows hold unless written again here")
    return lines + [*SOURCES, "default-source u"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--more", help="directory of a second set, for latencies")
    parser.add_argument("--mnemonics", default="/usr/include/Zydis/Generated/EnumMnemonic.h",
                        help="Zydis's list of mnemonics")
    parser.add_argument("facts", help="directory of CORE.tsv or CORE.tsv.xz")
    parser.add_argument("out", help="directory to write CORE.timing to")
    options = parser.parse_args()

    mnemonics = uops_info.zydis_mnemonics(options.mnemonics)
    extras = read_extra_rows(os.path.join(os.path.dirname(__file__), "extra_rows.txt"))
    complaints = []
    visible = {None: {}}                    # core -> every row its lookups can see
    for core, base, ports in CORES:
        rows = pick_encodings(uops_info.read_rows(find_table(options.facts, core), mnemonics))
        for key, row in rows.items():
            if operands(row.form)[0] not in mnemonics | ALIASES:
                complaints.append(f"{core}: {key}: unknown mnemonic")
        timings = core_timings(rows)
        more = options.more and find_table(options.more, "SKL" if base in ("SKL", "SKX") else core)
        if more:
            fill_from(timings, pick_encodings(uops_info.read_rows(more, mnemonics)))
        fill_from_siblings(timings)
        timings.update(extras[core])
        check(core, ports, timings, complaints.append)
        own = timing_file.reduce(timings, visible[base])
        visible[core] = timing_file.overlay(visible[base], own)
        timing_file.write(os.path.join(options.out, core.lower() + ".timing"),
                          header(core, base), own)
        print(f"{core}: {len(timings)} variants, {len(own)} rows written")
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    return 1 if complaints else 0


# Condition codes as written in forms, which Zydis spells otherwise.
ALIASES = frozenset(stem + code for stem in ("j", "cmov", "set")
                    for code in uops_info.CONDITIONS.values())

if __name__ == "__main__":
    sys.exit(main())
