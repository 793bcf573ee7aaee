#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --sensitivity: each row has the cycles that a run on such a core has.

    sensitivity.py TAKT

Rows are compared, exactly, with runs by --ideal, and on a core file that changes the same parameter.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

# Misses, mispredicted branches, and more independent work than a reorder buffer holds.
SOURCE = """
#include <stdlib.h>

static unsigned a[1 << 18];

int main(void)
{
	unsigned seed = 1, sum = 0;

	for (int i = 0; i < 60000; i++) {
		seed = seed * 1664525 + 1013904223;
		if (seed >> 31)
			sum += a[seed >> 14];
		else
			a[seed >> 14] = sum;
	}
	return sum == 1;
}
"""
CORE = """takt core 1
name        WIDE
title       a core with another reorder buffer
base        SKX
vendor      Test
timing      skx

source e estimated  a test
rob_entries 448 e
"""

takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(folder, log, *options):
    report = folder / "report.json"
    done = subprocess.run([takt, "trace", "--no-profile", "--format=json", f"--report={report}", *options,
                           log], capture_output=True, text=True, timeout=250, check=False)
    ok(done.returncode == 0, " ".join(options), done.stderr)
    return json.loads(report.read_text(encoding="utf-8"))


def main():
    lacking = missing("qemu-x86_64", "gcc")
    if lacking:
        skip_all(lacking)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, program, log = (folder / name for name in ("p.c", "p", "p.takt"))
        source.write_text(SOURCE, encoding="ascii")
        programs.build(["gcc", "-O1", "-static"], source, program)
        (folder / "cores").mkdir()
        (folder / "cores" / "wide.core").write_text(CORE, encoding="ascii")
        done = subprocess.run([takt, "trace", "--count-only", "-o", log, "--", program],
                              capture_output=True, text=True, check=False)
        ok(done.returncode == 0, "a log is written", done.stderr)
        plain = run(folder, log, "--arch=SKX")
        found = run(folder, log, "--arch=SKX", "--sensitivity")
        ok(found["cycles"] == plain["cycles"] and found["losses"] == plain["losses"],
           "the run itself is the same", (found["cycles"], plain["cycles"]))
        rows = {row["what"]: row["cycles"] for row in found["sensitivity"]["what_if"]}
        cycles = list(rows.values())
        ok(len(rows) > 12 and cycles == sorted(cycles), "rows, the fastest first", rows)
        for what, options in (
                ("every branch predicted correctly", ["--arch=SKX", "--ideal=branches"]),
                ("every access a hit in the first-level caches and TLBs",
                 ["--arch=SKX", "--ideal=caches"]),
                ("a reorder buffer of 448 instead of 224 entries",
                 ["--arch=WIDE", f"--model={folder}"])):
            apart = run(folder, log, *options)["cycles"]
            ok(rows.get(what) == apart and apart < plain["cycles"], what, (rows.get(what), apart))
        sample = run(folder, log, "--arch=SKX", "--sensitivity", "--sample")
        ok(len(sample["sensitivity"]["what_if"]) == len(rows), "with a sample", sample["cycles"])
        done = subprocess.run([takt, "trace", "--sensitivity", "--layouts=2", log],
                              capture_output=True, text=True, check=False)
        ok(done.returncode == 2 and "exclude each other" in done.stderr, "not with layouts",
           done.stderr)
    return finish()


sys.exit(main())
