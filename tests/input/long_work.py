#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Work on many loops: Ctrl-C ends it after the loop at hand, with output that is whole; a terminal
is told how far it is.

Usage: long_work.py TAKT.
"""
import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402

takt = str(pathlib.Path(sys.argv[1]).resolve())
LOOPS = 20000


def interrupted(*arguments):
    """Ends the command by SIGINT once it has written something."""
    process = subprocess.Popen([takt, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    first = os.read(process.stdout.fileno(), 100)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    return process.returncode, (first + out).decode(), err.decode()


def main():
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "loops.o")
        source = "f:\n" + "1:\taddq %rax, %rbx\n\tdecq %rcx\n\tjne 1b\n" * LOOPS
        if subprocess.run(["as", "-o", code, "-"], input=source, text=True, check=False).returncode:
            tap.skip("work on many loops", "there is no assembler")
            return
        status, out, err = interrupted("analyze", "--list", "--arch=SKX", code)
        rows = out.splitlines()[1:]
        tap.ok(status == 1 and "note: interrupted after" in err and f"of {LOOPS} regions" in err,
               "analyze --list says that it was interrupted", status, err)
        tap.ok(0 < len(rows) < LOOPS and all("f+" in row or row.endswith(" f") for row in rows) and
               out.endswith("\n"), "its rows are whole", out[-200:])
        for command in (["analyze", "--all", "--json"], ["deps", "--format=json"]):
            status, out, err = interrupted(*command, "--arch=SKX", code)
            try:
                regions = len(json.loads(out)["regions"])
            except ValueError as error:
                regions = error
            tap.ok(status == 1 and regions != LOOPS and isinstance(regions, int) and
                   "interrupted after" in err, " ".join(command) + ": JSON is whole", regions, err)

        leader, terminal = pty.openpty()
        process = subprocess.Popen([takt, "analyze", "--list", "--arch=SKX", code],
                                   stdout=subprocess.DEVNULL, stderr=terminal)
        os.close(terminal)
        told = os.read(leader, 200).decode()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=120)
        tap.ok(f" of {LOOPS} regions, " in told and " s left" in told,
               "a terminal is told how far it is", told)
        os.close(leader)
        status = subprocess.run([takt, "analyze", "--list", "--arch=SKX", "--region=7", code],
                                capture_output=True, text=True, check=False, timeout=120)
        tap.ok(status.returncode == 0 and len(status.stdout.splitlines()) == 2 and
               not status.stderr, "what is no terminal is told nothing", status.stderr)


main()
sys.exit(tap.finish())
