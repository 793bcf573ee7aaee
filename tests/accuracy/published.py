#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Simulated against measured throughput of single instructions, from other sources than dumps.

    published.py TAKT HSW=hsw_tp_table.csv SKL=SKL_exps_singletons.json… [--worst=N]

A .csv has the columns Instruction and tp with uops.info's names of forms, a .json PMEvo's
experiments of one instruction. Nothing of them is kept here. Both took the fastest of several
ways to run copies of an instruction, so the faster of a loop and straight code counts, on few
registers or on many; nothing else is granted. Left out is what dumps' rows are left out for, and
chains: the sources broke them.
"""
import argparse
import csv
import json
import pathlib
import re

import singles
import stats

SKIPPED = re.compile(
    r"_(LOCK|REP|REPE|REPNE|W)\b|R8h|Rel|, 0\)|M80|FENCE|"
    # Chains through the carry or all flags, through rax or its parts, or x87 registers.
    r"^(ADC|SBB|RC[LR]|ADCX|ADOX|CMC|LAHF|SAHF)|\((M|R)\d+l?, CL\)|\b(AL|AX|EAX|RAX)\b|"
    r"^I?MUL \([RM]\d+l?\)|^(CBW|CWDE?|CDQE?|CQO|XLAT|CMPXCHG|XADD|XCHG)|"
    # Prefixes that change lengths; what systems keep for themselves.
    r"\((R|M)16, I16\)|MASKMOV|^(J|SET|IN |INS|OUT|POPF|PUSHF|XSAVE|FX|RD|WR|WBINVD|INV|CL[IT]|STI|"
    r"[LS][LGIM][DS][TW]|LAR|LSL|STR|LTR|VER[RW]|XSETBV|V?LDMXCSR)")


def operand(text, place):
    """In the words of a dump. The second register is another; a third is the first again."""
    register = re.match(r"^R(8|16|32|64)l?$", text)
    if register:
        return f"r2_{register[1]}" if place else f"r{register[1]}"
    if text in ("MM", "XMM", "YMM", "ZMM"):
        return text.lower() + ("2" if place == 1 else "")
    return {"I8": "imm8", "I16": "imm16", "I32": "imm32"}.get(text, text.lower())


def instruction(name, operands):
    name = re.sub(r"_(\d\w|IMMB|IMM)$", "", name)
    words = [operand(o, i) for i, o in enumerate(operands)]
    return singles.Instruction(f"{name} {', '.join(words)}")


def read_forms(path):
    with open(path, encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = row["Instruction"]
            name, _, rest = text.partition(" (")
            if not SKIPPED.search(text) and "_" not in rest:
                yield text, float(row["tp"]), instruction(name, rest.rstrip(")").split(", ")
                                                          if rest else [])


def read_experiments(path):
    sizes = {"byte": 8, "word": 16, "dword": 32, "qword": 64, "xmmword": 128, "ymmword": 256}
    for experiment in json.loads(pathlib.Path(path).read_text(encoding="utf-8"))["exps"]:
        text, = experiment["iseq"]
        name, _, rest = text.partition("_")
        words = []
        for part in rest.split(",_") if rest else []:
            memory = re.match(r"(\w+)_ptr", part)
            register = re.match(r"\(\((?:REG|DIV):(?:\w+:)*?([GV]?):?(\d+)\)\)", part)
            immediate = re.match(r"\(\(IMM:(\d+)\)\)", part)
            if memory:
                words.append(f"M{sizes[memory[1]]}")
            elif register:
                words.append({"128": "XMM", "256": "YMM"}[register[2]] if register[1] == "V"
                             else f"R{register[2]}")
            elif immediate:
                words.append(f"I{immediate[1]}")
            else:
                words.append("?")
        if not SKIPPED.search(text):
            yield text, experiment["result"]["cycles"], instruction(name, words)


def compare(takt, arch, path):
    """(name, measured, predicted)"""
    read = read_experiments if str(path).endswith(".json") else read_forms
    rows = [row for row in read(path) if row[2].known and row[1] > 0]
    loops = [row[2].loop(n) for row in rows for n in (singles.FEW, singles.MANY)]
    codes = singles.assemble(loops)
    good = [i for i, code in enumerate(codes) if code]
    found = [[] for _ in rows]
    for mode in ("loop", "unroll"):
        predicted = singles.predict(takt, arch, mode, [codes[i] for i in good])
        for i, cycles in zip(good, predicted):
            found[i // 2].append(cycles)
    return [(row[0], row[1], min(cycles)) for row, cycles in zip(rows, found) if cycles]


def print_row(arch, source, rows):
    errors = stats.relative_errors([(predicted, measured) for _, measured, predicted in rows])
    print(f"| {arch} | {source} | {stats.error_cells(errors)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("takt")
    parser.add_argument("files", nargs="+", metavar="CORE=FILE")
    parser.add_argument("--worst", type=int, default=0, metavar="N")
    options = parser.parse_args()
    print(f"| core | source | {stats.ERROR_HEAD} |")
    print("|---|---|---|---|---|---|---|")
    for file in options.files:
        arch, _, path = file.partition("=")
        rows = compare(options.takt, arch, path)
        print_row(arch, pathlib.Path(path).name, rows)
        rows.sort(key=lambda r: -abs(r[2] - r[1]) / r[1])
        for name, measured, predicted in rows[:options.worst]:
            print(f"{name:44} {measured:.2f}:{predicted:.2f}")


if __name__ == "__main__":
    main()
