#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Simulated against measured latency and throughput of single instructions.

    singles.py TAKT FOLDER [--arch=SNB,IVB…] [--worst=N] [--csv=FILE]

FOLDER holds CORE.tsv.xz with the columns instr, lat_cycles, tp_cycles: InstLatX64's dumps.
Nothing of them is kept here. For each instruction the loop is built that its figure is
measured with: copies on registers in turn for the throughput, on one register for the
latency. Rows that need data (divisions by certain values), several instructions, masks,
gathers, x87 or addresses that cross lines are left out.

The dumps' loops are larger than the op cache holds for good, so their front end is somewhere
between the op cache and the decoders. A throughput between the two is counted as met, but
such rows are counted apart (`front end`).
"""
import argparse
import csv
import lzma
import pathlib
import re
import subprocess
import sys
import tempfile

import stats

COPIES = 96
CORES = ("SNB", "IVB", "HSW", "BDW", "SKL", "SKX", "CLX", "ICL", "TGL", "RKL")
LIMITS = (0.2, 200)  # cycles
LEAST_LATENCY = 0.8  # below, there is no chain, or the dump's tenths are too coarse

GENERAL = ("bx", "di", "8", "9", "10", "11", "12", "13", "14")
FEW, MANY = 8, 15  # vector registers that take turns; the dumps do not say how many
ABBREVIATIONS = {"xm": "xmm", "ym": "ymm", "zm": "zmm", "im8": "imm8"}
IMMEDIATES = {"imm8": "7", "imm16": "0x1234", "imm32": "0x12345678", "imm64": "0x123456789abcdef",
              "imm8_0": "0", "1": "1"}  # wide zeros would be assembled as short ones
SIZES = {"8": "byte ptr", "16": "word ptr", "32": "dword ptr", "64": "qword ptr",
         "128": "xmmword ptr", "256": "ymmword ptr", "512": "zmmword ptr"}
FIXED = {"al", "ax", "eax", "rax", "cl", "dx", "<xmm0>"}
SKIPPED = re.compile(r"[+/(]|\{k\}|LS ?pair|LSD|\bASP\b|\[mem\]|[24]x|^LNOP|^F[A-Z0-9]+( |$)|0x66|"
                     r"GATHER|SCATTER|PREFETCH|\bREP\b|NT(DQ|PS|PD|I|Q)|CLFLUSH|XGETBV|CPUID|"
                     r"PAUSE|EMMS|LOCK|[A-Z]S[BWDQ]$|DIV")
PAIR = re.compile(r"^(?:\{\w+\} )?(V?MOV(SS|SD|[AU]P[SD]|DQA|DQU|D|Q))( aligned)? LS ?pair$")
REGISTER = re.compile(r"^(?:(r)(\d?)_?(8|16|32|64)|(xmm|ymm|zmm|mm|xm|ym|k)(\d?))$")


def general(number, bits):
    name = GENERAL[number]
    if name.isdigit():
        return "r" + name + {"8": "b", "16": "w", "32": "d", "64": ""}[bits]
    if bits == "8":
        return {"bx": "bl", "di": "dil"}[name]
    return {"16": "", "32": "e", "64": "r"}[bits] + name


def lea_address(text, number):
    """[r64 + r64 * 8 + disp8] with one register, as measured."""
    bits = "32" if "r32" in text else "64"
    return (text.replace(f"r{bits}", general(number, bits))
            .replace("disp8", "7").replace("disp32", "0x12345678"))


class Operand:
    def __init__(self, text):
        text = ABBREVIATIONS.get(text, text)
        self.text = text
        register = REGISTER.match(text)
        memory = re.match(r"^\[?m(\d+)\]?$", text)
        self.address = text.startswith("[r")
        self.memory = memory[1] if memory else None
        self.kind = self.bits = None
        self.second = False
        if register:
            self.kind = "r" if register[1] else ABBREVIATIONS.get(register[4], register[4])
            self.bits = register[3]
            self.second = (register[2] or register[5]) == "2"
        self.known = bool(register or memory or self.address or text in IMMEDIATES
                          or text in FIXED)

    def write(self, copy, registers, first):
        """Of copy number `copy`; in a chain `registers` is 1."""
        chain = registers == 1
        if self.address:
            return lea_address(self.text, copy % min(registers, FEW))
        if self.memory:
            at = f"[r15+{int(self.memory) // 8 * (copy % min(registers, FEW))}]"
            if chain and first is not self and first.kind == "r":
                at = f"[{general(0, '64')}]"
            return f"{SIZES[self.memory]} {at}"
        if self.kind == "r":
            return general(8 if self.second else copy % min(registers, FEW), self.bits)
        if self.kind in ("mm", "k"):
            return f"{self.kind}{7 if self.second else 1 + copy % min(registers, 6)}"
        if self.kind:
            return f"{self.kind}{15 if self.second else 15 - 1 - copy % registers}"
        return IMMEDIATES.get(self.text, self.text.strip("<>"))


class Instruction:
    """As a dump names it; not to be used if `known` is false."""

    def __init__(self, text):
        self.prefix = "{evex} " if "{EVEX}" in text else ""
        text = re.sub(r"^(\{\w+\} )+", "", text.strip())
        self.known = not SKIPPED.search(re.sub(r"\[r[^]]*\]", "", text))
        name, _, rest = text.partition(" ")
        self.name = name.lower()
        rest = re.sub(r"(?<=mm\d) (?=[xyz]mm)", ",", rest)
        parts = [part.strip() for part in rest.split(",")] if rest else []
        self.operands = [Operand(p if p.startswith("<") else p.lower()) for p in parts]
        self.known = self.known and all(o.known for o in self.operands)
        if self.name in ("xchg", "xadd", "mulx") and "1_" not in text:
            self.known = False  # of a register with itself
        if self.name in ("push", "pop", "call", "ret", "enter", "leave", "pushfq", "popfq"):
            self.known = False

    def reads_destination(self):
        """Rather: not known not to. A move from register 2 to register 1 is no chain."""
        if not any(o.second for o in self.operands):
            return True
        return not re.match("v|mov", self.name) or any(
            o.kind == self.operands[0].kind and not o.second for o in self.operands[1:])

    def has_chain(self):
        first = self.operands[0] if self.operands else None
        memory = any(o.memory for o in self.operands)
        if not first or re.match("v?pcmp.str", self.name):  # these write xmm0 or ecx
            return False
        if memory and not first.memory:
            return first.kind == "r" and len(self.operands) == 2
        return self.reads_destination()

    def loop(self, registers):
        lines = []
        for copy in range(COPIES):
            operands = [o.write(copy, registers, self.operands[0]) for o in self.operands]
            lines.append(f"{self.prefix}{self.name} {', '.join(operands)}")
        return lines


class Pair:
    """A value's way to memory and back."""
    known = True

    def __init__(self, *lines):
        self.lines = list(lines)

    def has_chain(self):
        return True

    def loop(self, _registers):
        return self.lines * COPIES


class Nop(Pair):
    """No-operations of any length, with their opcode at the end or near the start."""

    def __init__(self, prefixes, length):
        tail = {0: ("0x90",), 3: ("0x0f", "0x1f", "0"), 4: ("0x0f", "0x1f", "0x40", "0"),
                5: ("0x0f", "0x1f", "0x44", "0", "0"), 7: ("0x0f", "0x1f", "0x80", *"0000"),
                8: ("0x0f", "0x1f", "0x84", *"00000")}[length]
        super().__init__(".byte " + ",".join(("0x66",) * prefixes + tail))

    def has_chain(self):
        return False


def parse_nop(text):
    short = re.match(r"^(?:(\d+)x )?0x66 NOP$", text)
    long = re.match(r"^(?:\dx66 )?LNOP([3-9A-F]) ", text)
    if short:
        return Nop(int(short[1] or 1), 0)
    if not long:
        return None
    length = int(long[1], 16)
    base = length if length in (3, 4, 5, 7, 8) else 5 if length == 6 else 8
    return Nop(length - base, base)


def parse(text):
    nop = parse_nop(text)
    if nop:
        return nop
    if text == "PUSH r64 + POP r64":
        return Pair("push rbx", "pop rbx")
    pair = PAIR.match(text)
    if not pair:
        return Instruction(text)
    name = pair[1].lower()
    size = {"ss": "32", "d": "32", "sd": "64", "q": "64"}.get(pair[2].lower(), "128")
    memory = f"{SIZES[size]} [r15]"
    return Pair(f"{name} xmm1, {memory}", f"{name} {memory}, xmm1")


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return 0.0


def read_dump(path):
    """(instruction's text, kind, cycles, Instruction), cycles by the dump's own clock."""
    with lzma.open(path, "rt", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    clock = next(number(r["lat_cycles"]) for r in rows if r["instr"].endswith("IMUL r64, r64")) / 3
    found = {}
    for row in rows:
        instruction = parse(row["instr"])
        if not instruction.known:
            continue
        name = re.sub(r"^\{REX\} ", "", row["instr"])
        for kind, text in (("tp", row["tp_cycles"]), ("lat", row["lat_cycles"])):
            cycles = number(text) / clock
            least = LEAST_LATENCY if kind == "lat" else LIMITS[0]
            if type(instruction) is Pair and kind == "tp":
                continue
            if least <= cycles <= LIMITS[1] and (kind == "tp" or instruction.has_chain()):
                found.setdefault((name, kind), (cycles, instruction))
    return found


def assemble(loops):
    """Hex of each loop, None for those that the assembler rejects."""
    rejected = set()
    with tempfile.TemporaryDirectory() as folder:
        source, out = pathlib.Path(folder, "s.s"), pathlib.Path(folder, "s.o")
        for _ in range(3):
            lines, owner = [".intel_syntax noprefix"], [None]
            for i, loop in enumerate(loops):
                if i in rejected:
                    continue
                text = [f".section .s{i}", f"l{i}:"] + loop + ["dec rsi", f"jnz l{i}"]
                lines += text
                owner += [i] * len(text)
            source.write_text("\n".join(lines) + "\n", encoding="utf-8")
            done = subprocess.run(["as", "--64", "-o", str(out), str(source)],
                                  capture_output=True, text=True, check=False)
            if done.returncode == 0:
                break
            rejected |= {owner[int(n) - 1] for n in re.findall(r":(\d+): Error", done.stderr)}
        sections = read_sections(out.read_bytes())
    return [sections.get(f".s{i}") for i in range(len(loops))]


def read_sections(elf):
    """Contents, as hex, of the sections of a 64-bit little-endian object file by name."""
    def field(at, size):
        return int.from_bytes(elf[at:at + size], "little")
    table, entry, count, names = field(40, 8), field(58, 2), field(60, 2), field(62, 2)
    count = count or field(table + 32, 8)
    names = field(table + 40, 4) if names == 0xffff else names
    strings = field(table + names * entry + 24, 8)
    found = {}
    for i in range(count):
        header = table + i * entry
        start = strings + field(header, 4)
        name = elf[start:elf.index(b"\0", start)].decode()
        at, size = field(header + 24, 8), field(header + 32, 8)
        found[name] = elf[at:at + size].hex()
    return found


def predict(takt, arch, mode, blocks):
    done = subprocess.run([takt, "predict", "--engine=sim", f"--arch={arch}", f"--mode={mode}",
                           "--pointers=0"],
                          input="\n".join(blocks) + "\n", capture_output=True, text=True,
                          check=False)
    lines = [line for line in done.stdout.splitlines() if line and not line.startswith("#")]
    values = [number(line.split(",")[-1]) / COPIES for line in lines]
    if len(values) == len(blocks) + 1:
        values = values[1:]
    if len(values) != len(blocks):
        sys.exit(f"{arch}: {len(values)} predictions of {len(blocks)} blocks\n{done.stderr}")
    return values


class Result:
    """`predicted` is [loop out of the op cache, through the decoders] on few registers, and on
    many."""

    def __init__(self, name, kind, measured, predicted):
        self.name, self.kind, self.measured = name, kind, measured
        self.predicted = min((p[0] for p in predicted), key=lambda p: abs(p - measured))
        self.between = kind == "tp" and self.is_off() and any(
            min(loop, 0.9 * straight) <= measured <= max(loop, 1.1 * straight)
            for loop, straight in predicted)
        if self.between:
            self.predicted = measured
        self.error = abs(self.predicted - measured) / measured

    def is_off(self):
        return abs(self.predicted - self.measured) > 0.1 * self.measured


def compare(takt, arch, path):
    """The rows of a dump that can be compared."""
    found, loops = [], []
    for (name, kind), (cycles, instruction) in read_dump(path).items():
        for registers in (1,) if kind == "lat" else (FEW, MANY):
            found.append((name, kind, cycles))
            loops.append(instruction.loop(registers))
    both = [(key, code) for key, code in zip(found, assemble(loops)) if code]
    codes = [code for _, code in both]
    predicted = {}
    for (key, _), loop, straight in zip(both, predict(takt, arch, "loop", codes),
                                        predict(takt, arch, "unroll", codes)):
        predicted.setdefault(key, []).append((loop, straight))
    return [Result(*key, figures) for key, figures in predicted.items()]


def print_table(results):
    print(f"| core | figure | {stats.ERROR_HEAD} | front end |")
    print("|---|---|---|---|---|---|---|---|")
    for arch, of_core in results.items():
        for kind, title in (("tp", "throughput"), ("lat", "latency")):
            rows = [r for r in of_core if r.kind == kind]
            if not rows:
                continue
            print(f"| {arch} | {title} | {stats.error_cells([r.error for r in rows])} | "
                  f"{sum(r.between for r in rows)} |")


def print_worst(results, count):
    """Instructions on which most cores are off: measured:predicted."""
    by_name = {}
    for arch, rows in results.items():
        for row in rows:
            if row.is_off():
                by_name.setdefault((row.name, row.kind), []).append((arch, row))
    order = sorted(by_name.items(), key=lambda item: -sum(r.error for _, r in item[1]))
    for (name, kind), off in order[:count]:
        figures = " ".join(f"{a}={r.measured:.2f}:{r.predicted:.2f}" for a, r in off)
        print(f"{kind:4}{name:40} {figures}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("takt")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--arch", default=",".join(CORES))
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    parser.add_argument("--csv", metavar="FILE", type=pathlib.Path)
    options = parser.parse_args()
    results = {}
    for arch in options.arch.split(","):
        path = options.folder / f"{arch}.tsv.xz"
        if path.exists():
            results[arch] = compare(options.takt, arch, path)
        else:
            print(f"{arch}: no {path.name} in the folder", file=sys.stderr)
    print_table(results)
    print_worst(results, options.worst)
    if options.csv:
        with open(options.csv, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(("core", "instr", "kind", "measured", "predicted"))
            for arch, rows in results.items():
                for r in rows:
                    writer.writerow((arch, r.name, r.kind, f"{r.measured:.3f}",
                                     f"{r.predicted:.3f}"))
    return 0 if results else 1


if __name__ == "__main__":
    sys.exit(main())
