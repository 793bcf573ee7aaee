# SPDX-License-Identifier: MIT
"""Reads LLVM's scheduling tables (one TSV per core, keyed by opcode) into takt forms.

The link from opcode to form is the output of llvm_opcodes.cpp. The tables come
from a later LLVM than the library that wrote that link, so the few opcodes which
were renamed in between are found by the rename rules below.
"""

import re
from dataclasses import dataclass, field

from uops_info import read_lines

RENAMES = [  # newer name -> older name
    (r"^(.*?)(k|kz)_Int$", r"\1_Int\2"),
    (r"^(K(?:ADD|AND|ANDN|NOT|OR|ORTEST|TEST|XNOR|XOR)[BWDQ]|KUNPCK..)kk$", r"\1rr"),
    (r"^(KSHIFT.[BWDQ])ki$", r"\1ri"),
    (r"^(V?P?(?:EXTRACT|EXTR|INSERT|INSR)\w*?|MMX_P\w+?)([mr])ri(k?z?|_REV)$", r"\1\2r\3"),
    (r"^(V?P?(?:INSERT|INSR)\w*?|MMX_P\w+?)rmi(k?z?)$", r"\1rm\2"),
    (r"^(VBROADCAST[FI]64X2Z)256(rm\w*)$", r"\g<1>128\2"),
    (r"^(VBROADCAST[FI](?:32X4|32X8|64X2|64X4))Z(rm\w*)$", r"\1\2"),
    (r"^(VFPCLASS\w+?Z(?:128|256)?)(mb|m|r)i(k?)$", r"\1r\2\3"),
    (r"^(VPERM2[FI]128)([mr])([mr])i$", r"\1\2\3"),
    (r"^(VPMOV[BWDQ]2MZ(?:128|256)?)kr$", r"\1rr"),
    (r"^(VPMOVM2[BWDQ]Z(?:128|256)?)rk$", r"\1rr"),
    (r"^(VRNDSCALES[DSH]Z)r([rm])i(b?)(k?z?)(_Int)?$", r"\1\2\3\5\4"),
    (r"^(VPCMPU?[DQ]Z(?:128|256)?)rmbi(k?)$", r"\1rmib\2"),
]
CONDITIONS = 16


@dataclass
class Row:
    """One opcode's entry: a single latency, load included."""
    opcode: str
    latency: int
    uops: int
    resources: dict = field(default_factory=dict)  # name -> cycles
    unsupported: bool = False
    reads_late: bool = False  # register sources are needed only when the load is done


@dataclass
class Opcode:
    form: str
    slots: dict   # LLVM operand number -> takt slot
    isa_set: str
    memory: list  # [("r", 64), …]: direction and bits of each data access


def read_opcodes(path):
    """opcode -> [Opcode]; opcodes with a condition have one entry per condition."""
    opcodes = {}
    with open(path) as file:
        for line in file:
            name, _, form, slots, isa_set, memory = line.rstrip("\n").split("\t")
            pairs = (pair.split("=") for pair in slots.split(",") if pair)
            accesses = [re.fullmatch(r"(r?w?)(\d+)", item).groups() for item in memory.split()]
            opcodes.setdefault(name.split(":")[0], []).append(
                Opcode(form, {int(number): slot for number, slot in pairs}, isa_set,
                       [(direction, int(bits)) for direction, bits in accesses]))
    return opcodes


def find_opcode(opcodes, name):
    """Entries for an opcode under its own or an older name, or []."""
    if name in opcodes:
        return opcodes[name]
    for pattern, older in RENAMES:
        renamed = re.sub(pattern, older, name)
        for candidate in (renamed, re.sub(r"(32|64)X([248])", r"\1x\2", renamed)):
            if candidate in opcodes:
                return opcodes[candidate]
    return []


def is_alias(opcode):
    """Opcodes of the same encoding that exist for the compiler or the disassembler only."""
    return "_Int" in opcode or "_REV" in opcode or "_alt" in opcode or "_NOREX" in opcode


def read(path, opcodes):
    """(form -> Row, opcodes without a form). The plainest opcode of a form wins."""
    rows, unknown = {}, []
    for line in read_lines(path):
        entries = find_opcode(opcodes, line["opcode"])
        if not entries:
            unknown.append(line["opcode"])
        for entry in entries:
            old = rows.get(entry.form)
            if old is None or (is_alias(old.opcode) and not is_alias(line["opcode"])):
                rows[entry.form] = parse_row(line)
    return rows, unknown


def parse_row(line):
    resources = {}
    if line["resources"] not in ("-", ""):
        for item in line["resources"].split("+"):
            cycles, name = item.split("*")
            resources[name] = resources.get(name, 0) + int(cycles)
    return Row(line["opcode"], int(line["latency"]), int(line["uops"]), resources,
               "unsupported" in line["flags"], "ReadAfter" in line["source"])
