#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the examples of the documentation.

In README.md and docs/, a block marked ```console holds commands behind `$ ` and
what they print, standard output and errors together. They run in the project's
root with `takt` on the PATH. A line `…` in the expected output stands for any
number of lines. `--bless` rewrites the outputs of blocks without `…`.

Every option that a page names with its command (`takt trace --cache`) exists. What docs/models.md shows as files
of an own model is one.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIMEOUT_SECONDS = 120
MENTION = re.compile(r"`(takt [^`\n]*)`|^(?:\$ |    )?(takt [^\n]*)$", re.MULTILINE)
# Options behind " -- " are the program's.
PART = re.compile(r"\||&&|;| -- ")
OPTION = re.compile(r"(?<![\w=-])\[?(--?[A-Za-z][\w-]*)")
# "    mine/timing/skl.timing", and the indented lines after an empty one
SHOWN_FILE = re.compile(r"^    (mine/\S+)\n\n((?:    [^\n]*\n|\n)+)", re.MULTILINE)


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


def read_options():
    """By command: the options that its page has headings of."""
    options = {}
    for page in (ROOT / "docs" / "commands").glob("*.md"):
        headings = [line for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("### ")]
        options[page.stem] = set(re.findall(r"--?[A-Za-z][\w-]*", "\n".join(headings))) | {"--version"}
    return options


def is_known(option, options):
    """A letter may have its value attached, and a long option one dash."""
    return option in options or f"-{option}" in options or option[:2] in options


def check_mentions(page, source, options):
    """Options of commands that a text names exist."""
    wrong = []
    for found in MENTION.finditer(source):
        for part in PART.split(found.group(1) or found.group(2)):
            words = part.split()
            if len(words) > 1 and words[0] == "takt" and words[1] in options:
                wrong += [(part, option) for option in OPTION.findall(part) if not is_known(option, options[words[1]])]
    ok(not wrong, f"{page.relative_to(ROOT)}: options that exist", wrong)


def check_model(takt):
    """The files of docs/models.md and the commands below them, as somebody types them in a folder of their own."""
    page = (ROOT / "docs" / "models.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in SHOWN_FILE.findall(page):
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(re.sub("^    ", "", text, flags=re.MULTILINE), encoding="utf-8")
        pathlib.Path(folder, "kernel.s").write_text("imul %rax, %rbx\n", encoding="utf-8")
        for command in ("model check SKL", "model check", "model diff SKL MYCORE", "analyze --arch=SKL kernel.s",
                        "analyze --arch=MYCORE kernel.s"):
            done = subprocess.run([takt, *command.split(), "--model=mine"], cwd=folder, capture_output=True, text=True,
                                  timeout=TIMEOUT_SECONDS, check=False)
            differs = command.startswith("model diff")
            ok(done.returncode == differs and not done.stderr, f"takt {command} --model=mine", done.returncode,
               done.stdout[-300:], done.stderr)


def main():
    takt = pathlib.Path([a for a in sys.argv[1:] if not a.startswith("-")][0]).resolve()
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    options = read_options()
    check_model(takt)
    for page in pages:
        source = page.read_text(encoding="utf-8")
        if "--bless" in sys.argv:
            source = BLOCK.sub(lambda m: f"```console\n{blessed(m.group(1), takt)}```", source)
            page.write_text(source, encoding="utf-8")
        check_mentions(page, source, options)
        for block in BLOCK.findall(source):
            for command, want in split_commands(block):
                got = run(command, takt)
                if not ok(matches(want, got), f"{page.relative_to(ROOT)}: {command}"):
                    comment("\n".join(got.splitlines()[:60]))
    return finish()


sys.exit(main())
