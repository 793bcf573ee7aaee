#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the figures of an evaluation with this project's targets.

    takt evaluate report FOLDER --format=json | targets.py

The targets were set for the full set of benchmarks on a Zen 3 (docs/evaluation.md, "Targets"). For
another set or machine they are figures to compare with. The exit status does not depend on them.
"""
import json
import math
import sys

FULL_SET = 3500  # benchmarks, to which CPU times are scaled
WEIGHTED_PERCENT = 63.5
ENTRY_VALUES_WEIGHTED_PERCENT = 80


def write_target(what, wanted, found, at_least=False, unit=""):
    """Writes one line; nothing if there is no figure."""
    if found is None or wanted is None or math.isnan(found) or math.isnan(wanted):
        return
    missed = wanted - found if at_least else found - wanted
    verdict = "met" if missed <= 0 else f"missed by {missed:.3f}{unit}"
    print(f"  {what:<62} {'≥' if at_least else '≤'} {wanted:7.3f}{unit:<2} {found:8.3f}{unit:<2}  {verdict}")


def main():
    report = json.load(sys.stdin)
    tools = {tool["predictor"]: tool for tool in report["predictors"] if "skipped" not in tool}

    def errors(name, group):
        figures = tools.get(name, {}).get(group)
        return figures if figures and figures["points"] else None

    def mape(name, group="full"):
        figures = errors(name, group)
        return figures["mape_percent"] if figures else None

    def weighted(of, entry_values, age):
        for row in report["coverage"]:
            if (row["of"], row["entry_values"], row["age"]) == (of, entry_values, age):
                return row["weighted_percent"]
        return None

    def hours(whole_runs):
        seconds = sum(tool["cpu_seconds"] for name, tool in tools.items()
                      if name.startswith("takt ") and name != "takt measure"
                      and name.startswith("takt trace") == whole_runs)
        count = len(report["benchmarks"])
        return seconds / 3600 * FULL_SET / count if count else None

    print("Targets, for the full set on the reference machine; elsewhere they are to compare with\n")
    half_of_mca = mape("llvm-mca-19")
    for name in ("takt sim", "takt paths"):
        full = errors(name, "full")
        if not full:
            continue
        print(f"  {name}")
        write_target("  mean error", 15, full["mape_percent"], unit="%")
        write_target("  mean error: less than half of llvm-mca-19's",
                     half_of_mca / 2 if half_of_mca is not None else None, full["mape_percent"], unit="%")
        write_target("  tau", 0.85, full["tau"], at_least=True)
        write_target("  failures", 0, tools[name]["failures"])
    write_target("  pruned set: not worse than without dependences",
                 mape("takt paths, no memory", "pruned"), mape("takt paths", "pruned"), unit="%")
    print("  dependences found, weighted, up to 512 instructions old")
    for of in ("blocks", "paths"):
        write_target(f"  of {of}", WEIGHTED_PERCENT, weighted(of, False, "512"), at_least=True, unit="%")
        write_target(f"  of {of}, entry values", ENTRY_VALUES_WEIGHTED_PERCENT, weighted(of, True, "512"),
                     at_least=True, unit="%")
    own = weighted("blocks", False, "own")
    if own is not None:
        print(f"    (of what ran while nothing but the block did, blocks have {own:.1f} %)")
    write_target("CPU hours for 3500 benchmarks: takt bounds, sim and paths", 0.05, hours(False))
    if hours(True):
        print(f"  takt trace, both of them: {hours(True):.3f} CPU hours, with qemu")


if __name__ == "__main__":
    main()
