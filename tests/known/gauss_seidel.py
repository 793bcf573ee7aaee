#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The OSACA paper's kernel, compiled here by gfortran with the paper's options for Zen.

The update's chain is addition, addition, multiplication: its latencies on a core are the
loop-carried dependence per update, whatever the compiler unrolls. The paper's rule:
throughput bound ≤ measured ≤ critical path, with the loop-carried dependence as the
prediction; so the three bounds must stand in that order.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok  # noqa: E402

# Core: latency of vaddsd + vaddsd + vmulsd in cycles (uops.info). On SPR a multiplication has the
# result of an addition a cycle later than another addition would: the loop measures 71.96.
CHAINS = {"HSW": 3 + 3 + 5, "CLX": 4 + 4 + 4, "ICL": 4 + 4 + 4, "SPR": 2 + 2 + 1 + 4,
          "ZEN+": 3 + 3 + 4, "ZEN2": 3 + 3 + 3, "ZEN3": 3 + 3 + 3, "ZEN4": 3 + 3 + 3}
SOURCE = pathlib.Path(__file__).resolve().parents[2] / "examples/kernels/gauss_seidel.f90"
OPTIONS = ["-funroll-loops", "-mavx2", "-mfma", "-Ofast"]

takt = str(pathlib.Path(sys.argv[1]).resolve())

with tempfile.TemporaryDirectory() as folder:
    kernel = f"{folder}/gauss_seidel.o"
    subprocess.run(["gfortran", *OPTIONS, "-c", str(SOURCE), "-o", kernel], check=True)
    for core, chain in CHAINS.items():
        done = subprocess.run([takt, "analyze", f"--arch={core}", "--format=json", kernel],
                              capture_output=True, text=True, check=True, timeout=60)
        figures = json.loads(done.stdout)
        bounds = figures["bounds"]
        updates = sum(i["text"].startswith("vmulsd") for i in figures["instructions"])
        ok(updates > 0, f"{core}: {updates} updates in the loop")
        ok(bounds["loop_carried"] == chain * updates,
           f"{core}: loop-carried {bounds['loop_carried']} = {updates} × {chain}")
        ok(bounds["ports"] < bounds["loop_carried"] <= bounds["critical_path"],
           f"{core}: ports {bounds['ports']} < loop-carried ≤ critical path "
           f"{bounds['critical_path']}")
        ok(figures["cycles_per_iteration"] == bounds["loop_carried"],
           f"{core}: the dependence is the prediction")
sys.exit(finish())
