#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Predictions of the stored corpora may not get worse than pinned.csv says.

    pinned.py TAKT          prints the figures; fails if one is worse by more than the slack
    pinned.py --pin TAKT    writes the figures of now into pinned.csv; read the diff

A block without a prediction fails too, or the hard blocks could drop out of the figures.
"""
import csv
import pathlib
import sys

import corpora
import predictors
import stats

HERE = pathlib.Path(__file__).resolve().parent
PINNED = HERE / "pinned.csv"
FIGURES = {"mape": "{:.2f}", "median": "{:.2f}", "tau": "{:.4f}"}
HIGH_IS_GOOD = {"tau"}


def figures_of(tool, corpus):
    """Returns (figures, how many blocks have no prediction)."""
    run = tool.predict(corpus, [block.code for block in corpus.blocks])
    cycles = run.cycles if run else {}
    summary = stats.Summary([(cycles[block.code] / block.copies, block.measured)
                             for block in corpus.blocks if block.code in cycles])
    missing = len(corpus.blocks) - summary.count
    if not summary.count:
        return None, missing
    return {"mape": 100 * summary.mape, "median": 100 * summary.median,
            "tau": summary.tau}, missing


def compare(now, pinned, slack):
    """Prints a figure each; returns whether all are as good as pinned."""
    fine = True
    for name, layout in FIGURES.items():
        gain = (now[name] - float(pinned[name])) * (1 if name in HIGH_IS_GOOD else -1)
        verdict = ("worse" if gain < -slack[name] else
                   "better" if gain > slack[name] else "as pinned")
        fine = fine and verdict != "worse"
        print(f"    {name:6} {layout.format(now[name]):>8}  pinned {pinned[name]:>8}  {verdict}")
    return fine


def check(tools):
    header, names, rows = corpora.read_table(PINNED)
    slack = {name: float(header[f"slack of {name}"]) for name in FIGURES}
    fine, known = True, {}
    for row in (dict(zip(names, row)) for row in rows):
        if row["corpus"] not in known:
            known[row["corpus"]] = {corpus.mode: corpus
                                    for corpus in corpora.read(HERE / row["corpus"])}
        corpus = known[row["corpus"]][row["mode"]]
        now, missing = figures_of(tools[row["predictor"]], corpus)
        print(f"{row['predictor']}, {row['corpus']}, {row['mode']}: {len(corpus.blocks)} blocks"
              + (f", {missing} WITHOUT A PREDICTION" if missing else ""))
        fine = bool(now) and compare(now, row, slack) and not missing and fine
    if not fine:
        print("error: predictions are worse than they were\n"
              "note: where that is meant, or the corpus is new: pinned.py --pin TAKT")
    return fine


def pin(tools):
    with open(PINNED, encoding="utf-8") as file:
        header = [line for line in file if line.startswith("#")]
    with open(PINNED, "w", encoding="utf-8", newline="") as file:
        file.writelines(header)
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["corpus", "mode", "predictor", *FIGURES])
        for path in corpora.stored():
            for corpus in corpora.read(path):
                for name in ("takt bounds", "takt sim"):
                    now, _ = figures_of(tools[name], corpus)
                    out.writerow([corpus.name, corpus.mode, name,
                                  *(FIGURES[key].format(now[key]) for key in FIGURES)])


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--pin"]
    tools = {tool.name: tool for tool in predictors.takt_of(arguments[0])}
    if "--pin" in sys.argv:
        pin(tools)
    return 0 if check(tools) else 1


sys.exit(main())
