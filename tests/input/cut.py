#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""cut.py TAKT CUT.so: files that become shorter while takt reads them.

CUT.so (cut.c), preloaded, cuts a file in two once it is mapped. A file that is too large to be
read at once is mapped; the command then ends with an error, and not by a signal. Smaller files
are read, so nothing that happens to them afterwards matters.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402

takt, cut = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])
LOOP = ".text\n.globl f\n.type f, @function\nf:\n1: add %rax, %rbx\ndec %rcx\njnz 1b\nret\n.size f, .-f\n"


def analyze(folder, name, *options):
    environment = {**os.environ, "LD_PRELOAD": cut, "CUT_FILE": str(folder / name)}
    return subprocess.run([takt, "analyze", "--arch=SKX", *options, name], cwd=folder, text=True,
                          env=environment, capture_output=True, check=False)


def check(folder):
    # The symbols and section headers, in the second half, lie behind the padding.
    for name, padding in (("small", 1 << 20), ("large", 64 << 20)):
        (folder / f"{name}.s").write_text(f"{LOOP}.data\n.skip {padding}\n")
        subprocess.run(["gcc", "-c", "-o", f"{name}.o", f"{name}.s"], cwd=folder, check=True)
    whole = (folder / "small.o").stat().st_size
    done = analyze(folder, "small.o")
    tap.ok(done.returncode == 0 and (folder / "small.o").stat().st_size == whole,
           "a small file is not mapped", done.stderr)
    (folder / "out.txt").write_text("before\n")
    done = analyze(folder, "large.o", "-o", "out.txt")
    tap.ok(done.returncode == 1 and "cut short while it was read" in done.stderr,
           "a large file that is cut short is an error", done.returncode, done.stderr)
    tap.ok((folder / "out.txt").read_text() == "before\n" and
           len(list(folder.iterdir())) == 5, "the old output is as it was", *folder.iterdir())


def main():
    with tempfile.TemporaryDirectory() as name:
        check(pathlib.Path(name))
    return tap.finish()


sys.exit(main())
