#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predictions of takt and other tools against measured blocks.

Prints, for each corpus and mode, a table (Markdown) with a row for each predictor:

  n, coverage    blocks predicted, and their share of the blocks asked for
  MAPE (95 %)    mean |predicted - measured| / measured, with a bootstrap interval of it
  median Q1 Q3   of the same errors
  too high       share predicted more than 10 % above the measured value
  tau            Kendall's tau-b
  blocks/s       on one core, in processor time

Blocks whose pointers may alias are left out of these; MAPE+ and tau+ include them. Values
outside 0.2 to 500 cycles are left out everywhere. In loop mode a predictor gets the loop as it
was measured, with its dec/jnz. llvm-mca runs 1000 iterations.

Corpora are files or folders (see corpora.py); without any, the ones beside this program.
"""
import argparse
import csv
import json
import os
import subprocess
import sys

import corpora
import predictors
import stats

HEAD = ("predictor", "n", "coverage", "MAPE (95 %)", "median", "Q1", "Q3", "too high", "tau",
        "MAPE+", "tau+", "blocks/s")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt")
    parser.add_argument("corpus", nargs="*")
    parser.add_argument("--arch", help="the core, where file name or header do not say")
    parser.add_argument("--mode", choices=corpora.COLUMNS, help="only this mode")
    parser.add_argument("--sample", type=int, metavar="N", help="at most N blocks of each corpus")
    parser.add_argument("--seed", type=int, default=1, help="of --sample and --slow-blocks")
    parser.add_argument("--half", choices=("fit", "judge"), help="by a hash of the block")
    parser.add_argument("--tools", metavar="TEXT", help="only predictors whose name has TEXT in it")
    parser.add_argument("--ablate", action="store_true", help="the simulator without one part each")
    parser.add_argument("--worst", type=int, default=0, metavar="N",
                        help="the N blocks furthest off, of each takt predictor")
    parser.add_argument("--csv", metavar="FILE", help="write the prediction of every block")
    parser.add_argument("--cache", metavar="DIR", help="keep what slow tools said there")
    parser.add_argument("--slow-blocks", type=int, default=2000, metavar="N",
                        help="blocks that slow tools get of each corpus (2000; 0: all)")
    return parser.parse_intermixed_args()


def select(corpus, options):
    blocks = corpus.blocks
    if options.half:
        blocks = corpora.half(blocks, options.half)
    if options.sample:
        blocks = corpora.sample(blocks, options.sample, options.seed)
    return blocks


def percent(share, digits=1):
    return f"{100 * share:.{digits}f} %"


def row_of(predictor, run, pairs, flagged):
    """`pairs` are (predicted, measured, may alias); `flagged` if the corpus says which may."""
    apart = stats.Summary([(p, m) for p, m, alias in pairs if not alias])
    every = stats.Summary([(p, m) for p, m, _ in pairs])
    cells = [predictor.name, f"{apart.count:,}", percent(len(pairs) / run.asked)]
    if apart.count:
        low, high = apart.interval()
        cells += [f"{percent(apart.mape)} ({100 * low:.1f}-{100 * high:.1f})",
                  percent(apart.median), percent(apart.lower_quartile),
                  percent(apart.upper_quartile), percent(apart.too_high), f"{apart.tau:.3f}",
                  *((percent(every.mape), f"{every.tau:.3f}") if flagged else ("-", "-"))]
    else:
        cells += ["n/a"] * 8
    return cells + [f"{run.asked / run.seconds:,.0f}"]


def print_table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |"
             for row in rows]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    print("\n".join(lines))


def disassembly(takt, arch, mode, code):
    done = subprocess.run([takt, "analyze", f"--arch={arch}", f"--mode={mode}", "--whole",
                           "--format=json", f"--hex={code}"], capture_output=True, text=True,
                          check=False)
    try:
        return "; ".join(insn["text"] for insn in json.loads(done.stdout)["instructions"])
    except (ValueError, KeyError):
        return "?"


def print_worst(options, corpus, predictor, guesses, blocks):
    print(f"\nworst of {predictor.name}:\n")
    ranked = sorted((block for block in blocks if block.hex in guesses and not block.may_alias),
                    key=lambda b: -abs(guesses[b.hex] - b.measured) / b.measured)
    for block in ranked[:options.worst]:
        print(f"    predicted {guesses[block.hex]:8.2f}  measured {block.measured:8.2f}  "
              f"{block.hex}\n        "
              f"{disassembly(options.takt, corpus.arch, corpus.mode, block.code)}")


def predict(predictor, corpus, blocks, options):
    """Returns (run, blocks asked for, cycles by block) or None if the predictor is not there."""
    if predictor.limit:
        blocks = corpora.sample(blocks, predictor.limit, options.seed)
    run = predictor.predict(corpus, [block.code for block in blocks])
    if not run:
        return None
    return run, blocks, {block.hex: run.cycles[block.code] / block.copies for block in blocks
                         if block.code in run.cycles}


def compare(corpus, tools, options, dump):
    blocks = select(corpus, options)
    aliased = sum(block.may_alias for block in blocks)
    print(f"\n## {corpus.arch}, {corpus.mode} ({corpus.name})\n\n{len(blocks):,} blocks"
          + (f", {aliased:,} of them may alias" if corpus.has_alias else "") + "; "
          f"{corpus.left_out} values of the file are outside {corpora.PLAUSIBLE[0]} to "
          f"{corpora.PLAUSIBLE[1]} cycles" + (f"; half: {options.half}" if options.half else "")
          + "\n")
    if not blocks:
        return
    rows, worst, columns = [HEAD], [], {}
    for tool in tools:
        found = predict(tool, corpus, blocks, options)
        if not found:
            rows.append([tool.name] + ["n/a"] * (len(HEAD) - 1))
            continue
        run, asked, guesses = found
        columns[tool.name] = guesses
        pairs = [(guesses[block.hex], block.measured, block.may_alias) for block in asked
                 if block.hex in guesses]
        rows.append(row_of(tool, run, pairs, corpus.has_alias))
        if options.worst and isinstance(tool, predictors.Takt):
            worst.append((tool, guesses))
    print_table(rows)
    for tool, guesses in worst:
        print_worst(options, corpus, tool, guesses, blocks)
    if dump:
        for block in blocks:
            dump.writerow([corpus.name, corpus.arch, corpus.mode, block.hex, block.measured,
                           int(block.may_alias)]
                          + [columns.get(tool.name, {}).get(block.hex, "") for tool in tools])


def main():
    options = parse_options()
    if not os.access(options.takt, os.X_OK):
        sys.exit(f"error: no such program: {options.takt}")
    paths = list(corpora.find(options.corpus or corpora.stored()))
    if not paths:
        sys.exit("error: no corpus\nnote: give one: make accuracy CORPUS=file-or-folder")
    tools = [tool for tool in predictors.all_of(options)
             if not options.tools or options.tools in tool.name]
    file = open(options.csv, "w", encoding="utf-8", newline="") if options.csv else None
    dump = csv.writer(file, lineterminator="\n") if file else None
    if dump:
        dump.writerow(["corpus", "arch", "mode", "hex", "measured", "may_alias"]
                      + [tool.name for tool in tools])
    for path in paths:
        for corpus in corpora.read(path, options.arch):
            if not options.mode or corpus.mode == options.mode:
                compare(corpus, tools, options, dump)
                sys.stdout.flush()
    if file:
        file.close()


main()
