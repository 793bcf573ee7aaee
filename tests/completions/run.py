#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completes command lines in bash, zsh and fish, as a person would with the tabulator key.

    run.py TAKT BASH ZSH FISH

TAKT is the command, whose names of cores are asked for; the others are the generated files.
"""
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
import tap

TIMEOUT_SECONDS = 60
SILENCE_SECONDS = 20 # far longer than a busy machine needs to answer

# Each line, what must be offered for its last word, and what must not.
CASES = [
    ("takt an", {"analyze"}, {"trace"}),
    ("takt analyze --fo", {"--format"}, {"--arch"}),
    ("takt analyze --arch=SK", {"SKL", "SKX"}, {"ZEN3"}),
    ("takt trace --by=", {"function", "line", "loop"}, {"json"}),
    ("takt model ", {"list", "show", "identify"}, {"analyze"}),
    ("takt model show ZEN", {"ZEN3", "ZEN4"}, {"SKL", "Besides"}),
    ("takt help me", {"measure"}, {"analyze"}),
]


def words_of_readline(line):
    """Splits as bash does, for which the equals sign is a word."""
    words = line.split(" ")
    return [w for word in words for w in (re.split("(=)", word) if "=" in word else [word])
            if w or word == words[-1]]


def bash(line, completion, environment, _wanted):
    words = " ".join(f"'{word}'" for word in words_of_readline(line))
    script = (f"source '{completion}'; COMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}}-1));"
              " _takt; printf '%s\\n' \"${COMPREPLY[@]}\"")
    return subprocess.run(["bash", "--norc", "-c", script], env=environment, capture_output=True,
                          text=True, timeout=TIMEOUT_SECONDS, check=False).stdout


def fish(line, completion, environment, _wanted):
    return subprocess.run(["fish", "--no-config", "-c", f"source '{completion}'; complete -C '{line}'"],
                          env=environment, capture_output=True, text=True,
                          timeout=TIMEOUT_SECONDS, check=False).stdout


def read_terminal(terminal, wanted):
    """What the terminal shows until all wanted words are there, or it is silent for long."""
    shown = ""
    while not wanted <= offered(shown):
        if not select.select([terminal], [], [], SILENCE_SECONDS)[0]:
            break
        try:
            shown += os.read(terminal, 65536).decode("utf-8", "replace")
        except OSError: # the shell is gone
            break
    return shown


def zsh(line, completion, environment, wanted):
    """Completes in a shell with a terminal: zsh has no other way."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe("zsh", ["zsh", "-f", "-i"],
                   {**environment, "TERM": "vt100", "COLUMNS": "200", "LINES": "1000"})
    try:
        start = (f"fpath=({pathlib.Path(completion).resolve().parent} $fpath); autoload -Uz compinit;"
                 " compinit -D -u; bindkey '^X' list-choices; print begin''ning\n")
        os.write(terminal, start.encode())
        read_terminal(terminal, {"beginning"})
        os.write(terminal, (line + "\x18").encode())
        return read_terminal(terminal, wanted)
    finally:
        os.close(terminal)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def offered(shown):
    """The words that a shell printed, between what moves a terminal's cursor."""
    return set(re.findall(r"[\w+-]+", re.sub(r"\x1b\[[0-9;?]*\w|\0", " ", shown)))


def main():
    command, completions = sys.argv[1], dict(zip(("bash", "zsh", "fish"), sys.argv[2:5]))
    shells = {"bash": bash, "zsh": zsh, "fish": fish}
    with tempfile.TemporaryDirectory() as home:
        environment = {"PATH": f"{pathlib.Path(command).parent}:{os.environ['PATH']}", "HOME": home,
                       "LANG": "C.UTF-8"}
        for name, complete in shells.items():
            if not shutil.which(name):
                tap.skip(f"{name} completes", f"{name} is not installed")
                continue
            for line, wanted, unwanted in CASES:
                shown = complete(line, completions[name], environment, wanted)
                words = offered(shown)
                tap.ok(wanted <= words and not unwanted & words,
                       f"{name} completes '{line}' to {' '.join(sorted(wanted))}", shown)
    return tap.finish()


sys.exit(main())
