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
    "source i inferred   uops.info ports, latency of a comparable form or of LLVM's models",
    "source x published  InstLatX64 measurements, ports after LLVM 21's scheduling models",
    "source m model      LLVM 21 scheduling models",
    "source e estimated  from comparable instructions",
)

# Rows of the tables that are artefacts of how they were measured; extra_rows.txt has
# better ones (for jmp rel and call rel: of the cores that need them). The stores of the
# call before it were counted into ret, the cache's contents into wbinvd.
ARTEFACTS = re.compile(r"ret( i16)?|wbinvd")

# Loads whose latency turns a register form's into the memory form's, by access size.
LOADS = {"m128": "movaps xmm, m128", "m256": "vmovups ymm, m256", "m512": "vmovups zmm, m512"}
INTEGER_LOAD, SCALAR_LOAD = "mov r64, m64", "movsd xmm, m64"

# Latencies nobody measured, as those of a comparable form: (form, donor).
DONORS = (
    (re.compile(r"vfpclass(p|s)(s|d) k(\{k\})?, ([xyz]mm).*"), r"vcmp\1\2 k\3, \4, \4, i8"),
    (re.compile(r"vfpclass(p|s)(s|d) k(\{k\})?, m(128|256|512|64|32)(\{b\})?, i8"),
     r"vcmp\1\2 k, xmm, xmm, i8"),
    (re.compile(r"(v?sqrt[ps][sd]) ymm, ymm"), r"\1 xmm, xmm"),
    (re.compile(r"\{evex\} (.*)"), r"\1"),
)
# Mask tests: three cycles to the flags, after LLVM's models.
MASK_TEST = re.compile(r"k(or)?test[bwdq] k, k")

# Compares of a vector register with itself: all ones whatever it holds, though executed.
# Measured for the SSE forms only.
EQUAL_COMPARE = re.compile(r"vpcmpeq([bwdq]) ([xy])mm, \2mm, \2mm")

# Results of at most 32 bits, which REX.W lets go to a 64-bit register.
WIDE_RESULT = re.compile(r"(v?(?:movmskp[sd]|pmovmskb|pextr[bw]|extractps)) r32(, .*)")


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
        # Where the throughput is listed too, it is the divider that is not pipelined.
        uops.append((max(variant.divider, round(variant.rthroughput or 0)), "d0"))
    elif variant.rthroughput and variant.rthroughput >= 1.5:
        # Listed for locked, serializing and partly pipelined forms only: one at a time.
        uops.append((round(variant.rthroughput), "d7"))
    return Timing(
        uops=uops, latency=dict(variant.latency), mite=variant.mite,
        slots=max(variant.slots, variant.ms),    # more than retired: a few system instructions
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
    for key in [key for key in timings if WIDE_RESULT.fullmatch(key)]:
        timings.setdefault(WIDE_RESULT.sub(r"\1 r64\2", key), timings[key])


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
            timing.latency.update(donated_latency(form, timings))
            timing.source = "i" if timing.latency else ""


def donated_latency(form, timings):
    if MASK_TEST.fullmatch(form):
        return {("1", "f"): 3, ("2", "f"): 3}
    for pattern, donor in DONORS:
        if pattern.fullmatch(form) and pattern.sub(donor, form) in timings:
            return timings[pattern.sub(donor, form)].latency
    return {}


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


# ---- values through memory -------------------------------------------------------

# Cycles from store data to a forwarded load's result, general registers: the
# store_forward_cycles of the core files.
ROUND_TRIP = {"SNB": 5, "IVB": 5, "HSW": 5, "BDW": 5, "SKL": 4, "SKX": 4, "CLX": 4,
              "ICL": 5, "TGL": 5, "RKL": 5}
STORE_PART = 1
# Cores that rename memory: stores to it and loads from it then measure as free.
RENAMING = ("ICL", "TGL", "RKL")
LEAST_LOAD = 5                              # from an address to a vector register
VECTOR_OPERAND = re.compile(r"\b([xyz]?mm|k)\b")
SLOW_STORE = re.compile(r"lock |xchg m|v?movnt|rep")


def memory_slots(form):
    return [f"{number}" for number, kind in enumerate(operands(form)[1], 1)
            if re.match(r"m(\d|$)", kind)] + ["s"]


def address_of(memory, form):
    if memory != "s":
        return memory + "b"
    stem = uops_info.STRING.sub(r"\1", operands(form)[0])
    return uops_info.IMPLICIT_MEMORY.get(stem, ("",))[-1]


def unrename(timings, unrenamed, renamed):
    """
    Latencies that memory renaming hid, as they are without it: `unrenamed` are the
    measured ones of a core that lacks it, `renamed` those of this core's base, where
    fewer forms took part.
    """
    for key, timing in timings.items():
        if VECTOR_OPERAND.search(key) or SLOW_STORE.match(key):
            continue
        memory = memory_slots(timing_file.split_qualifier(key)[0])
        for (source, destination), cycles in list(timing.latency.items()):
            pair = source, destination
            other = unrenamed[key].get(pair) if key in unrenamed else None
            if re.fullmatch(r"\db", source):
                timing.latency[pair] = max(cycles, timing.latency.get(
                    (source[0] + "i", destination), 0) - 1)
            elif source in memory and key in renamed:
                timing.latency[pair] = max(cycles, renamed[key].get(pair, 0))
            elif destination in memory and other is not None:
                timing.latency[pair] = other


def replace_failed(timings, base):
    """
    No loaded vector is there sooner after its address than a load takes. Forms for which that was
    measured have their latencies from memory as on the base core.
    """
    for key, timing in timings.items():
        if not VECTOR_OPERAND.search(key) or key not in base:
            continue
        memory = memory_slots(timing_file.split_qualifier(key)[0])
        sources = [(source, destination) for source, destination in timing.latency
                   if source in memory or re.fullmatch(r"\d[bi]", source)]
        if any(timing.latency[pair] < LEAST_LOAD and base[key].get(pair, 0) > 2 * LEAST_LOAD
               for pair in sources if pair[0] not in memory and pair[1] not in memory):
            for pair in sources:
                timing.latency[pair] = base[key].get(pair, timing.latency[pair])


def split_round_trips(core, timings):
    """
    uops.info gives a load's value latency and a store's data latency each as a whole
    trip through a store and a load, less one cycle. Here they are the two parts of one
    trip: the store STORE_PART, the load the rest; so also from the store's address.
    With general registers the load's part is the core's, not that of the measurement;
    where that makes the trip longer, a read-modify-write takes as much longer.
    """
    load_part = ROUND_TRIP[core] - STORE_PART
    trips = {vector: timings[key].latency["2", "1"] for vector, key in
             ((False, "mov m64, r64"), (True, "movaps m128, xmm"))}
    load = timings[INTEGER_LOAD].latency["2b", "1"]
    trip = timings[INTEGER_LOAD].latency["2", "1"] + 1
    # Memory renaming makes the trip of a plain load 1; nothing follows for other forms.
    longer = max(ROUND_TRIP[core] - trip, 0) if trip > 1 else 0
    done = set()
    for key, timing in timings.items():
        form, _ = timing_file.split_qualifier(key)
        if SLOW_STORE.match(form) or id(timing) in done:
            continue
        done.add(id(timing))
        vector = bool(VECTOR_OPERAND.search(form))
        memory = memory_slots(form)
        addresses = [address_of(slot, form) for slot in memory]
        addresses += [slot + "i" for slot in memory if slot != "s"]
        measured = dict(timing.latency)
        for (source, destination), cycles in measured.items():
            if source in memory:
                address = measured.get((address_of(source, form), destination))
                if destination in memory:
                    timing.latency[source, destination] = cycles + longer
                elif not vector and address is not None:
                    timing.latency[source, destination] = max(address - load, 0) + load_part
            elif destination in memory:
                excess = load_part if source in addresses else trips[vector] - STORE_PART
                timing.latency[source, destination] = max(cycles - excess, STORE_PART)
        if (form.startswith("push m") or re.fullmatch("movs[bwdq]", form)) and timing.latency:
            value, address = ("1", "1b") if form.startswith("push") else ("s", "rsi")
            timing.latency[value, "s"] = load_part + STORE_PART      # nobody measured a copy
            timing.latency[address, "s"] = load + STORE_PART


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


# ---- data paths --------------------------------------------------------------------

NARROW_PATHS = ("SNB", "IVB")               # 16 bytes: a 256-bit access takes two cycles


def add_data_paths(timings):
    """Occupies the load data paths d1 and d2, and p4 (store data) twice by 256-bit stores."""
    for key, timing in timings.items():
        counts = {ports: count for count, ports in timing.uops}
        stores = counts.get("p4", 0)
        loads = counts.get("p23", 0) - stores
        kinds = operands(timing_file.split_qualifier(key)[0])[1]
        if timing.ms or timing.uops is None or "d12" in counts:
            continue
        wide = "m256" in kinds
        if loads > 0:
            timing.uops = timing.uops + [(loads * (2 if wide else 1), "d12")]
        if stores and wide and timing.uop_count is None:
            timing.uop_count = sum(counts[ports] for ports in counts if ports[0] != "d")
            timing.uops = [(count * (2 if ports == "p4" else 1), ports)
                           for count, ports in timing.uops]


# ---- the files -----------------------------------------------------------------

def check(core, ports, timings, complain):
    for key, timing in timings.items():
        if timing.uops is None:
            continue
        for _, names in timing.uops:
            if names[0] != "d" and not set(names) <= set(ports):
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


def all_timings(facts, more, mnemonics, complain):
    """Yields (core, base core, key -> Timing of every variant) in the order of CORES."""
    extras = read_extra_rows(os.path.join(os.path.dirname(__file__), "extra_rows.txt"))
    measured = {}                           # core -> latencies as measured
    for core, base, ports in CORES:
        rows = pick_encodings(uops_info.read_rows(find_table(facts, core), mnemonics))
        for key, row in rows.items():
            if operands(row.form)[0] not in mnemonics | ALIASES:
                complain(f"{core}: {key}: unknown mnemonic")
        timings = core_timings(rows)
        table = more and find_table(more, "SKL" if base in ("SKL", "SKX") else core)
        if table:
            fill_from(timings, pick_encodings(uops_info.read_rows(table, mnemonics)))
        fill_from_siblings(timings)
        measured[core] = {key: dict(timing.latency) for key, timing in timings.items()}
        if core in RENAMING:
            unrename(timings, measured["SKL"], measured["ICL"])
        if base:
            replace_failed(timings, measured[base])
        split_round_trips(core, timings)
        timings.update(extras[core])
        if core in NARROW_PATHS:
            add_data_paths(timings)
        check(core, ports, timings, complain)
        yield core, base, timings


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--more", help="directory of a second set, for latencies")
    parser.add_argument("--mnemonics", default="/usr/include/Zydis/Generated/EnumMnemonic.h",
                        help="Zydis's list of mnemonics")
    parser.add_argument("facts", help="directory of CORE.tsv or CORE.tsv.xz")
    parser.add_argument("out", help="directory to write CORE.timing to")
    options = parser.parse_args()

    complaints = []
    visible = {None: {}}                    # core -> every row its lookups can see
    for core, base, timings in all_timings(options.facts, options.more,
                                           uops_info.zydis_mnemonics(options.mnemonics),
                                           complaints.append):
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
