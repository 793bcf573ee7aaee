#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the timing files of cores that no single source covers.

    merge_tables.py --opcodes FILE --llvm DIR --uops-info DIR --ice-lake FILE
                    --instlatx64 DIR --osaca FILE --winic FILE --cores DIR OUT [CORE…]

OPCODES is the output of llvm_opcodes.cpp, --cores the folder of core files, whose
`extensions` decide which forms a core gets. Precedence, per figure:

    ADL-P   uops.info's Redwood Cove (a stand-in: the same core, two years on), then
            LLVM's Alder Lake model; latencies corrected by InstLatX64
    SPR     as ADL-P, and LLVM's Sapphire Rapids model for AVX-512, FP16 and AMX
    ZEN+ ZEN2 ZEN3   zen.py
    ZEN4    ports as ZEN3, AVX-512 from LLVM; latencies from WINIC, then InstLatX64
    ZEN5    ports from OSACA; latencies from InstLatX64, then as ZEN4
"""

import argparse
import json
import os
import re
import sys

import golden_cove
import instlatx64
import llvm_sched
import osaca
import ports
import timing_file
import uops_info
import uops_info_tables
import winic
import zen
import zen_idioms

ZEN_UNITS = {  # LLVM's units, without the generation's prefix
    **{f"ALU{i}": f"a{i}" for i in range(4)}, **{f"FPU{i}": f"f{i}" for i in range(4)},
    **{f"FP{i}": f"f{i}" for i in range(4)}, "FP45": "f45", "FPSt": "f45", "BRU1": "b1",
}


# Zen 5 has no LLVM model: Zen 4's, with its ALUs spread over Zen 5's six.
ZEN5_UNITS = ZEN_UNITS | {"ALU0": "a012345", "ALU1": "a012", "ALU2": "a012", "ALU3": "a012345",
                          "BRU1": "a345"}


def zen_units(prefix, units=ZEN_UNITS):
    return {prefix + unit: port for unit, port in units.items()}


INT_SETS = ("a0123", "a12", "a03", "a1")
FP_SETS = ("f0123", "f013", "f01", "f12", "f23", "f03", "f0", "f1", "f2", "f3")
FP_SETS_NEW = ("f0123", "f123", "f01", "f12", "f23", "f03", "f0", "f1", "f2", "f3")

MACHINES = {
    "ZEN+": zen.Machine(
        "ZEN+", zen_units("Zn"), "a0123", INT_SETS + FP_SETS, 5,
        load_int={"g01": 1}, load_vector={"g01": 1},
        store_int={"g01": 1, "d3": 1}, store_vector={"g01": 1, "f2": 1, "d3": 1},
        load_wide={"g01": 2}, store_wide={"g01": 2, "f2": 2, "d3": 2}, wide_bits=256,
        round_trip_int=8, round_trip_vector=8),
    "ZEN2": zen.Machine(
        "ZEN2", zen_units("Zn2"), "a0123", INT_SETS + FP_SETS, 5,
        load_int={"g01": 1}, load_vector={"g01": 1},
        store_int={"g2": 1}, store_vector={"g2": 1, "f2": 1},
        round_trip_int=8, round_trip_vector=8),
    "ZEN3": zen.Machine(
        "ZEN3", zen_units("Zn3"), "a0123", INT_SETS + FP_SETS, 6,
        load_int={"g012": 1}, load_vector={"g012": 1, "d34": 1},
        store_int={"g012": 1, "d56": 1}, store_vector={"g012": 1, "f45": 2, "d56": 1},
        branches="a0b1", transfer="f45"),
    "ZEN4": zen.Machine(
        "ZEN4", zen_units("Zn4"), "a0123", INT_SETS + FP_SETS_NEW, 6,
        load_int={"g012": 1}, load_vector={"g012": 1, "d34": 1},
        store_int={"g012": 1, "d56": 1}, store_vector={"g012": 1, "f45": 2, "d56": 1},
        load_wide={"g012": 2, "d34": 2}, store_wide={"g012": 2, "f45": 4, "d56": 2},
        wide_bits=512, branches="a0b1", transfer="f45", double_pumped=True),
    "ZEN5": zen.Machine(
        "ZEN5", zen_units("Zn4", ZEN5_UNITS), "a012345",
        ("a012345", "a012", "a345") + FP_SETS_NEW, 8,
        load_int={"g0123": 1}, load_vector={"g0123": 1, "d34": 1},
        store_int={"g0123": 1, "d56": 1}, store_vector={"g0123": 1, "f45": 1, "d56": 1},
        load_wide={"g0123": 1, "d34": 1}, store_wide={"g0123": 1, "f45": 2, "d56": 2},
        wide_bits=512, branches="a345", transfer="f45", int_divide_alu="a3"),
}

ZEN_CORES = {  # core: (LLVM model, uops.info table, base of the timing file)
    "ZEN+": ("ZEN1", "ZEN+", None), "ZEN2": ("ZEN2", "ZEN2", None),
    "ZEN3": ("ZEN3", "ZEN3", None), "ZEN4": ("ZEN4", "ZEN3", "ZEN3"),
    "ZEN5": ("ZEN4", "ZEN3", None),
}
DISPATCH = {"ADL-P": 6, "SPR": 6,
            **{core: machine.dispatch for core, machine in MACHINES.items()}}
DUMPS = {"ZEN5": "ZEN5_512", "ZEN4": "ZEN4_TR", "SPR": "ADL-P_AVX512"}

UOPS_INFO = "source u published  uops.info measurements (Abel, Reineke, ASPLOS 2019), 2026"
ZEN_RULE = ("# Macro-ops, FP pipes, latencies: uops.info; integer pipes: LLVM. Where those pipes",
            "# and the throughput InstLatX64 measured disagree, the latter decides (zen.py).")
# core: the lines at the head of its file
HEADS = {
    "ADL-P": (
        "# uops.info's Redwood Cove first, then LLVM; chains InstLatX64 contradicts are put right.",
        "source u published  uops.info measurements of Redwood Cove (Meteor Lake), a stand-in: "
        "same ports",
        "source i published  InstLatX64, Core i9-12900K",
        "source c inferred   uops.info measurements of Ice Lake: idioms at rename",
        "source m model      LLVM 21, Alder Lake"),
    "SPR": (
        "# AVX-512, FP16 and AMX on top of the base: ports from LLVM, but 512-bit pipes and the",
        "# figures tagged h as measured on a Xeon (family 6, model 207: time-stamp counter against",
        "# a chain of adds); latencies from InstLatX64, then LLVM.",
        "source c inferred   uops.info measurements of Ice Lake: idioms at rename",
        "source i published  InstLatX64, Core i9-12900K with AVX-512 on",
        "source h measured   Xeon of family 6 model 207",
        "source m model      LLVM 21, Sapphire Rapids"),
    "ZEN+": (*ZEN_RULE, UOPS_INFO, "source i published  InstLatX64, Ryzen 5 2600X",
             "source m model      LLVM 21, znver1"),
    "ZEN2": (*ZEN_RULE, UOPS_INFO, "source i published  InstLatX64, Ryzen 5 3600X",
             "source m model      LLVM 21, znver2"),
    "ZEN3": (*ZEN_RULE, UOPS_INFO, "source i published  InstLatX64, Ryzen 7 5800X",
             "source m model      LLVM 21, znver3"),
    "ZEN4": (
        "# Pipes as Zen 3's, for AVX-512 LLVM's, checked against WINIC's and InstLatX64's",
        "# throughput; latencies of vector forms from WINIC, then InstLatX64, then Zen 3's.",
        UOPS_INFO + ", of Zen 3, a stand-in: same pipes",
        "source w published  WINIC latencies, EPYC Genoa",
        "source i published  InstLatX64, Threadripper 7995WX",
        "source m model      LLVM 21, znver4"),
    "ZEN5": (
        "# Pipes from OSACA, then as Zen 4's, checked against InstLatX64's throughput; latencies",
        "# of Zen 3 and 4 moved to what InstLatX64 measured.",
        "source u inferred   uops.info latencies of Zen 3 that InstLatX64 does not contradict",
        "source w inferred   WINIC latencies of Zen 4 that InstLatX64 does not contradict",
        "source i published  InstLatX64, Ryzen 9 9950X",
        "source m model      LLVM 21, znver4, on Zen 5's pipes"),
}
SHARED_SOURCES = ("source r inferred   composed from the parts of the core",
                  "source e estimated  Ice Lake's figures or a comparable instruction's")


def zen_groups(models, core):
    return {name: frozenset(entry["group"]) if "group" in entry else frozenset({name})
            for name, entry in models[core]["resources"].items()}


class Sources:
    """Opens the tables on demand."""

    def __init__(self, options):
        self.options = options
        self._ice_lake = None
        self.opcodes = llvm_sched.read_opcodes(options.opcodes)
        with open(os.path.join(options.llvm, "models.json"), encoding="utf-8") as file:
            self.models = json.load(file)
        self.mnemonics = uops_info.zydis_mnemonics(options.mnemonics)
        entries = [entry for some in self.opcodes.values() for entry in some]
        self.memory = {entry.form: entry.memory for entry in entries}
        self.isa_set = {entry.form: entry.isa_set for entry in entries}

    def llvm(self, core):
        rows, _ = llvm_sched.read(find(self.options.llvm, core), self.opcodes)
        return {form: row for form, row in rows.items() if not row.unsupported}

    def uops_info(self, core):
        return uops_info_tables.pick_encodings(
            uops_info.read_rows(find(self.options.uops_info, core), self.mnemonics))

    def dump(self, core):
        return instlatx64.read(find(self.options.instlatx64, core))

    def winic(self):
        return winic.read(self.options.winic, self.opcodes)

    def ice_lake(self):
        """Ice Lake's rows, hand-written ones included: they stand in where all else fails."""
        if self._ice_lake is None:
            rows = uops_info_tables.pick_encodings(
                uops_info.read_rows(self.options.ice_lake, self.mnemonics))
            self._ice_lake = uops_info_tables.core_timings(rows)
            uops_info_tables.split_round_trips("ICL", self._ice_lake)
            extras = os.path.join(os.path.dirname(__file__), "extra_rows.txt")
            self._ice_lake.update(uops_info_tables.read_extra_rows(extras)["ICL"])
        return self._ice_lake

    def osaca(self):
        return osaca.read(self.options.osaca, self.opcodes)

    def extensions(self, core):
        """ISA sets of a core file, widths spelled out as the loader does."""
        words = set()
        with open(os.path.join(self.options.cores, core.lower() + ".core")) as file:
            for line in file:
                if line.startswith("extensions "):
                    words.update(line.split("#")[0].split()[1:])
        widths = ("", "_128", "_128n", "_256", "_512", "_kop", "_scalar")
        return {word + width for word in words for width in widths}


def find(folder, core):
    for name in (f"{core}.tsv.xz", f"{core}.tsv"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    sys.exit(f"merge_tables: no table of {core} in {folder}")


def zen_facts(sources, core):
    llvm_core, info_core, _ = ZEN_CORES[core]
    facts = zen.Facts(llvm=sources.llvm(llvm_core), groups=zen_groups(sources.models, llvm_core),
                      info=sources.uops_info(info_core), dump=sources.dump(DUMPS.get(core, core)),
                      memory=sources.memory, stand_in=info_core != core)
    if core in ("ZEN4", "ZEN5"):
        facts.winic = sources.winic()
    if core == "ZEN5":
        facts.osaca = sources.osaca()
        facts.winic = {form: moved(form, row, facts) for form, row in facts.winic.items()}
    return facts


def moved(form, row, facts):
    """Zen 4's pairs, moved by what Zen 5's chain on the unmasked form differs."""
    plain = re.sub(r"^\{evex\} | \{(er|sae)\}$|\{k\}(\{z\})?", "", form)
    old = facts.winic.get(plain) or facts.winic.get("{evex} " + plain)
    chains = [figure.latency for name in (plain, "{evex} " + plain)
              for figure in facts.dump.get(name, ()) if figure.latency and figure.latency >= 0.7]
    own = [cycles for (_, target), cycles in old.exact.items() if target == "1"] if old else []
    shift = round(min(chains)) - max(own) if chains and own else 0
    return winic.Row(None, {pair: max(1, cycles + shift) for pair, cycles in row.exact.items()},
                     row.ranges)


def zen_rows(sources, core):
    facts = zen_facts(sources, core)
    builder = zen.Builder(MACHINES[core], facts)
    wanted = sources.extensions(core)
    forms = {form for form in set(facts.llvm) | set(facts.info)
             if sources.isa_set.get(form, form in facts.info) in wanted | {True} and
             (form in facts.info or not zen.is_unknown(facts.llvm[form]) or
              form not in sources.ice_lake())}
    rows = builder.build(forms)
    zen_idioms.apply(rows, core)
    uops_info_tables.add_wide_results(rows)
    rows.update(builder.borrowed(sources.ice_lake(), wanted, sources.isa_set))
    return rows, builder


def golden_cove_rows(sources, core, base):
    wanted = sources.extensions(core)
    builder = golden_cove.Builder(sources.llvm(core), sources.dump(DUMPS.get(core, core)),
                                  sources.memory)
    rows = dict(base)
    if not base:
        rows = uops_info_tables.core_timings(sources.uops_info("MTL-P"))
        uops_info_tables.fill_from_siblings(rows)
        for row in rows.values():
            row.source = ""        # composed latencies too are the stand-in's
        without_renaming = uops_info_tables.core_timings(sources.uops_info("SKL"))
        uops_info_tables.unrename(rows, {key: row.latency for key, row in
                                         without_renaming.items()}, {})
        # The round trip through memory is as long as on Ice Lake.
        uops_info_tables.split_round_trips("ICL", rows)
        golden_cove.restore_branches(rows)
        golden_cove.repair_same(rows)
        builder.correct(rows)
        builder.add_throughputs(rows)
    builder.ice_lake = sources.ice_lake()
    rows.update(builder.fill(rows, {form for form in builder.llvm
                                    if sources.isa_set[form] in wanted}))
    rows.update(builder.tiles(wanted, sources.isa_set))
    rows.update(builder.borrowed(rows, wanted, sources.isa_set))
    return rows, builder


def report(core, rows, builder, verbose):
    """How far the rows' own throughput bound is from the measured one."""
    counts = {"agree": 0, "chained copies": 0, "explained by rtp": 0, "differ": 0}
    for form, row in rows.items():
        rthroughput, latency = builder.measured(form)
        if not rthroughput or row.flag or "[" in form.split("m[")[0]:
            continue
        uops = {name: count for count, name in row.uops}
        predicted = max(ports.bound(uops), row.slots / DISPATCH[core])
        if abs(predicted - rthroughput) <= max(zen.TOLERANCE * rthroughput, 0.08):
            counts["agree"] += 1
        elif latency and predicted < rthroughput and abs(rthroughput - latency) <= 0.1 * latency:
            counts["chained copies"] += 1
        elif row.rthroughput:
            counts["explained by rtp"] += 1
        else:
            counts["differ"] += 1
            if verbose:
                print(f"  {form}: bound {predicted:.2f}, measured {rthroughput}")
    print(f"{core}: {len(rows)} rows; throughput: " +
          ", ".join(f"{count} {word}" for word, count in counts.items()))


def default_source(core):
    return "m" if core == "SPR" else "u"


def header(core, base):
    lines = [f"name  {core.lower()}"]
    if base:
        lines.append(f"base  {base.lower():<30} # its rows hold unless written again here")
    return lines + [*HEADS[core], *SHARED_SOURCES, f"default-source {default_source(core)}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("opcodes", "llvm", "uops-info", "ice-lake", "instlatx64", "osaca", "winic",
                 "cores"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--mnemonics", default="/usr/include/Zydis/Generated/EnumMnemonic.h",
                        help="Zydis's list of mnemonics")
    parser.add_argument("--verbose", action="store_true", help="name the forms that differ")
    parser.add_argument("out", help="directory to write CORE.timing to")
    parser.add_argument("only", nargs="*", metavar="CORE")
    options = parser.parse_args()
    sources = Sources(options)
    full = {None: {}}              # core -> every row its lookups can see
    for core, base in (("ADL-P", None), ("SPR", "ADL-P"),
                       *((core, base) for core, (_, _, base) in ZEN_CORES.items())):
        if options.only and core not in options.only and core not in ("ADL-P", "ZEN3"):
            continue
        if core in MACHINES:
            rows, builder = zen_rows(sources, core)
        else:
            rows, builder = golden_cove_rows(sources, core, full[base])
        report(core, rows, builder, options.verbose)
        default = default_source(core)
        for form, row in rows.items():
            if row.source == default and full[base].get(form) is not row:
                row.source = ""
        own = timing_file.reduce(rows, full[base])
        full[core] = timing_file.overlay(full[base], own)
        timing_file.write(os.path.join(options.out, core.lower() + ".timing"),
                          header(core, base), own)
        print(f"  {len(own)} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
