#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Figures of speed: blocks per second, one-shot wall time, peak memory.

Usage: bench.py TAKT TOOLS_DIR [CORPUS…]. A corpus is a CSV (or .csv.xz) with hex
blocks in its first column. Beside them there are the bundled corpus and blocks cut from
the compiler's own binary and the C library. Each figure is the best of several runs in this
one process, those of `takt predict` less the cost of a single block, beside what it is compared
with, because these machines are noisy.
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
CUT_BLOCKS = 200000
LEAST_BLOCKS = 50000  # that the bounds get: fewer are over before the clock has moved
SIMULATED_BLOCKS = 4000
MEASURED_BLOCKS = 500
ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNEL = ROOT / "examples/kernels/gauss_seidel.s"
PEAK_MEMORY = sys.argv[2] + "/peak-memory"
BUNDLED = ROOT / "tests/accuracy/host-6-207.csv"
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


def write_blocks(folder, blocks):
    path = folder / "blocks"
    path.write_text("\n".join(blocks) + "\n")
    return str(path)


def some_of(blocks, count):
    return blocks[::max(1, len(blocks) // count)][:count]


def cpu_per_block(command, folder, blocks, rounds=ROUNDS):
    _, base = best(command + [write_blocks(folder, ["90"])], rounds)
    _, cpu = best(command + [write_blocks(folder, blocks)], rounds)
    return max(cpu - base, 1e-9) / len(blocks)


def bench_predict(takt, name, blocks, folder):
    command = [takt, "predict", f"--arch={ARCH}"]
    bounds, sim = command + ["--engine=bounds"], command + ["--engine=sim"]
    off = "--no-memory-dependences"
    many = blocks * -(-LEAST_BLOCKS // len(blocks))
    few = some_of(blocks, SIMULATED_BLOCKS)
    print(f"{name}: {len(blocks)} blocks, {sum(map(len, blocks)) / 2 / len(blocks):.1f} bytes each")
    of_bounds = cpu_per_block(bounds, folder, many)
    without = cpu_per_block(bounds + [off], folder, many)
    peak = peak_mib(bounds + [write_blocks(folder, many)])
    print(f"  predict --engine=bounds: {1 / of_bounds:,.0f} blocks/s on one core, "
          f"peak {peak:.0f} MiB")
    print(f"  memory dependences: {1 / max(of_bounds - without, 1e-9):,.0f} blocks/s, "
          f"by what the bounds take without them ({1 / without:,.0f} blocks/s)")
    of_sim = cpu_per_block(sim, folder, few, 3)
    peak = peak_mib(sim + [write_blocks(folder, few)])
    print(f"  predict --engine=sim: {1 / of_sim:,.0f} blocks/s on one core, "
          f"{of_sim / of_bounds:.0f} times the bounds, {len(few)} of the blocks, "
          f"peak {peak:.0f} MiB", flush=True)


def bench_measure(takt, blocks, folder):
    command = [takt, "measure", "--batch"]
    probe = subprocess.run(command, input="90\n", capture_output=True, text=True, check=False)
    if probe.returncode:
        reasons = [line for line in (probe.stderr + probe.stdout).splitlines() if line[0] != "#"]
        print("measure --batch: skipped: " + (reasons or ["no reason given"])[0])
        return
    few = some_of(blocks, MEASURED_BLOCKS)
    command = [takt, "measure", "--batch=" + write_blocks(folder, few)]
    wall, cpu = best(command, 3)
    print(f"measure --batch: {len(few) / wall:,.0f} blocks/s, {len(few)} of {BUNDLED.name}, "
          f"{100 * cpu / wall:.0f} % of the time on a processor")


def bench_one_shot(takt, folder):
    kernel = folder / "kernel.o"
    subprocess.run(["as", str(KERNEL), "-o", str(kernel)], check=True)
    for label, source in (("ELF object", kernel), ("assembly text", KERNEL)):
        for engine in ("sim", "bounds"):
            command = [takt, "analyze", f"--arch={ARCH}", f"--engine={engine}", str(source)]
            wall, cpu = best(command, 20)
            print(f"analyze --engine={engine}, one shot, {label}: {wall * 1e3:.1f} ms wall, "
                  f"{cpu * 1e3:.1f} ms CPU, peak {peak_mib(command):.0f} MiB")
    wall, _ = best(["true"], 20)
    print(f"starting a process that does nothing: {wall * 1e3:.1f} ms wall")


def read_corpus(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        blocks = [line.split(",")[0].strip() for line in lines]
    return [b for b in blocks if b and all(c in "0123456789abcdefABCDEF" for c in b)]


def main():
    takt, cutter, corpora = sys.argv[1], sys.argv[2] + "/cut-blocks", sys.argv[3:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for corpus in [str(BUNDLED)] + corpora:
            bench_predict(takt, pathlib.Path(corpus).name, read_corpus(corpus), folder)
        for binary in (b for b in BINARIES if pathlib.Path(b).exists()):
            cut = subprocess.run([cutter, str(CUT_BLOCKS), binary], capture_output=True, text=True,
                                 check=True).stdout.split()
            bench_predict(takt, pathlib.Path(binary).name, cut, folder)
        bench_measure(takt, read_corpus(str(BUNDLED)), folder)
        bench_one_shot(takt, folder)


main()
