#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A compiler's assembly text, and disassemblies with and without bytes, are analyzed as the object is.

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
    """Cycles, instructions and offsets of the loops of a file, or what is said about it."""
    done = subprocess.run([TAKT, "analyze", "--arch=SKX", "--list", "--format=json", path],
                          capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        return done.stderr
    return [(loop["region"], loop["instruction_count"], loop["cycles_per_iteration"])
            for loop in json.loads(done.stdout)["regions"]]


def disassemble(made, syntax, *options):
    """Disassembles a file, and returns what the result has."""
    listing = made.with_suffix(f".{''.join(options)}")
    with open(listing, "wb") as file:
        subprocess.run(["objdump", *options, "-M", syntax, made], stdout=file, check=True)
    return loops(listing)


def compare(folder, kernel, compiler, syntax):
    """Returns what the object, the text and disassemblies have; None if it does not compile here.

    The last three are of a library: linked code begins anywhere in a line, and has no bytes or all.
    """
    text, made, linked = (folder / f"{kernel.stem}-{compiler}-{syntax}{end}" for end in (".s", ".o", ".so"))
    for command in ([compiler, "-O2", "-w", "-S", f"-masm={syntax}", "-o", text, kernel],
                    [compiler, "-w", "-c", "-o", made, text],
                    [compiler, "-O3", "-march=x86-64-v4", "-shared", "-fPIC", "-w", "-o", linked, kernel]):
        if subprocess.run(command, capture_output=True, check=False).returncode:
            return None
    return ((loops(made), loops(text), disassemble(made, syntax, "-dr"),
             disassemble(made, syntax, "-d", "--no-show-raw-insn")),
            (loops(linked), disassemble(linked, syntax, "-d"),
             disassemble(linked, syntax, "-d", "--no-show-raw-insn")))


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
                    for files, kind in zip(found, ("object, text", "library")):
                        ok(isinstance(files[0], list) and all(other == files[0] for other in files),
                           f"{kernel.stem}, {compiler}, {syntax}: {kind} and disassemblies agree", *files)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
