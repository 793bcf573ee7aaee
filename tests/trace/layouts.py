#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --layouts, and takt diff with it: dead code is no change, and more work is one.

    layouts.py TAKT [CORE…]

Without cores, one core and few layouts, which is quick. With cores, all programs on all of them,
for hours.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

LIMIT_SECONDS = 250
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs" / "layouts"
DEAD_PERCENT = 0.5  # what dead code may move the mean by, as docs/ci.md says
VARIANTS = {"old": [], "dead": ["-DDEAD"], "more": ["-DPERCENT=101"]}

takt = str(pathlib.Path(sys.argv[1]).resolve())
cores = sys.argv[2:]
layouts = "16" if cores else "4"
# One interval of 95 % in twenty does not hold the truth: a change outside of it is looked at again,
# with so many layouts.
MORE_LAYOUTS = "32"


def build(folder, source, level):
    """Builds all variants of a program, each in a folder of its own, so that names are the same."""
    made = {}
    for variant, options in VARIANTS.items():
        (folder / variant).mkdir(exist_ok=True)
        program = folder / variant / source.stem
        programs.build(["gcc", level, "-static", *options], source, program)
        made[variant] = program
    return made


def trace(folder, program, core, *options, count=layouts):
    result = folder / f"{program.parent.name}-{program.stem}.json"
    done = subprocess.run([takt, "trace", f"--arch={core}", f"--layouts={count}", *options,
                           "--format=json", f"--report={result}", "--", program],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 0, f"{program.stem} ({program.parent.name}) on {core}", done.stderr)
    return result


def change(before, after):
    """Returns the change and half the width of its interval, in %."""
    done = diff("--format=json", before, after)
    found = json.loads(done.stdout)
    old, new = (json.loads(path.read_text())["cycles"] for path in (before, after))
    return 100 * (new / old - 1), 100 * found["half_width_cycles"] / old


def diff(*arguments):
    return subprocess.run([takt, "diff", *arguments], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)


def check_program(folder, source, level, core):
    made = build(folder, source, level)
    results = {variant: trace(folder, program, core) for variant, program in made.items()}
    unchanged = {variant: results[variant] for variant in ("old", "dead")}
    moved, half = change(*unchanged.values())
    # Few layouts may not resolve the limit: predictors are chaotic. That must be in the interval.
    if not cores and abs(moved) > max(DEAD_PERCENT, half):
        comment(f"{source.stem} {level} on {core}: {moved:+.3f} % ± {half:.3f} % by {layouts} layouts")
        again = folder / "again"
        again.mkdir(exist_ok=True)
        unchanged = {variant: trace(again, made[variant], core, count=MORE_LAYOUTS) for variant in unchanged}
        moved, half = change(*unchanged.values())
    ok(abs(moved) <= (DEAD_PERCENT if cores else max(DEAD_PERCENT, half)),
       f"{source.stem} {level} on {core}: dead code moves the mean by {moved:+.3f} % ± {half:.3f} %")
    done = diff("--fail-above=0.5%", *unchanged.values())
    ok(done.returncode == 0, f"{source.stem}: dead code passes", done.stdout, done.stderr)
    moved, half = change(results["old"], results["more"])
    done = diff("--fail-above=0.3%", results["old"], results["more"])
    comment(f"{source.stem} {level} on {core}: 1 % more work is {moved:+.2f} % ± {half:.2f} %")
    ok(done.returncode == (moved - half > 0.3) and (done.returncode or not cores),
       f"{source.stem}: 1 % more work fails", done.stdout, done.stderr)
    if not done.returncode:
        ok("more layouts" in done.stderr or "more of them" in done.stderr,
           f"{source.stem}: unless the layouts are too few, which is said", done.stderr)
    return results


def check_refusals(folder, source, results):
    program = build(folder, source, "-O2")["old"]
    single = folder / "single.json"
    subprocess.run([takt, "trace", "--arch=SKX", "--format=json", f"--report={single}", "--",
                    program], capture_output=True, timeout=LIMIT_SECONDS, check=True)
    done = diff(results["old"], single)
    ok(done.returncode == 2 and f"--layouts={layouts}" in done.stderr,
       "one layout is not compared with many", done.stderr)
    other = trace(folder, program, "SKX", "--seed=2")
    done = diff(results["dead"], other)
    ok(done.returncode == 2 and "--seed=2" in done.stderr, "other layouts are not compared",
       done.stderr)
    done = diff("--allow=options", results["dead"], other)
    ok(done.returncode == 0, "unless that is allowed", done.stderr)
    for option in ("--sample", "--count-only", "--timeline=0"):
        done = subprocess.run([takt, "trace", "--layouts=4", option, "--", program],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        ok(done.returncode == 2 and "'--layouts' excludes" in done.stderr,
           f"{option} and layouts exclude each other", done.stderr)


def check_log(folder, program, result):
    """A log has the figures of the run."""
    log = folder / "log"
    subprocess.run([takt, "trace", "--count-only", "-o", log, "--", program], capture_output=True,
                   timeout=LIMIT_SECONDS, check=True)
    done = subprocess.run([takt, "trace", "--arch=SKX", f"--layouts={layouts}", "--format=json", log],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True)
    ok(json.loads(done.stdout)["layouts"] == json.loads(result.read_text())["layouts"],
       "a log has the same layouts")


def main():
    if missing("gcc", "qemu-x86_64"):
        skip_all(missing("gcc", "qemu-x86_64"))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in sorted(PROGRAMS.glob("*.c")):
            for core in cores or ["SKX"]:
                for level in ("-O2", "-O1") if cores else ("-O1",):
                    results = check_program(folder, source, level, core)
        if not cores:
            check_log(folder, folder / "old" / source.stem, results["old"])
            check_refusals(folder, source, results)
    return finish()


sys.exit(main())
