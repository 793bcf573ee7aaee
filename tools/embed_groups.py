#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Puts the groups and tables of events into the library.

    embed_groups.py DATA-DIRECTORY OUT.c DEPFILE

OUT.c is one table of data/events/*.events and data/groups/FAMILY/*.group. The depfile names
them and their directories, so that new files are seen, too.
"""
import pathlib
import sys

BYTES_PER_LINE = 24


def array(number, data):
    lines = [f"static const char file_{number}[] = {{"]
    # Whether bytes beyond ASCII fit into a char depends on the machine.
    values = [f"(char){byte}" if byte > 127 else byte for byte in data] + [0]
    for at in range(0, len(values), BYTES_PER_LINE):
        lines.append("\t" + ",".join(map(str, values[at:at + BYTES_PER_LINE])) + ",")
    return "\n".join(lines + ["};\n"])


def main():
    root, out, depfile = (pathlib.Path(argument) for argument in sys.argv[1:4])
    groups = root / "groups"
    files = sorted((root / "events").glob("*.events")) + sorted(groups.glob("*/*.group"))
    text = "/* Made by embed_groups.py; do not edit. */\n#include \"events/table.h\"\n\n"
    rows = []
    for number, path in enumerate(files):
        data = path.read_bytes()
        text += array(number, data)
        rows.append(f"\t{{\"{path.relative_to(root).as_posix()}\", file_{number}, {len(data)}}},\n")
    text += f"\nconst struct events_text takt_events_builtin[] = {{\n{''.join(rows)}}};\n"
    text += f"const uint32_t takt_events_builtin_count = {len(files)};\n"
    out.write_text(text, encoding="ascii")
    directories = [root / "events", groups, *sorted(p for p in groups.iterdir() if p.is_dir())]
    depfile.write_text(f"{out}: {' '.join(str(p) for p in [*files, *directories])}\n",
                       encoding="utf-8")


main()
