#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Markers of regions: what the library tells a counter, from C, C++, Fortran, LIKWID's macros.

    run.py STATIC_LIBRARY SHARED_LIBRARY TAKT
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
LIBRARY = pathlib.Path(sys.argv[1]).resolve()  # the static one
SHARED = pathlib.Path(sys.argv[2]).resolve()
TAKT = pathlib.Path(sys.argv[3]).resolve()
INCLUDE = f"-I{ROOT / 'include'}"
# The task clock and page faults: there wherever there are events at all.
EVENTS = "1:1:0:0:0,1:2:0:0:0"
BASE, NAME, DEFINE, START, STOP = 0x5A000000, 0, 1, 2, 3
TIMEOUT_SECONDS = 60


def build(folder, name, compiler, source, *options, library=LIBRARY):
    program = folder / name
    subprocess.run([compiler, "-O1", "-o", program, *options, source, library, "-lpthread",
                    f"-Wl,-rpath,{library.parent}"], check=True, cwd=folder)
    return program


def run(*command, **environment):
    return subprocess.run(command, env=os.environ | environment, text=True, capture_output=True,
                          timeout=TIMEOUT_SECONDS, check=False)


def regions_of(text):
    """What a trace of system calls tells: entries of each region, in the order of definition."""
    name, names, entries = "", {}, {}
    depths = {}
    for number in map(int, re.findall(r"\b(15\d{8})\b", text)):
        if number & 0xFF000000 != BASE:
            continue
        operation, value = number >> 16 & 0xFF, number & 0xFFFF
        if operation == NAME:
            name += chr(value)
        elif operation == DEFINE:
            names[value], name = name, ""
        elif operation == START:
            entries[names[value]] = entries.get(names[value], 0) + 1
            depths[value] = depths.get(value, 0) + 1
        elif operation == STOP:
            depths[value] -= 1
    return entries, not any(depths.values())


def test_inactive(program):
    done = run(program)
    ok(done.returncode == 0 and done.stdout == "done\n", "runs by itself", done)
    for wanted in ({"TAKT_MARKER": "nonsense"}, {"TAKT_MARKER": "pmu"},
                   {"TAKT_MARKER": "pmu", "TAKT_MARKER_FILE": "/nowhere/x",
                    "TAKT_MARKER_EVENTS": EVENTS},
                   {"TAKT_MARKER": "pmu", "TAKT_MARKER_FILE": "/nowhere/x",
                    "TAKT_MARKER_EVENTS": "1:1:x"}):
        done = run(program, **wanted)
        ok(done.returncode == 0 and done.stdout == "done\n", f"and with {wanted}", done)


def test_emulated(program, what, wanted):
    if not shutil.which("qemu-x86_64") or os.uname().machine != "x86_64":
        skip(f"{what}: emulated", "no qemu-x86_64")
        return
    done = run("qemu-x86_64", "-strace", program, TAKT_MARKER="emulate")
    entries, closed = regions_of(done.stderr)
    ok(done.returncode == 0 and entries == wanted and closed, f"{what}: emulated", entries, done)


def test_takt(program, what, wanted, folder):
    """takt finds regions without anything set by hand, or with something else."""
    if not shutil.which("qemu-x86_64") or os.uname().machine != "x86_64":
        skip(f"{what}: under takt", "no qemu-x86_64")
        return
    report, log = folder / "report.json", folder / "log"
    for variables in ({}, {"TAKT_MARKER": "pmu"}):
        done = run(TAKT, "count", "--backend=emulate", "-e", "INSTRUCTIONS", "--format=json", "-o",
                   report, "--", program, **variables)
        got = json.loads(report.read_text())
        entries = {row["region"]: row["entries"] for row in got["all"] if "region" in row}
        ok(done.returncode == 0 and entries == wanted, f"{what}: takt count {variables}", entries,
           done)
    done = run(TAKT, "trace", "--format=json", f"--report={report}", "-o", log, "--arch=ZEN4", "--",
               program)
    got = json.loads(report.read_text())
    regions = {region["name"]: region for region in got["regions"]}
    ok(done.returncode == 0 and {name: row["entries"] for name, row in regions.items()} == wanted,
       f"{what}: takt trace", got["regions"], done)
    ok(all(0 < row["instructions"] and 0 < row["cycles"] for row in regions.values()) and
       all(regions["outer"][key] > regions["inner part"][key]
           for key in ("instructions", "cycles") if "outer" in wanted),
       f"{what}: a region has what those inside it have", got["regions"])
    again = run(TAKT, "trace", "--format=json", "--arch=ZEN4", log)
    ok(json.loads(again.stdout)["regions"] == got["regions"], f"{what}: and from a log", again)
    done = run(TAKT, "trace", "--format=json", "--arch=ZEN4", "--no-memo", log)
    ok(json.loads(done.stdout)["regions"] == got["regions"], f"{what}: and without memory")


def test_counters(program, folder):
    path = folder / "counted"
    run(program, TAKT_MARKER="pmu", TAKT_MARKER_FILE=str(path), TAKT_MARKER_EVENTS=EVENTS)
    rows = {}
    for line in path.read_text().splitlines() if path.exists() else []:
        thread, entries, nanoseconds, clock, faults, name = line.split(" ", 5)
        rows[name, int(thread)] = (int(entries), int(nanoseconds), clock, faults)
    wanted = {("outer", 0): 1, ("inner part", 0): 3, ("outer", 1): 1, ("inner part", 1): 3,
              ("recursive", 1): 1}
    ok({key: row[0] for key, row in rows.items()} == wanted, "counted: entries", rows)
    if not rows or all(row[2] == "0:0:0" for row in rows.values()):
        skip("counted: figures", "perf_event_open is not permitted")
        return
    clocks = {key: int(row[2].split(":")[0]) for key, row in rows.items()}
    ok(all(row[1] > 0 for row in rows.values()), "counted: times", rows)
    ok(all(clocks["outer", thread] > clocks["inner part", thread] > 0 for thread in (0, 1)),
       "counted: a region has what those inside it have", rows)
    ok(clocks["inner part", 0] > clocks["inner part", 1],
       "counted: twice the work takes longer", rows)


def main():
    wanted = {"outer": 2, "inner part": 6, "recursive": 1}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = HERE / "marked.c"
        plain = build(folder, "plain", "gcc", source, INCLUDE)
        ok(run(plain, TAKT_MARKER="emulate").stdout == "done\n", "without TAKT_MARKER: nothing")
        symbols = run("nm", plain).stdout
        ok("takt_marker_start" not in symbols, "of the library nothing is linked in")
        marked = build(folder, "marked", "gcc", source, INCLUDE, "-DTAKT_MARKER")
        test_inactive(marked)
        test_emulated(marked, "C", wanted)
        test_takt(marked, "static", wanted, folder)
        test_takt(build(folder, "shared", "gcc", source, INCLUDE, "-DTAKT_MARKER", library=SHARED),
                  "shared", wanted, folder)
        test_counters(marked, folder)
        likwid = build(folder, "likwid", "gcc", source, INCLUDE,
                       f"-I{ROOT / 'include/takt/likwid'}", "-DUSE_LIKWID", "-DLIKWID_PERFMON")
        test_emulated(likwid, "LIKWID's macros", wanted)
        test_takt(likwid, "LIKWID's macros", wanted, folder)
        if shutil.which("g++"):
            test_emulated(build(folder, "plus", "g++", source, INCLUDE, "-DTAKT_MARKER"),
                          "C++", wanted)
        else:
            skip("C++", "no g++")
        if shutil.which("gfortran"):
            fortran = build(folder, "fortran", "gfortran", HERE / "marked.f90",
                            ROOT / "marker/takt_marker.f90")
            test_emulated(fortran, "Fortran", {"from fortran": 3})
        else:
            skip("Fortran", "no gfortran")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
