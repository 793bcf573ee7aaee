#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks that a test is named for every source file.

A source file has a test program of its own, tests/unit/ROOM/test_FILE.c (or in a folder below), or a
place in tests/covers.txt, which says what test covers it, or that none does. Sources without either, sources
that have both, and names of files that are not there are errors.
"""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCES, TESTS = ROOT / "src", ROOT / "tests"
COVERS = TESTS / "covers.txt"


def read_covers():
    """Yields (line number, test, source) of the table."""
    for number, line in enumerate(COVERS.read_text(encoding="utf-8").splitlines(), 1):
        if line and not line.startswith("#"):
            test, _, sources = line.partition(":")
            for source in sources.split():
                yield number, test, source


def has_own_test(source):
    room = source.split("/")[0]
    return any((TESTS / "unit" / room).rglob(f"test_{pathlib.Path(source).stem}.c"))


def main():
    wrong = []
    sources = {str(path.relative_to(SOURCES)) for pattern in ("*.c", "*.cpp")
               for path in SOURCES.rglob(pattern)}
    covered = set()
    for number, test, source in read_covers():
        place = f"{COVERS.relative_to(ROOT)}:{number}: error: "
        if test != "none" and not (TESTS / test).exists():
            wrong.append(f"{place}there is no tests/{test}")
        if source not in sources:
            wrong.append(f"{place}there is no src/{source}")
        elif source in covered:
            wrong.append(f"{place}src/{source} is named twice")
        elif has_own_test(source):
            wrong.append(f"{place}src/{source} has a test program of its own")
        covered.add(source)
    for source in sorted(sources - covered):
        if not has_own_test(source):
            wrong.append(f"src/{source}: error: no test is named for it\nnote: write tests/unit/"
                         f"{source.split('/')[0]}/test_{pathlib.Path(source).stem}.c, or name the "
                         f"test that covers it in {COVERS.relative_to(ROOT)}")
    for text in wrong:
        print(text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
