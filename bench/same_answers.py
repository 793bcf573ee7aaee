#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether two versions of takt predict the same.

Usage: same_answers.py [--least=PERCENT] OLD NEW [FILE]…. Both predict the blocks of each file (the
stored corpora, if none is named) for every core of their instruction set, in loops and in straight
code, and what they print is compared. A table has the answers that differ, by core and mode.
Fails if fewer than --least percent are the same.
"""
import argparse
import collections
import concurrent.futures
import pathlib
import subprocess
import sys

STORED = pathlib.Path(__file__).resolve().parent.parent / "tests" / "accuracy"
SHOWN = 10  # answers of those that differ most


def predict(takt, path, mode):
    """Returns the names of the cores, and a list (hex, cycles by core)."""
    run = subprocess.run([takt, "predict", "--arch=all", f"--mode={mode}", "--engine=sim", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    rows = [line.split(",") for line in run.stdout.splitlines()]
    if not rows:
        sys.exit(f"error: '{takt}' predicts nothing of '{path}': {run.stderr}")
    return rows[0][1:], [(row[0], row[1:]) for row in rows[1:]]


def compare(old, new):
    """Yields (core, block, old, new) of each answer of two runs; cycles are text."""
    for (block, before), (other, after) in zip(old[1], new[1], strict=True):
        assert block == other
        for core, left, right in zip(old[0], before, after, strict=True):
            yield core, block, left, right


def change(left, right):
    """Returns the relative difference; infinite if one is no number."""
    return abs(float(right) / float(left) - 1) if left and right else float("inf")


def count_far(rows):
    """Returns how many differ by more than one in the last digit that is printed."""
    return sum(not (left and right and abs(float(left) - float(right)) < 0.015)
               for _, _, left, right in rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--least", type=float, default=99.9)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_args()
    files = arguments.files or sorted(STORED.glob("*.csv"))
    files = [path for path in files if pathlib.Path(path).name != "pinned.csv"]
    counts, changed = collections.Counter(), collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path in files:
            for mode in ("loop", "unroll"):
                runs = pool.map(lambda takt, of=(path, mode): predict(takt, *of),
                                (arguments.old, arguments.new))
                for core, block, left, right in compare(*runs):
                    counts[core, mode] += 1
                    if left != right:
                        changed[core, mode].append((change(left, right), block, left, right))
    print(f"{'core':8} {'mode':7} {'answers':>8} {'differ':>7} {'> 0.01':>7} {'the same':>9} "
          f"{'by at most':>10}")
    for core, mode in sorted(counts):
        answers, differ = counts[core, mode], changed[core, mode]
        print(f"{core:8} {mode:7} {answers:8} {len(differ):7} {count_far(differ):7} "
              f"{100 - 100 * len(differ) / answers:7.2f} % "
              f"{100 * max((row[0] for row in differ), default=0):8.2f} %")
    total, rows = sum(counts.values()), sum(changed.values(), [])
    same = 100 - 100 * len(rows) / total
    for _, block, left, right in sorted(set(rows), reverse=True)[:SHOWN]:
        print(f"{block}: {left} before, {right} now")
    print(f"{len(rows)} of {total} answers differ, {count_far(rows)} by more than 0.01 cycles; "
          f"{same:.3f} % are the same")
    return same < arguments.least


if __name__ == "__main__":
    sys.exit(main())
