#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predictions against measured blocks: error and rank correlation.

    compare.py TAKT --arch=CORE [--mode=unroll|loop] [--column=N|NAME] [--worst=N] CORPUS.csv[.xz]

The corpus has a hex block in its first column and measured cycles per iteration in
another (the second unless told). Prints the mean and median absolute error in percent
of the measured value, the share predicted too high by more than 10 % (a lower bound
must not be), and Kendall's tau. Nothing in the corpus is kept.
"""
import argparse
import csv
import io
import lzma
import statistics
import subprocess


def read_corpus(path, column):
    opener = lzma.open if path.endswith(".xz") else open
    rows = []
    with opener(path, "rt", encoding="utf-8") as lines:
        reader = csv.reader(line for line in lines if not line.startswith("#"))
        for row in reader:
            if not rows and not all(c in "0123456789abcdefABCDEF" for c in row[0]):
                column = row.index(column) if column in row else int(column)
                continue
            try:
                cycles = float(row[int(column)])
            except (ValueError, IndexError):
                continue
            if cycles > 0:
                rows.append((row[0], cycles))
    return rows


def predict(takt, arch, mode, blocks):
    done = subprocess.run([takt, "predict", f"--arch={arch}", f"--mode={mode}", "--engine=bounds"],
                          input="\n".join(blocks) + "\n", capture_output=True, text=True,
                          check=False)
    predictions = {}
    for row in csv.reader(io.StringIO(done.stdout)):
        if len(row) > 1 and row[1] not in ("", "cycles"):
            predictions[row[0]] = float(row[1])
    return predictions


def kendall_tau(pairs):
    """Tau-b in O(n log n): inversions counted by merge sort."""
    pairs = sorted(pairs)
    n = len(pairs)

    def ties(values):
        counts = {}
        for value in values:
            counts[value] = counts.get(value, 0) + 1
        return sum(c * (c - 1) // 2 for c in counts.values())

    def sort_count(values):
        if len(values) < 2:
            return values, 0
        middle = len(values) // 2
        left, a = sort_count(values[:middle])
        right, b = sort_count(values[middle:])
        merged, swaps, i, j = [], a + b, 0, 0
        while i < len(left) and j < len(right):
            if right[j] < left[i]:
                merged.append(right[j])
                swaps += len(left) - i
                j += 1
            else:
                merged.append(left[i])
                i += 1
        return merged + left[i:] + right[j:], swaps

    total = n * (n - 1) // 2
    tied_x, tied_y, tied_both = (ties([p[0] for p in pairs]), ties([p[1] for p in pairs]),
                                 ties(pairs))
    _, swaps = sort_count([p[1] for p in pairs])
    agree = total - tied_x - tied_y + tied_both - 2 * swaps
    scale = ((total - tied_x) * (total - tied_y)) ** 0.5
    return agree / scale if scale else 0.0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("takt")
    parser.add_argument("corpus")
    parser.add_argument("--arch", required=True)
    parser.add_argument("--mode", default="unroll")
    parser.add_argument("--column", default="1")
    parser.add_argument("--worst", type=int, default=0)
    options = parser.parse_args()

    rows = read_corpus(options.corpus, options.column)
    predictions = predict(options.takt, options.arch, options.mode, [r[0] for r in rows])
    pairs = [(predictions[block], cycles, block) for block, cycles in rows if block in predictions]
    errors = [abs(got - want) / want for got, want, _ in pairs]
    high = sum(got > 1.1 * want for got, want, _ in pairs)
    print(f"{options.arch} {options.mode}: {len(pairs)} of {len(rows)} blocks, "
          f"MAPE {100 * statistics.mean(errors):.2f} %, median {100 * statistics.median(errors):.2f} %, "
          f"too high {100 * high / len(pairs):.2f} %, "
          f"tau {kendall_tau([(g, w) for g, w, _ in pairs]):.3f}")
    for got, want, block in sorted(pairs, key=lambda p: -abs(p[0] - p[1]) / p[1])[:options.worst]:
        print(f"  predicted {got:8.2f} measured {want:8.2f}  {block}")


main()
