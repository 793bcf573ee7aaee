#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt bench: that it runs, and that its figures are of the right size.

usage: bench.py TAKT
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "support"))
import tap  # noqa: E402


def bench(*arguments):
    return subprocess.run([sys.argv[1], "bench", *arguments], capture_output=True, text=True)


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
    for arguments, status, text in (
            (("--what=speed",), 2, "error: '--what' knows no 'speed'"),
            (("--kernels=lode",), 1, "error: no kernel 'lode' for"),
            (("--threads=0",), 1, "error: cannot run '0' threads"),
            (("x",), 2, "error: 'takt bench' has no operands")):
        run = bench(*arguments)
        tap.ok(run.returncode == status and text in run.stderr, " ".join(arguments), run.stderr)
    return tap.finish()


sys.exit(main())
