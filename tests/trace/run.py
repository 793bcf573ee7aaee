#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace: exact totals of small programs, and what happens when things go wrong.

    run.py TAKT
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import guests_alive, missing, wait_for  # noqa: E402
from tap import finish, ok, skip, skip_all  # noqa: E402

LIMIT_SECONDS = 60
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"

takt = str(pathlib.Path(sys.argv[1]).resolve())


def build(command, source, *options):
    """Builds programs/SOURCE; None if its compiler is not there."""
    return programs.build([*command, *options], PROGRAMS / source,
                          folder / source.replace("/", "-"))


ASSEMBLERS = {
    "x86-64": ["gcc", "-nostdlib", "-static"],
    "aarch64": ["aarch64-linux-gnu-gcc", "-nostdlib", "-static"],
    "riscv64": ["clang", "--target=riscv64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld"],
}
COMPILERS = {
    "x86-64": ["gcc", "-O1", "-static", "-pthread"],
    "aarch64": ["aarch64-linux-gnu-gcc", "-O1", "-static", "-pthread"],
}


def run(*arguments, stdin=None):
    return subprocess.run([takt, "trace", "--count-only", *arguments], capture_output=True, text=True, input=stdin,
                          timeout=LIMIT_SECONDS, check=False)


def totals(program, *arguments, options=("--check",)):
    """Traces a program: (exit status, totals or None, what it wrote)."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    done = run(*options, "--format=json", f"--report={report}", "--", program, *arguments)
    try:
        return done.returncode, json.loads(report.read_text()), done
    except (OSError, ValueError):
        return done.returncode, None, done


def begun(figures):
    return figures["instructions"] + figures["repeats"] + figures["interrupted"]


def expect(what, figures, **wanted):
    got = {key: figures[key] for key in wanted} if figures else None
    ok(got == wanted, what, got, wanted)


def assembled():
    rows = [
        ("x86-64", "loop", 0, dict(instructions=2004, taken=999, not_taken=1, loads=0, stores=0,
                                   syscalls=1, repeats=0, interrupted=0)),
        ("x86-64", "strings", 0, dict(instructions=18, loads=5000 + 4 + 1, load_bytes=5005,
                                      stores=5000 + 10 + 1, store_bytes=5000 + 80 + 1,
                                      repeats=5000 + 10 + 1, interrupted=0)),
        ("x86-64", "vectors", 0, dict(instructions=18, loads=11, load_bytes=16 + 32 + 10 + 24 + 32 + 32,
                                      stores=5, store_bytes=16 + 32 + 10 + 16, interrupted=0)),
        ("x86-64", "crash", 139, dict(instructions=3, loads=1, interrupted=1, signal=11,
                                      exit_status=-1)),
        ("aarch64", "pairs", 7, dict(instructions=22, loads=5, load_bytes=16 + 32 + 64 + 8 + 1,
                                     stores=3, store_bytes=16 + 64 + 4, taken=2, not_taken=1,
                                     exit_status=7, interrupted=0)),
        ("riscv64", "loop", 5, dict(instructions=408, loads=100, load_bytes=800, stores=100,
                                    store_bytes=800, taken=100, not_taken=1, exit_status=5)),
    ]
    for guest, name, status, wanted in rows:
        what = f"{guest} {name}: all figures"
        program = build(ASSEMBLERS[guest], f"{guest}/{name}.s")
        if not program:
            skip(what, "no assembler and linker for it")
            continue
        got_status, figures, done = totals(program)
        expect(what, figures, **wanted)
        ok(got_status == status, f"{guest} {name}: exit status {status}", got_status, done.stderr)
        if guest == "x86-64":
            _, blocks, _ = totals(program, options=("--blocks-only",))
            same = ("taken", "not_taken", "syscalls", "repeats") + \
                (() if status else ("instructions",))
            ok(blocks and all(blocks[key] == figures[key] for key in same),
               f"{guest} {name}: the same without accesses", blocks, figures)


def compiled(guest):
    def case(name, what, *arguments, status=0, **wanted):
        what = f"{guest} {name}: {what}"
        program = build(COMPILERS[guest], f"c/{name}.c")
        if not program:
            skip(what, "no compiler for it")
            return None
        got, figures, done = totals(program, *arguments)
        expect(what, figures, **wanted)
        ok(figures and begun(figures) == figures["checked_instructions"] and got == status,
           f"{what}: instructions as qemu counts them, exit status {status}", got, figures, done)
        return figures

    figures = case("fork", "the children are counted", "2", status=8)
    ok(not figures or [p["instructions"] > 10000000 for p in figures["processes"]] ==
       [False, True, True], f"{guest} fork: each with its own total", figures)
    case("signals", "handled faults", status=10, interrupted=10)
    case("signals", "signals that interrupt nothing", "raise", status=10, interrupted=0)
    # Where a signal comes within a string instruction, that is interrupted and begins again.
    case("alarms", "signals at any place", status=1)
    figures = case("threads", "100 at once", "1", "100")
    ok(not figures or len(figures["threads"]) == 101, f"{guest} threads: 101 of them", figures)
    ok(not figures or all(sum(t[key] for t in figures["threads"]) == figures[key]
                          for key in ("instructions", "loads", "stores", "blocks", "taken")),
       f"{guest} threads: each one's figures sum to the totals", figures)
    figures = case("threads", "300 of which 4 at once", "75", "4")
    ok(not figures or len(figures["threads"]) == 301, f"{guest} threads: 301 of them", figures)


def executing():
    program = build(COMPILERS["x86-64"], "c/exec.c")
    status, figures, _ = totals(program, "/bin/false")
    ok(status == 1 and figures and [p["ended"] for p in figures["processes"]] == ["exec", "exit"],
       "exec: the other's exit status", status, figures)
    status, figures, _ = totals(program, "/nonexistent")
    ok(status == 9 and figures and not figures["became_other"], "exec that fails: goes on", figures)
    program = build(COMPILERS["x86-64"], "c/rewrite.c")
    status, figures, _ = totals(program)
    ok(status == 100 and figures and begun(figures) == figures["checked_instructions"],
       "rewritten code: instructions as qemu counts them", status, figures)


def passing():
    done = run("--", "cat", stdin="one\ntwo\n")
    ok(done.stdout == "one\ntwo\n" and "instructions" in done.stderr,
       "standard input and output are the program's, the report goes to standard error", done)
    status, figures, _ = totals("sh", "-c", "exit 23")
    ok(status == 23 and figures and figures["exit_status"] == 23, "exit status 23", status)
    done = run("--", "--help")
    ok(done.returncode == 1 and "no program '--help'" in done.stderr, "no such program", done)
    script = folder / "script"
    for line, command in (("#!/bin/sh", "/bin/sh"), ("#! /usr/bin/lua5.4 -i ", "/usr/bin/lua5.4 -i"),
                          ("#!/usr/bin/env python3", "python3"), ("#!", "/bin/sh")):
        script.write_text(line + "\n")
        script.chmod(0o755)
        done = run("--", str(script))
        ok(done.returncode == 1 and
           f"trace the interpreter of the script: -- {command} {script}\n" in done.stderr,
           f"a script, {line}: says what to do", done)
    done = run()
    ok(done.returncode == 2, "nothing to trace: usage", done)


def logging():
    program = build(COMPILERS["x86-64"], "c/threads.c")
    log = folder / "log"
    for options in ((), ("--blocks-only",)):
        _, live, _ = totals(program, "2", "20", options=(*options, "-o", str(log)))
        done = run("--format=json", str(log))
        ok(done.returncode == 0 and json.loads(done.stdout) == live,
           "the log gives the same totals " + " ".join(options), done, live)
    data = log.read_bytes()
    bad = folder / "bad"
    for size in (0, 5, 60, len(data) // 2, len(data) - 1):
        bad.write_bytes(data[:size])
        done = run(str(bad))
        ok(done.returncode == 1 and f"{bad}:+0x" in done.stderr
           and done.stdout == "", f"log cut after {size} of {len(data)} bytes", done)
    refused = 0
    for place in (10, 70, len(data) // 3, len(data) // 2, len(data) - 3):
        bad.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1:])
        done = run("--format=json", str(bad))
        # A frame's header has a bit that means nothing.
        ok(json.loads(done.stdout) == live if done.returncode == 0 else
           done.returncode == 1 and f"{bad}:+0x" in done.stderr, f"log with byte {place} changed",
           done)
        refused += done.returncode
    ok(refused >= 3, "most changes are noticed", refused)
    bad.write_bytes(data + b"x")
    ok("follow the end" in run(str(bad)).stderr, "bytes behind the log")
    done = run("-o", str(folder / "no" / "log"), "--", "true")
    ok(done.returncode == 1 and "cannot write" in done.stderr, "a log that cannot be written", done)
    if not os.path.exists("/dev/full"):
        skip("a full disk", "no /dev/full")
    else:
        done = run("-o", "/dev/full", "--", "true")
        ok(done.returncode == 1 and "cannot write" in done.stderr, "a full disk", done)


def named(what, program, *arguments):
    """Where in calls.c things happened; its log says the same, also without the program."""
    log = folder / "log"
    status, live, done = totals(program, *arguments,
                                options=("-o", str(log), "--region=fib=fibonacci"))
    if not live or status:
        ok(False, f"{what}: runs", done)
        return
    functions = {row["name"]: (index, row) for index, row in enumerate(live["functions"])}
    calls = {name: functions[name][1]["calls"]
             for name in ("leaf", "fibonacci", "jump_back", "nested", "handler", "main")
             if name in functions}
    ok(calls == dict(leaf=30, fibonacci=1973, jump_back=120, nested=1, handler=10, main=1),
       f"{what}: calls", calls)
    index, nested = functions.get("nested", (None, None))
    loops = [(row["depth"], row["entries"], row["iterations"]) for row in live["loops"]
             if row["function"] == index]
    ok(loops in ([(1, 1, 100), (2, 100, 5000)], [(2, 100, 5000), (1, 1, 100)]),
       f"{what}: loops", loops)
    region = live["regions"][0]
    ok(region["name"] == "fib" and region["entries"] == 1973 and
       region["instructions"] == functions["fibonacci"][1]["instructions"],
       f"{what}: a recursive region", region)
    for rows in ("functions", "blocks_run"):
        ok(sum(row["instructions"] for row in live[rows]) == live["instructions"],
           f"{what}: {rows} have all instructions")
    ok(sum(row["instructions"] for row in live["lines"]) + live["no_line"]["instructions"] ==
       live["instructions"], f"{what}: so do lines")
    source = [row for row in live["lines"] if row["file"].endswith("calls.c")]
    ok(len(source) > 10, f"{what}: lines of the source", source)
    folded = folder / "folded"
    pathlib.Path(program).rename(folder / "elsewhere")
    done = run("--format=json", "--region=fib=fibonacci", f"--folded={folded}", str(log))
    (folder / "elsewhere").rename(program)
    ok(done.returncode == 0 and json.loads(done.stdout) == live,
       f"{what}: the log has all names", done.stderr)
    lines = folded.read_text().splitlines()
    # The format of flamegraph.pl, inferno and speedscope: frames with semicolons between, a blank,
    # and a count; these programs add up equal stacks, and so nothing but names may tell them apart.
    ok(lines and all(re.fullmatch(r"[^;]+(;[^;]+)* [1-9][0-9]*", line) for line in lines),
       f"{what}: stacks as viewers of flame graphs read them", lines[:3])
    stacks = dict(line.rsplit(" ", 1) for line in lines)
    ok(len(stacks) == len(lines) and lines == sorted(lines), f"{what}: each stack once, in order")
    ok(sum(int(value) for value in stacks.values()) == live["instructions"],
       f"{what}: stacks have all instructions")
    ok(any(stack.endswith(";main;jump_back" + 5 * ";jump_back") for stack in stacks) and
       not any(stack.endswith("jump_back;leaf") for stack in stacks),
       f"{what}: longjmp leads back to main", list(stacks))
    if arguments:
        ok(functions.get("work", (0, {}))[1].get("calls") == 10,
           f"{what}: a library that is loaded later", list(functions))


def naming():
    compilers = {
        "static": ["gcc", "-O1", "-g", "-static"],
        "dynamic": ["gcc", "-O1", "-g", "-no-pie"],
        "PIE": ["gcc", "-O1", "-g", "-pie", "-fPIE"],
        "aarch64 static": ["aarch64-linux-gnu-gcc", "-O1", "-g", "-static"],
        "aarch64 PIE": ["aarch64-linux-gnu-gcc", "-O1", "-g", "-pie", "-fPIE"],
    }
    library = build(["gcc", "-O1", "-shared", "-fPIC"], "c/library.c")
    for what, command in compilers.items():
        program = build(command, "c/calls.c")
        if program:
            named(what, program, *([library] if library and what in ("dynamic", "PIE") else []))
        else:
            skip(f"{what}: names", "no compiler for it")
    program = build(ASSEMBLERS["x86-64"], "x86-64/loop.s")
    done = run("--region=0x", "--", program)
    ok(done.returncode == 1 and "no range" in done.stderr, "a wrong region", done)


def annotating():
    """Source lines in text: behind their places, and before their instructions."""
    program = build(["gcc", "-O1", "-g", "-static"], "c/calls.c")
    source = (PROGRAMS / "c" / "calls.c").read_text(encoding="utf-8").splitlines()
    done = run("--by=line", "--top=100000", "--annotate=1000", "--", program)
    profile, _, code = done.stderr.partition("\ncode of ")
    for what, text in (("--by=line", profile), ("--annotate", code)):
        shown = re.findall(r"calls\.c:([0-9]+)(?:  (.*))?$", text, re.M)
        ok(len(shown) > 10 and all(line.split() == source[int(number) - 1].split() for number, line in shown),
           f"{what}: shows the text of source lines", shown[:5], done.stderr[:300])
    functions = re.findall("(?:^|code of )(.*)\n\n +executions", code)
    ok({"nested", "fibonacci", "leaf"} <= set(functions), "--annotate: the code of functions", functions[:9])
    rows = re.findall(r"^ +([0-9,]+) +[0-9a-f]+  [a-z]", code, re.M)
    ok(len(rows) > 100, "--annotate: instructions with their executions", len(rows))
    ok(run("--annotate", "--format=json", "--", program).returncode == 2, "--annotate is for text")


def dying():
    program = build(COMPILERS["x86-64"], "c/long.c")
    mark = folder / "mark"

    # takt is killed: the program goes on to its end.
    command = subprocess.Popen([takt, "trace", "--count-only", "--", program, str(mark)],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = wait_for(lambda: guests_alive(folder), 10)
    time.sleep(0.3)
    command.kill()
    command.wait()
    ok(started and wait_for(mark.exists, 30), "takt killed: the program still ends as it would")
    ok(wait_for(lambda: not guests_alive(folder), 10), "takt killed: no process is left")

    # Signals sent to takt: the program gets them, takt reports what it did.
    for number in (signal.SIGTERM, signal.SIGINT):
        command = subprocess.Popen([takt, "trace", "--count-only", "--", program], stderr=subprocess.PIPE,
                                   text=True)
        wait_for(lambda: guests_alive(folder), 10)
        time.sleep(0.3)
        command.send_signal(number)
        _, err = command.communicate(timeout=LIMIT_SECONDS)
        ok(command.returncode == 128 + number and "instructions" in err,
           f"signal {number}: the program ends, takt reports", command.returncode, err)

    # From the terminal both get it, the program once.
    command = subprocess.Popen([takt, "trace", "--count-only", "--", program], stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
    wait_for(lambda: guests_alive(folder), 10)
    time.sleep(0.3)
    os.killpg(command.pid, signal.SIGINT)
    _, err = command.communicate(timeout=LIMIT_SECONDS)
    ok(command.returncode == 130 and "instructions" in err, "signal to the group", err)
    ok(wait_for(lambda: not guests_alive(folder), 10), "no process is left")


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    shared = sorted(os.listdir("/dev/shm"))
    assembled()
    compiled("x86-64")
    compiled("aarch64")
    executing()
    passing()
    logging()
    naming()
    annotating()
    dying()
    ok(sorted(os.listdir("/dev/shm")) == shared, "no shared memory is left")

sys.exit(finish())
