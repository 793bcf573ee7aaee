#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --backend=native: the same as under qemu, and what qemu cannot run.

    native.py TAKT
"""
import json
import pathlib
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from tap import finish, ok, skip, skip_all  # noqa: E402

LIMIT_SECONDS = 240  # each instruction takes up to 40 us on a busy virtual machine
PROGRAMS = pathlib.Path(__file__).resolve().parent / "programs"
ASSEMBLED = ["gcc", "-nostdlib", "-static"]
COMPILED = ["gcc", "-O1", "-static", "-pthread"]
takt = str(pathlib.Path(sys.argv[1]).resolve())

# What a run of both kinds must have in common.
COUNTS = ("instructions", "repeats", "interrupted", "blocks", "loads", "load_bytes", "stores",
          "store_bytes", "taken", "not_taken", "syscalls", "distinct_blocks", "uops", "cycles", "losses")


def build(command, source):
    return programs.build(command, PROGRAMS / source, folder / source.replace("/", "-"))


def run(*arguments, stdin=subprocess.DEVNULL):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, stdin=stdin,
                          timeout=LIMIT_SECONDS, check=False)


def traced(backend, *program, options=("--count-only",), stdin=subprocess.DEVNULL):
    """(what it did, the JSON report)."""
    report = folder / "report"
    report.unlink(missing_ok=True)
    done = run("trace", f"--backend={backend}", "--format=json", f"--report={report}", *options,
               "--", *map(str, program), stdin=stdin)
    return done, json.loads(report.read_text()) if report.exists() else {}


def all_of(got):
    return {key: got.get(key) for key in COUNTS}


def has(*names):
    """True if the processor and the system have these extensions."""
    words = set(pathlib.Path("/proc/cpuinfo").read_text().split())
    return all(name in words for name in names)


def can_step():
    """Why programs cannot be stepped here, or None."""
    if platform.machine() != "x86_64":
        return "the processor is none of x86-64"
    program = build(ASSEMBLED, "x86-64/loop.s")
    if not program:
        return "gcc is not there"
    done, got = traced("native", program)
    if not got and "cannot step the program natively: Operation not permitted" in done.stderr:
        return "the system forbids ptrace"
    return None


def same_as_qemu():
    """Programs without a library do exactly the same, instruction by instruction."""
    for name in ("loop", "strings", "vectors", "crash"):
        program = build(ASSEMBLED, f"x86-64/{name}.s")
        sides = [traced(backend, program, options=("--arch=SKX",)) for backend in ("qemu", "native")]
        (emulated, before), (native, after) = sides
        ok(before and all_of(before) == all_of(after) and before["instructions"] > 0,
           f"{name}: the same instructions, accesses and cycles", all_of(before), all_of(after))
        ok(emulated.returncode == native.returncode and before["signal"] == after["signal"],
           f"{name}: and the same end", emulated.returncode, native.returncode)
        ok("backend" not in before and after["backend"] == "native", f"{name}: the report says by what")


def loses_steps():
    """True on virtual machines that do not stop a program that is stepped behind cpuid."""
    code = ".globl _start\n_start: xor %eax, %eax\n cpuid\n nop\n xor %edi, %edi\n mov $60, %eax\n syscall\n"
    program = folder / "cpuid"
    subprocess.run(["gcc", "-nostdlib", "-static", "-o", program, "-x", "assembler", "-"],
                   input=code, text=True, check=True)
    return traced("native", program)[1]["interrupted"] > 0


def programs_in_c():
    """Programs with a library differ in its start only; what they do themselves is the same."""
    lossy = loses_steps()
    for name in ("signals", "rewrite", "calls"):
        program = build(COMPILED, f"c/{name}.c")
        if not program:
            skip(f"{name}.c", "gcc or the static library is not there")
            continue
        (emulated, before), (native, after) = (traced(backend, program) for backend in ("qemu", "native"))
        ok(emulated.returncode == native.returncode and emulated.stdout == native.stdout,
           f"{name}.c: the same output and exit status", emulated, native)
        if lossy:
            skip(f"{name}.c: the same number of interrupted instructions",
                 "the machine loses steps behind cpuid, which the library's start executes")
        else:
            ok(after and after["interrupted"] == before["interrupted"],
               f"{name}.c: the same number of interrupted instructions", all_of(before), all_of(after))
        mine = [{f["name"]: f["instructions"] for f in got["functions"] if f["name"] in functions_of(name)}
                for got in (before, after)]
        ok(mine[0] and mine[0] == mine[1], f"{name}.c: its own functions ran the same instructions", mine)


def functions_of(name):
    """Names of the functions that the source defines."""
    source = (PROGRAMS / "c" / f"{name}.c").read_text()
    return set(re.findall(r"^\w[\w ]*[ *](\w+)\([^;]*$", source, re.MULTILINE))


SOURCES = {
    "threads": """
#include <pthread.h>
#include <unistd.h>
static int sum[3];
static void *work(void *at) { for (int i = 0; i < 500; i++) *(volatile int *)at += i; return at; }
int main(void) {
	pthread_t threads[3];
	for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, &sum[i]);
	for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
	return sum[0] == 124750 && sum[2] == 124750 ? 5 : 1;
}""",
    "family": """
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int count, char **words) {
	int status;
	if (count > 1) return 6;
	if (fork() == 0) execl(words[0], words[0], "again", (char *)0);
	wait(&status);
	return WEXITSTATUS(status) + 1;
}""",
    "parts": """
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static volatile long sink;
static jmp_buf out;
__attribute__((noinline)) long leaf(long n) {
	long s = 0;
	for (long i = 0; i < n; i++) { s += i * 3; __asm__ volatile("" :: "r"(s)); }
	return s;
}
__attribute__((noinline)) long work(long n) {
	long s = leaf(n) + leaf(n / 2);
	__asm__ volatile("" : "+r"(s));
	return s;
}
__attribute__((noinline)) long leaps(long n) { if (leaf(n)) longjmp(out, 1); return 0; }
__attribute__((noinline)) long waste(long n) { return leaf(n); }
static void *thread(void *at) { for (int i = 0; i < 3; i++) sink += work(50); return at; }
int main(int count, char **words) {
	pthread_t other;
	sink = waste(count > 1 ? atol(words[1]) : 100);
	for (int i = 0; i < 5; i++) sink += work(100);
	pthread_create(&other, 0, thread, 0);
	pthread_join(other, 0);
	if (fork() == 0) { sink += work(10); _exit(3); }
	wait(0);
	if (!setjmp(out)) leaps(20);
	sink = waste(100);
	return 7;
}""",
    "asleep": """
#include <unistd.h>
int main(void) { write(1, "x", 1); pause(); return 0; }""",
    "flags": """
#include <stdint.h>
int main(void) {
	uint64_t pushed, kept;
	__asm__ volatile("pushfq\\n pop %0" : "=r"(pushed));
	__asm__ volatile("syscall\\n mov %%r11, %0" : "=r"(kept) : "a"(39) : "rcx", "r11", "memory");
	return (pushed & 0x100) || (kept & 0x100);
}""",
}


def compiled(name):
    source = folder / f"{name}.c"
    source.write_text(SOURCES[name])
    return programs.build(COMPILED, source, folder / name)


def whole_programs():
    program = compiled("threads")
    if not program:
        skip("threads, processes and signals", "gcc or the static library is not there")
        return
    done, got = traced("native", program)
    work = [f for f in got.get("functions", []) if f["name"] == "work"]
    ok(done.returncode == 5 and len(got["threads"]) == 4 and len(work) == 1 and work[0]["calls"] == 3,
       "threads are followed", done, work)
    done, got = traced("native", compiled("family"))
    ends = [(p["began"], p["ended"]) for p in got.get("processes", [])]
    ok(done.returncode == 7 and ends == [("start", "exit"), ("fork", "exec"), ("exec", "exit")],
       "processes and programs, too", done, ends)
    done, got = traced("native", compiled("family"), options=("--count-only", "--no-children"))
    ok(done.returncode == 7 and len(got["processes"]) == 1 and got["processes_not_followed"] == 1,
       "unless it is not wanted", done, got.get("processes"))
    done, got = traced("native", compiled("flags"))
    ok(done.returncode == 0 and got, "the program does not see the trap flag", done)


def signals():
    program = compiled("asleep")
    if not program:
        skip("signals", "gcc or the static library is not there")
        return
    report = folder / "signals"
    with subprocess.Popen([takt, "trace", "--count-only", "--backend=native", "--format=json",
                           f"--report={report}", "--", program], stdout=subprocess.PIPE) as child:
        child.stdout.read(1)
        time.sleep(0.2)
        child.send_signal(signal.SIGTERM)
        status = child.wait(LIMIT_SECONDS)
    got = json.loads(report.read_text())
    ok(status == 128 + 15 and got["signal"] == 15, "a signal to takt ends the program", status)
    with subprocess.Popen([takt, "trace", "--count-only", "--backend=native", "--", program],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        child.stdout.read(1)
        child.kill()
        child.wait(LIMIT_SECONDS)
        rest = child.stdout.read()
    ok(rest == b"", "if takt is killed, no process remains")


def log_of_a_run():
    program = build(ASSEMBLED, "x86-64/strings.s")
    log = folder / "log"
    done, got = traced("native", program, options=("--arch=SKX", "-o", str(log)))
    again = run("trace", "--arch=SKX", "--format=json", str(log))
    ok(done.returncode == again.returncode and all_of(got) == all_of(json.loads(again.stdout)),
       "a log of a native run gives the same figures", done, again)


def parts_of_programs():
    """Functions and windows are stepped, and the rest runs at full speed."""
    program = compiled("parts")
    if not program:
        skip("parts of programs", "gcc or the static library is not there")
        return
    windows_of(program)
    _, whole = traced("native", program)
    done, got = traced("native", program, options=("--count-only", "--step=work", "--step=leaps"))
    if "breakpoints" in done.stderr:
        skip("functions of programs", "the system does not grant the processor's breakpoints")
        return
    work, all_work = (next(f for f in result["functions"] if f["name"] == "work") for result in (got, whole))
    ok(done.returncode == 7 and got["seen"]["parts"] == 10 and "seen" not in whole,
       "functions are entered in threads, children and until longjmp", done, got.get("seen"))
    ok(work["calls"] == all_work["calls"] == 9 and work["total_instructions"] == all_work["total_instructions"],
       "they have the instructions that they have in the whole program", work, all_work)
    ok(not any(f["name"] in ("main", "waste") for f in got["functions"]) and got["interrupted"] == 0,
       "nothing else is seen", got["functions"])
    sides = [folder / name for name in ("whole.json", "part.json")]
    for side, result in zip(sides, (whole, got)):
        side.write_text(json.dumps(result))
    done = run("diff", *map(str, sides))
    ok(done.returncode == 2 and "--step" in done.stderr, "a part is not compared with a whole program", done)
    done, _ = traced("native", program, options=("--count-only", "--step=nowhere"))
    ok(done.returncode == 1 and "has a function 'nowhere'" in done.stderr, "a name that nothing has is an error", done)


def windows_of(program):
    """The program has the processor for some tenths of a second, in which the clock of 1 ms comes up."""
    done, got = traced("native", program, "1000000000", options=("--count-only", "--windows=500:1"))
    seen = got["seen"]
    # A window ends with its block, which has at most the instructions of one of qemu's.
    ok(done.returncode == 7 and seen["parts"] > 0 and seen["window_instructions"] == 500 and
       500 * (seen["parts"] - 2) <= got["instructions"] <= (500 + 512) * seen["parts"],
       "windows have their instructions", done, seen, got["instructions"])
    done = run("trace", "--backend=native", "--arch=SKX", "--windows=500:1", "--report=-", "--", str(program))
    ok("\nno interval: " in done.stdout, "the report of windows says why it has no interval", done)


AVX512 = """
.globl _start
_start:
	lea	buffer(%rip), %rdi
	mov	$100, %ecx
	mov	$0xf0, %eax
	kmovw	%eax, %k1
	vpxor	%xmm1, %xmm1, %xmm1
turn:	vpaddd	(%rdi), %zmm1, %zmm3
	vmovdqu32 %zmm3, (%rdi){%k1}
	vmovdqu32 %zmm3, 64(%rdi)
	kmovw	%k1, %k2
	vpgatherdd (%rdi,%zmm1,4), %zmm4{%k2}
	dec	%ecx
	jnz	turn
	mov	$60, %eax
	mov	$9, %edi
	syscall
.bss
.align 64
buffer:	.skip 256
"""
WRITES = """mov $1, %eax
	mov $1, %edi
	lea buffer(%rip), %rsi
	mov $0, %edx
	syscall
"""


def assembled(name, text):
    source = folder / f"{name}.s"
    source.write_text(text)
    return programs.build(ASSEMBLED, source, folder / name)


def beyond_qemu():
    """What qemu cannot run runs natively by itself, and counts as its code says."""
    late = assembled("late", AVX512.replace("_start:", "_start:\n" + WRITES, 1))
    program = assembled("avx512", AVX512)
    if not program or not late or not has("avx512f", "avx512vl"):
        skip("AVX-512", "gcc or the processor has none")
        return
    done, got = traced("auto", program, options=("--arch=SKX",))
    count = all_of(got)
    # 5 instructions before the loop, 7 in each turn, 3 behind it
    ok(done.returncode == 9 and count.get("instructions") == 5 + 700 + 3 and got["backend"] == "native" and
       "kmovw" in got["native_cause"], "a program with AVX-512 runs natively by itself", done, count)
    # in each turn a load of 64 bytes and 4 elements of 4; stores of 16 and of 64
    ok(count.get("loads") == 500 and count["load_bytes"] == 8000 and count["stores"] == 200 and
       count["store_bytes"] == 8000, "masks choose what is accessed", count)
    ok("qemu cannot execute" in done.stderr and "begun again" in done.stderr, "takt says so", done)
    _, asked = traced("native", program, options=("--arch=SKX",))
    ok(all_of(asked) == all_of(got) and "native_cause" not in asked, "as it does if asked for", all_of(asked))
    done, got = traced("qemu", program)
    ok(done.returncode == 132 and got["signal"] == 4 and got["fault"]["lacking"], "qemu alone fails by name", done)
    done, got = traced("auto", late)
    ok(done.returncode == 132 and "backend" not in got and "--backend=native" in done.stderr,
       "a program that has written something is not begun again", done)
    counted = run("count", "--backend=emulate", "-e", "INSTRUCTIONS", "--", str(program))
    ok(counted.returncode == 9 and "708" in counted.stdout + counted.stderr and
       "begun again" in counted.stderr, "takt count counts it", counted)
    diagnosed = run("diagnose", "--no-timing", "--arch=SKX", "--", str(program))
    ok(diagnosed.returncode == 9 and "KILLED" not in diagnosed.stderr, "takt diagnose diagnoses it", diagnosed)


def refused():
    other = build(["aarch64-linux-gnu-gcc", "-nostdlib", "-static"], "aarch64/pairs.s")
    if other:
        done, _ = traced("native", other)
        ok(done.returncode == 1 and "cannot run natively" in done.stderr, "another instruction set is refused", done)
    else:
        skip("another instruction set", "the compiler for AArch64 is not there")
    done, _ = traced("native", folder / "avx512", options=("--count-only", "--check"))
    ok(done.returncode == 2 and "--check" in done.stderr, "qemu's own count is refused", done)
    for options in (("--step=main",), ("--windows",)):
        done, _ = traced("qemu", folder / "avx512", options=("--count-only", *options))
        ok(done.returncode == 2 and "--backend=native" in done.stderr, "qemu runs whole programs", done)


with tempfile.TemporaryDirectory() as temporary:
    folder = pathlib.Path(temporary)
    reason = can_step()
    if reason:
        skip_all(reason)
    else:
        same_as_qemu()
        programs_in_c()
        whole_programs()
        signals()
        log_of_a_run()
        parts_of_programs()
        beyond_qemu()
        refused()
        finish()
