#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace FILE for what others write, and logs through pipes.

    import.py TAKT
"""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from programs import missing, wait_for  # noqa: E402
from tap import finish, ok, skip  # noqa: E402

LIMIT_SECONDS = 60
MEMORY_KIB = 64 * 1024  # takt takes 21 MiB where this was written
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"

takt = str(pathlib.Path(sys.argv[1]).resolve())


def build(source, *options):
    """Builds programs/SOURCE, or a file, for x86-64; None if there is no compiler."""
    if os.uname().machine != "x86_64":
        return None
    return programs.build(["gcc", "-static", *options], PROGRAMS / source,
                          folder / pathlib.Path(source).stem)


def run(*arguments, text=None):
    return subprocess.run([takt, "trace", "--count-only", *arguments], capture_output=True, text=True, input=text,
                          timeout=LIMIT_SECONDS, check=False)


def totals(*arguments, text=None):
    done = run("--format=json", *arguments, text=text)
    return json.loads(done.stdout) if done.returncode == 0 else {"failed": done.stderr}


def traced(program):
    report = folder / "report"
    run("--format=json", f"--report={report}", "--", program)
    return json.loads(report.read_text())


def write(name, text):
    path = folder / name
    path.write_text(text)
    return str(path)


def write_bytes(name, data):
    path = folder / name
    path.write_bytes(data)
    return str(path)


# ---- texts ----

SAME = ("instructions", "repeats", "interrupted", "taken", "not_taken", "loads", "load_bytes",
        "stores", "store_bytes", "syscalls")


def pick(figures, keys=SAME):
    return {key: figures.get(key, figures) for key in keys}


def lackey(program, name):
    path = folder / name
    subprocess.run(["valgrind", "--tool=lackey", "--trace-mem=yes", f"--log-file={path}", program],
                   capture_output=True, check=False, timeout=LIMIT_SECONDS)
    return str(path)


def insns_of(path):
    """(address, length, [(kind, address, size)]) of each instruction of a lackey log."""
    insns = []
    for line in open(path):
        found = re.match(r"(?:I | ([LSM])) +([0-9a-f]+),(\d+)$", line)
        if not found:
            continue
        kind, address, size = found[1], int(found[2], 16), int(found[3])
        if kind:
            insns[-1][2].append((kind, address, size))
        else:
            insns.append((address, size, []))
    return insns


def as_gdb(insns):
    text = []
    for address, _, accesses in insns:
        text.append(f"=> {address:#x} <f+1>:\tadd eax, 1\n")
        text += [f"{'RWM'['LSM'.index(kind)]} {place:#x} {size}\n"
                 for kind, place, size in accesses]
    return "".join(text)


def as_perf(insns):
    """Samples of 32 branches, each beginning where the one before ended; and what is in them."""
    branches = [(i, a[0], b[0]) for i, (a, b) in enumerate(zip(insns, insns[1:]))
                if b[0] not in (a[0] + a[1], a[0])]
    text = ["# ========\n"]
    for start in range(0, len(branches) - 1, 31):
        part = branches[start:start + 32]
        text.append(f"prog 1 2.5:  100 cycles:u:  {part[-1][1]:x} " + " ".join(
            f"{source:#x}/{target:#x}/P/-/-/1" for _, source, target in reversed(part)) + "\n")
    first, last = branches[0][0], branches[-1][0]
    inside = insns[first + 1:last + 1]
    repeats = sum(a[0] == b[0] for a, b in zip(inside, inside[1:]))
    return "".join(text), len(inside) - repeats


def against_qemu():
    what = "lackey's figures are qemu's"
    if missing("valgrind", "qemu-x86_64", "gcc"):
        skip(what, missing("valgrind", "qemu-x86_64", "gcc"))
        return
    if os.uname().machine != "x86_64":
        skip(what, "gcc is none for x86-64")
        return
    for name in ("loop", "strings", "vectors"):
        program = build(f"x86-64/{name}.s", "-nostdlib")
        live, path = pick(traced(program)), lackey(program, name + ".lackey")
        log = str(folder / "log")
        got = totals(f"--binary={program}", path)
        ok(pick(got) == live, f"{name}: {what}", pick(got), live)
        totals(f"--binary={program}", "-o", log, path)
        ok(totals(log) == got, f"{name}: and the log's", totals(log))
        insns = insns_of(path)
        gdb = totals(f"--binary={program}", "-", text=as_gdb(insns))
        keys = SAME if got["loads"] else ("instructions", "taken", "not_taken", "syscalls")
        ok(pick(gdb, keys) == pick(got, keys), f"{name}: and those of single steps", gdb, got)
        few = totals(f"--binary={program}", "--blocks-only", path)
        ok(few["instructions"] == got["instructions"] and few["loads"] is None,
           f"{name}: without accesses", few)
    # The processor that each one shows to the program is another, and how the library looks at
    # that takes 10,000 instructions more or less; so what an empty program does is taken off.
    rest = []
    for name, size in (("empty", 2), ("sort", 5000)):
        program = build(write(f"{name}.c", SORT), "-O2", f"-DSIZE={size}")
        live, path = traced(program), lackey(program, f"{name}.lackey")
        got = totals(f"--binary={program}", path)
        rest.append([{key: figures[key] - (rest[0][i][key] if rest else 0) for key in SAME}
                     for i, figures in enumerate((live, got))])
    live_rest, got_rest = rest[1]
    # String instructions repeat more or less often with the alignment of what they copy: 0.08 % of
    # the sort's repeats where this was written, less of all else.
    ok(all(abs(got_rest[key] - live_rest[key]) <= 0.001 * live_rest[key] for key in SAME),
       "sort: all figures within 0.1 %", got_rest, live_rest)
    text, wanted = as_perf(insns_of(path))
    perf = totals(f"--binary={program}", write("sort.perf", text))
    # The branches at which the samples begin and end are not in them: one at either end.
    ok(perf["instructions"] == wanted and not perf["interrupted"] and
       abs(perf["taken"] - got["taken"]) <= 2 and abs(perf["not_taken"] - got["not_taken"]) <= 2,
       "sort: perf's samples have the same between their branches", pick(perf), wanted)
    other = run(f"--binary={build('x86-64/loop.s', '-nostdlib')}", path)
    ok(other.returncode == 1 and "sort.lackey:" in other.stderr, "another program", other)


SORT = """
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
	static int v[SIZE];
	for (unsigned i = 0, s = 1; i < SIZE; i++)
		v[i] = (int)((s = s * 1103515245 + 12345) >> 8);
	qsort(v, SIZE, sizeof(v[0]), compare);
	return printf("%d\\n", v[SIZE / 2]) < 0;
}
"""


def listings():
    att = ".text\nl: add %rax, %rbx\n dec %rcx\n jnz l\n mov (%rsi), %rax\n call f\nf: ret\n"
    got = totals("-", text=att)
    ok(got.get("instructions") == 6 and got["guest"] == "x86-64", "a listing", got)
    intel = "l: add rbx, rax\n dec rcx\n jnz l\n mov rax, [rsi]\n"
    ok(totals("--syntax=intel", "-", text=intel).get("instructions") == 4, "in Intel's syntax")
    arm = "l: ldr x0, [x1]\n subs x2, x2, #1\n b.ne l\n svc #0\n"
    got = totals("--isa=aarch64", "-", text=arm)
    ok((got.get("instructions"), got.get("syscalls")) == (4, 1), "of AArch64", got)
    riscv = "l: ld a0, 0(a1)\n addi a2, a2, -1\n bnez a2, l\n ecall\n"
    got = totals("--isa=riscv64", "-", text=riscv)
    ok((got.get("instructions"), got.get("syscalls")) == (4, 1), "of RISC-V", got)
    got = totals("-", text="add %rax, %rbx\n" * 400000 + "# the end\n")
    ok(got.get("instructions") == 400000, "the last part has none", got)
    done = run("-", text="add %rax, %rbx\nnonsense %rax\n")
    ok(done.returncode == 1 and "standard input:2:1: error:" in done.stderr, "no mnemonic", done)
    parts = ("add %rax, %rbx\n" * 200 + "jmp *%rax\n") * 1500
    got = totals("-", text=parts)
    ok((got.get("instructions"), got.get("distinct_blocks", 1)) == (201 * 1500, 1),
       "several parts, whose runs are one block", got)


def recognised():
    rows = [
        ("hex", "90\n90\n", 2), ("hex", "401000: 90\n", 1), ("hex", "# x\n4889c8\n90\n", 2),
        ("hex", "\na.out:     file format elf64-x86-64\n\n0000000000001000 <f>:\n"
                "    1000:\t90                   \tnop\n", 1),
        ("assembly", "dec %eax\n", 1), ("assembly", "fadd %st(1), %st\n", 1),
        ("assembly", "# R\n.intel_syntax noprefix\ncdq\n", 1), ("assembly", "ret\n", 1),
        ("perf", "f:\n\t401000\tinsn: 90\n", 1),
    ]
    for what, text, insns in rows:
        got = totals("-", text=text)
        ok(got.get("instructions") == insns, f"{text!r} is {what}", got)
    for text, said in (("", "ends too early"), ("\0\1\2", "Zstandard"), ("\x7fELF", "program"),
                       ("I  1000,3\n", "--binary=FILE"), ("0x1/0x2/P/-/-\n", "--binary=FILE")):
        done = run("-", text=text)
        ok(done.returncode == 1 and said in done.stderr and not done.stdout, f"{text!r}: {said}",
           done)
    for arguments in (("--from=hex", "--", "true"), ("--from=no", "x")):
        ok(run(*arguments).returncode == 2, "usage: " + " ".join(arguments))
    log = str(folder / "same.log")
    run("-o", log, "-", text="90\n")
    done = run("-o", log + "2", log)
    ok(done.returncode == 1 and "is a log already" in done.stderr, "a log to a log", done)
    for option in ("--binary=x", "--isa=x86-64", "--syntax=att"):
        done = run(option, log)
        ok(done.returncode == 1 and "contains its code" in done.stderr and not done.stdout,
           f"{option} has no effect on a log", done)
    done = run("--syntax=att", "-", text="90\n")
    ok(done.returncode == 1 and "no listing" in done.stderr, "--syntax has no effect on hex", done)


def memory():
    """Text without end in little memory."""
    program = build("x86-64/loop.s", "-nostdlib")
    if not program:
        skip("little memory", "no compiler")
        return
    dump = subprocess.run(["objdump", "-d", program], capture_output=True, text=True, check=True)
    text = "".join(line + "\n" for line in dump.stdout.splitlines() if ":\t" in line) * 20000
    with subprocess.Popen([takt, "trace", "--count-only", "-"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as command:
        command.stdin.write(text.encode())
        command.stdin.close()
        out = command.stdout.read()
        _, status, usage = os.wait4(command.pid, 0)
        command.returncode = status
    ok(status == 0 and b"instructions" in out, f"{len(text) >> 20} MiB of text", out)
    ok(usage.ru_maxrss < MEMORY_KIB, f"in {usage.ru_maxrss} KiB", usage)


# ---- through a pipe, as over ssh ----

def piped(*program, reader=("--format=json", "-"), options=()):
    """takt trace -o - -- PROGRAM | takt trace -: (both exit statuses, what either says)."""
    log = folder / "reader"
    with subprocess.Popen([takt, "trace", "--count-only", "--format=json", "-o", "-",
                           f"--report={folder / 'sent'}", *options, "--", *program],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sender:
        done = subprocess.run([takt, "trace", "--count-only", *reader], stdin=sender.stdout,
                              capture_output=True, text=True, timeout=LIMIT_SECONDS)
        sender.stdout.close()
        err = sender.stderr.read().decode()
        sender.wait(LIMIT_SECONDS)
    return sender.returncode, done, err


def pipes(program):
    status, done, err = piped(program)
    sent = json.loads((folder / "sent").read_text())
    ok(status == 0 and done.returncode == 0 and json.loads(done.stdout) == sent and
       sent["instructions"], "what comes through the pipe is what was traced", done, err)
    status, done, err = piped("sh", "-c", "echo seen; exit 7")
    ok(status == 7 and done.returncode == 0 and json.loads(done.stdout)["exit_status"] == 7 and
       "seen" in err, "the program's standard output does not tear the log", done, err)
    done = subprocess.run([takt, "trace", "-o", "-", "-"], input=b"90\n", capture_output=True,
                          timeout=LIMIT_SECONDS, check=False)
    again = subprocess.run([takt, "trace", "--format=json", "-"], input=done.stdout,
                           capture_output=True, timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 0 and b"instructions" in done.stderr and
       json.loads(again.stdout)["instructions"] == 1, "an import's log through a pipe", done)
    for options in (("--report=-",), ("--folded=-",), ("--timeline=0:8",)):
        done = run("-o", "-", *options, "--", program)
        ok(done.returncode == 2 and done.stdout == "", "only the log: " + options[0], done)


def reports():
    """An output whose name is that of a page is the report: of trace, diff and diagnose as of other commands."""
    page = folder / "report.html"
    listing = folder / "listing"
    listing.write_text("nop\n")
    for words in (["trace", "--count-only", "-o", page, "--from=listing", listing],
                  ["diff", "-o", page, "--count-only", folder / "log", folder / "log"]):
        if words[0] == "diff":
            run("-o", str(folder / "log"), "--from=listing", str(listing))
        page.unlink(missing_ok=True)
        done = subprocess.run([takt, *words], capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        ok(done.returncode == 0 and not done.stdout and page.read_text().startswith("<!doctype html>"), f"takt {words[0]} -o report.html", done)
    done = run("-o", str(page), "--report=other.html", "--from=listing", str(listing))
    ok(done.returncode == 2 and "both name a report" in done.stderr, "two reports", done)


def damaged(program):
    log = folder / "whole"
    run("-o", str(log), f"--report={os.devnull}", "--", program)
    data = log.read_bytes()
    first = 0x1000
    rows = [("all", data, 0, None), ("nothing", b"", 1, "ends too early"),
            ("two bytes of a frame", data[:2], 1, "ends"), ("six", data[:6], 1, "ends"),
            ("half", data[:len(data) // 2], 1, "ends"), ("one byte less", data[:-1], 1, "ends"),
            ("not a log", b"\0" * 100000, 1, "Zstandard"),
            ("a changed byte", data[:-30] + bytes([data[-30] ^ 1]) + data[-29:], 1, "+0x"),
            ("another version", frame(HEADER.replace(MAGIC, b"TKtrace0")), 1, "another version"),
            ("another instruction set", frame(HEADER), 1, "instruction set is not known"),
            ("a frame of 1 TiB", b"\x28\xb5\x2f\xfd\xe0" + (1 << 40).to_bytes(8, "little") +
             b"\x00\x00\x10" + b"x" * (5 << 20), 1, "Zstandard frame of a trace"),
            ("more behind the end", data + b"x" * first, 1, "follow the end")]
    for what, sent, wanted, said in rows:
        with subprocess.Popen(["cat", write_bytes("sent", sent)], stdout=subprocess.PIPE) as sender:
            done = subprocess.run([takt, "trace", "--count-only", "--from=log", "-"],
                                  stdin=sender.stdout, capture_output=True, timeout=LIMIT_SECONDS,
                                  check=False)
            sender.stdout.close()
        err = done.stderr.decode(errors="replace")
        ok(done.returncode == wanted and (said is None or said in err) and
           bool(done.stdout) == (wanted == 0), f"through a pipe: {what}", done)


def dying(program):
    """Either end is killed."""
    for who in ("sender", "reader"):
        mark = folder / "mark"
        mark.unlink(missing_ok=True)
        with subprocess.Popen([takt, "trace", "--count-only", "-o", "-", "--", program, str(mark)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as sender, \
             subprocess.Popen([takt, "trace", "--count-only", "-"], stdin=sender.stdout,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as reader:
            sender.stdout.close()
            time.sleep(0.7)
            (sender if who == "sender" else reader).kill()
            other = reader if who == "sender" else sender
            err = other.stderr.read().decode()
            other.wait(LIMIT_SECONDS)
            ok(other.returncode == 1 and ("ends" if who == "sender" else "cannot write") in err,
               f"{who} killed: the other end says so", other.returncode, err)
        ok(wait_for(mark.exists, 30), f"{who} killed: the program ran to its end")


def full():
    """What cannot be written to its end does not stay."""
    done = run("-o", "/dev/full", "--", "true")
    ok(done.returncode == 1 and "No space left" in done.stderr and
       pathlib.Path("/dev/full").exists(), "a full disk is told of", done)
    log = folder / "limited"
    text = "".join(f"b8{(i * 2654435761) % 2 ** 32:08x}\n" for i in range(5000))
    done = subprocess.run(["sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$@"', "sh", takt, "trace",
                           "--count-only", "-o", str(log), "-"], input=text, capture_output=True,
                          text=True, timeout=LIMIT_SECONDS, check=False)
    ok(done.returncode == 1 and "cannot write" in done.stderr and not log.exists(),
       "a log that does not fit leaves nothing", done)


# Runs for seconds, so that it is killed in the middle; then writes argv[1].
LONG = """
#include <fcntl.h>
int main(int argc, char **argv)
{
	for (volatile unsigned long i = 0; i < 60000000; i++)
		;
	return argc > 1 && open(argv[1], O_CREAT | O_WRONLY, 0600) < 0;
}
"""


FORMATS = pathlib.Path(__file__).resolve().parents[2] / "docs" / "formats" / "traces.md"
MAGIC = re.search(r"`(TKtrace\d)`", FORMATS.read_text())[1].encode()
HEADER = struct.pack("<IIQ8sII16s", 1, 0, 32, MAGIC, 0, 0, b"mips")


def frame(message):
    """As it is, in a frame of Zstandard's."""
    return b"\x28\xb5\x2f\xfd" + bytes([0x20, len(message)]) + \
        (len(message) << 3 | 1).to_bytes(3, "little") + message


def through_pipes():
    loop = build("x86-64/loop.s", "-nostdlib")
    if not loop or missing("qemu-x86_64"):
        skip("through a pipe", "no compiler or no qemu-user")
        return
    pipes(loop)
    dying(build(write("long.c", LONG), "-O1"))
    damaged(loop)
    full()


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    recognised()
    listings()
    memory()
    against_qemu()
    through_pipes()
    reports()

sys.exit(finish())
