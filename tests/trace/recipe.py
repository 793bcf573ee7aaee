#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipe of docs/ci.md, word by word, on a real program and real regressions.

    recipe.py TAKT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SOURCES = ROOT / "tests" / "accuracy" / "pairs" / "programs"
LIMIT_SECONDS = 120

takt = pathlib.Path(sys.argv[1]).resolve()


def build(folder, *options):
    files = [SOURCES / name for name in ("bounds.c", "driver.c", "memory.c")]
    subprocess.run(["gcc", "-g", "-static", *options, "-o", folder / "program", *files], check=True)


def run(folder, command):
    environment = dict(os.environ, PATH=f"{takt.parent}:{os.environ['PATH']}")
    return subprocess.run(["sh", "-c", command.replace(" input", " 2")], cwd=folder, text=True,
                          env=environment, capture_output=True, timeout=LIMIT_SECONDS, check=False)


def main():
    if missing("gcc", "qemu-x86_64"):
        skip_all(missing("gcc", "qemu-x86_64"))
    if os.uname().machine != "x86_64":
        skip_all("gcc is none for x86-64")
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    budget, compare = re.findall(r"^```sh\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    plain = ["-O2", "-fno-tree-loop-distribute-patterns"]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        build(folder, *plain)
        done = run(folder, budget)
        ok(done.returncode == 0, "the budget is written", done.stderr)
        done = run(folder, compare)
        ok(done.returncode == 0, "the same program keeps it", done.stdout, done.stderr)
        for what, options in (("an added bounds check", [*plain, "-DCHECKED"]),
                              ("less optimisation", ["-O1", *plain[1:]])):
            build(folder, *options)
            done = run(folder, compare)
            report = (folder / "diff.txt").read_text(encoding="utf-8")
            ok(done.returncode == 1 and "the limit is 1 %" in done.stderr, f"{what}: fails",
               done.returncode, done.stderr)
            first = report.partition("  function\n")[2].partition("\n")[0]
            ok("sharpen" in first, f"{what}: the report begins with the function", report)
    return finish()


sys.exit(main())
