#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt bench: that it runs, and that its figures are of the right size.

usage: bench.py TAKT
"""
import json
import pathlib
import platform
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tap  # noqa: E402


def bench(*arguments):
    return subprocess.run([sys.argv[1], "bench", *arguments], capture_output=True, text=True)


# A kernel in the format of likwid-bench. Its loop adds up a stream, whose elements are 1, and traps
# unless the sum of 8 elements is 8.
PTT = """STREAMS 2
TYPE DOUBLE
FLOPS 1
BYTES 16
DESC B = A + 1, where the sums of A are as they must be
LOADS 1
STORES 1
movapd FPR3, [rip+SCALAR]
LOOP 8
movapd FPR1, FPR3
addsd FPR1, [STR0 + GPR1*8]
addsd FPR1, [STR0 + GPR1*8 + 8]
addsd FPR1, [STR0 + GPR1*8 + 16]
addsd FPR1, [STR0 + GPR1*8 + 24]
addsd FPR1, [STR0 + GPR1*8 + 32]
addsd FPR1, [STR0 + GPR1*8 + 40]
addsd FPR1, [STR0 + GPR1*8 + 48]
addsd FPR1, [STR0 + GPR1*8 + 56]
cvttsd2si GPR3, FPR1
cmp GPR3, SUM
je 1f
ud2
1:
movapd [STR1 + GPR1*8], FPR3
"""


def check_file():
    """A kernel of a file computes what it should, with figures of what the file says."""
    if platform.machine() != "x86_64":
        tap.skip("kernels of files", "they are for x86-64")
        return
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "add_own.ptt"
        path.write_text(PTT.replace("SUM", "9").replace("GPR3", "GPR12"), encoding="ascii")
        run = bench("--what=bandwidth", "--levels=L1", f"--kernels=load_sse,{path}", "--rounds=2",
                    "--threads=1", "--format=json")
        if tap.ok(run.returncode == 0, "a kernel of a file", run.stderr):
            rows = {row["kind"]: row for row in json.loads(run.stdout)["limits"]
                    if row["kernel"] == "add_own.ptt"}
            tap.ok(set(rows) == {"bandwidth", "flops"}, "it has a bandwidth and operations", rows)
            # FLOPS 1 and BYTES 16: operations by time are a sixteenth of bytes by time.
            ratio = rows["bandwidth"]["value"] / rows["flops"]["value"]
            tap.ok(abs(ratio - 16) < 1e-3, f"of the same rounds: {ratio}")
            # What is asked for is half the first level, of two streams.
            tap.ok(rows["bandwidth"]["size_bytes"] > 4096, "data of a level")
        path.write_text(PTT.replace("SUM", "8").replace("GPR3", "GPR12"), encoding="ascii")
        run = bench("--what=bandwidth", "--levels=L1", f"--kernels={path}", "--threads=1")
        tap.ok(run.returncode == 1 and "did not come to its end" in run.stderr,
               "a kernel that traps is an error", run.stderr)
        path.write_text(PTT.replace("SUM", "9").replace("je 1f", "jx 1f"), encoding="ascii")
        run = bench("--what=bandwidth", f"--kernels={path}")
        tap.ok(run.returncode == 1 and "add_own.ptt:21:1: error: invalid instruction" in run.stderr,
               "an error is at its line of the file", run.stderr)


def main():
    run = bench("--levels=L1,L2", "--kernels=load,copy", "--rounds=2", "--format=json",
                "--what=bandwidth,flops,latency", "--threads=1")
    if "seccomp" in run.stderr or "pinned" in run.stderr:
        tap.skip("bench", run.stderr.splitlines()[0])
        return tap.finish()
    if not tap.ok(run.returncode == 0, "bench", run.stderr):
        return tap.finish()
    rows = json.loads(run.stdout)["limits"]
    for row in rows:
        what = f"{row['kind']} {row['kernel']} {row['level']}"
        # Bytes, operations and cycles that no core can have: below any scalar loop, and above twice
        # the widest core (three accesses of 64 bytes; two FMAs of 16 floats, 64 operations). They
        # find wrong units, not slow machines.
        least, most = {"bandwidth": (1, 400), "flops": (0.5, 200), "latency": (2, 100)}[row["kind"]]
        tap.ok(least < row["per_cycle"] < most, f"{what}: {row['per_cycle']} in or by a cycle")
    latencies = {row["level"]: row["value"] for row in rows
                 if row["kind"] == "latency" and row["pages"] == "small"}
    tap.ok(latencies.get("L1", 0) < latencies.get("L2", 1), "L2 is farther away", latencies)
    check_file()
    for arguments, status, text in (
            (("--what=speed",), 2, "error: '--what' knows no 'speed'"),
            (("--kernels=lode",), 1, "error: no kernel 'lode' for"),
            (("--threads=0",), 1, "error: cannot run '0' threads"),
            (("x",), 2, "error: 'takt bench' has no operands")):
        run = bench(*arguments)
        tap.ok(run.returncode == status and text in run.stderr, " ".join(arguments), run.stderr)
    return tap.finish()


sys.exit(main())
