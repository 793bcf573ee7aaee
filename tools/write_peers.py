#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes data/peers.txt as a C table: write_peers.py TABLE OUTPUT."""
import pathlib
import sys


def main():
    rows = [line.split() for line in pathlib.Path(sys.argv[1]).read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert all(len(row) == 3 for row in rows), rows
    cells = [", ".join("NULL" if word == "-" else f'"{word}"' for word in row) for row in rows]
    pathlib.Path(sys.argv[2]).write_text(
        '/* Made by tools/write_peers.py. */\n#include "serve/serve.h"\n\nconst struct serve_peer_core takt_peer_cores[] = {\n' +
        "".join(f"\t{{{row}}},\n" for row in cells) + f"}};\nconst size_t takt_peer_core_count = {len(rows)};\n", encoding="utf-8")


main()
