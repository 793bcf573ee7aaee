#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The oracle proved by kernels with known counts: every figure exact, on each instruction set.

usage: run.py TAKT
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tap  # noqa: E402

# What no kernel of a set has.
UNTESTED = {
    "SKX": {"FP32_512", "FP64_512"},
    "V2": {"NT_STORES", "NT_STORE_BYTES", "NT_LINES", "GATHERS", "FP32_256", "FP32_512", "FP64_256",
           "FP64_512"},
}
EVENTS_LEAST = 27  # exact ones when this was written; fewer, and kernels have gone missing


def takt(*arguments):
    return subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True)


def check_small(arch, emulator):
    if not shutil.which(emulator):
        tap.skip(f"kernels of {arch}", f"{emulator} is not installed")
        return
    run = takt("validate", "--kernels=small", f"--arch={arch}", "--format=json", "--cases")
    if not tap.ok(run.returncode == 0, f"kernels of {arch}", run.stderr, run.stdout):
        return
    table = json.loads(run.stdout)
    verdicts = {}
    for row in table["events"]:
        verdicts.setdefault(row["verdict"], set()).add(row["event"])
    tap.ok(set(verdicts) <= {"exact", "untested"}, f"{arch}: no figure is wrong", verdicts)
    tap.ok(verdicts.get("untested", set()) == UNTESTED[arch], f"{arch}: all events are tested",
           verdicts.get("untested"))
    tap.ok(len(verdicts["exact"]) >= EVENTS_LEAST, f"{arch}: many events", len(verdicts["exact"]))
    tap.ok(all(case["expected"] == case["counted"] for case in table["cases"]),
           f"{arch}: {len(table['cases'])} figures")
    # The sheet's factors: lines moved by lines of streams, of data in L2.
    moved = {}
    for case in table["cases"]:
        if case["level"] == "L2" and case["event"] in ("L1_LINES_IN", "L1_LINES_OUT"):
            moved.setdefault(case["kernel"], {})[case["event"]] = case["counted"]
    past = {kernel: moved.pop(kernel) for kernel in list(moved) if kernel.endswith("_nt")}
    moved = {kernel.split("_")[0]: lines for kernel, lines in moved.items()}
    tap.ok(moved["copy"]["L1_LINES_IN"] == 2 * moved["copy"]["L1_LINES_OUT"] and
           moved["triad"]["L1_LINES_IN"] == 4 * moved["triad"]["L1_LINES_OUT"] and
           moved["load"]["L1_LINES_OUT"] == 0, f"{arch}: write-allocates", moved)
    tap.ok(("copy_sse_nt" in past) == (arch == "SKX") and
           all(lines["L1_LINES_IN"] > 0 == lines["L1_LINES_OUT"] for lines in past.values()),
           f"{arch}: no non-temporal lines", past)
    orders = {row["event"]: row["order"] for row in table["events"] if row["order"] is not None}
    tap.ok(orders == {"SHARED_LINES_WRITTEN": 1, "FALSELY_SHARED_LINES": 1},
           f"{arch}: lines shared at known rates are in order", orders)
    # Two threads with half of the rows of a triangular matrix each.
    loads = [case["counted"] for case in table["cases"]
             if case["kernel"] == "triangle" and case["event"] == "LOADS"]
    # The second half has 3/4 of the triangle, the first 1/4; the tenth is for the row in the middle
    # and what a thread loads around its loop.
    tap.ok(2.9 < loads[1] / loads[0] < 3.1, f"{arch}: imbalance", loads)


def check_files(directory):
    path = directory / "trust.csv"
    run = takt("validate", "--kernels=copy_sse,triad_avx_fma", "--levels=L2", "--arch=SKX",
               "--format=csv", "-o", str(path))
    tap.ok(run.returncode == 0 and path.read_text().startswith("# takt trust 1\n"), "a table as CSV",
           run.stderr)
    program = directory / "copy"
    run = takt("validate", "--write=copy_avx", "--arch=SKX", "--size=65536", "--repeats=3", "-o",
               str(program))
    tap.ok(run.returncode == 0 and os.access(program, os.X_OK), "a kernel as a program", run.stderr)
    count = subprocess.run(["qemu-x86_64", str(program)], capture_output=True)
    tap.ok(count.returncode == 0, "which runs", count)


def check_non_temporal(directory):
    """What non-temporal stores write is known: each line once, and none comes in for it."""
    (directory / "cores").mkdir()
    (directory / "cores/without.core").write_text(
        "takt core 1\nname WITHOUT\ntitle SKX without prefetchers\nbase SKX\n"
        "source t estimated  this test\nnext_line_prefetch no t\nstride_prefetch no t\n")
    size, repeats = 65536, 5
    lines = size // 64
    for kernel, read in (("copy_sse", 1), ("copy_sse_nt", 1), ("stream_avx_nt", 2)):
        program = directory / kernel
        takt("validate", f"--write={kernel}", "--arch=SKX", f"--size={size}",
             f"--repeats={repeats}", "-o", str(program))
        run = takt("trace", f"--model={directory}", "--arch=WITHOUT",
                   "--format=json", "--report=-", "--", str(program))
        if not tap.ok(run.returncode == 0, f"{kernel}: traced", run.stderr):
            continue
        caches = json.loads(run.stdout)["caches"]
        past = kernel.endswith("_nt")
        tap.ok(caches["non_temporal_lines"] == past * repeats * lines,
               f"{kernel}: non-temporal lines", caches)
        # 64 KiB of each stream fit into L2.
        tap.ok(caches["loads"]["l2_misses"] + caches["stores"]["l2_misses"] ==
               (read + (not past)) * lines, f"{kernel}: lines from memory", caches)


def check_events():
    """What kernels say of the events of all families that have groups."""
    for family, event in (("haswell-ep", "AVX_INSTS.CALC"), ("zen4", "fp_ret_sse_avx_ops.all"),
                          ("a64fx", "FP_DP_FIXED_OPS_SPEC"), ("neoverse-n1", "L1D_CACHE_REFILL")):
        run = takt("validate", f"--events={family}")
        said, _, nothing = run.stdout.partition("\nOf which kernels say nothing\n")
        tap.ok(run.returncode == 0 and f"  {event}: " in said and nothing, f"events of {family}",
               run.stdout, run.stderr)


def check_errors():
    for status, arguments, text in (
            (1, ("--kernels=tried",), "error: no kernel 'tried' for x86-64"),
            (1, ("--levels=L7",), "error: no level 'L7' of memory"),
            (2, ("--write=copy",), "error: '--write' needs a file: '-o PROGRAM'"),
            (2, ("--write=copy", "--size=0", "-o", "x"), "error: '--size' needs a whole number"),
            (1, ("--write=copy", "-o", "/nonexistent/x"), "error: cannot write '/nonexistent/x'"),
            (1, ("--kernels=triangle",), "error: kernel 'triangle' is one of two threads")):
        run = takt("validate", "--arch=SKX", *arguments)
        tap.ok(run.returncode == status and text in run.stderr, f"{' '.join(arguments)}",
               run.stderr)


def main():
    check_small("SKX", "qemu-x86_64")
    check_small("V2", "qemu-aarch64")
    if not shutil.which("qemu-x86_64"):
        tap.skip("files, and lines past the caches", "qemu-x86_64 is not installed")
    else:
        with tempfile.TemporaryDirectory() as directory:
            check_files(pathlib.Path(directory))
            check_non_temporal(pathlib.Path(directory))
    check_events()
    check_errors()
    return tap.finish()


sys.exit(main())
