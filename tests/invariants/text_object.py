#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A compiler's assembly text, in either syntax, and a disassembly are analyzed as the object is.

    text_object.py TAKT KERNELS

Every third kernel of the folder KERNELS is compiled by gcc and by clang.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip  # noqa: E402

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
KERNELS = pathlib.Path(sys.argv[2]).resolve()
STEP = 3


def loops(path):
    """Cycles, instructions and offsets of the loops of a file, or the error."""
    done = subprocess.run([TAKT, "analyze", "--arch=SKX", "--list", "--format=json", path],
                          capture_output=True, text=True, check=False)
    if done.returncode:
        return done.stderr
    return [(loop["region"], loop["instruction_count"], loop["cycles_per_iteration"])
            for loop in json.loads(done.stdout)["regions"]]


def compare(folder, kernel, compiler, syntax):
    """Returns what the object, the text and the disassembly have; None if it does not compile here."""
    text, made, listing = (folder / f"{kernel.stem}-{compiler}-{syntax}{end}" for end in (".s", ".o", ".txt"))
    for command in ([compiler, "-O2", "-w", "-S", f"-masm={syntax}", "-o", text, kernel],
                    [compiler, "-w", "-c", "-o", made, text]):
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
    with open(listing, "wb") as file:
        subprocess.run(["objdump", "-dr", "-M", syntax, made], stdout=file, check=True)
    return loops(made), loops(text), loops(listing)


def main():
    with tempfile.TemporaryDirectory() as name, \
            concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for compiler in ("gcc", "clang"):
            if missing(compiler):
                skip(f"text of {compiler}", missing(compiler))
                continue
            cases = [(kernel, syntax) for kernel in sorted(KERNELS.glob("*.c"))[::STEP]
                     for syntax in ("att", "intel")]
            results = [pool.submit(compare, pathlib.Path(name), kernel, compiler, syntax)
                       for kernel, syntax in cases]
            for (kernel, syntax), result in zip(cases, results):
                found = result.result()
                if not found:
                    skip(f"{kernel.stem}, {compiler}, {syntax}", "it does not compile here")
                else:
                    ok(found[0] and found[0] == found[1] == found[2],
                       f"{kernel.stem}, {compiler}, {syntax}: object, text and disassembly agree", *found)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
