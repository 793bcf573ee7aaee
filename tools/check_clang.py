#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Fail if clang warns about a C file of src, plugin or marker: the build itself uses gcc.

usage: check_clang.py BUILD_FOLDER
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

ROOMS = ("src", "plugin", "marker")


def commands(build):
    """Return the commands that check each file, once, with the build's options."""
    found = {}
    with open(os.path.join(build, "compile_commands.json")) as file:
        entries = json.load(file)
    for entry in entries:
        path = os.path.normpath(os.path.join(entry["directory"], entry["file"]))
        room = os.path.relpath(path, os.getcwd()).split(os.sep)[0]
        if not path.endswith(".c") or room not in ROOMS or path in found:
            continue
        words = shlex.split(entry["command"])
        options = [word for word in words if word[:2] in ("-I", "-D", "-U", "-W", "-m", "-f", "-s")
                   or word.startswith("-isystem") and word != "-isystem"]
        systems = [["-isystem", words[i + 1]] for i, word in enumerate(words) if word == "-isystem"]
        found[path] = (entry["directory"], ["clang", *options, *sum(systems, []), "-Werror",
                                            "-Wno-unknown-warning-option", "-fsyntax-only", path])
    return list(found.values())


def run(command):
    folder, words = command
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    sys.stderr.write(done.stderr)
    return done.returncode == 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    checks = commands(sys.argv[1])
    if not checks:
        sys.exit("check_clang.py: no file to check: is the folder a build?")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        bad = list(pool.map(run, checks)).count(False)
    if bad:
        sys.exit(f"clang warns about {bad} of {len(checks)} files")


main()
