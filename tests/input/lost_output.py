#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command, as text and JSON, whose output nobody reads or nothing can take.

lost_output.py TAKT. A reader that is gone ends the command by SIGPIPE, without a word; a full device or a closed
descriptor is one error and status 1. Each command that 'takt --help' lists must have a row here.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from tap import finish, ok, skip  # noqa: E402

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
LIMIT_SECONDS = 120
KERNEL = str(ROOT / "examples" / "kernels" / "gauss_seidel.s")
RESULTS = [str(ROOT / "tests" / "golden" / "diff" / f"{name}.json") for name in ("before", "after")]
JSON = "--format=json"
FORM = "--form=add r64, r64"
EVENTS = ("--backend=emulate", "--kernels=load_sse", "--levels=L1")
# Without a program under them, commands write their result to standard output.
ROWS = [
    ("analyze", "--arch=SKX", KERNEL), ("analyze", "--arch=SKX", JSON, KERNEL),
    ("analyze", "--arch=SKX", "--format=html", KERNEL), ("analyze", "--arch=SKX", "--format=csv", KERNEL),
    ("analyze", "--arch=SKX", "--format=dot", KERNEL), ("analyze", "--arch=SKX", "--list", KERNEL),
    ("analyze", "--arch=SKX", "--list", JSON, KERNEL), ("analyze", "--arch=SKX", "--timeline", JSON, KERNEL),
    ("analyze", "--arch=SKX", "--timeline-format=konata", KERNEL), ("analyze", "--arch=all", KERNEL),
    ("analyze", "--arch=all", JSON, KERNEL),
    ("deps", "--arch=SKX", KERNEL), ("deps", "--arch=SKX", JSON, KERNEL),
    ("predict", "--arch=SKX", "BLOCKS"), ("predict", "--arch=SKX", JSON, "BLOCKS"),
    ("predict", "--arch=SKX,ZEN4", "BLOCKS"),
    ("measure", "--hex=480fafc2"), ("measure", "--hex=480fafc2", JSON),
    ("model", "list"), ("model", "list", JSON), ("model", "show", "SKX"),
    ("model", "identify", "--machine=sim:SKL"), ("model", "identify", "--machine=sim:SKL", JSON),
    ("diff", *RESULTS), ("diff", JSON, *RESULTS),
    ("characterize", "--backend=sim:SKX", FORM), ("characterize", "--backend=sim:SKX", FORM, JSON),
    ("count", "--list"), ("count", "--list", JSON),
    ("validate", "--list"), ("validate", "--list", JSON), ("validate", *EVENTS), ("validate", *EVENTS, JSON),
    ("bench", "--kernels=load", "--levels=L1", "--threads=1"),
    ("bench", "--kernels=load", "--levels=L1", "--threads=1", JSON),
    ("diagnose", "--list-thresholds"), ("diagnose", "--list-thresholds", JSON),
    ("evaluate", "--help"), ("serve", "--help"), ("trace", "--help"), ("help", "trace"), ("--help",), ("--version",),
]
# With a program under them, standard output is the program's, and the result goes to standard error.
PROGRAM = ("--", "/bin/true")
PROGRAM_ROWS = [
    ("trace", "--arch=SKX"), ("trace", "--arch=SKX", JSON),
    ("count", "--backend=emulate", "-g", "DATA"), ("count", "--backend=emulate", "-g", "DATA", JSON),
    ("diagnose", "--backend=emulate", "--arch=SKX"), ("diagnose", "--backend=emulate", "--arch=SKX", JSON),
]


def run(words, stream, target):
    """Run a command whose output or errors go to a descriptor; what it says otherwise is returned."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: target}
    return subprocess.run([TAKT, *words], stdin=subprocess.DEVNULL, text=True, check=False,
                          timeout=LIMIT_SECONDS, **streams)


def check_pipe(words, stream):
    reader, writer = os.pipe()
    os.close(reader)
    done = run(words, stream, writer)
    os.close(writer)
    ok(done.returncode == -signal.SIGPIPE and "error" not in (done.stderr or ""),
       f"{' '.join(words[:3])}: nobody reads its {stream}", done.returncode, done.stderr)


def check_full(words):
    with open("/dev/full", "wb") as full:
        done = run(words, "stdout", full)
    ok(done.returncode == 1 and done.stderr.count("error: ") == 1
       and "cannot write to standard output: No space left on device" in done.stderr,
       f"{' '.join(words[:3])}: full", done.returncode, done.stderr)


def check_closed(words):
    done = subprocess.run(["sh", "-c", 'exec "$0" "$@" >&-', TAKT, *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, check=False, timeout=LIMIT_SECONDS)
    ok(done.returncode == 1 and done.stderr.count("error: ") == 1
       and "cannot write to standard output: Bad file descriptor" in done.stderr,
       f"{' '.join(words[:3])}: closed", done.returncode, done.stderr)


def check_row(words):
    if words[0] in ("measure", "bench", "validate") and run(words, "stdout", subprocess.DEVNULL).returncode:
        skip(f"{' '.join(words[:2])}", "it does not run here")
        return
    check_pipe(words, "stdout")
    check_full(words)
    check_closed(words)


def check_named_pipe(words):
    """The same of a pipe that an option names."""
    reader, writer = os.pipe()
    os.close(reader)
    done = run(words, "stdout", writer)
    os.close(writer)
    ok(done.returncode == -signal.SIGPIPE and "cannot write" not in done.stderr,
       f"{' '.join(words[:3])}: nobody reads /dev/stdout", done.returncode, done.stderr)


def check_program_row(words):
    option = "--output" if words[0] == "count" else "--report"
    check_named_pipe((*words, f"{option}=/dev/stdout", *PROGRAM))
    check_pipe((*words, *PROGRAM), "stderr")
    with open("/dev/full", "wb") as full:
        done = run((*words, *PROGRAM), "stderr", full)
    ok(done.returncode == 1, f"{' '.join(words[:3])}: standard error is full", done.returncode)


def main():
    listed = re.findall(r"^  (\w+) ", subprocess.run([TAKT, "--help"], capture_output=True, text=True,
                                                     check=True).stdout.partition("Options:")[0], re.M)
    rows = {words[0] for words in (*ROWS, *PROGRAM_ROWS)}
    ok(len(listed) > 10 and set(listed) <= rows, "a row for each command", sorted(set(listed) - rows))
    with tempfile.TemporaryDirectory() as folder:
        blocks = pathlib.Path(folder, "blocks.csv")
        blocks.write_text("4801d8,1\n4829d8,1\n", encoding="utf-8")
        for words in ROWS:
            check_row([str(blocks) if word == "BLOCKS" else word for word in words])
    check_named_pipe(("analyze", "--arch=SKX", KERNEL, "-o", "/dev/stdout"))
    if not shutil.which("qemu-x86_64") or os.uname().machine != "x86_64":
        skip("commands with a program under them", "qemu-x86_64 is not installed")
    else:
        for words in PROGRAM_ROWS:
            check_program_row(words)
    return finish()


sys.exit(main())
