#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt diagnose with trust tables, and by counters: what it makes of what it is not to believe.

    belief.py TAKT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip, skip_all  # noqa: E402

PROGRAM = pathlib.Path(__file__).resolve().parent / "programs" / "strided_records.c"
takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, check=False)


def diagnose(*options):
    report = folder / "report.json"
    done = run("diagnose", "--arch=SKL", "--no-timing", "--format=json", f"--report={report}",
               *options, "--", str(folder / "program"))
    return json.loads(report.read_text()) if done.returncode == 0 else done.stderr


def verdict(report, pattern):
    return next(row for row in report["patterns"] if row["pattern"] == pattern)


def check_table(table):
    """The table as it is, and with one event that is said to be wrong."""
    report = diagnose(f"--trust={table}")
    ok(verdict(report, "strided")["verdict"] == "found", "exact events show the pattern", report)
    errors = [evidence.get("error") for evidence in report["findings"][0]["evidence"]]
    ok(0 in errors, "their error is stated", errors)
    bad = folder / "bad.csv"
    bad.write_text(re.sub(r"^(L1_LINES_IN,.*,)\w+$", r"\1untrusted", table.read_text(), flags=re.M))
    report = diagnose(f"--trust={bad}")
    row = verdict(report, "strided")
    ok(row["verdict"] == "unseen" and row["distrusted"] == "L1_LINES_IN",
       "it is not seen by an event that is not trusted", row)
    ok(verdict(report, "erratic")["verdict"] == "unseen", "nor is what it is told apart from by it")
    ok(verdict(report, "control-flow")["verdict"] == "clear", "others are seen as before")
    ok(not any(finding["holds"] for finding in report["findings"]
               if finding["pattern"] == "strided"), "no finding holds", report["findings"])
    ok(any(finding.get("doubted") for finding in report["findings"]), "one is in doubt")


def check_others(table):
    other = folder / "other.csv"
    other.write_text(table.read_text().replace("# backend: emulate", "# backend: pmu"))
    ok("trust table is of backend 'pmu'" in diagnose(f"--trust={other}"), "another backend")
    other.write_text("nonsense\n")
    ok("other.csv:1:1: error" in diagnose(f"--trust={other}"), "no table")


def check_counters():
    if os.path.exists("/sys/bus/event_source/devices/cpu"):
        skip("without counters", "this machine has some")
        return
    done = run("diagnose", "--backend=pmu", "--", "/bin/true")
    ok(done.returncode == 1 and "'--backend=emulate' needs none" in done.stderr,
       "without counters it says what would work", done.stderr)
    report = diagnose("--backend=auto")
    ok(report["backend"] == "emulate" and any("no counters" in note for note in report["notes"]),
       "auto takes what is there, and says so", report["notes"])


def check_loops():
    report = diagnose()
    loop = report["places"][0]["loop"]
    ok(loop["ports_cycles"] > 0 and loop["cycles"] >= loop["ports_cycles"] - 0.01 and loop["limit"],
       "the hot loop is analyzed", loop)
    ok(loop["run_cycles"] > loop["cycles"], "by itself it is faster than with its misses", loop)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    subprocess.run(["gcc", "-O3", "-g", "-march=haswell", "-static", "-o", folder / "program",
                    PROGRAM], check=True)
    made = folder / "trust.csv"
    ok(run("validate", "--arch=SKL", "--kernels=load_avx,copy_avx", "--levels=L1,L2",
           "-q", "-o", str(made)).returncode == 0, "a table")
    check_table(made)
    check_others(made)
    check_counters()
    check_loops()
sys.exit(finish())
