#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the core learnt on this machine with the known ones, on blocks and kernels measured here.

    learn_here.py TAKT DIR [--blocks=FILE]… [--count=N] [--full] [--kernels=FOLDER] [--write=FILE]

Four cores predict: the one that CPUID names, the nearest known one by `takt model identify`, and those that
`takt model learn --quick` and `--full` write (the latter with --full, which takes about an hour). They predict

  blocks    N blocks (3000), unrolled and in a loop, which `takt measure` measures here. FILE has a hex block in the
            first column of each line, such as a list of BHive; without FILE, blocks are those of the stored corpora.
            Learning uses none of them. A block counts if it was measured stably in that mode.
  kernels   the benchmarks of `takt evaluate --small`, measured here, for FOLDER (kernels/ of the sources).

Prints a table in Markdown of the mean and median error, with Kendall's tau, for blocks that all cores predict. With
--write, the page FILE gets it between the lines "<!-- learnt here -->" and "<!-- end -->". DIR keeps what was learnt
and measured: the same command goes on where it ended. Run it on a machine that does nothing else.
"""
import argparse
import csv
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import corpora
import stats

MODES = ("unroll", "loop")
BATCH = 250  # blocks that are measured between two writes of the file
SPREAD_MOST = 0.05  # interquartile range of the rounds / cycles of a block that was measured stably
POINTERS = 0  # offset in a 64-byte line that `takt measure` lets registers point at
PREDICTORS = ("takt sim", "takt paths")
BEGIN, END = "<!-- learnt here -->\n", "<!-- end -->\n"


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--blocks", type=pathlib.Path, action="append", metavar="FILE", help="a CSV of hex blocks")
    parser.add_argument("--count", type=int, default=3000, metavar="N", help="blocks to measure (3000)")
    parser.add_argument("--full", action="store_true", help="also learn all instructions, for about an hour")
    parser.add_argument("--kernels", type=pathlib.Path, metavar="FOLDER", help="sources of the bundled kernels")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="page that gets the table")
    return parser.parse_args()


def takt(*arguments, text=None, plain=False):
    """Run takt and return its output. With `plain`, nothing that was learnt or identified here counts."""
    environment = dict(os.environ)
    if plain:
        environment |= {"XDG_CACHE_HOME": "/nonexistent", "XDG_DATA_HOME": "/nonexistent"}
    done = subprocess.run([OPTIONS.takt, *map(str, arguments)], input=text, stdout=subprocess.PIPE, text=True,
                          env=environment, check=False)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"error: takt {' '.join(map(str, arguments))} ended with status {done.returncode}")
    return done.stdout


def run(*arguments):
    """Run takt for what it leaves behind."""
    if subprocess.run([OPTIONS.takt, *map(str, arguments)], stdout=subprocess.DEVNULL, check=False).returncode:
        sys.exit(f"error: takt {' '.join(map(str, arguments))} failed")


def say(text):
    print(text, file=sys.stderr, flush=True)


# ---- cores ---------------------------------------------------------------------------


def learn(kind):
    """Learn a core, or go on with it; return its name and the folder of its model."""
    name, folder = f"learnt-{kind}", OPTIONS.directory / kind
    if not (folder / "cores" / f"{name}.core").exists():
        say(f"takt model learn --{kind}")
        report = takt("model", "learn", f"--{kind}", f"--name={name}", "-o", folder)
        (folder / "report.txt").write_text(report, encoding="utf-8")
    return name, folder


def cores():
    """(title, core, options that open it) of each core that predicts."""
    by_cpuid = json.loads(takt("analyze", "--arch=host", "--whole", "--engine=bounds", "--format=json", "--hex=90",
                               plain=True))
    say("takt model identify")
    nearest = json.loads(takt("model", "identify", "--no-keep", "--format=json"))
    best = next(core for core in nearest["cores"] if not core["contradiction"])
    found = [(f"{by_cpuid['arch']}, {by_cpuid['arch_choice']}", by_cpuid["arch"], []),
             (f"{best['core']}, the nearest known one", best["core"], [])]
    for kind in ("quick", "full") if OPTIONS.full else ("quick",):
        name, folder = learn(kind)
        found.append((f"learnt, `--{kind}`", name, [f"--model={folder}"]))
    return nearest["processor"], found


# ---- blocks ---------------------------------------------------------------------------


def choose_blocks():
    paths = OPTIONS.blocks or corpora.stored()
    codes = {row[0].lower() for path in paths for row in corpora.read_table(path)[2] if row}
    return sorted((code for code in codes if re.fullmatch("(?:[0-9a-f]{2})+", code)), key=corpora.hash_of)


def loop_register(code):
    """A register that the block does not use, to count the loop's iterations in, as `takt measure` does."""
    done = subprocess.run([OPTIONS.takt, "analyze", "--arch=SKX", "--whole", "--engine=bounds", "--format=json",
                           f"--hex={code}"], capture_output=True, text=True, check=False)
    try:
        text = " ".join(insn["text"] for insn in json.loads(done.stdout)["instructions"])
    except (ValueError, KeyError):
        return "r15"
    return next((name for name in corpora.REGISTERS[:7:-1] if not re.search(rf"\b{name}[dwb]?\b", text)), "")


def measure(codes):
    """Measure blocks that the file has not yet; return {(code, mode): cycles or None if it was not stable}."""
    path = OPTIONS.directory / "measured.csv"
    found = {}
    if path.exists():
        with open(path, encoding="utf-8") as file:
            found = {(code, mode): float(cycles) if cycles else None for code, mode, cycles in csv.reader(file)}
    todo = [code for code in codes if (code, MODES[0]) not in found]
    for at in range(0, len(todo), BATCH):
        say(f"takt measure: {at} of {len(todo)} blocks")
        part = OPTIONS.directory / "blocks.part"
        part.write_text("".join(f"{code}\n" for code in todo[at:at + BATCH]), encoding="utf-8")
        output = takt("measure", "--mode=both", f"--batch={part}")
        part.unlink()
        rows = list(csv.DictReader(line for line in output.splitlines() if not line.startswith("#")))
        with open(path, "a", encoding="utf-8", newline="") as file:
            for row in rows:
                good = row["status"] == "ok" and float(row["spread"]) <= SPREAD_MOST
                cycles = row["cycles"] if good else ""
                csv.writer(file).writerow((row["hex"], row["mode"], cycles))
                found[row["hex"], row["mode"]] = float(cycles) if cycles else None
    return found


def predict(core, options, mode, code_of):
    """{block: cycles} of blocks, whose code may be a loop around them."""
    block_of = {code: block for block, code in code_of.items()}
    output = takt("predict", f"--arch={core}", *options, f"--mode={mode}", "--engine=sim", f"--pointers={POINTERS}", text="".join(f"{c}\n" for c in block_of))
    cycles = {}
    for row in csv.reader(output.splitlines()):
        try:
            cycles[block_of[row[0]]] = float(row[1])
        except (KeyError, IndexError, ValueError):
            continue
    return cycles


def compare_blocks(found):
    codes = choose_blocks()[:OPTIONS.count]
    measured = measure(codes)
    lines = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        registers = dict(zip(codes, pool.map(loop_register, codes)))
    for mode in MODES:
        stable = {code: measured[code, mode] for code in codes if measured.get((code, mode))
                  and corpora.PLAUSIBLE[0] <= measured[code, mode] <= corpora.PLAUSIBLE[1]}
        if mode == "unroll":
            code_of = {code: code for code in stable}
        else:
            code_of = {code: corpora.loop_code(code, 1, registers[code], near=True) for code in stable if registers[code]}
        guesses = [predict(core, options, mode, code_of) for _, core, options in found]
        common = set.intersection(*(set(guess) for guess in guesses))
        where = {"unroll": "blocks, unrolled", "loop": "blocks, in loops"}[mode]
        lines += [row(where, title, [(guess[code], stable[code]) for code in sorted(common)])
                  for (title, _, _), guess in zip(found, guesses)]
        say(f"{where}: {len(stable)} of {len(codes)} measured stably, {len(common)} predicted by all")
        NOTES.append(f"{where}: {len(stable):,} of {len(codes):,} were measured stably")
    return lines


# ---- kernels --------------------------------------------------------------------------


def compare_kernels(found):
    folder, lines = OPTIONS.directory / "kernels", []
    for step in ("build", "count", "measure"):
        say(f"takt evaluate {step}")
        options = [f"--kernels={OPTIONS.kernels}", "--small"] if step == "build" else []
        run("evaluate", step, folder, "--quiet", *options)
    for title, core, options in found:
        for predictor in PREDICTORS:
            say(f"takt evaluate predict: {core}, {predictor}")
            run("evaluate", "predict", folder, "--quiet", f"--arch={core}", f"--predictor={predictor}", *options)
        report = json.loads(takt("evaluate", "report", folder, f"--arch={core}", "--format=json", *options))
        for tool in report["predictors"]:
            figures = tool.get("full")
            if tool["predictor"] in PREDICTORS and figures and figures["points"]:
                lines.append(line(f"kernels, `{tool['predictor']}`", title, figures["points"],
                                  figures["mape_percent"], figures["median_percent"], figures["tau"]))
    return sorted(lines, key=lambda text: text.split("|")[1])


# ---- the table --------------------------------------------------------------------------


def line(where, title, count, mean, median, tau):
    rank = "–" if tau is None else f"{tau:.3f}"
    return f"| {where} | {title} | {count:,} | {mean:.1f} % | {median:.1f} % | {rank} |"


def row(where, title, pairs):
    if not pairs:
        return f"| {where} | {title} | 0 | | | |"
    summary = stats.Summary(pairs)
    return line(where, title, summary.count, 100 * summary.mape, 100 * summary.median, summary.tau)


def write(text):
    page = OPTIONS.write.read_text(encoding="utf-8")
    if BEGIN not in page:
        sys.exit(f"error: {OPTIONS.write} has no line {BEGIN.strip()}")
    before, rest = page.split(BEGIN, 1)
    OPTIONS.write.write_text(before + BEGIN + text + END + rest.split(END, 1)[1], encoding="utf-8")


def main():
    OPTIONS.directory.mkdir(parents=True, exist_ok=True)
    processor, found = cores()
    lines = compare_blocks(found)
    if OPTIONS.kernels:
        lines += compare_kernels(found)
    text = (f"{processor}, {datetime.date.today()}. " + "; ".join(NOTES) + ".\n\n"
            "| what | core | n | mean error | median | Kendall's τ |\n|---|---|--:|--:|--:|--:|\n"
            + "\n".join(lines) + "\n")
    print(text, end="")
    if OPTIONS.write:
        write(text)


OPTIONS, NOTES = options_of(), []
main()
