#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that do not end well, and those that make others: nothing of that goes unsaid.

    ends.py TAKT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip, skip_all  # noqa: E402

LIMIT_SECONDS = 300
takt = str(pathlib.Path(sys.argv[1]).resolve())

# Instructions as bytes, so that any assembler will do; argv[1] says how it ends.
SOURCE = """
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
extern char **environ;
__attribute__((noinline)) void avx512(void) { __asm__(".byte 0x62,0xf1,0x6d,0x48,0xfe,0xd9"); }
__attribute__((noinline)) void fp16(void) { __asm__(".byte 0x62,0xf5,0x6c,0x48,0x58,0xd9"); }
__attribute__((noinline)) void amx(void) { __asm__(".byte 0xc4,0xe2,0x78,0x49,0xc0"); }
static void *wait_for_ever(void *unused)
{
	for (;;)
		usleep(1000);
	return unused;
}
static void children(void)
{
	char *words[] = {"true", NULL};
	pid_t child = fork();

	if (child == 0) {
		child = fork();
		if (child > 0)
			waitpid(child, NULL, 0);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	child = vfork();
	if (child == 0) {
		execvp(words[0], words);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	posix_spawnp(&child, words[0], NULL, NULL, words, environ);
	waitpid(child, NULL, 0);
}
/* Branches that no predictor knows are simulated more slowly than they run. */
__attribute__((noinline)) static unsigned walk(unsigned state)
{
	unsigned sum = 0;

	for (int i = 0; i < 600000; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		if (state & 64)
			sum += state;
		if (state & 4096)
			sum ^= i;
	}
	return sum;
}
/* A child that may open no more files, not even those in /proc. */
static void confined(void)
{
	const struct rlimit none = {0, 0};
	pid_t child = fork();

	if (child == 0) {
		setrlimit(RLIMIT_NOFILE, &none);
		_exit(walk(1) == 7);
	}
	waitpid(child, NULL, 0);
}
int main(int argc, char **argv)
{
	pthread_t thread;
	const char *how = argc > 1 ? argv[1] : "";

	if (argc > 2)
		pthread_create(&thread, NULL, wait_for_ever, NULL);
	if (strcmp(how, "avx512") == 0)
		avx512();
	else if (strcmp(how, "fp16") == 0)
		fp16();
	else if (strcmp(how, "amx") == 0)
		amx();
	else if (strcmp(how, "trap") == 0)
		__builtin_trap();
	else if (strcmp(how, "abort") == 0)
		abort();
	else if (strcmp(how, "segv") == 0)
		*(volatile int *)1 = 0;
	else if (strcmp(how, "ill") == 0)
		raise(SIGILL);
	else if (strcmp(how, "children") == 0)
		children();
	else if (strcmp(how, "confined") == 0)
		confined();
	else if (strcmp(how, "exec") == 0)
		execlp("true", "true", NULL);
	return 0;
}
"""


def run(*arguments):
    return subprocess.run([takt, *arguments], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False)


def traced(*program, options=()):
    """(what it did, the JSON report)."""
    report = folder / "report"
    report.unlink(missing_ok=True)
    done = run("trace", "--count-only", "--backend=qemu", "--format=json", f"--report={report}",
               *options, "--", *program)
    return done, json.loads(report.read_text()) if report.exists() else {}


def unknown(program):
    for how, insn, extension in (("avx512", "vpaddd zmm3, zmm2, zmm1", "avx512f"),
                                 ("fp16", "vaddph zmm3, zmm2, zmm1", "avx512_fp16"),
                                 ("amx", "tilerelease", "amx_tile")):
        for words in ((program, how), (program, how, "thread")):
            done, got = traced(*words)
            fault = got.get("fault") or {}
            ok(done.returncode == 128 + 4 and got["signal"] == 4 and fault["lacking"] and
               (fault["instruction"] == insn or how == "amx") and
               fault["extension"].startswith(extension) and fault["place"].startswith(how + "+0x"),
               f"{' '.join(words[1:])}: named in JSON", done, fault)
            ok(f"killed by SIGILL at {how}+0x" in done.stderr and extension in done.stderr and
               "qemu cannot execute" in done.stderr, f"{how}: said at once", done)
    log = folder / "log"
    text = run("trace", "--count-only", "--backend=qemu", "-o", str(log), "--report=-", "--", program,
               "avx512")
    ok(text.stdout.startswith("KILLED: ") and "qemu cannot execute 'vpaddd" in text.stdout,
       "and in the first lines of the text", text)
    again = run("trace", "--count-only", str(log))
    ok(again.returncode == 128 + 4 and again.stdout == text.stdout and
       "killed by SIGILL" in again.stderr, "and of its log", again)
    # A processor that has FP16 runs the program by itself (native.py); most have none.
    if " avx512_fp16 " in pathlib.Path("/proc/cpuinfo").read_text():
        skip("takt diagnose and takt count", "this processor runs what qemu does not")
        return
    done = run("diagnose", "--no-timing", "--", program, "fp16")
    ok(done.returncode == 128 + 4 and "KILLED: " in done.stderr and "vaddph" in done.stderr,
       "and by takt diagnose", done)
    done = run("count", "--backend=emulate", "-e", "INSTRUCTIONS", "--", program, "fp16")
    ok(done.returncode == 128 + 4 and "KILLED: " in done.stderr and "vaddph" in done.stderr,
       "and by takt count", done)


def other_signals(program):
    for how, name, number in (("trap", "SIGILL", 4), ("abort", "SIGABRT", 6),
                              ("segv", "SIGSEGV", 11), ("ill", "SIGILL", 4)):
        done, got = traced(program, how)
        ok(done.returncode == 128 + number and got["signal"] == number and
           f"killed by {name}" in done.stderr, f"{how}: {name}", done, got.get("signal"))
        ok("cannot execute" not in done.stderr and
           bool(got["fault"]) == (how == "trap"), f"{how}: qemu lacks nothing", done)
        text = run("trace", "--count-only", "--report=-", "--", program, how)
        ok(text.stdout.startswith("KILLED: ") and name in text.stdout, f"{how}: in text", text)
        done = run("diagnose", "--no-timing", "--format=json", "--report=-", "--", program, how)
        ok(done.returncode == 128 + number and
           json.loads(done.stdout)["signal"] == number, f"{how}: by takt diagnose", done)


def not_followed(program):
    only = ("--no-children",)
    done, got = traced(program, "children", options=only)
    ok(done.returncode == 0 and got["processes_not_followed"] == 4,
       "fork, fork in its child, vfork and posix_spawn", done, got.get("processes_not_followed"))
    ok(traced(program, options=only)[1]["processes_not_followed"] == 0, "none")
    ok(traced(program, "", "thread", options=only)[1]["processes_not_followed"] == 0,
       "a thread is none")
    log = folder / "log"
    text = run("trace", "--count-only", *only, "-o", str(log), "--report=-", "--", program,
               "children")
    ok("4 processes that it made" in text.stdout and "not followed" in text.stdout, "in text", text)
    ok(run("trace", "--count-only", str(log)).stdout == text.stdout, "and of its log")
    done, got = traced(program, "exec", options=only)
    ok(done.returncode == 0 and got["became_other"] and got["processes"][0]["ended"] == "lost",
       "exec by itself", done)


def family(got):
    return [(p["began"], p["parent"], p["command"].split()[0].split("/")[-1], p["ended"])
            for p in got.get("processes", [])]


def sums(got):
    return sum(p["instructions"] for p in got["processes"]) == got["instructions"] and \
        all(sum(t["instructions"] for t, of in zip(got["threads"], got["thread_processes"])
                if of == i) == p["instructions"] for i, p in enumerate(got["processes"]))


def processes(program):
    done, got = traced(program, "children")
    ok(done.returncode == 0 and not got["processes_not_followed"] and sums(got) and
       family(got) == [("start", 0, "ends", "exit"), ("fork", 0, "ends", "exit"),
                       ("fork", 1, "ends", "exit"), ("fork", 0, "ends", "exec"),
                       ("exec", 3, "true", "exit"), ("fork", 0, "ends", "exec"),
                       ("exec", 5, "true", "exit")],
       "fork, fork in its child, vfork and posix_spawn", done, family(got))
    alone = traced("true")[1]["instructions"]
    ok(all(abs(p["instructions"] - alone) < 0.05 * alone for p in got["processes"]
           if p["began"] == "exec"), "a child costs what it costs alone", alone, got["processes"])
    ok(len(traced(program, "", "thread")[1]["processes"]) == 1, "a thread is none")
    log = folder / "log"
    text = run("trace", "--count-only", "-o", str(log), "--report=-", "--", program, "children")
    ok("exec of 3" in text.stdout and "true" in text.stdout, "in text", text)
    ok(run("trace", "--count-only", str(log)).stdout == text.stdout, "and of its log")
    done, got = traced(program, "exec")
    ok(done.returncode == 0 and not got["became_other"] and
       family(got) == [("start", 0, "ends", "exec"), ("exec", 0, "true", "exit")],
       "exec by itself", done, family(got))
    done, got = traced(program, "exec", "thread")
    ok(done.returncode == 0 and [p["thread_count"] for p in got["processes"]] == [2, 1] and
       sums(got), "exec with another thread", done, family(got))
    for command in ("trace", "--no-profile"), ("count", "-e", "INSTRUCTIONS", "--backend=emulate"), \
            ("diagnose", "--no-timing"):
        done = run(*command, "--", program, "children")
        ok(done.returncode == 0 and "not followed" not in done.stderr, f"{command[0]}", done)


def confined(program):
    """A child that may open no files still knows whether takt is there when it has to wait for it."""
    report = folder / "report"
    done = run("trace", "--arch=SKX", "--backend=qemu", "--format=json", f"--report={report}", "--", program, "confined")
    got = json.loads(report.read_text()) if done.returncode == 0 else {}
    ok(done.returncode == 0 and [p["ended"] for p in got["processes"]] == ["exit", "exit"] and
       got["processes"][1]["instructions"] > 600000, "a child that may open no files", done)


def shell(program):
    """What a pipe's programs cost, and how they end."""
    (folder / "data").write_text(SOURCE * 20)
    script = folder / "script"
    script.write_text("#!/bin/sh -e\nwc -c <\"$1\"\n")
    script.chmod(0o755)
    done, got = traced("sh", "-c", f"cat {folder}/data | wc -c")
    ok(done.returncode == 0 and done.stdout.strip() == str(20 * len(SOURCE)) and sums(got) and
       sorted(p["command"].split()[0] for p in got["processes"] if p["began"] == "exec")
       == ["cat", "wc"], "a pipe", done, family(got))
    done, got = traced("env", str(script), f"{folder}/data")
    ok(done.stdout.strip() == str(20 * len(SOURCE)) and
       [p["command"].split()[0] for p in got["processes"] if p["began"] == "exec"]
       == ["/bin/sh", "wc"], "a script with an argument", done, family(got))
    done, got = traced("sh", "-c", f"{program} segv; {program} avx512; exit 3")
    ok(done.returncode == 3 and [p["ended"] for p in got["processes"] if p["began"] == "exec"]
       == ["signal", "signal"] and got["processes"][0]["exit_status"] == 3,
       "children that are killed", done, family(got))
    done, got = traced("sh", "-c", "/nonexistent 2>/dev/null; exit 0")
    ok(done.returncode == 0 and not got["became_other"], "exec of nothing", done, family(got))
    # The second sleep leaves the first the time to begin, which takt would not see otherwise.
    runs_on = "sleep 9 >/dev/null 2>&1 & sleep 1; exit 0"
    done, got = traced("sh", "-c", runs_on)
    ok(done.returncode == 0 and [p["ended"] for p in got["processes"]].count("running") == 1,
       "a child that runs on", done, family(got))
    text = run("trace", "--count-only", "--report=-", "--", "sh", "-c", runs_on)
    ok("1 process still ran" in text.stdout, "is told of", text)
    subprocess.run(["gcc", "-m32", "-nostdlib", "-static", "-o", folder / "small", "-x", "c", "-"],
                   input="void _start(void)\n{ __asm__(\"mov $1,%eax; xor %ebx,%ebx; int $0x80\"); }",
                   text=True, check=True)
    try:
        subprocess.run([folder / "small"], check=True)
    except OSError:
        skip("a 32-bit program", "the kernel runs none")
    else:
        done, got = traced("sh", "-c", f"{folder}/small; exit 0")
        ok(done.returncode == 0 and got["became_other"] and
           got["processes"][1]["lost_path"] == f"{folder}/small", "a 32-bit program", done, got)
    done, got = traced("sh", "-c", "i=0; while [ $i -lt 300 ]; do (exit 0); i=$((i+1)); done")
    ok(len(got["processes"]) == 301 and sums(got), "300 processes, one after the other", done)
    os.mkfifo(folder / "fifo")
    done, got = traced("sh", "-c", f"exec 3<>{folder}/fifo; i=0; while [ $i -lt 140 ]; do "
                       "(read x <&3) & i=$((i+1)); done; "
                       "while [ $i -gt 0 ]; do echo >&3; i=$((i-1)); done; wait")
    left_out = got.get("processes_not_followed", 0)
    ok(done.returncode == 0 and len(got["processes"]) == 128 and left_out == 13 and sums(got),
       "more at once than there is room for", done, left_out, len(got["processes"]))


def full_disk(program):
    """A log for which there is no room is an error; an older file stays, and no part of a new one."""
    disk = folder / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", disk], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        skip("a log on a full disk", "a small disk cannot be mounted without root")
        return
    try:
        log = disk / "log"
        done = run("trace", "--count-only", "-o", str(log), "--", program, "trap")
        ok(done.returncode == 1 and f"cannot write '{log}': No space left on device" in done.stderr and
           not list(disk.iterdir()), "a log on a full disk: an error, and no file", done, list(disk.iterdir()))
        log.write_text("older")
        done = run("trace", "--count-only", "-o", str(log), "--", program, "trap")
        ok(done.returncode == 1 and [file.name for file in disk.iterdir()] == ["log"] and
           log.read_text() == "older", "and an older file stays", done, list(disk.iterdir()))
    finally:
        subprocess.run(["umount", disk], check=True)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    if os.uname().machine != "x86_64":
        skip_all("gcc is none for x86-64")
    (folder / "ends.c").write_text(SOURCE)
    subprocess.run(["gcc", "-O1", "-g", "-static", "-pthread", "-o", folder / "ends",
                    folder / "ends.c"], check=True)
    unknown(str(folder / "ends"))
    other_signals(str(folder / "ends"))
    not_followed(str(folder / "ends"))
    processes(str(folder / "ends"))
    confined(str(folder / "ends"))
    shell(str(folder / "ends"))
    full_disk(str(folder / "ends"))

sys.exit(finish())
