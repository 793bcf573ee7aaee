#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --checkpoint: a replay that is killed at any place and goes on has the same figures.

    checkpoint.py TAKT [MUTANTS]
"""
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing, without_memo  # noqa: E402
from tap import finish, ok, skip, skip_all  # noqa: E402

LIMIT_SECONDS = 120
KILLS_MAX = 6
MUTANTS = 60
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
OPTIONS = [
    [],
    ["--no-profile"],
    ["--ideal=caches,branches", "--region=work"],
    ["--sample", "--seed=7"],
    ["--count-only", "--region=main"],
]

takt = str(pathlib.Path(sys.argv[1]).resolve())
chance = random.Random(20)


def but_memo(done):
    """What was remembered is not kept, but found again."""
    return without_memo(done.stdout)


def command(log, options):
    return [takt, "trace", "--arch=SKL", "--format=json", *options, str(log)]


def replay(log, options):
    return subprocess.run(command(log, options), capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)


def stopped(log, options, number, seconds):
    """A replay that gets a signal after a while: exit status and what it wrote."""
    with subprocess.Popen(command(log, options), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        time.sleep(seconds)
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, out, err


def stop_once_kept(log, options, number):
    """The same, once the checkpoint is there."""
    with subprocess.Popen(command(log, options), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as process:
        while not kept.exists() and process.poll() is None:
            time.sleep(0.002)
        process.send_signal(number)
        out, err = process.communicate(timeout=LIMIT_SECONDS)
    return process.returncode, out, err


def killed(log, options):
    what = " ".join(options) or "plain"
    keeping = [*options, f"--checkpoint={kept}", "--checkpoint-every=1"]
    begin = time.monotonic()
    wanted = replay(log, options)
    took = time.monotonic() - begin
    kept.unlink(missing_ok=True)
    ok(wanted.returncode == 0 and but_memo(replay(log, keeping)) == but_memo(wanted),
       f"{what}: writing checkpoints changes nothing", wanted.stderr)
    ok(not kept.exists(), f"{what}: none is left in the end")
    resumed = 0
    stop_once_kept(log, keeping, signal.SIGKILL)
    for number in [signal.SIGKILL, signal.SIGTERM] * (KILLS_MAX // 2):
        resumed += kept.exists()
        if stopped(log, keeping, number, chance.uniform(0, took))[0] == 0:
            break
    resumed += kept.exists()
    done = replay(log, keeping)
    ok(done.returncode == 0 and but_memo(done) == but_memo(wanted),
       f"{what}: the same after {resumed} times going on", done.stderr, done.stdout[:500])


def refuses(what, log, options, reason):
    done = replay(log, [*options, f"--checkpoint={kept}"])
    ok(done.returncode == 1 and reason in done.stderr and not done.stdout,
       f"refused: {what}", done.returncode, done.stderr)


def interrupted(log, other):
    options = []
    keeping = [*options, f"--checkpoint={kept}", "--checkpoint-every=1"]
    wanted = replay(log, options)
    kept.unlink(missing_ok=True)
    status, out, err = stop_once_kept(log, keeping, signal.SIGINT)
    ok(status == 130 and '"stopped_by": 2' in out, "SIGINT: 130, and what is known so far",
       status, out[:300], err)
    data = kept.read_bytes()
    refuses("other options", log, ["--ideal=branches"], "other options or another core")
    refuses("another log", other, options, "another log")
    for at in [0, 40, len(data) // 2, len(data) - 1]:
        kept.write_bytes(data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:])
        done = replay(log, [*options, f"--checkpoint={kept}"])
        # Compressed data has bits that change nothing of what it holds.
        ok((done.returncode == 1 and "no checkpoint of this replay" in done.stderr) or
           (done.returncode == 0 and but_memo(done) == but_memo(wanted)),
           f"refused, or the same: byte {at} is wrong", done.returncode, done.stderr)
    for size in [0, 1, 100, len(data) - 1]:
        kept.write_bytes(data[:size])
        refuses(f"only {size} bytes", log, options, "")
    kept.write_bytes(data + b"more")
    refuses("more bytes", log, options, "no checkpoint of this replay")
    kept.write_bytes(data)
    done = replay(log, keeping)
    ok(done.returncode == 0 and but_memo(done) == but_memo(wanted), "it goes on where SIGINT came",
       done.stderr)
    status, out, err = stopped(log, options, signal.SIGINT, 0.15)
    ok(status == 130 and '"stopped_by": 2' in out, "SIGINT without a checkpoint", status, err)


def content_of(data):
    """Of a Zstandard frame, and how to make one of it again; None without the tool."""
    if not shutil.which("zstd"):
        return None
    return subprocess.run(["zstd", "-dcq"], input=data, capture_output=True, check=True).stdout


def frame_of(content):
    return subprocess.run(["zstd", "-cq1"], input=content, capture_output=True, check=True).stdout


def mutant_of(data, content):
    """A few bytes changed, in the file or in what is in it, or a piece doubled or left out."""
    whole = bytearray(content if content and chance.random() < 0.5 else data)
    inside = content is not None and len(whole) == len(content)
    begin, size = chance.randrange(len(whole)), chance.randrange(1, 64)
    how = chance.randrange(4)
    if how == 0:
        whole[begin:begin + size] = b""
    elif how == 1:
        whole[begin:begin] = whole[begin:begin + size]
    else:
        for _ in range(chance.choice((1, 1, 4, 32))):
            whole[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
    return frame_of(bytes(whole)) if inside else bytes(whole)


def mutants(log, number):
    """Damage is refused by name, whatever it is: no hang, no crash, no figures."""
    options = ["--region=work"]
    kept.unlink(missing_ok=True)
    stop_once_kept(log, [*options, f"--checkpoint={kept}", "--checkpoint-every=1"], signal.SIGINT)
    data = kept.read_bytes()
    content = content_of(data)
    if content is None:
        skip("damage inside the Zstandard frame", missing("zstd"))
    wrong = []
    for i in range(number):
        mutant = mutant_of(data, content)
        if mutant == data:
            continue
        kept.write_bytes(mutant)
        try:
            done = replay(log, [*options, f"--checkpoint={kept}"])
            if done.returncode != 1 or "no checkpoint of this replay" not in done.stderr or \
                    done.stdout:
                wrong.append((i, done.returncode, done.stderr))
        except subprocess.TimeoutExpired:
            wrong.append((i, "hangs"))
    kept.unlink()
    ok(not wrong, f"{number} damaged checkpoints are refused", wrong[:5])


def links(log):
    """What lies where the new checkpoint is written first is not followed."""
    victim, new = folder / "victim", kept.with_name(kept.name + ".new")
    victim.write_text("precious")
    new.symlink_to(victim)
    kept.unlink(missing_ok=True)
    status, _, err = stop_once_kept(log, [f"--checkpoint={kept}", "--checkpoint-every=1"],
                                    signal.SIGINT)
    ok(status == 130 and kept.exists() and not kept.is_symlink() and not new.exists() and
       victim.read_text() == "precious", "FILE.new is a link: it is not followed", status, err)
    kept.unlink(missing_ok=True)
    new.mkdir()
    done = replay(log, [f"--checkpoint={kept}", "--checkpoint-every=1"])
    ok(done.returncode == 1 and "cannot write the checkpoint" in done.stderr and done.stdout,
       "FILE.new cannot be written: said, and the figures are there", done.stderr)
    new.rmdir()


def closed(log):
    """takt whose standard streams are closed opens no file in their place."""
    kept.unlink(missing_ok=True)
    status = stop_once_kept(log, [f"--checkpoint={kept}", "--checkpoint-every=1"], signal.SIGINT)[0]
    ok(status == 130 and kept.exists(), "a checkpoint to go on from", status)
    wanted = replay(log, [])
    text = " ".join(command(log, [f"--checkpoint={kept}"]))
    done = subprocess.run(["sh", "-c", f"exec {text} <&-"], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 0 and but_memo(done) == but_memo(wanted), "standard input is closed",
       done.returncode, done.stderr)
    text = " ".join(command(log, []))
    done = subprocess.run(["sh", "-c", f"exec {text} 2>&-"], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 0 and done.stdout == wanted.stdout, "standard error is closed",
       done.returncode)
    done = subprocess.run(["sh", "-c", f"exec {text} >&-"], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 1 and "cannot write to standard output" in done.stderr,
       "standard output is closed: said", done.returncode, done.stderr)
    out = folder / "out"
    done = subprocess.run(["sh", "-c", f"exec {text} --report={out} <&- >&- 2>&-"], check=False,
                          timeout=LIMIT_SECONDS)
    ok(done.returncode == 0 and out.read_text() == wanted.stdout, "all are closed", done.returncode)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    kept = folder / "kept"
    program = folder / "threads"
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    subprocess.run(["gcc", "-O1", "-static", "-pthread", "-o", str(program),
                    str(PROGRAMS / "c" / "threads.c")], check=True)
    logs = []
    for threads in ["4", "3"]:
        logs.append(folder / f"log{threads}")
        subprocess.run([takt, "trace", "--count-only", "--report=/dev/null", "-o", str(logs[-1]),
                        "--", str(program), "5", threads], check=True, timeout=LIMIT_SECONDS)
    for row in OPTIONS:
        killed(logs[0], row)
    interrupted(*logs)
    mutants(logs[1], int(sys.argv[2]) if len(sys.argv) > 2 else MUTANTS)
    links(logs[1])
    closed(logs[1])
sys.exit(finish())
