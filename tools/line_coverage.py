#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Print the share of lines of each room that ran in a build of `make line-coverage`, and the functions that never did.

usage: line_coverage.py BUILD_FOLDER
"""
import collections
import glob
import json
import os
import subprocess
import sys

ROOMS = ("src", "plugin", "marker")


def export(build):
    """Return what llvm-cov knows of all objects that are no tests."""
    merged = os.path.join(build, "profiles", "all.profdata")
    profiles = glob.glob(os.path.join(build, "profiles", "*.profraw"))
    subprocess.run(["llvm-profdata", "merge", "-sparse", "-o", merged, *profiles], check=True)
    objects = []
    for folder, _, names in os.walk(build):
        folder = os.path.relpath(folder, build)
        if not folder.startswith(("tests", "bench", "examples", "write-schemas")):
            for name in names:
                if name.endswith(".o"):
                    objects += ["-object"] * bool(objects) + [os.path.join(folder, name)]
    done = subprocess.run(["llvm-cov", "export", "-instr-profile=" + os.path.abspath(merged), *objects],
                          cwd=build, check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)["data"][0]


def place(build, name):
    return os.path.relpath(os.path.normpath(os.path.join(build, name)))


def main():
    build = sys.argv[1]
    data = export(build)
    rooms = collections.defaultdict(lambda: [0, 0])
    for file in data["files"]:
        words = place(build, file["filename"]).split(os.sep)
        if words[0] in ROOMS:
            room = rooms["/".join(words[:2 if words[0] == "src" else 1])]
            room[0] += file["summary"]["lines"]["count"]
            room[1] += file["summary"]["lines"]["covered"]
    rooms["src"] = [sum(room[i] for name, room in rooms.items() if name.startswith("src")) for i in (0, 1)]
    counts = collections.Counter()
    for function in data["functions"]:
        path = place(build, function["filenames"][0])
        if path.split(os.sep)[0] in ROOMS:
            counts[path, function["regions"][0][0], function["name"].split(":")[-1]] += function["count"]
    for (path, line, name), count in sorted(counts.items()):
        if not count:
            print(f"{path}:{line}: {name}() never ran")
    for name, (lines, ran) in sorted(rooms.items()):
        print(f"{name:20} {lines:7,} lines {100 * ran / lines:6.1f} %")


if __name__ == "__main__":
    main()
