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
        leader, terminal = pty.openpty()
        process = subprocess.Popen([takt, "analyze", "--list", "--top=2", "--arch=SKX", code],
                                   stdout=terminal, stderr=terminal)
        os.close(terminal)
        told = os.read(leader, 200).decode()
        process.kill()
        process.wait(timeout=120)
        tap.ok(f" of {LOOPS} regions ranked, " in told,
               "so is one that waits for the largest loops", told)
        os.close(leader)
        status = subprocess.run([takt, "analyze", "--list", "--arch=SKX", "--region=7", code],
                                capture_output=True, text=True, check=False, timeout=120)
        tap.ok(status.returncode == 0 and len(status.stdout.splitlines()) == 2 and
               not status.stderr, "what is no terminal is told nothing", status.stderr)


def list_rows(*arguments):
    done = subprocess.run([takt, "analyze", "--arch=SKX", *arguments], capture_output=True,
                          text=True, check=False, timeout=120)
    return done, done.stdout.splitlines()[1:]


def choose():
    """Loops are chosen by their size and their cycles, and analyzed on several threads."""
    with tempfile.TemporaryDirectory() as folder:
        code = os.path.join(folder, "loops.o")
        loops = "".join("1:\t" + "imulq %rax, %rax\n\t" * (i % 7) + "decq %rcx\n\tjne 1b\n"
                        for i in range(100))
        if subprocess.run(["as", "-o", code, "-"], input="f:\n" + loops, text=True,
                          check=False).returncode:
            tap.skip("loops by size and cycles", "there is no assembler")
            return
        _, every = list_rows("--list", code)
        done, threads = list_rows("--list", "--jobs=3", code)
        tap.ok(len(every) == 100 and threads == every, "the list is the same with threads",
               done.stderr)
        alone, one = list_rows("--all", "--json", code), list_rows("--all", "--json", "--jobs=4", code)
        tap.ok(alone[0].stdout == one[0].stdout and len(json.loads(one[0].stdout)["regions"]) == 100,
               "so is JSON")
        done, large = list_rows("--list", "--min-instructions=7", code)
        tap.ok(large == [row for row in every if int(row.split()[2]) >= 7] and len(large) == 28,
               "small loops are left out", done.stdout, done.stderr)
        done, _ = list_rows("--min-instructions=9", code)
        tap.ok(done.returncode == 1 and "no region has 9 instructions" in done.stderr and
               "the largest has 8" in done.stderr, "if all are small, the largest is named",
               done.stderr)
        done, top = list_rows("--list", "--top=20", "--jobs=2", code)
        ranked = sorted(every, key=lambda row: (-float(row.split()[1]), int(row.split()[0])))
        tap.ok(top == ranked[:20], "those with most cycles come first", done.stdout, done.stderr)
        done = subprocess.run([takt, "analyze", "--arch=SKX", "--top=1", code], text=True,
                              capture_output=True, check=False, timeout=120)
        tap.ok(done.returncode == 0 and not done.stderr and
               done.stdout.count("instructions, mode loop") == 1 and "8 instructions" in done.stdout,
               "the top one is analyzed, not listed", done.stdout, done.stderr)


main()
choose()
sys.exit(tap.finish())
