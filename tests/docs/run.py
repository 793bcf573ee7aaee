#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of the documentation.

In README.md and docs/, a block marked ```console holds commands behind `$ ` and
what they print, standard output and errors together. They run in the project's
root with `takt` on the PATH. A line `…` in the expected output stands for any
number of lines. `--bless` rewrites the outputs of blocks without `…`.
"""
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT_SECONDS = 120


def split_commands(block):
    """[(command, expected output)], in order."""
    commands = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append([line[2:].rstrip("\n"), ""])
        elif commands:
            commands[-1][1] += line
    return commands


def run(command, takt):
    environment = dict(os.environ, PATH=f"{takt.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=TIMEOUT_SECONDS, check=False)
    return done.stdout


def matches(want, got):
    pattern = "".join(r"(?:.*\n)*?" if line == "…\n" else re.escape(line)
                      for line in want.splitlines(keepends=True))
    return re.fullmatch(pattern, got) is not None


def blessed(block, takt):
    text = ""
    for command, want in split_commands(block):
        text += f"$ {command}\n" + (want if "…\n" in want else run(command, takt))
    return text


def main():
    takt = pathlib.Path([a for a in sys.argv[1:] if not a.startswith("-")][0]).resolve()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    for page in pages:
        source = page.read_text(encoding="utf-8")
        if "--bless" in sys.argv:
            source = BLOCK.sub(lambda m: f"```console\n{blessed(m.group(1), takt)}```", source)
            page.write_text(source, encoding="utf-8")
        for block in BLOCK.findall(source):
            for command, want in split_commands(block):
                got = run(command, takt)
                if not ok(matches(want, got), f"{page.relative_to(ROOT)}: {command}"):
                    comment("\n".join(got.splitlines()[:60]))
    return finish()


sys.exit(main())
