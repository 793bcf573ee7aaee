#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layering of src/, and a few rules of the house that a script can see.

What the library promises (include/takt/takt.h) is checked, too: it writes to no stream, does not exit, does not
change the environment, and only src/base/allocate.c decides what happens without memory.

A room may include its own headers and the door headers (room/room.h) of rooms to
its left; never a sibling of its own layer, never another room's inner header.
"""
import pathlib
import re
import sys

# One set per layer, from left to right. See ARCHITECTURE.md.
LAYERS = [
    {"base"},
    {"isa"},
    {"input", "model"},
    {"depend", "import", "cache", "branch"},
    {"bounds", "sim", "measure"},
    {"analyze"},
    {"trace"},
    {"events"},
    {"trust"},
    {"diagnose"},
    {"report"},
    {"validate"},
    {"characterize"},
    {"evaluate"},
    {"cli"},
]
# Rooms outside the library, which only the command uses, by include/takt-lab.
LABORATORY = {"validate", "characterize", "evaluate"}
# What a room lets others include besides room/room.h.
SIDE_DOORS = {
    "base": {"csv.h"},
    "model": {"params.def"},
    # LLVM's answers as plain records; its targets; what processors say of themselves
    "isa": {"llvm.h", "llvm_targets.hpp", "cpu.h"},
}
# Calls that only these files may have: ends of processes that the library forked are not its own end.
ONLY_IN = [
    (r"abort", {"base/allocate.c"}),
    (r"malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|open_memstream",
     {"base/allocate.c", "base/arena.c", "cli/out_of_memory.c", "input/llvm_shim.cpp"}),
    (r"setenv|putenv|unsetenv|clearenv", set()),
    (r"exit|quick_exit|perror|printf|vprintf|puts|putchar|psignal|err|errx|warn|warnx", set()),
    (r"_exit|_Exit", {"cli/out_of_memory.c", "cli/trace.c", "evaluate/subprocess.c", "events/pmu_born.c",
                      "events/pmu_run.c", "measure/enter.c", "measure/namespaces.c"}),
    (r"fork|vfork", {"evaluate/subprocess.c", "events/pmu_born.c", "events/pmu_run.c",
                     "measure/call.c", "measure/child.c", "measure/namespaces.c",
                     "validate/team.c"}),
]
# Programs of their own, which end, allocate and print as they like.
PROGRAMS = {"input/assembler_child.c"}
ONLY_IN = [(re.compile(rf"(?<![\w.>])(?:{names})\s*\("), files) for names, files in ONLY_IN]
STREAMS = re.compile(r"\b(?:stdout|stderr)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
FILE_LINES_MAX = 800
# Cores are data: none of their names may appear in code.
CORE_NAMES = re.compile(
    r"\b(sandy ?bridge|ivy ?bridge|haswell|broadwell|skylake|cascade ?lake|ice ?lake|tiger ?lake|"
    r"rocket ?lake|alder ?lake|golden_?cove|sapphire_?rapids|znver\d|zen\d?|neoverse|thunderx2?)\b",
    re.IGNORECASE)
# What goes by the locale of the program around the library: base/locale.c has the same without.
BY_LOCALE = re.compile(
    r"(?<![\w>.])(strtod|strtof|atof|strcasecmp|strncasecmp|strcoll|isalpha|isalnum|isspace|islower|"
    r"isupper|isprint|isgraph|ispunct|tolower|toupper)\(|(?<!\w)snprintf\([^;]*%[-+0-9.*]*l?[fgeEG]")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)

root = pathlib.Path(__file__).resolve().parent.parent
level_of = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
findings = []


def check_include(path, room, target):
    parts = target.split("/")
    if target == "takt/takt.h" or parts[0] == room:
        return
    if parts[0] == "takt-lab":
        if room not in LABORATORY | {"cli"}:
            findings.append(f'{path}: includes "{target}": the laboratory is no part of the library')
        return
    if len(parts) != 2 or parts[0] not in level_of:
        findings.append(f'{path}: includes "{target}": write it as "room/header.h"')
    elif room == "cli":
        findings.append(f'{path}: includes "{target}": the command uses takt/takt.h only')
    elif level_of[parts[0]] >= level_of[room]:
        findings.append(f'{path}: {room} may not use {parts[0]}: arrows point one way')
    elif parts[1] != f"{parts[0]}.h" and parts[1] not in SIDE_DOORS.get(parts[0], ()):
        findings.append(f'{path}: "{target}" is not the door of {parts[0]}')


def check_calls(relative, text):
    place = "/".join(relative.parts[1:])
    if place in PROGRAMS:
        return
    # Lines stay where they are.
    code = COMMENT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
    for number, line in enumerate(code.splitlines(), 1):
        for names, files in ONLY_IN:
            match = names.search(line)
            if match and place not in files:
                findings.append(f"{relative}:{number}: calls {match.group().rstrip('( ')}(): "
                                "see ONLY_IN in tools/check_layers.py")
        if relative.parts[1] != "cli" and STREAMS.search(line):
            findings.append(f"{relative}:{number}: the library writes to no stream")


def check_file(path):
    relative = path.relative_to(root)
    room = relative.parts[1]
    text = path.read_text(encoding="utf-8")
    if room not in level_of:
        findings.append(f"{relative}: no such room: add it to LAYERS and ARCHITECTURE.md")
        return
    for target in INCLUDE.findall(text):
        check_include(relative, room, target)
    if room != "isa" and re.search(r"#\s*include\s*<Zydis/", text):
        findings.append(f"{relative}: decoding is isa's: Zydis is known there only")
    check_calls(relative, text)
    for number, line in enumerate(text.splitlines(), 1):
        match = CORE_NAMES.search(line)
        if match:
            findings.append(f"{relative}:{number}: names a core ('{match.group()}'): cores are data")
        match = room != "cli" and relative.name != "locale.c" and BY_LOCALE.search(line)
        if match:
            findings.append(f"{relative}:{number}: '{match.group()}' goes by the locale: "
                            "base.h has the same without")
    if path.suffix != ".def" and text.count("\n") > FILE_LINES_MAX:
        findings.append(f"{relative}: over {FILE_LINES_MAX} lines: split it by topic")
    if not text.startswith("/* SPDX-License-Identifier: MIT */"):
        findings.append(f"{relative}: does not start with the SPDX line")


files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h", ".cpp", ".def"))
for source in files:
    check_file(source)
for finding in findings:
    print(f"error: {finding}", file=sys.stderr)
print(f"layering: {len(files)} files, {len(findings)} findings")
sys.exit(1 if findings else 0)
