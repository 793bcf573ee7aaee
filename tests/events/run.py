#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle: counts of programs whose counts are known, exactly.

    run.py ORACLE
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip  # noqa: E402

LIMIT_SECONDS = 120
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"

oracle = str(pathlib.Path(sys.argv[1]).resolve())

BARE = ["-nostdlib", "-static"]
ASSEMBLERS = {
    "x86-64": ["gcc", *BARE],
    "aarch64": ["aarch64-linux-gnu-gcc", *BARE],
    "riscv64": ["clang", "--target=riscv64-linux-gnu", *BARE, "-fuse-ld=lld"],
}
COMPILER = ["gcc", "-O1", "-static", "-pthread"]

# By guest and region: what is not named is 0. The mov and syscall that end a region are in it.
REGIONS = {
    "x86-64": {
        "a": dict(entries=2, INSTRUCTIONS=14 + 2 + 7, LOADS=3, LOAD_BYTES=16 + 32 + 4, DIVIDES=2,
                  FP32_SCALAR=1 + 1 + 2, FP32_128=4 + 4, FP32_256=8 * 2,
                  FP64_SCALAR=1 + 2 + 1, FP64_128=2 + 2, FP_INSTRUCTIONS=10 + 1),
        "b": dict(entries=2, INSTRUCTIONS=15 + 2 + 3, LOADS=100 + 5, LOAD_BYTES=100 + 40,
                  STORES=100 + 6, STORE_BYTES=100 + 40 + 32, NT_STORES=2, NT_STORE_BYTES=40,
                  ATOMICS=2, FP64_SCALAR=1, FP_INSTRUCTIONS=1),
        "c": dict(entries=1, INSTRUCTIONS=1 + 50 + 1 + 2, LOADS=10, LOAD_BYTES=80, STORES=10,
                  STORE_BYTES=80, BRANCHES=31, BRANCHES_CONDITIONAL=10, BRANCHES_TAKEN=9,
                  CALLS=10, PAUSES=10),
        "d": dict(entries=1, INSTRUCTIONS=11 + 2, LOADS=1, LOAD_BYTES=16, DIVIDES=2, GATHERS=1,
                  FP64_SCALAR=1, FP_INSTRUCTIONS=1),
    },
    "aarch64": {
        "a": dict(entries=1, INSTRUCTIONS=22 + 2, LOADS=4, LOAD_BYTES=16 + 16 + 8 + 8 + 4,
                  STORES=3, STORE_BYTES=16 + 4 + 8, NT_STORES=1, NT_STORE_BYTES=16, BRANCHES=4,
                  BRANCHES_CONDITIONAL=1, CALLS=1, ATOMICS=2, PAUSES=1, DIVIDES=2,
                  FP32_SCALAR=1, FP32_128=4 + 2, FP64_SCALAR=2 + 1, FP64_128=4,
                  FP_INSTRUCTIONS=6),
    },
    "riscv64": {
        "a": dict(entries=1, INSTRUCTIONS=17 + 3, LOADS=3, LOAD_BYTES=28, STORES=3,
                  STORE_BYTES=20, BRANCHES=3, CALLS=1, ATOMICS=3, DIVIDES=3, FP32_SCALAR=1,
                  FP64_SCALAR=2 + 1 + 1, FP_INSTRUCTIONS=4),
    },
}


def build(command, name):
    return programs.build(command, PROGRAMS / name, folder / name.replace("/", "-"))


def run(program, *arguments, options=()):
    done = subprocess.run([oracle, *options, "--", program, *arguments], capture_output=True,
                          text=True, timeout=LIMIT_SECONDS, check=False)
    if done.returncode:
        comment(done.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def some(figures):
    return {name: figure for name, figure in figures.items()
            if figure and name not in ("name", "thread")}


def assembled(guest):
    if missing(f"qemu-{guest.replace('x86-64', 'x86_64')}"):
        skip(guest, missing(f"qemu-{guest.replace('x86-64', 'x86_64')}"))
        return
    program = build(ASSEMBLERS[guest], guest + ".s")
    if not program:
        skip(guest, "no compiler")
        return
    report = run(program)
    regions = {region["name"]: some(region) for region in report["regions"]} if report else {}
    for name, wanted in REGIONS[guest].items():
        ok(regions.get(name) == wanted, f"{guest}, region {name}", regions.get(name), wanted)
    ok(report and report["threads"][0]["INSTRUCTIONS"] == report["instructions"],
       f"{guest}: instructions as the trace has them")
    ok(report and report["threads"][0]["SYSCALLS"] == 1, f"{guest}: markers are no system calls")


def hot_lines(report):
    return [line for line in report["lines"] if line["stores"] >= 20000]


def shared():
    program = build(COMPILER, "sharing.c")
    if not program:
        skip("sharing", "no compiler")
        return
    for way, wanted in (("apart", []), ("false", [(0, 1)]), ("true", [(1, 0)])):
        report = run(program, way, options=["--lines"])
        got = [(line["truly"], line["falsely"]) for line in hot_lines(report)] if report else None
        ok(got == wanted, f"two threads count {way}: (truly, falsely)", got, wanted)
        counts = [thread["FALSELY_SHARED_LINES"] for thread in report["threads"][1:]]
        ok(counts == [int(way == "false")] * 2, f"{way}: falsely shared lines by thread", counts)


def strides():
    program = build(COMPILER, "strides.c")
    if not program:
        skip("strides", "no compiler")
        return
    report = run(program, options=["--strides", "--lines"])
    found = {access["function"]: access for access in report["accesses"] if access["bytes"] >= 64000}
    rows = {
        "unit": dict(count=131072, strides=[0, 131071, 0, 0, 0]),
        # The first stride repeats nothing.
        "far": dict(count=8192, strides=[0, 0, 0, 8190, 1]),
    }
    for name, wanted in rows.items():
        got = {key: found[name][key] for key in wanted}
        ok(got == wanted, f"strides of {name}", got, wanted)
    # 10,000 accesses at random: few strides repeat by chance (none where this was written).
    ok(found["erratic"]["strides"][4] > 9900, "strides that do not repeat", found["erratic"])
    ok(report["left_out"] == 0 and report["threads"][0]["LINES_TOUCHED"] > 16384, "lines in all",
       report["threads"][0])


def modelled():
    program = build(COMPILER, "strides.c")
    if not program:
        skip("models", "no compiler")
        return
    thread = run(program, options=["--core=skylake"])["threads"][0]
    # 1 MiB once; its lines are in no cache before. The rest is the program's and libc's own: 265 lines
    # where this was written.
    ok(16384 <= thread["L3_LINES_IN"] < 16384 + 1500, "lines from memory", thread["L3_LINES_IN"])
    ok(thread["L1_LINES_IN"] > 16384 + 8192, "lines into the first cache", thread["L1_LINES_IN"])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for guest in REGIONS:
        assembled(guest)
    if missing("qemu-x86_64"):
        skip("sharing, strides and models", missing("qemu-x86_64"))
    else:
        shared()
        strides()
        modelled()
sys.exit(finish())
