#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""hardened.py COMPILER FILE…: what the built files have against attacks, as readelf sees them."""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

ENDBR64 = b"\xf3\x0f\x1e\xfa"


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], capture_output=True, text=True,
                          check=True).stdout


def has_branch_note(path):
    return re.search(r"x86 feature:.*\bIBT\b", readelf(path, "-n")) is not None


def start_files_have_note(compiler):
    """Whether an empty program has it: the C library's own start files may not."""
    with tempfile.TemporaryDirectory() as name:
        program = pathlib.Path(name) / "empty"
        subprocess.run([*compiler, "-fcf-protection=branch", "-x", "c", "-", "-o", program],
                       input="int main(void) { return 0; }", text=True, check=True)
        return has_branch_note(program)


def code(path):
    """The address of the code, and its bytes."""
    for line in readelf(path, "-S").splitlines():
        section = re.match(r" +\[ *\d+\] \.text +PROGBITS +([0-9a-f]+) ([0-9a-f]+) ([0-9a-f]+)",
                           line)
        if section:
            start, offset, size = (int(word, 16) for word in section.groups())
            return start, pathlib.Path(path).read_bytes()[offset:offset + size]
    return 0, b""


def first_bytes(path, symbol):
    """The code that `symbol` begins with."""
    row = re.search(rf"([0-9a-f]{{16}}) +\d+ FUNC +GLOBAL +DEFAULT +\d+ {symbol}$",
                    readelf(path, "--dyn-syms"), re.MULTILINE)
    start, text = code(path)
    return text[int(row.group(1), 16) - start:][:4]


def checks(path, compiler):
    dynamic, segments = readelf(path, "-d"), readelf(path, "-l")
    symbols = readelf(path, "--dyn-syms")
    yield "GNU_RELRO" in segments, "relocations are read-only"
    yield re.search(r"BIND_NOW|\bNOW\b", dynamic) is not None, "all symbols are bound at the start"
    yield "__stack_chk_fail" in symbols, "the stack is protected"
    yield re.search(r"GNU_STACK.* RW ", segments) is not None, "the stack is no code"
    yield "TEXTREL" not in dynamic, "no code is relocated"
    if "INTERP" in segments:
        yield "Flags: " in dynamic and "PIE" in dynamic, "the program is position-independent"
    if path.name.startswith("libtakt.so"):
        yield re.search(r"_chk@", symbols) is not None, "library calls check their buffers"
        if "X86-64" in readelf(path, "-h"):
            yield first_bytes(path, "takt_model_open") == ENDBR64, "functions begin with endbr64"
    if "X86-64" in readelf(path, "-h"):
        yield code(path)[1].count(ENDBR64) > 1, "it has places for indirect branches"
    if "X86-64" in readelf(path, "-h") and not path.name.startswith("takt-llvm"):
        if start_files_have_note(compiler):
            yield has_branch_note(path), "indirect branches are protected"
        else:
            skip(f"{path.name}: indirect branches are protected", "start files of libc are not")


def main():
    split = sys.argv.index("--")
    compiler = sys.argv[1:split]
    for path in map(pathlib.Path, sys.argv[split + 1:]):
        for fine, what in checks(path, compiler):
            ok(fine, f"{path.name}: {what}")
    return finish()


sys.exit(main())
