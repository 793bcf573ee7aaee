#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One rule of the pipeline at a time: short blocks whose cycles follow from the rule by hand.

    probes.py TAKT [--all]

probes.txt says cores, where the block starts in its 64-byte line, cycles, block and why. The
figures come from the derivation, never from a run; there is no way to bless them. A block whose
last instruction is a jump to `top` is simulated as a loop, others as copies behind each other.
`>N` cycles are more than N. A line that begins with `todo` is a rule that the simulator does not follow yet: it is reported
and does not fail, except that it must be struck once it holds.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402
from programs import missing  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCE = 0.011  # cycles; predict prints two decimals
GROUPS = {
    "ALL": "SNB IVB HSW BDW SKL SKX CLX ICL TGL RKL",
    "SNB-IVB": "SNB IVB", "IVB-RKL": "IVB HSW BDW SKL SKX CLX ICL TGL RKL",
    "SNB-BDW": "SNB IVB HSW BDW", "SNB-CLX": "SNB IVB HSW BDW SKL SKX CLX",
    "HSW-BDW": "HSW BDW", "HSW-CLX": "HSW BDW SKL SKX CLX", "SKL-SKX": "SKL SKX",
    "SKL-CLX": "SKL SKX CLX", "SKL-RKL": "SKL SKX CLX ICL TGL RKL", "ICL-RKL": "ICL TGL RKL",
    "HSW-RKL": "HSW BDW SKL SKX CLX ICL TGL RKL", "IVB-CLX": "IVB HSW BDW SKL SKX CLX",
    "ICL-TGL": "ICL TGL", "GLC": "ADL-P SPR", "GLC-RWC": "ADL-P SPR GNR",
}


NOPS = {"nop3": "0x0f,0x1f,0", "nop5": "0x0f,0x1f,0x44,0,0",
        **{f"pad{n}": "0x66," * (n - 1) + "0x90" for n in range(1, 9)}}


def cores_of(text):
    return [core for name in text.split(",") for core in GROUPS.get(name, name).split()]


def read_probes(path):
    """(line number, todo, cores, align, cycles, lines of the block, reason)"""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        cores, align, cycles, block, reason = (part.strip() for part in line.split("|"))
        todo = cores.startswith("todo ")
        lines = []
        for part in block.split(";"):
            text, times = re.match(r"^\s*(.*?)(?:\s+\*(\d+))?\s*$", part).groups()
            lines += [text] * int(times or 1)
        cores = cores_of(cores.removeprefix("todo "))
        yield number, todo, cores, align, cycles, lines, reason


def assemble(lines):
    """Hex; `next` is the instruction behind, NOPS are of so many bytes."""
    text = ".intel_syntax noprefix\ntop:\n"
    for line in lines:
        text += f".byte {NOPS[line]}" if line in NOPS else re.sub(r"\bnext$", "1f", line)
        text += "\n1:\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "probe")
        subprocess.run(["as", "--64", "-o", str(path), "-"], input=text, text=True, check=True)
        subprocess.run(["objcopy", "-O", "binary", "-j", ".text", str(path)], check=True)
        return path.read_bytes().hex()


def predict(takt, core, mode, align, code):
    done = subprocess.run([takt, "predict", "--engine=sim", f"--arch={core}", f"--mode={mode}",
                           f"--align={align}"], input=code + "\n", capture_output=True,
                          text=True, check=False, timeout=60)
    if done.returncode != 0:
        return None
    return float(done.stdout.strip().rsplit(",", 1)[1])


def holds(got, cycles):
    if got is None:
        return False
    if cycles.startswith(">"):
        return got > float(cycles[1:]) + TOLERANCE
    return abs(got - float(cycles)) <= TOLERANCE


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    if missing("as", "objcopy"):
        tap.skip_all(missing("as", "objcopy"))
    probes = read_probes(HERE / "probes.txt")
    for line, todo, cores, align, cycles, block, reason in probes:
        code = assemble(block)
        mode = "loop" if re.search(r"\btop$", block[-1]) else "unroll"
        for core in cores:
            got = predict(takt, core, mode, align, code)
            good = holds(got, cycles)
            what = f"line {line} on {core}: {reason}" + ("" if good else f": {cycles}, got {got}")
            (tap.todo if todo else tap.ok)(good, what)
    return tap.finish()


sys.exit(main())
