#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds and runs each kernel with gcc -O2, as it is and with the last of each variant's values.

    kernels.py KERNELS
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok  # noqa: E402

KERNELS_LEAST = 50  # 69 where this was written; none, if the folder is not found
L1_BYTES = 32 * 1024  # the smallest of data/cores: the data stay in the first cache
SECONDS_MAX = 60

kernels = sorted(path for path in pathlib.Path(sys.argv[1]).glob("*.c") if path.name != "run.c")


def last_variant(path):
    found = re.search(r"VARIANTS: (.*)", path.read_text())
    return [f"-D{axis.split('=')[0]}={axis.split(',')[-1].split('=')[-1]}"
            for axis in (found.group(1).split() if found else [])]


def build_and_run(path, options, program):
    built = subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function",
                            *options, "-o", program, path, "-lm"], capture_output=True, text=True)
    if built.returncode:
        return False, built.stderr
    ran = subprocess.run([program, "3"], capture_output=True, text=True, timeout=SECONDS_MAX)
    return ran.returncode == 0 and ran.stdout == "right\n", ran.stdout + ran.stderr


def data_bytes(path, folder):
    """Of what the kernel itself has: the check's arrays are in functions, named x.0."""
    subprocess.run(["gcc", "-O0", "-w", "-c", "-o", folder / "x.o", path], check=True)
    names = subprocess.run(["nm", "-S", folder / "x.o"], capture_output=True, text=True, check=True)
    rows = [line.split() for line in names.stdout.splitlines()]
    return sum(int(row[1], 16) for row in rows
               if len(row) == 4 and row[2] in "bBdDrR" and "." not in row[3])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    for path in kernels:
        for options in ([], last_variant(path)):
            good, shown = build_and_run(path, options, folder / "program")
            ok(good, f"{path.stem} {' '.join(options)}".strip(), shown)
        size = data_bytes(path, folder)
        ok(size <= L1_BYTES, f"{path.stem} has {size} bytes of data")
ok(len(kernels) >= KERNELS_LEAST, f"{len(kernels)} kernels")
sys.exit(finish())
