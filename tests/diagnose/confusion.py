#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt diagnose on programs with a pattern planted and with it mended: what it names.

    confusion.py TAKT [PROGRAM]…

Each of programs/*.c says which pattern it has ("pattern: NAME"). Built with -DMENDED it has none.
Ports at their limit may also be named beside another pattern and where one was mended, since code
that does all that a core can has no fault. The table has a row for each planted pattern, and a column for each that was named.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

LIMIT_SECONDS = 300
LIMIT = "saturated-ports"
CORE = os.environ.get("TAKT_DIAGNOSE_CORE", "SKL")
# A core whose socket has several complexes, and the program that is diagnosed for it, too.
FAR_CORE, FAR_SOURCE = "ZEN3", "false_sharing_counters"
# Branches lie inside 32 bytes, as Skylake's erratum would slow down some loops and others not.
COMPILER = ["gcc", "-O3", "-g", "-march=haswell", "-fno-math-errno", "-static", "-pthread",
            "-Wa,-mbranches-within-32B-boundaries"]
# Where the stack is depends on the environment.
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "TAKT_MODULE_DIR") if name in os.environ}
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"

takt = str(pathlib.Path(sys.argv[1]).resolve())


def build(source, mended):
    target = folder / (source.stem + "-mended" * mended)
    subprocess.run([*COMPILER, *["-DMENDED"] * mended, "-o", str(target), str(source)], check=True)
    return str(target)


def diagnose(source, mended, core=CORE):
    """The report of a program, or None."""
    program = build(source, mended)
    report = pathlib.Path(program + ".json")
    done = subprocess.run([takt, "diagnose", f"--arch={core}", "--no-timing", "--numa-nodes=2",
                           "--format=json", f"--report={report}", "--", program],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False,
                          env=ENVIRONMENT)
    if done.returncode:
        comment(done.stderr)
        return None
    return json.loads(report.read_text())


def check_allocation(source, report):
    """Where the program asked for memory on the heap that a finding is about, by its comment."""
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if "/* named */" in line:
            details = [text for finding in report["findings"] for text in finding["details"]]
            ok(any(f"{source.name}:{number}" in text and "(inferred)" in text for text in details),
               f"{source.stem}: who allocated", details)


def check_transfer_cost(source, report, core=CORE):
    """Shared lines cost what the core's file says of lines that another core has modified."""
    shown = subprocess.run([takt, "model", "show", core], capture_output=True, text=True,
                           check=True).stdout
    cost = {name: int(re.search(rf"^(?:# )?{name}\s+(\d+)", shown, re.M)[1])
            for name in ("transfer_cycles", "transfer_far_cycles")}
    lost = {"time that all threads lose if every possible transfer occurs": "transfer_cycles",
            "the same, between cores of different complexes": "transfer_far_cycles"}
    for finding in report["findings"]:
        if not finding["holds"] or not finding["pattern"].endswith("-sharing"):
            continue
        figures = {figure["what"]: figure["value"] for figure in finding["evidence"]}
        transfers = figures["such lines per instruction, at most"] * report["instructions"]
        for what, parameter in lost.items():
            if not cost[parameter]:
                ok(what not in figures, f"{source.stem}: {core} has no {parameter}", figures)
                continue
            # JSON has six digits.
            ok(transfers and abs(figures.get(what, 0) / (transfers * cost[parameter]) - 1) < 1e-4,
               f"{source.stem}: cycles lost to {finding['pattern']}, {parameter}",
               finding["evidence"])


def table(named):
    planted = sorted(named)
    columns = sorted({name for row in named.values() for name in row} - {"none"}) + ["none"]
    width = max(len(name) for name in planted) + 2
    print("#\n# planted, and how often each pattern was named")
    for index, column in enumerate(columns):
        print("# " + " " * width + "".join("  |" for _ in columns[:index]) + "  " + column)
    for name in planted:
        print("# " + name.ljust(width)
              + "".join(f"{named[name][column] or '.':>3}" for column in columns))


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    wanted = sys.argv[2:]
    named = collections.defaultdict(collections.Counter)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    sources = [source for source in sorted(PROGRAMS.glob("*.c"))
               if not wanted or source.stem in wanted]
    cases = [(source, mended) for source in sources for mended in (False, True)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda case: diagnose(*case), cases))
    for (source, mended), report in zip(cases, reports):
        pattern = re.search(r"pattern: (\S+)", source.read_text())[1]
        found = (sorted({finding["pattern"] for finding in report["findings"] if finding["holds"]})
                 if report else None)
        expected = [] if mended else [pattern]
        if pattern != LIMIT:
            found = found and [name for name in found if name != LIMIT]
        ok(found == expected, f"{source.stem}{', mended' * mended}", found,
           report and report["findings"])
        named["(mended)" if mended else pattern].update(found or ["none"])
        if not mended:
            check_allocation(source, report)
            check_transfer_cost(source, report)
            if source.stem == FAR_SOURCE:
                check_transfer_cost(source, diagnose(source, False, FAR_CORE), FAR_CORE)
    table(named)
sys.exit(finish())
