#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Advice that holds: code is compiled before and after a change that takt analyze names.

run.py TAKT [--measure]. The gain that is predicted for the code before is compared with the simulated
gain of the code after, as a compiler makes it; with --measure (`make advice-here`) also with the measured one,
on this machine's core, for which it is predicted then: pairs that get no such advice for it are left out.
Recurrences that no change of code shortens get no such advice.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
from tap import comment, finish, ok, skip, skip_all  # noqa: E402

TAKT = pathlib.Path(sys.argv[1]).resolve()
MEASURES = "--measure" in sys.argv[2:]
# The branches are laid out as for cores with the jump erratum (SKX): an address that a compiler happens to
# choose is no part of a change, and takt knows none of the code after it.
FLAGS = ["-O2", "-fno-tree-vectorize", "-mavx2", "-mfma", "-Wa,-mbranches-within-32B-boundaries"]
# A prediction may differ from the code after by this part: the compiler's code has other lengths and
# addresses, and the odd instruction more.
PART = 0.15

ACCUMULATORS = r"(\d+) accumulators instead of 1"
KEPT = r"values kept in registers"
# number, title, core, advice, iterations of the code before that the one after does in an iteration: None: N
PAIRS = (
    (1, "a sum of doubles", "SKX", ACCUMULATORS, None),
    (2, "a dot product", "SKX", ACCUMULATORS, None),
    (3, "a product of integers", "ICL", ACCUMULATORS, None),
    (4, "the largest of floats", "ZEN4", ACCUMULATORS, None),
    (5, "a dot product of vectors", "HSW", ACCUMULATORS, None),
    (6, "a sum in memory", "SKX", KEPT, 1),
    (7, "running sums", "SKX", KEPT, 1),
    (8, "counting", "SKX", r"unrolled (\d+) times", None),
    (9, "wider vectors", "SKX", r"256 bits instead of 128", 2),
    (10, "logic by other ports", "HSW", r"pxor", 1),
    (12, "a dot product of floats", "SKX", ACCUMULATORS, None),
    (13, "a product in memory", "SKX", KEPT, 1),
    (14, "squared differences", "ICL", ACCUMULATORS, None),
    (15, "a scaled sum in memory", "ZEN4", KEPT, 1),
)


def compile_pair(folder, pair, *options):
    path = pathlib.Path(folder, f"pair{pair}.o")
    subprocess.run(["gcc", *FLAGS, f"-DPAIR={pair}", *options, "-c", "-o", path, HERE / "pairs.c"], check=True)
    return path


def analyze(core, path):
    done = subprocess.run([TAKT, "analyze", f"--arch={core}", "--format=json", path], capture_output=True, check=True)
    report = json.loads(done.stdout)
    return report.get("regions", [report])


def find_change(report, pattern):
    for change in report["changes"]:
        found = re.search(pattern, change["what"])
        if found:
            return change, int(found.group(1)) if found.groups() else 1
    return None, 1


def longest(reports):
    """The loop that does the work: the others of a function add up what the accumulators hold."""
    return max(reports, key=lambda report: sum(i["text"].find("[") >= 0 or "(" in i["text"]
                                               for i in report["instructions"]))


def measured(report):
    """Cycles that a region takes on this machine; None if they cannot be measured steadily."""
    done = subprocess.run([TAKT, "measure", "--format=json", report["file"], f"--region={report['region']}"],
                          capture_output=True, check=False)
    if done.returncode:
        return None
    result = json.loads(done.stdout)["measurements"][0]
    return result["cycles"] if result["status"] == "ok" else None


def check_measured(title, before, after, change, scale):
    cycles = measured(before), measured(after)
    if None in cycles or before["simulated"] <= 0:
        skip(f"{title}: measured", "not measured steadily on this machine")
        return
    gain, predicted = cycles[1] / scale / cycles[0], change["cycles"] / before["simulated"]
    comment(f"{title}: measured {cycles[0]:.2f} cycles, after the change {cycles[1] / scale:.2f}: "
            f"{1 / gain:.2f} times as fast, predicted {1 / predicted:.2f} times")
    ok(abs(gain - predicted) <= PART * max(gain, predicted), f"{title}: the measured gain is the predicted one",
       cycles, scale, predicted)


def check_pair(folder, pair, title, core, pattern, iterations):
    path = compile_pair(folder, pair)
    before = longest(analyze(core, path))
    change, number = find_change(before, pattern)
    if MEASURES and not change:
        skip(f"{title}: measured", f"this machine's core is not limited so: {before['limit']}")
        return
    if not ok(change is not None, f"{title}: the advice is given", before["changes"], before["limit"]):
        return
    scale = iterations or number
    if MEASURES:
        before["file"] = str(path.rename(path.with_suffix(".before.o")))
    path = compile_pair(folder, pair, "-DAFTER", f"-DN={number}")
    after = longest(analyze(core, path))
    simulated = after["simulated"] / scale
    comment(f"{title}: {before['simulated']:.2f} cycles, predicted {change['cycles']:.2f}, simulated {simulated:.2f}")
    ok(abs(change["cycles"] - simulated) <= PART * simulated, f"{title}: the gain is that of the code after",
       change["what"], change["cycles"], simulated)
    ok(simulated < before["simulated"], f"{title}: and there is one", simulated, before["simulated"])
    if MEASURES:
        after["file"] = str(path)
        check_measured(title, before, after, change, scale)


def check_recurrences(folder):
    """Nothing shortens these, and the report says so."""
    words = {"chase": "pointer chase", "horner": "needs the result of the one before",
             "stencil": "needs the result of the one before", "running": "needs the result of the one before"}
    for report in analyze("SKX", compile_pair(folder, 11)):
        name = report["region"].split("+")[0]
        told = [entry["advice"] for entry in report["relaxations"]]
        ok(not report["changes"], f"{name}: no change of the code", report["changes"])
        ok(any(words[name] in text for text in told), f"{name}: what kind of recurrence it is", told)
        ok(not any("split" in text for text in told), f"{name}: nothing is to be split", told)
    kernel = HERE.parents[1] / "examples" / "kernels" / "gauss_seidel.s"
    report = analyze("SKX", kernel)[0]
    ok(not find_change(report, "accumulators")[0], "gauss_seidel: no accumulators", report["changes"])


if not shutil.which("gcc") or subprocess.run(["gcc", "-mavx2", "-E", "-x", "c", "/dev/null"], capture_output=True,
                                             check=False).returncode:
    skip_all("gcc for x86-64 is not installed")
with tempfile.TemporaryDirectory() as work:
    for row in PAIRS:
        check_pair(work, *(row[:2]), *(("host",) if MEASURES else (row[2],)), *row[3:])
    check_recurrences(work)
sys.exit(finish())
