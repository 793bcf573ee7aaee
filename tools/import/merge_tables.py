#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the timing files of cores that no single source covers.

    merge_tables.py --opcodes FILE --llvm DIR --uops-info DIR --instlatx64 DIR
                    --osaca DIR --winic FILE --cores DIR OUT [CORE…]

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

import instlatx64
import llvm_sched
import timing_file
import uops_info
import uops_info_tables
import zen
from timing_file import Timing

ZEN_UNITS = {  # LLVM's units, without the generation's prefix
    **{f"ALU{i}": f"a{i}" for i in range(4)}, **{f"FPU{i}": f"f{i}" for i in range(4)},
    **{f"FP{i}": f"f{i}" for i in range(4)}, "FP45": "f45", "FPSt": "f45", "BRU1": "b1",
}


def zen_units(prefix):
    return {prefix + unit: port for unit, port in ZEN_UNITS.items()}


INT_SETS = ("a0123", "a12", "a03", "a1")
FP_SETS = ("f0123", "f013", "f01", "f12", "f23", "f03", "f0", "f1", "f2", "f3")

MACHINES = {
    "ZEN+": zen.Machine(
        "ZEN+", zen_units("Zn"), "a0123", INT_SETS + FP_SETS, 5,
        load_int={"g01": 1}, load_vector={"g01": 1},
        store_int={"g01": 1, "d3": 1}, store_vector={"g01": 1, "f2": 1, "d3": 1},
        load_wide={"g01": 2}, store_wide={"g01": 2, "f2": 2, "d3": 2}, wide_bits=256),
    "ZEN2": zen.Machine(
        "ZEN2", zen_units("Zn2"), "a0123", INT_SETS + FP_SETS, 5,
        load_int={"g01": 1}, load_vector={"g01": 1},
        store_int={"g2": 1}, store_vector={"g2": 1, "f2": 1}),
    "ZEN3": zen.Machine(
        "ZEN3", zen_units("Zn3"), "a0123", INT_SETS + FP_SETS, 6,
        load_int={"g012": 1}, load_vector={"g012": 1, "d34": 1},
        store_int={"g012": 1, "d56": 1}, store_vector={"g012": 1, "f45": 2, "d56": 1},
        branches="a0b1", transfer="f45"),
    "ZEN4": zen.Machine(
        "ZEN4", zen_units("Zn4"), "a0123", INT_SETS + FP_SETS, 6,
        load_int={"g012": 1}, load_vector={"g012": 1, "d34": 1},
        store_int={"g012": 1, "d56": 1}, store_vector={"g012": 1, "f45": 2, "d56": 1},
        load_wide={"g012": 2, "d34": 2}, store_wide={"g012": 2, "f45": 4, "d56": 2},
        wide_bits=512, branches="a0b1", transfer="f45", double_pumped=True),
}


def zen_groups(models, core):
    return {name: frozenset(entry["group"]) if "group" in entry else frozenset({name})
            for name, entry in models[core]["resources"].items()}


class Sources:
    """Opens the tables on demand."""

    def __init__(self, options):
        self.options = options
        self.opcodes = llvm_sched.read_opcodes(options.opcodes)
        with open(os.path.join(options.llvm, "models.json"), encoding="utf-8") as file:
            self.models = json.load(file)
        self.mnemonics = uops_info.zydis_mnemonics(options.mnemonics)
        self.memory = {entry.form: entry.memory
                       for entries in self.opcodes.values() for entry in entries}

    def llvm(self, core):
        rows, _ = llvm_sched.read(find(self.options.llvm, core), self.opcodes)
        return {form: row for form, row in rows.items() if not row.unsupported}

    def uops_info(self, core):
        return uops_info_tables.pick_encodings(
            uops_info.read_rows(find(self.options.uops_info, core), self.mnemonics))

    def dump(self, core):
        return instlatx64.read(find(self.options.instlatx64, core))


def find(folder, core):
    for name in (f"{core}.tsv.xz", f"{core}.tsv"):
        if os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    sys.exit(f"merge_tables: no table of {core} in {folder}")


def zen_facts(sources, core, llvm_core, info_core):
    return zen.Facts(llvm=sources.llvm(llvm_core), groups=zen_groups(sources.models, llvm_core),
                     info=sources.uops_info(info_core) if info_core else {},
                     dump=sources.dump(core), memory=sources.memory)
