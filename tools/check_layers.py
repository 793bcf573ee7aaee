#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the layering of src/, and a few rules of the house that a script can see.

What the library promises (include/takt/takt.h) is checked, too: it writes to no stream, does not exit, does not
change the environment, and only src/base/allocate.c decides what happens without memory.

The graph of rooms is in ARCHITECTURE.md, in the block marked ```graph: a line for each room, with the rooms that it
uses, all of which stand above it. A room uses another by including its public header (room/room.h) or, where that
header is not included, by calling a function that the other room defines for include/takt. Every use must be in the
graph, and every arrow of the graph must be used. tools/room_pages.py checks the pages of the rooms.
"""
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import room_pages  # noqa: E402

# Folders outside src/ whose includes are in the graph, too.
OUTSIDE = {"plugin/", "marker/"}
INTERFACES = {"include/takt", "include/takt-lab"}
# The only rooms that may include include/takt-lab.
LABORATORY = {"validate", "characterize", "learn", "evaluate", "serve"}
# The command, which uses the rooms through the interfaces only.
CLIENT = "cli"
# What a room lets others include besides room/room.h.
SIDE_DOORS = {
    "base": {"columns.h", "csv.h", "database.h", "record.h", "sources.h"},
    "model": {"params.def"},
    "trace": {"timing/timing.h"},
    # LLVM's answers as plain records; its targets; what processors say of themselves
    "isa": {"llvm.h", "llvm_targets.hpp", "cpu.h"},
}
# The memory that takt and plugin/ share.
PLUGIN_DOOR = "trace/live/feed.h"
# Calls that only these files may have: ends of processes that the library forked are not its own end.
ONLY_IN = [
    (r"abort", {"base/allocate.c"}),
    (r"malloc|calloc|realloc|reallocarray|strdup|strndup|asprintf|vasprintf|open_memstream",
     {"base/allocate.c", "base/arena.c", "cli/out_of_memory.c", "input/llvm_shim.cpp",
      "serve/http_module.c"}),
    (r"setenv|putenv|unsetenv|clearenv", set()),
    (r"exit|quick_exit|perror|printf|vprintf|puts|putchar|psignal|err|errx|warn|warnx", set()),
    (r"_exit|_Exit", {"cli/out_of_memory.c", "cli/trace.c", "evaluate/subprocess.c", "events/pmu_born.c",
                      "events/pmu_run.c", "measure/enter.c", "measure/namespaces.c",
                      "serve/program.c", "trace/native/native.c", "trace/native/parts.c",
                      "trace/native/tracer.c"}),
    (r"fork|vfork", {"evaluate/subprocess.c", "events/pmu_born.c", "events/pmu_run.c",
                     "measure/call.c", "measure/child.c", "measure/namespaces.c",
                     "serve/program.c", "trace/native/native.c", "trace/native/parts.c",
                     "trace/native/tracer.c", "validate/team.c"}),
]
# Programs of their own, which end, allocate and print as they like.
PROGRAMS = {"input/assembler_child.c"}
ONLY_IN = [(re.compile(rf"(?<![\w.>])(?:{names})\s*\("), files) for names, files in ONLY_IN]
STREAMS = re.compile(r"\b(?:stdout|stderr)\b")
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
FILE_LINES_MAX = 800
# Names that cores are chosen by, which are data: any room may include them.
DEFAULT_CORES = "../../data/default_cores.def"
# Cores are data: none of their names may appear in code.
CORE_NAMES = re.compile(
    r"\b(sandy ?bridge|ivy ?bridge|haswell|broadwell|skylake|cascade ?lake|ice ?lake|tiger ?lake|"
    r"rocket ?lake|alder ?lake|golden_?cove|sapphire_?rapids|znver\d|zen\d?|neoverse|thunderx2?)\b",
    re.IGNORECASE)
# Words that are names of cores and of something else, with the files where they are that.
NO_CORES = {"M1": {"input/settings.c", "isa/llvm_instrument.cpp"}}
# What goes by the locale of the program around the library: base/locale.c has the same without.
BY_LOCALE = re.compile(
    r"(?<![\w>.])(strtod|strtof|atof|strcasecmp|strncasecmp|strcoll|isalpha|isalnum|isspace|islower|"
    r"isupper|isprint|isgraph|ispunct|tolower|toupper)\(|(?<!\w)snprintf\([^;]*%[-+0-9.*]*l?[fgeEG]")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
GRAPH = re.compile(r"^```graph\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Definitions and uses of functions that the public headers declare.
DECLARED = re.compile(r"\b(takt_\w+)\(")
DEFINED = re.compile(r"^[A-Za-z][\w *]*?\b(takt_\w+)\([^;{}]*\)\s*\{", re.MULTILINE)

root = pathlib.Path(__file__).resolve().parent.parent
findings = []
used = set()  # arrows of the graph that an include or a call needs


def read_graph():
    """{node: the nodes that it uses}, in the order of ARCHITECTURE.md, which must be from the used to the user."""
    text = (root / "ARCHITECTURE.md").read_text(encoding="utf-8")
    block = GRAPH.search(text)
    found = {}
    for line in block.group(1).splitlines() if block else []:
        node, _, uses = line.partition("->")
        node = node.strip()
        found[node] = uses.split()
        for use in found[node]:
            if use == node or use not in found:
                findings.append(f"ARCHITECTURE.md: {node} -> {use}: a room may use only those above it")
    picture = text[:block.start()] if block else ""
    for node in found:
        if not re.search(rf"(?<![\w/-]){re.escape(node)}(?![\w-])", picture):
            findings.append(f"ARCHITECTURE.md: the picture lacks {node}")
    return found


def find_core_names():
    """What finds the names and aliases of the cores in data/cores; the shortest are words of code in small letters."""
    names = set()
    for path in sorted((root / "data/cores").glob("*.core")):
        for line in path.read_text(encoding="utf-8").splitlines():
            key, *words = line.split() or [""]
            if key in ("name", "aliases"):
                names.update(words)
    alternatives = (re.escape(name) if len(name) < 3 else f"(?i:{re.escape(name)})"
                    for name in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w-])")


def reachable(node):
    """All nodes that the node uses, directly or not."""
    found = set()
    todo = list(graph.get(node, ()))
    while todo:
        use = todo.pop()
        if use not in found:
            found.add(use)
            todo += graph.get(use, ())
    return found


def use_arrow(path, node, target, what):
    used.add((node, target))
    if target not in graph.get(node, ()):
        findings.append(f"{path}: {what}, but ARCHITECTURE.md's graph has no arrow {node} -> {target}")


def check_include(path, node, target):
    parts = target.split("/")
    name = f'includes "{target}"'
    if parts[0] == node or len(parts) == 1 and node in OUTSIDE:
        return
    if f"include/{parts[0]}" in INTERFACES:
        if parts[0] == "takt-lab" and node not in LABORATORY | {CLIENT}:
            findings.append(f"{path}: {name}: the laboratory is no part of the library")
        if node not in INTERFACES or node != f"include/{parts[0]}":
            use_arrow(path, node, f"include/{parts[0]}", name)
        return
    if target == DEFAULT_CORES:
        return
    if parts[0] not in graph or len(parts) < 2:
        findings.append(f'{path}: {name}: write it as "room/header.h"')
        return
    use_arrow(path, node, parts[0], name)
    if node == CLIENT:
        findings.append(f"{path}: {name}: the command uses takt/takt.h and takt-lab only")
    elif node == "plugin/":
        if target != PLUGIN_DOOR:
            findings.append(f"{path}: {name}: of takt, the plugin knows {PLUGIN_DOOR} only")
    elif target != f"{parts[0]}/{parts[0]}.h" and "/".join(parts[1:]) not in SIDE_DOORS.get(parts[0], ()):
        findings.append(f'{path}: "{target}" is not the public header of {parts[0]}')


def check_includes(path, node, text):
    for line in re.finditer(INCLUDE, text):
        system = "<" in line.group()
        # Headers in angle brackets are the system's, except for the project's own interfaces.
        if not system or line.group(1).split("/")[0] in ("takt", "takt-lab"):
            check_include(path, node, line.group(1))


def check_public_calls(texts):
    """Functions of include/takt are defined in rooms: those who call them use these rooms."""
    declared = set()
    for interface in INTERFACES:
        for path in (root / interface).rglob("*.h"):
            declared |= set(DECLARED.findall(path.read_text(encoding="utf-8")))
    room_of = {}
    for (path, room), text in texts.items():
        if path.suffix == ".c":
            room_of.update({name: room for name in DEFINED.findall(text) if name in declared})
    for (path, room), text in texts.items():
        for name in sorted(set(re.findall(r"\btakt_\w+", text)) & room_of.keys()):
            target = room_of[name]
            if room in (target, CLIENT):
                continue
            if target in graph.get(room, ()):
                used.add((room, target))
            elif target not in reachable(room):
                use_arrow(path, room, target, f"uses {name}()")


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
    if room not in graph:
        findings.append(f"{relative}: no such room: add it to the graph of ARCHITECTURE.md")
        return
    check_includes(relative, room, text)
    if room != "isa" and re.search(r"#\s*include\s*<Zydis/", text):
        findings.append(f"{relative}: decoding is isa's: Zydis is known there only")
    check_calls(relative, text)
    for number, line in enumerate(text.splitlines(), 1):
        match = CORE_NAMES.search(line) or core_names.search(line)
        if match and "/".join(relative.parts[1:]) not in NO_CORES.get(match.group(), ()):
            findings.append(f"{relative}:{number}: names a core ('{match.group()}'): cores are data")
        match = room != "cli" and relative.name != "locale.c" and BY_LOCALE.search(line)
        if match:
            findings.append(f"{relative}:{number}: '{match.group()}' goes by the locale: "
                            "base.h has the same without")
    if path.suffix != ".def" and text.count("\n") > FILE_LINES_MAX:
        findings.append(f"{relative}: over {FILE_LINES_MAX} lines: split it by topic")
    if not text.startswith("/* SPDX-License-Identifier: MIT */"):
        findings.append(f"{relative}: does not start with the SPDX line")


def check_outside():
    """Includes of the folders that are not in src/, and of the interfaces."""
    for node in sorted(OUTSIDE | INTERFACES):
        if node not in graph:
            findings.append(f"ARCHITECTURE.md: the graph lacks {node}")
        for path in sorted((root / node).rglob("*.[ch]")):
            check_includes(path.relative_to(root), node, path.read_text(encoding="utf-8"))


def check_graph(rooms):
    for node, uses in graph.items():
        if node not in rooms | OUTSIDE | INTERFACES:
            findings.append(f"ARCHITECTURE.md: there is no src/{node}")
        for use in uses:
            if (node, use) not in used:
                findings.append(f"ARCHITECTURE.md: nothing needs the arrow {node} -> {use}")


graph = read_graph()
core_names = find_core_names()
files = sorted(p for p in (root / "src").rglob("*") if p.suffix in (".c", ".h", ".cpp", ".hpp", ".def"))
for source in files:
    check_file(source)
check_public_calls({(p.relative_to(root), p.relative_to(root).parts[1]):
                    COMMENT.sub("", p.read_text(encoding="utf-8")) for p in files})
check_outside()
check_graph({p.relative_to(root).parts[1] for p in files})
findings += room_pages.check(root, {p.name for p in (root / "src").iterdir() if p.is_dir()})
for finding in findings:
    print(f"error: {finding}", file=sys.stderr)
print(f"layering: {len(files)} files, {sum(map(len, graph.values()))} arrows, {len(findings)} findings")
sys.exit(1 if findings else 0)
