# SPDX-License-Identifier: MIT
"""Reads WINIC's Zen 4 report: latency per operand pair and throughput, by LLVM opcode."""

import re
from dataclasses import dataclass

import llvm_sched
from uops_info import read_lines

REGISTERS = {"EFLAGS": "f", "AL": "rax", "AX": "rax", "EAX": "rax", "RAX": "rax", "CL": "rcx",
             "CX": "rcx", "ECX": "rcx", "RCX": "rcx", "DX": "rdx", "EDX": "rdx", "RDX": "rdx",
             "BX": "rbx", "EBX": "rbx", "RBX": "rbx"}
WIDEST_RANGE = 1.5   # cycles; wider ones say little about either end
DISTURBED = 0.2      # a latency further than this from a whole number was measured badly


@dataclass
class Row:
    rthroughput: float | None
    exact: dict        # (source, destination) -> cycles
    ranges: dict       # (source, destination) -> (low, high), of chains through a helper


def parse_pairs(text, slots):
    exact, ranges = {}, {}
    for item in filter(None, text.split(";")):
        pair, value = item.split("=")
        source, destination = (slot_of(name, slots) for name in pair.split(">"))
        if source is None or destination is None:
            continue
        low, _, high = value.partition("..")
        low = float(low)
        high = float(high or low)
        if abs(low - round(low)) > DISTURBED and low > 0.3:
            continue               # vmulsd 4.27 and 4.55: InstLatX64 has 3.00, twice
        if high - low <= WIDEST_RANGE:
            exact[source, destination] = max(1, round(low + 0.2)) if low > 0.3 else 0
        else:
            ranges[source, destination] = (low, high)
    return exact, ranges


def slot_of(name, slots):
    if name.isdigit():
        return slots.get(int(name))
    return REGISTERS.get(name)


def read(path, opcodes):
    """form -> Row; the plainest opcode of a form wins."""
    rows, names = {}, {}
    for line in read_lines(path):
        for entry in llvm_sched.find_opcode(opcodes, line["opcode"]):
            if entry.form in names and (llvm_sched.is_alias(line["opcode"]) or
                                        not llvm_sched.is_alias(names[entry.form])):
                continue
            exact, ranges = parse_pairs(line["latencies"], entry.slots)
            throughput = re.match(r"[\d.]+", line["tp_min"])
            rows[entry.form] = Row(float(throughput[0]) if throughput else None, exact, ranges)
            names[entry.form] = line["opcode"]
    return rows
