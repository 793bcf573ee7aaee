#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed and memory of takt trace, as a table for README.md.

    trace.py TAKT PEAK-MEMORY [PROGRAM…]

PEAK-MEMORY is what peak_memory.c makes. Programs that are not installed are left out; gzip,
ffmpeg, clang and count are all there are. Figures are of processor time, of takt and of qemu
apart, since both run beside each other and other work may want the processors.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

CORE = "SKL"
MODES = [
    ("count only", ["--count-only", "--no-profile"]),
    ("detail, totals", [f"--arch={CORE}", "--no-profile"]),
    ("detail, `--no-memo`", [f"--arch={CORE}", "--no-profile", "--no-memo"]),
    ("detail, profile", [f"--arch={CORE}"]),
    ("`--ideal`", [f"--arch={CORE}", "--ideal=caches,branches"]),
    ("`--sample`", [f"--arch={CORE}", "--sample"]),
    ("`--sample --ideal`", [f"--arch={CORE}", "--sample", "--ideal=caches,branches"]),
]
TRUTHS = {"`--sample`": "detail, profile", "`--sample --ideal`": "`--ideal`"}
# 10⁹ instructions in phases of a multiplication chain, memory and unforeseeable branches.
COUNT = """
#include <stdint.h>
static uint32_t cells[1 << 14];
int main(void)
{
	uint64_t value = 1, sum = 0;
	for (uint32_t phase = 0; phase < 400; phase++) {
		for (uint32_t i = 0; i < 120000; i++)
			value = value * 6364136223846793005u + i;
		for (uint32_t i = 0; i < 100000; i++)
			cells[(value + i * 7) % (1 << 14)] += i;
		for (uint32_t i = 0; i < 90000; i++) {
			value ^= value << 13, value ^= value >> 7, value ^= value << 17;
			if (value & 8)
				sum += value;
		}
	}
	return sum + cells[5] == 1;
}
"""
FUNCTION = "int foo(int x, int y) {\n    return x * 2 + y;\n}\n"


def quiet(*command, **keywords):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   **keywords)


def gzip_command(folder):
    data = folder / "data"
    # Same bytes everywhere: text that repeats itself a little.
    value, lines = 1, []
    for _ in range(60000):
        value = value * 1103515245 + 12345 & 0x7fffffff
        lines.append(f"{value % 977} {value % 31:b} takt {value:x}\n")
    data.write_text("".join(lines))
    return ["gzip", "-c", str(data)]


def ffmpeg_command(folder):
    clip = folder / "input.mp4"
    quiet("ffmpeg", "-v", "error", "-f", "lavfi", "-i",
          "testsrc=duration=2:size=320x240:rate=25", "-c:v", "mpeg4", "-b:v", "56k", str(clip))
    return ["ffmpeg", "-nostdin", "-i", str(clip), "-f", "null", "-"]


def clang_command(folder):
    source = folder / "foo.c"
    source.write_text(FUNCTION)
    quiet("clang", "-S", "-emit-llvm", "-Xclang", "-disable-O0-optnone", "foo.c", "-o",
          "input.ll", cwd=folder)
    return ["clang", "-O2", "-c", str(folder / "input.ll"), "-o", "/dev/null"]


def count_command(folder):
    source, program = folder / "count.c", folder / "count"
    source.write_text(COUNT)
    quiet("cc", "-O1", "-static", str(source), "-o", str(program))
    return [str(program)]


PROGRAMS = {"gzip": gzip_command, "ffmpeg": ffmpeg_command, "clang": clang_command,
            "count": count_command}


def measure(takt, peak_memory, options, command, folder):
    report = folder / "report.json"
    began = time.monotonic()
    done = subprocess.run([peak_memory, takt, "trace", *options, "--format=json",
                           f"--report={report}", "--", *command], check=False,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    wall = time.monotonic() - began
    own, others, peak = done.stderr.split()[-3:]
    figures = json.loads(report.read_text())
    return {"takt": float(own), "qemu": float(others), "wall": wall, "peak": int(peak) / 1024,
            "figures": figures}


def row(name, mode, got, truths):
    figures = got["figures"]
    insns = figures["instructions"]
    busier = max(got["takt"], got["qemu"], 0.01)
    cycles = figures.get("cycles")
    shown = f"{cycles / 1e6:,.1f} M" if cycles else ""
    sample = figures.get("sample")
    if sample:
        # Another run: system calls and addresses may differ a little.
        true, half = truths.get(TRUTHS[mode]), sample["half_width_cycles"]
        shown += f" ± {half / 1e6:.1f}" if half is not None else " ± ?"
        if true and half is not None:
            shown += f", {abs(cycles - true) / half:.2f} of that off" if half else ", exact"
    print(f"| {name} | {mode} | {insns / 1e6:,.0f} M | {got['takt']:.1f} | {got['qemu']:.1f} | "
          f"{got['wall']:.1f} | {insns / got['takt'] / 1e6 if got['takt'] else 0:.1f} | "
          f"{insns / busier / 1e6:.1f} | {got['peak']:.0f} | {shown} |", flush=True)


def main():
    takt, peak_memory = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:3])
    names = sys.argv[3:] or list(PROGRAMS)
    print("| program | what | instructions | takt s | qemu s | wall s | M/s of takt | M/s | "
          "peak MiB | cycles |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name in names:
        if name != "count" and not shutil.which(name):
            print(f"{name} is not installed", file=sys.stderr)
            continue
        with tempfile.TemporaryDirectory() as folder:
            command = PROGRAMS[name](pathlib.Path(folder))
            truths = {}
            for mode, options in MODES:
                got = measure(takt, peak_memory, options, command, pathlib.Path(folder))
                truths[mode] = got["figures"].get("cycles")
                row(name, mode, got, truths)


main()
