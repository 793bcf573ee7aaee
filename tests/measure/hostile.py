#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Known blocks are measured after hostile snippets as without them: see hostile.c.

    hostile.py PROGRAM N EACH SNIPPETS

PROGRAM is the built hostile.c. SNIPPETS is a file with a line NAME|HEX for each snippet, or a
folder of such files that end in .txt. The known blocks are N of the stored corpora of measured
blocks that this machine can run, in an order that has no system. EACH of them are measured after
each snippet; all, if it is empty.
"""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "accuracy"))
import corpora  # noqa: E402


def main():
    if len(sys.argv) != 5 or not sys.argv[4]:
        sys.exit("error: no snippets\nnote: say SNIPPETS=FILE, with a line NAME|HEX for each, "
                 "or a folder of such .txt files")
    program, count, place = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[4])
    each = sys.argv[3] or count
    files = sorted(place.glob("*.txt")) if place.is_dir() else [place]
    if not files:
        sys.exit(f"error: no .txt file in '{place}'")
    codes = {row[0] for path in corpora.stored() for row in corpora.read_table(path)[2]}
    blocks = "".join(f"{code}\n" for code in sorted(codes, key=corpora.hash_of))
    return subprocess.run([program, count, each, *map(str, files)], input=blocks, text=True,
                          check=False).returncode


sys.exit(main())
