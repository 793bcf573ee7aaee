# SPDX-License-Identifier: MIT
"""Reads OSACA's Zen 5 machine model (YAML): port pressure by LLVM opcode.

PyYAML is needed for this one reader. Only entries that name the LLVM opcode they
were measured for are taken: those are the ones with a real form.
"""

import lzma

import llvm_sched
import ports

# OSACA numbers Zen 5's pipes from left to right in its own drawing.
ZEN5_PORTS = {
    "0": "f0", "1": "f2", "2": "f1", "3": "f3", "4": "f4", "5": "f5",
    "6": "a0", "7": "a1", "8": "a2", "9": "a3", "10": "a4", "11": "a5",
    "12": "g0", "13": "g1", "14": "g2", "15": "g3",
    "0DV": "d1", "2DV": "d2", "4D": "d3", "5D": "d4",
}


def read(path, opcodes):
    """form -> ({ports: cycles}, latency)."""
    import yaml  # not a dependency of anything but this reader
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        model = yaml.load(file, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    rows = {}
    for entry in model["instruction_forms"]:
        opcode = entry.get("llvm_name")
        pressure = parse_pressure(entry.get("port_pressure"))
        if not opcode or not pressure:
            continue
        for found in llvm_sched.find_opcode(opcodes, opcode):
            if found.form not in rows or not llvm_sched.is_alias(opcode):
                rows[found.form] = (pressure, entry.get("latency"))
    return rows


def parse_pressure(pressure):
    out = {}
    if any(not isinstance(item, list) for item in pressure or []):
        return {}                  # a slip in the file: not a list of [cycles, ports]
    for cycles, units in pressure or []:
        names = units if isinstance(units, list) else list(units)
        names = [one for name in names for one in ([name] if name in ZEN5_PORTS else name)]
        key = ports.name({ZEN5_PORTS[name] for name in names})
        out[key] = out.get(key, 0) + max(1, round(cycles))
    return out
