#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Standard streams that are closed, full or read no further, and Ctrl-C.

streams.py TAKT. For takt serve, validate and characterize: lost output is an error with status 1, a reader that
has enough is none, and nothing half-written is left.
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

TAKT = str(pathlib.Path(sys.argv[1]).resolve())
LIMIT_SECONDS = 120  # a command that is stuck fails
VALIDATE = ("validate", "--kernels=load", "--levels=L1")
CHARACTERIZE = ("characterize", "--form=add r64, r64")
ALL_KERNELS = ("validate",)  # takes minutes, so that it can be stopped


def shell(arguments, redirections):
    words = " ".join(f"'{word}'" for word in (TAKT, *arguments))
    return subprocess.run(["bash", "-c", f"set -o pipefail; {words} {redirections}"], capture_output=True,
                          text=True, check=False, timeout=LIMIT_SECONDS)


def check_lost(name, arguments, redirections, reason):
    done = shell(arguments, redirections)
    ok(done.returncode == 1 and reason in done.stderr and not done.stdout, f"{name} {redirections or '-o /dev/full'}: it is said",
       done.returncode, done.stderr)


def check_streams(name, arguments, folder):
    wanted = shell(arguments, "")
    if wanted.returncode:
        skip(f"{name}: streams", f"it does not run here: {wanted.stderr.strip()[-200:]}")
        return
    ok(shell(arguments, "<&-").returncode == 0, f"{name} <&-: standard input is not needed")
    done = shell(arguments, "2>&-")
    ok(done.returncode == 0 and done.stdout.partition("\n")[0] == wanted.stdout.partition("\n")[0],
       f"{name} 2>&-: notes are lost, and not the result", done.stdout)
    check_lost(name, arguments, ">&-", "cannot write to standard output: Bad file descriptor")
    check_lost(name, arguments, ">/dev/full", "cannot write to standard output: No space left on device")
    check_lost(name, (*arguments, "-o", "/dev/full"), "", "cannot write '/dev/full': No space left on device")
    done = shell(arguments, "| head -1")
    ok(done.returncode == 0 and done.stdout.count("\n") == 1 and "cannot write" not in done.stderr,
       f"{name} | head -1: no error", done.returncode, done.stderr)
    out = folder / "out.txt"
    done = shell((*arguments, "-o", str(out)), ">&- <&-")
    ok(done.returncode == 0 and out.stat().st_size > 0, f"{name} -o FILE >&- <&-: it is written", done.stderr)


def start(arguments, **options):
    return subprocess.Popen([TAKT, *arguments], stdin=subprocess.DEVNULL, text=True, **options)


def end(process, number):
    process.send_signal(number)
    _, err = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, err


def check_stopped_validate(folder):
    out = folder / "events.json"
    out.write_text("of another run\n")
    process = start((*ALL_KERNELS, "-o", str(out)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1)  # at whatever time it is stopped, the result is the same
    status, err = end(process, signal.SIGINT)
    ok(status in (130, -signal.SIGINT), "validate, Ctrl-C: the status says so", status, err)
    ok(out.read_text() == "of another run\n" and os.listdir(folder) == ["events.json"],
       "and the old file is left, and no other", os.listdir(folder))


def check_stopped_survey(folder):
    results = folder / "results"
    process = start(("characterize", "--all", "--forms=add*", f"--output={results}"), stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE)
    deadline = time.monotonic() + LIMIT_SECONDS
    while process.poll() is None and not results.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    status, err = end(process, signal.SIGINT)
    ok(status in (1, 130, -signal.SIGINT), "characterize --all, Ctrl-C: no success", status, err)
    done = shell(("characterize", "--export=csv", str(results)), "")
    ok(done.returncode == 0, "and the results so far can be read", done.stderr)


def check_serve():
    for redirection, reason in ((">&-", "Bad file descriptor"), (">/dev/full", "No space left on device")):
        check_lost("serve", ("serve",), redirection, f"cannot write to standard output: {reason}")
    for options in ({}, {"close_fds": True, "preexec_fn": lambda: os.close(0)}):
        process = start(("serve",), stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        address = process.stdout.readline()
        process.stdout.close()  # who read the address reads no further
        process.send_signal(signal.SIGINT)
        err = process.stderr.read()
        ok(address.startswith("http://127.0.0.1:") and process.wait(LIMIT_SECONDS) == 0 and "error" not in err,
           "serve: the address, and Ctrl-C ends it" + (", without standard input" if options else ""), address, err)


with tempfile.TemporaryDirectory() as work:
    if shutil.which("qemu-x86_64"):
        check_streams("validate", VALIDATE, pathlib.Path(work))
    else:
        skip("validate: streams", "qemu-x86_64 is not installed")
    check_streams("characterize", CHARACTERIZE, pathlib.Path(work))
if shutil.which("qemu-x86_64"):
    with tempfile.TemporaryDirectory() as work:
        check_stopped_validate(pathlib.Path(work))
if shell(CHARACTERIZE, "").returncode == 0:
    with tempfile.TemporaryDirectory() as work:
        check_stopped_survey(pathlib.Path(work))
if "microhttpd" in shell(("serve",), "</dev/null >/dev/full").stderr:
    skip("serve: streams", "there is no libmicrohttpd")
else:
    check_serve()
sys.exit(finish())
