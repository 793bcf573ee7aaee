#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The hot loops of kernels.c, as several compilers make them, and the corpus of their times.

    make_blocks.py blocks -o blocks.csv
    takt measure --batch=blocks.csv --mode=loop --set=… --date=YYYY-MM-DD -o measured.csv
    make_blocks.py corpus TAKT blocks.csv measured.csv…

The first step compiles, and takes one loop of each function: that with the widest registers,
and of these the longest. The comparison and the jump that close it are left out, since the
counter of the measurement takes their place. The options of the second step,
which put the arrays apart, are in the header of the corpus. The last step writes that,
kernels-FAMILY-MODEL.csv: of each loop the median, if three quarters of the measurements are
within 2 % of it.
"""
import argparse
import csv
import pathlib
import re
import statistics
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent.parent / "tools"))

import collect_blocks  # pylint: disable=wrong-import-position

# Options that keep copies and sums loops instead of calls of a library.
COMPILERS = {"gcc": ["-fno-tree-loop-distribute-patterns"], "clang": ["-fno-builtin"]}
LEVELS = ("-O2", "-O3", "-Ofast")
MACHINES = ("x86-64-v2", "x86-64-v3", "x86-64-v4")
WIDTHS = {"xmm": 1, "ymm": 2, "zmm": 3}
AGREEING = 0.75  # of the measurements of a loop


def functions_of(path):
    """Name -> [(address, hex, mnemonic, operands)]."""
    symbols = collect_blocks.run("nm", str(path)).splitlines()
    starts = {int(line.split()[0], 16): line.split()[2] for line in symbols if " T " in line}
    found, name = {}, None
    for line in collect_blocks.disassemble(path):
        name = starts.get(line[0], name)
        found.setdefault(name, []).append(line)
    return found


def loops_of(lines):
    """Innermost loops: code between a jump backwards and its target, with no other branch."""
    at = {line[0]: i for i, line in enumerate(lines)}
    for end, (address, _, mnemonic, operands) in enumerate(lines):
        if not re.match(r"j(?!mp)", mnemonic):
            continue
        begin = at.get(int(operands, 16))
        if int(operands, 16) < address and begin is not None:
            body = lines[begin:end]
            if not any(collect_blocks.CONTROL.match(line[2]) for line in body):
                yield body


def weight(body):
    widths = [WIDTHS[name] for line in body for name in re.findall(r"%([xyz]mm)", line[3])]
    packed = any(re.match(r"v?\w+p[ds]\d?$", line[2]) for line in body)
    return max(widths, default=0), packed, len(body)


def block_of(body):
    """The loop without what closes it, as (hex, counter)."""
    if body[-1][2] in ("cmp", "test") and "(" not in body[-1][3]:
        body = body[:-1]
    return ("".join(line[1] for line in body),
            collect_blocks.loop_counter([line[1:] for line in body]))


def make_blocks(options):
    blocks, versions = {}, []
    with tempfile.TemporaryDirectory() as scratch:
        for compiler, extra in COMPILERS.items():
            versions.append(collect_blocks.run(compiler, "--version").splitlines()[0])
            for level in LEVELS:
                for machine in MACHINES:
                    path = pathlib.Path(scratch) / "kernels.o"
                    collect_blocks.run(compiler, level, f"-march={machine}", *extra, "-c",
                                       str(HERE / "kernels.c"), "-o", str(path))
                    for name, lines in functions_of(path).items():
                        loops = sorted(loops_of(lines), key=weight)
                        if not loops:
                            sys.exit(f"error: {compiler} {level} {machine}: {name} has no loop")
                        code, counter = block_of(loops[-1])
                        source = f"{name}:{compiler}{level}-{machine[-2:]}"
                        blocks.setdefault(code, (counter, []))[1].append(source)
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        file.writelines(f"# compiler: {version}\n" for version in versions)
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["hex", "source", "loop_reg"])
        for code, (counter, sources) in blocks.items():
            out.writerow([code, " ".join(sources), counter])
    print(f"{len(blocks)} blocks", file=sys.stderr)


def merged_measurements(paths):
    """(hex, mode) -> (cycles or None, status), and the headers of the files, all in one.

    Streams take one of two or three times, as their pages happen to lie, so single measurements
    may differ from the others.
    """
    comments, found, merged = [], {}, {}
    for path in paths:
        text, rows = collect_blocks.read_csv(path)
        comments += [line for line in text if line not in comments]
        for row in rows:
            cycles = float(row["cycles"]) if row["status"] == "ok" else None
            found.setdefault((row["hex"], row["mode"]), []).append(cycles)
    for key, all_cycles in found.items():
        good = [cycles for cycles in all_cycles if cycles]
        middle = statistics.median_low(good) if good else 0
        near = [cycles for cycles in good
                if abs(cycles - middle) <= collect_blocks.REPEATABLE * middle]
        agree = good and len(near) >= AGREEING * len(all_cycles)
        merged[key] = (middle, "ok") if agree else (None, "unrepeatable")
    return merged, comments


def make_corpus(options):
    compilers, blocks = collect_blocks.read_csv(options.blocks)
    measured, comments = merged_measurements(options.measured)
    facts = dict(line.split(": ", 1) for line in comments if ": " in line)
    machine = collect_blocks.CPU.fullmatch(facts.get("cpu", ""))
    if not machine or sum(line.startswith("cpu: ") for line in comments) > 1:
        sys.exit("error: the measurements name no CPU, or several")
    name, family, model, stepping = machine.groups()
    shown = collect_blocks.run(options.takt, "model", "show", "host")
    header = [f"cpu: {name}", f"family: {family}", f"model: {model}", f"stepping: {stepping}",
              f"arch: {re.search(r'^name +(.+)', shown, re.M).group(1).split()[0]}",
              f"version: {collect_blocks.run(options.takt, '--version').strip()}",
              f"date: {facts.get('date', 'not known')}",
              f"clock: {facts.get('clock', 'not known')}",
              f"options: {facts.get('options', 'not known')}",
              f"pointers: {collect_blocks.POINTERS}", *compilers,
              f"status of loop: {collect_blocks.status_line('loop', blocks, measured)}",
              "column hex: machine code of the loop, its comparison and branch left out",
              "column source: function of kernels/kernels.c, and the compilations that gave this code",
              "column loop: cycles per execution, in a loop closed by dec and jnz",
              "column loop_reg: a register free for that dec"]
    with open(HERE.parent / f"kernels-{family}-{model}.csv", "w", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in header)
        file.write("hex,source,loop,loop_reg\n")
        for row in blocks:
            cycles = measured.get((row["hex"], "loop"), (None,))[0]
            if cycles:
                file.write(f"{row['hex']},{row['source']},{cycles:.4g},{row['loop_reg']}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("blocks", help="compile, and write the list of loops")
    step.set_defaults(run=make_blocks)
    step.add_argument("-o", "--output", required=True)
    step = steps.add_parser("corpus", help="join the list with its measured times")
    step.set_defaults(run=make_corpus)
    step.add_argument("takt")
    step.add_argument("blocks")
    step.add_argument("measured", nargs="+")
    options = parser.parse_args()
    options.run(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
