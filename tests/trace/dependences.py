#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --dependences: what a program's loops do is what takt deps says of their code.

    dependences.py TAKT

Loops of a compiled program are analyzed by takt deps, and the program is traced. Each pair of a store and a
load in a loop, with its distance, is in both lists; the loads of the run are counted in advance.
"""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

ELEMENTS = 1000
SOURCE = """
static long a[ELEMENTS];

__attribute__((noinline)) static void two(long *x, long n)
{
	for (long i = 2; i < n; i++)
		x[i] = x[i - 1] + x[i - 2];
}

__attribute__((noinline)) static void five(long *x, long n)
{
	for (long i = 5; i < n; i++)
		x[i] = x[i - 5] * 3;
}

__attribute__((noinline)) static void none(long *x, long n)
{
	for (long i = 0; i < n; i++)
		x[i] = x[i] + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	a[0] = a[1] = argc;
	two(a, ELEMENTS);
	five(a, ELEMENTS);
	none(a, ELEMENTS);
	return a[ELEMENTS - 1] == 0;
}
"""
# The loads of each loop that read what the loop itself stored, by distance in iterations.
WANTED = {"two": {1: ELEMENTS - 3, 2: ELEMENTS - 4}, "five": {5: ELEMENTS - 10}, "none": {}}

takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, timeout=250, check=False)


def main():
    lacking = missing("qemu-x86_64", "gcc")
    if lacking:
        skip_all(lacking)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        source, program = folder / "loops.c", folder / "loops"
        source.write_text(SOURCE, encoding="ascii")
        programs.build(["gcc", "-O1", "-g", "-static", "-no-pie", "-fno-tree-vectorize",
                        "-fno-predictive-commoning", f"-DELEMENTS={ELEMENTS}"], source, program)
        report = folder / "run.json"
        done = run("trace", "--count-only", "--dependences", "--format=json", f"--report={report}",
                   "--", program)
        ok(done.returncode == 0, "the program is traced", done.stderr)
        observed = json.loads(report.read_text(encoding="utf-8"))["dependences"]
        pairs = [row for row in observed["pairs"] if row["store"]["function"] in WANTED
                 and row["store"]["function"] == row["load"]["function"]]
        for name, wanted in WANTED.items():
            # A loop's stores and loads; those of other instructions are of calls.
            rows = [row for row in pairs if row["store"]["function"] == name and row["iterations"]]
            found = {row["iterations"]: row["count"] for row in rows}
            ok(found == wanted, f"{name}: distances and loads", (found, wanted))
            done = run("deps", "--arch=SKX", "--format=csv", f"--function={name}", program)
            static = {(int(row["iterations"]), row["store"], row["load"])
                      for row in csv.DictReader(done.stdout.splitlines())
                      if row["kind"] == "dependence"}
            first = min((row["store"]["offset"] for row in rows), default=0)
            ok(len(static) == len(rows) and {row[0] for row in static} == set(found),
               f"{name}: as many pairs as takt deps finds, equally far apart", (static, first))
            ok(all(row["whole"] == row["count"] and row["store"]["line"] for row in rows),
               f"{name}: whole words, with lines", rows)
        text = run("trace", "--count-only", "--dependences", "--top=3", "--", program).stderr
        ok("loads read what the same thread had stored" in text and "two+0x" in text,
           "as text", text[-800:])
    done = run("trace", "--dependences", "--blocks-only", "--", "true")
    ok(done.returncode == 2 and "exclude each other" in done.stderr, "needs accesses", done.stderr)
    return finish()


sys.exit(main())
