#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares predictions with a CSV of measured blocks, such as BHive's.

    compare_with_measurements.py FILE.csv CORE [COLUMN]

Prints the mean absolute percentage error, Spearman's rank correlation, and the worst blocks. The
first column of the file is the block in hexadecimal, and column 2, or COLUMN, its cycles per
execution in unrolled code. Lines that begin with # are comments.
"""
import csv
import sys
from typing import Iterator

import numpy
import pandas

import takt


def read_blocks(path: str, column: int) -> Iterator[tuple[str, float]]:
    with open(path, encoding="utf-8") as file:
        for row in csv.reader(line for line in file if not line.startswith("#")):
            try:
                yield row[0], float(row[column - 1])
            except (ValueError, IndexError):
                continue    # the line of titles


def main() -> None:
    if len(sys.argv) <= 2:
        sys.exit(__doc__)
    path, core = sys.argv[1:3]
    column = int(sys.argv[3]) if len(sys.argv) > 3 else 2
    table = pandas.DataFrame(read_blocks(path, column), columns=["block", "measured"])
    table["predicted"] = takt.predict(table["block"], arch=core)
    table["error"] = (table["predicted"] - table["measured"]).abs() / table["measured"]
    known = table[numpy.isfinite(table["error"])]
    ranks = known["measured"].rank().corr(known["predicted"].rank())
    print(f"{len(known)} of {len(table)} blocks on {core}: mean error {100 * known['error'].mean():.1f} %,"
          f" rank correlation {ranks:.3f}")
    print(known.sort_values("error", ascending=False).head(5).to_string(index=False))


main()
