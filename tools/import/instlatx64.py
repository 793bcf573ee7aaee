# SPDX-License-Identifier: MIT
"""Reads the InstLatX64 dumps (as TSV) into takt forms.

A dump measures copies of one instruction back to back: once on one register
(latency) and once on rotating registers (reciprocal throughput). It has no ports
and no operand pairs, so it serves to check and to correct what other sources say.
"""

import re
from dataclasses import dataclass

from uops_info import read_lines

KIND = {
    "xmm": "xmm", "xm": "xmm", "ymm": "ymm", "ym": "ymm", "zmm": "zmm", "zm": "zmm",
    "mm": "mm", "k": "k", "imm8": "i8", "im8": "i8", "i8": "i8", "imm16": "i16",
    "imm32": "i32", "imm64": "i64", "cl": "cl", "1": "1", "ax": "ax", "eax": "eax",
    "al": "al", "rax": "rax",
}
MNEMONIC = {"cmovnz": "cmovne", "cmovc": "cmovb", "setc": "setb", "setnz": "setne",
            "cmovz": "cmove"}
NOT_ONE_INSTRUCTION = re.compile(r"\+ [A-Z]|[a-z\])]\s*\+[A-Z]|[A-Z]\+[A-Z]|pair|,\s*FXCH|^\d+x ")
UNALIGNED = re.compile(r"\[m\d+ ?\+ ?\d+\]")


@dataclass
class Figure:
    latency: float | None   # of the chain on one register; None if there was none
    rthroughput: float | None
    distinct: bool          # operands are different registers


def parse_operand(text):
    """Kind and register number ("xmm1" is xmm, 1), or None."""
    text = text.strip()
    vector = re.fullmatch(r"([xyz]mm?|mm|k)(\d)?", text)
    if vector:
        return KIND[vector[1]], vector[2]
    general = re.fullmatch(r"r(?:(\d)_)?(8|16|32|64)l?", text)
    if general:
        return "r" + general[2], general[1]
    memory = re.fullmatch(r"\[m(\d+)\]", text)
    if memory:
        return "m" + memory[1], None
    if text in KIND:
        return KIND[text], None
    return None


def parse_name(name):
    """(form, operands differ) of a dump's instruction name, or None."""
    if NOT_ONE_INSTRUCTION.search(name) or UNALIGNED.search(name):
        return None
    evex = name.startswith("{EVEX} ")
    name = re.sub(r"^\{[A-Z]+\} ", "", name).strip()
    prefix = "lock " if name.startswith("LOCK ") else ""
    name = name.removeprefix("LOCK ")
    mask = re.search(r" ?(\{k\}(\{z\})?)", name)
    if mask:
        name = name.replace(mask[0], "", 1)
    mnemonic, _, rest = name.partition(" ")
    if not re.fullmatch(r"[A-Z0-9]+", mnemonic):
        return None
    operands = []
    numbers = []
    for text in rest.split(",") if rest else []:
        parsed = parse_operand(text)
        if parsed is None:
            return None
        operands.append(parsed[0])
        if parsed[0] in ("xmm", "ymm", "zmm", "mm", "k") or parsed[0].startswith("r"):
            numbers.append(parsed[1])
    if mask and operands:
        operands[0] += mask[1]
    mnemonic = mnemonic.lower()
    mnemonic = MNEMONIC.get(mnemonic, mnemonic)
    distinct = len(set(numbers)) > 1
    form = prefix + ("{evex} " if evex else "") + (mnemonic + " " + ", ".join(operands)).strip()
    return form, distinct


def read(path):
    """form -> list of Figure. EVEX forms carry the "{evex} " prefix whether needed or not."""
    figures = {}
    for row in read_lines(path):
        parsed = parse_name(row["instr"])
        if parsed is None:
            continue
        form, distinct = parsed
        figures.setdefault(form, []).append(
            Figure(number(row["lat_cycles"]), number(row["tp_cycles"]), distinct))
    return figures


def read_named(path):
    """Raw instruction name -> (latency, reciprocal throughput), for value-dependent rows."""
    return {re.sub(r"^\{[A-Z]+\} ", "", row["instr"]):
            (number(row["lat_cycles"]), number(row["tp_cycles"])) for row in read_lines(path)}


def number(text):
    return float(text) if text else None
