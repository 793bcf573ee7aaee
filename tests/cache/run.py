#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts of misses, equal to those of valgrind's cachegrind.

    run.py REPLAY

Each program runs under lackey, which writes down all addresses, and those go through the
caches; then it runs under cachegrind with caches of the same shape.
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
LIMIT_SECONDS = 120
COMPILER = ["cc", "-O2", "-static", "-nostdlib", "-no-pie", "-fno-pie", "-ffreestanding",
            "-fno-stack-protector", "-fno-tree-loop-distribute-patterns", "-g0"]
# First-level instruction and data cache, last level: bytes, ways, bytes of a line.
SHAPES = [
    ("32768,8,64", "32768,8,64", "262144,16,64"),
    ("4096,1,64", "4096,1,64", "32768,4,64"),
    ("1024,2,32", "2048,4,32", "16384,8,32"),
    ("2048,32,64", "2048,32,64", "8192,2,64"),
    ("512,4,128", "1024,2,128", "8192,64,128"),
]


def valgrind(*arguments):
    return subprocess.run(["valgrind", *arguments], capture_output=True, timeout=LIMIT_SECONDS,
                          check=False).stderr


def cachegrind(program, folder, shape):
    """[Ir, I1mr, ILmr, Dr, D1mr, DLmr, Dw, D1mw, DLmw]"""
    out = folder / "cachegrind.out"
    out.unlink(missing_ok=True)
    valgrind("--tool=cachegrind", "--cache-sim=yes", f"--cachegrind-out-file={out}",
             *(f"--{name}={level}" for name, level in zip(("I1", "D1", "LL"), shape)), program)
    for line in out.read_text(encoding="utf-8").splitlines():
        if line.startswith("summary:"):
            return [int(word) for word in line.split()[1:10]]
    return None


def replay(command, trace, shape):
    with open(trace, "rb") as file:
        done = subprocess.run([command, *shape], stdin=file, capture_output=True, check=False)
    return [int(word) for word in done.stdout.split()]


def main():
    if missing("valgrind", COMPILER[0]):
        skip_all(missing("valgrind", COMPILER[0]))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for source in sorted(HERE.glob("programs/*.c")):
            program = str(folder / source.stem)
            trace = folder / "trace"
            subprocess.run([*COMPILER, "-o", program, str(source)], check=True)
            trace.write_bytes(valgrind("--tool=lackey", "--trace-mem=yes", program))
            for shape in SHAPES:
                got = replay(sys.argv[1], trace, shape)
                want = cachegrind(program, folder, shape)
                ok(want is not None and got == want, f"{source.stem} {' '.join(shape)}: {want}",
                   got)
    return finish()


sys.exit(main())
