#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt count, on programs under qemu and on logs.

    count.py TAKT
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip  # noqa: E402

LIMIT_SECONDS = 120
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
takt = str(pathlib.Path(sys.argv[1]).resolve())

SOURCE = r"""
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static double data[4096];
static void *work(void *argument)
{
	double *from = argument, sum = 0;
	for (int i = 0; i < 1000; i++)
		sum += from[i];
	from[0] = sum;
	return NULL;
}
int main(int argc, char **argv)
{
	pthread_t thread;
	char line[64];
	pthread_create(&thread, NULL, work, data);
	work(data + 2048);
	pthread_join(thread, NULL);
	if (fgets(line, sizeof(line), stdin))
		fputs(line, stdout);
	fprintf(stderr, "to stderr\n");
	if (argc > 1 && argv[1][0] == 'k')
		abort();
	return argc > 1 ? atoi(argv[1]) : 0;
}
"""


def run(*arguments, text="", cwd=None):
    return subprocess.run([takt, "count", *arguments], input=text, capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False, cwd=cwd)


def counted(*arguments, program, options=()):
    done = run("--backend=emulate", "--format=json", "-o", "report", *arguments, *options, "--",
               *program, cwd=folder)
    if done.returncode:
        comment(done.stderr)
        return None
    return json.loads((folder / "report").read_text(encoding="utf-8"))


def event(report, name, part="all", index=0):
    names = [row["name"] for row in report["events"]]
    return report[part][index]["events"][names.index(name)]


def metric(report, name, part="all", index=0):
    names = [row["name"] for row in report["metrics"]]
    return report[part][index]["metrics"][names.index(name)]


def passes_through(program):
    done = run("--backend=emulate", "-g", "BRANCH", "--", program, "7", text="a line\n")
    ok(done.returncode == 7, "exit status", done.returncode)
    ok(done.stdout == "a line\n", "standard input and output", done.stdout)
    ok("to stderr\n" in done.stderr and "Misprediction ratio [%]" in done.stderr,
       "standard error, and the report", done.stderr)
    done = run("--backend=emulate", "-g", "DATA", "--", program, "k")
    ok(done.returncode == 128 + 6, "a program that a signal ends", done.returncode)
    done = run("--backend=emulate", "-g", "DATA", "-o", "-", "--", program)
    ok(done.stdout.startswith("backend emulate"), "report on standard output", done.stdout)
    done = run("--backend=emulate", "-g", "DATA", "--", "/nonexistent")
    ok(done.returncode == 1 and "nonexistent" in done.stderr, "no such program", done.stderr)


def figures(program):
    report = counted("-g", "FLOPS_DP,DATA", "-e", "CALLS", program=[program])
    if not ok(report is not None and len(report["parts"]) == 2, "two threads"):
        return
    ok(event(report, "FP64_SCALAR") == 2000, "operations", event(report, "FP64_SCALAR"))
    ok([event(report, "FP64_SCALAR", "parts", i) for i in (0, 1)] == [1000, 1000],
       "operations of each thread")
    ok(metric(report, "Scalar share of operations") == 100, "a share in per cent")
    ok(abs(metric(report, "Operations") - 2e-6) < 1e-12, "in GFLOP", metric(report, "Operations"))
    ok(metric(report, "Load bandwidth") is None, "no time under emulation")
    ok(event(report, "CALLS") > 0, "an event without a group")
    origins = {row["name"]: row["origins"] for row in report["metrics"]}
    ok(origins["Load bandwidth"] == ["counted", "timed"], "origins of a metric")
    timed = counted("-g", "DATA", "--timed", program=[program])
    ok(timed and timed["milliseconds"] > 0 and metric(timed, "Load bandwidth") > 0,
       "a second run is timed")
    shared = counted("-g", "SHARING", program=[program])
    # The two threads share none of their data; what libc shares to start and end them is not known
    # to the line. 100 lines are a fifth of the data.
    ok(shared and event(shared, "SHARED_LINES_WRITTEN") < 100, "shared lines")
    cached = counted("-g", "L2", "--arch=ZEN3", program=[program])
    ok(cached and cached["core"] == "ZEN3" and event(cached, "L1_LINES_IN") > 0,
       "a model of caches")
    plain = counted("-g", "DATA", program=[program])
    ok(plain and "core" not in plain, "no core where nothing is modelled")


def from_log(program):
    log = str(folder / "log")
    subprocess.run([takt, "trace", "--count-only", "--no-profile", "-o", log, "--", program],
                   capture_output=True, check=False, timeout=LIMIT_SECONDS)
    done = run("--backend=emulate", "--format=json", "-g", "DATA", log)
    report = json.loads(done.stdout) if done.returncode == 0 else None
    ok(report and len(report["parts"]) == 2, "a log", done.stderr)
    done = run("--backend=emulate", "-g", "DATA", "-o", str(folder / "f.csv"), log)
    rows = list(csv.DictReader(io.StringIO((folder / "f.csv").read_text(encoding="utf-8"))))
    loads = [row for row in rows if row["name"] == "LOADS"]
    ok([row["thread"] for row in loads] == ["all", "0", "1"], "CSV, by the name of the file")
    ok(report and float(loads[0]["value"]) == event(report, "LOADS"), "the same figures")
    done = run("--backend=pmu", "-g", "INSTRUCTIONS", log)
    ok(done.returncode == 1 and "'emulate'" in done.stderr, "no log for counters", done.stderr)


def regions():
    compiler = "gcc" if os.uname().machine == "x86_64" else None
    target = str(folder / "regions")
    if not compiler or subprocess.run([compiler, "-nostdlib", "-static", "-o", target,
                                       str(PROGRAMS / "x86-64.s")], capture_output=True,
                                      check=False).returncode:
        skip("regions", "not x86-64, or no compiler")
        return
    report = counted("-g", "FLOPS_DP,LINES", program=[target])
    rows = {row.get("region"): row for row in report["all"]} if report else {}
    ok(rows.get("b", {}).get("entries") == 2, "entries of a region", rows.keys())
    names = [row["name"] for row in report["events"]]
    ok(rows["b"]["events"][names.index("FP64_SCALAR")] == 1, "operations of a region")
    ok(rows["b"]["events"][names.index("LINES_TOUCHED")] is None, "lines of regions are not known")


def other_machines():
    if missing("qemu-aarch64", "aarch64-linux-gnu-gcc"):
        skip("AArch64", missing("qemu-aarch64", "aarch64-linux-gnu-gcc"))
        return
    target = str(folder / "aarch64")
    subprocess.run(["aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-o", target,
                    str(PROGRAMS / "aarch64.s")], check=False)
    report = counted("-g", "L2", program=[target])
    ok(report and report["core"] == "V2", "a core for AArch64")
    if os.uname().machine == "aarch64":
        skip("AArch64 on another machine", "this one executes it")
    else:
        done = run("--backend=emulate", "-g", "DATA", "--timed", "--", target)
        ok(done.returncode == 1 and "does not execute it" in done.stderr,
           "no time of what does not run here", done.stderr)
        done = run("--backend=emulate", "-g", "L2", "--arch=ZEN3", "--", target)
        ok(done.returncode == 1 and "core" in done.stderr, "a core of another machine", done.stderr)


def counters():
    done = run("-e", "INSTRUCTIONS", "--", "true")
    ok(done.returncode == 1, "counters need a family, and to be there")
    devices = pathlib.Path("/sys/bus/event_source/devices")
    if any(path.name.startswith(("cpu", "armv8")) for path in devices.glob("*")):
        skip("no counters: what would work", "this machine has some")
    else:
        done = run("-g", "BRANCH", "--", "true")
        ok(done.returncode == 1 and "no counters" in done.stderr and
           "--backend=emulate" in done.stderr, "no counters: what would work", done.stderr)


def defaults():
    """Without a group, what perf stat counts; what the machine has no counters of is named."""
    done = run("--format=json", "-o", "report", "--", "true", cwd=folder)
    if done.returncode and "no family" in done.stderr:
        skip("defaults of counters", "this machine's core has no groups")
        return
    if not ok(done.returncode == 0, "counters have defaults", done.stderr):
        return
    report = json.loads((folder / "report").read_text(encoding="utf-8"))
    names = {row["name"] for row in report["events"]}
    ok({"task-clock", "context-switches", "cpu-migrations", "page-faults"} <= names and
       event(report, "task-clock") > 0 and event(report, "page-faults") > 0,
       "the kernel's events are counted", report["events"])
    left_out = any("left out" in note for note in report.get("notes", []))
    ok(left_out != bool(report["metrics"]), "cycles and branches are, too, or a note says why not",
       report.get("notes"))


def emulated_defaults(program):
    report = counted(program=[program])
    ok(report and event(report, "INSTRUCTIONS") > 0 and
       metric(report, "Misprediction ratio") is not None, "emulation has defaults")


def main():
    counters()
    defaults()
    if missing("qemu-x86_64", "gcc"):
        skip("programs", missing("qemu-x86_64", "gcc"))
        return
    source, program = folder / "program.c", str(folder / "program")
    source.write_text(SOURCE, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-fno-tree-vectorize", "-static", "-pthread", "-o", program,
                    str(source)], check=True)
    passes_through(program)
    emulated_defaults(program)
    figures(program)
    from_log(program)
    regions()
    other_machines()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    main()
sys.exit(finish())
