#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of speed: blocks per second, one-shot wall time, peak memory.

Usage: bench.py TAKT TOOLS_DIR [CORPUS…]. A corpus is a CSV (or .csv.xz) with hex
blocks in its first column; without one, blocks are cut from the compiler's own binary.
Each figure is the best of several runs in this one process, beside the cost of the
same work on the empty input, because these machines are noisy.
"""
import lzma
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

ROUNDS = 5
ARCH = "SKX"
ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = ROOT / "examples/kernels/gauss_seidel.s"
PEAK_MEMORY = sys.argv[2] + "/peak-memory"
BINARIES = ["/usr/lib/gcc/x86_64-linux-gnu/12/cc1", "/usr/lib/x86_64-linux-gnu/libc.so.6"]


def best(command, rounds=ROUNDS):
    """Least wall and CPU seconds of a command."""
    wall = cpu = float("inf")
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        wall = min(wall, time.perf_counter() - start)
        cpu = min(cpu, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return wall, cpu


def peak_mib(command):
    """Peak resident set; measured below a small process, since a child starts with its parent's."""
    done = subprocess.run([PEAK_MEMORY] + command, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, check=False)
    return int(done.stderr.split()[-1]) / 1024


def bench_corpus(takt, name, blocks, folder):
    path = folder / "blocks"
    path.write_text("\n".join(blocks) + "\n")
    empty = folder / "empty"
    empty.write_text("90\n")
    command = [takt, "predict", f"--arch={ARCH}", "--engine=bounds"]
    _, base = best(command + [str(empty)])
    _, cpu = best(command + [str(path)])
    rate = len(blocks) / max(cpu - base, 1e-9)
    print(f"predict --engine=bounds  {name}: {len(blocks)} blocks, "
          f"{sum(map(len, blocks)) / 2 / len(blocks):.1f} bytes each, "
          f"{rate:,.0f} blocks/s on one core, peak {peak_mib(command + [str(path)]):.0f} MiB")


def read_corpus(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        blocks = [line.split(",")[0].strip() for line in lines]
    return [b for b in blocks if b and all(c in "0123456789abcdefABCDEF" for c in b)]


def main():
    takt, cutter, corpora = sys.argv[1], sys.argv[2] + "/cut-blocks", sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for corpus in corpora:
            blocks = read_corpus(corpus) * 5
            bench_corpus(takt, pathlib.Path(corpus).name, blocks, folder)
        for binary in (b for b in BINARIES if pathlib.Path(b).exists()):
            cut = subprocess.run([cutter, "200000", binary], capture_output=True, text=True,
                                 check=True).stdout.split()
            bench_corpus(takt, pathlib.Path(binary).name, cut, folder)
        kernel = folder / "kernel.o"
        subprocess.run(["as", str(KERNEL), "-o", str(kernel)], check=True)
        one_shot = [takt, "analyze", f"--arch={ARCH}"]
        for label, source in (("ELF object", kernel), ("assembly text", KERNEL)):
            wall, cpu = best(one_shot + [str(source)], 20)
            print(f"analyze, one shot, {label}: {wall * 1e3:.1f} ms wall, {cpu * 1e3:.1f} ms CPU, "
                  f"peak {peak_mib(one_shot + [str(source)]):.0f} MiB")
        wall, _ = best(["true"], 20)
        print(f"starting a process that does nothing: {wall * 1e3:.1f} ms wall")


main()
