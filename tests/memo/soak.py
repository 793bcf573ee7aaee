#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a trace remembers comes out as what it simulates, on real programs and every core.

    soak.py [--quick] [--once] [--log-mb=N] [--cores=NAME,…] [--programs=NAME,…] [--scale=N]
            [--jobs=N] TAKT

Each program is traced once; its log is replayed on every built-in core of its instruction set,
with and without models of caches and branches in turn:

  - with --memo-check=1: every piece that was remembered is simulated again, and must come out the
    same, to the byte of the core's state;
  - without the memo: all figures must be those of the first replay;
  - with one in a hundred checked: likewise, and most is remembered now.

--quick: small programs on a few cores, for `make check`. --once: without the last replay. --log-mb: programs end when their logs have N MB, about 5 million instructions each. --scale: so
many times the work, about.
Programs that are not installed are skipped, and named.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = TESTS / "trace" / "programs" / "c"
KERNELS = ("chacha", "gemm", "hash-probe", "heap-sort", "histogram", "levenshtein", "string-find")
QUICK_CORES = ("SKL", "ZEN4", "ADL-P", "V2", "A72")
LIMIT_SECONDS = 3600
CUT_STATUS = 128 + signal.SIGKILL  # of programs that --log-mb ended, and of their replays
CROSS = "aarch64-linux-gnu-gcc"
MODELS = ((), ("--ideal=caches,branches",))

SOURCE = """
struct node{i} {{ struct node{i} *left, *right; int key; double weight; }};
int find{i}(const struct node{i} *n, int key)
{{
	while (n && n->key != key) n = key < n->key ? n->left : n->right;
	return n ? (int)n->weight : -{i};
}}
double sum{i}(const double *values, int count)
{{
	double total = 0;
	for (int i = 0; i < count; i++) total += values[i] * {i};
	return total;
}}
"""

count = failures = 0


def ok(good, what, *shown):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}", flush=True)
    if not good:
        for text in shown:
            print("# " + str(text)[:2000].replace("\n", "\n# "))


def skip(what, why):
    global count
    count += 1
    print(f"ok {count} - {what} # SKIP {why}", flush=True)


def read(command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


# ---- programs: name, instruction set, command; the command is None if it is not there ----

def installed(name, *arguments):
    path = shutil.which(name)
    return [path, *arguments] if path else None


def source(scale):
    path = folder / "soak.c"
    path.write_text("".join(SOURCE.format(i=i) for i in range(2 * scale)))
    return str(path)


def data(size_bytes):
    """Text that is neither all alike nor all different."""
    path = folder / "soak.txt"
    words = [bytes(f"word{i * i % 977} ", "ascii") for i in range(1000)]
    text = b"".join(words[i * i % 1000] for i in range(size_bytes // 8))
    path.write_bytes(text[:size_bytes])
    return str(path)


def gcc(path):
    if not shutil.which("gcc"):
        return None
    compiler = read(["gcc", "-print-prog-name=cc1"]).strip()
    return [compiler, "-quiet", "-O2", path, "-o", "/dev/null"]


def compiled(compiler, path, *arguments):
    target = folder / f"{compiler}-{path.stem}"
    if not shutil.which(compiler):
        return None
    done = subprocess.run([compiler, "-O2", "-static", "-pthread", "-o", target, path, "-lm"],
                          stderr=subprocess.DEVNULL, check=False)
    return None if done.returncode else [str(target), *arguments]


def kernel(name, times):
    """One of the kernels of `takt evaluate`, as a program for AArch64."""
    return (name, "aarch64", compiled(CROSS, TESTS.parent / "kernels" / f"{name}.c", str(times)))


def programs(scale):
    path = source(scale)
    clang = "clang-14" if shutil.which("clang-14") else "clang"
    python = os.path.realpath(sys.executable)
    return [
        ("clang", "x86-64", installed(clang, "-O2", "-c", path, "-o", "/dev/null")),
        ("gcc", "x86-64", gcc(path)),
        ("python3", "x86-64", [python, "-S", "-I", "-c",
                               f"print(sorted(str(i) for i in range({1000 * scale}))[:9])"]),
        ("ffmpeg", "x86-64", installed(
            "ffmpeg", "-v", "error", "-threads", "1", "-filter_threads", "1", "-f", "lavfi",
            "-i", f"testsrc=size=96x64:rate=5:duration={scale}", "-c:v", "mpeg4", "-f", "null",
            "-")),
        ("gzip", "x86-64", installed("gzip", "-9", "-k", "-c", data(20000 * scale))),
        ("threads", "x86-64", compiled("gcc", PROGRAMS / "threads.c", str(5 * scale), "5")),
        ("threads-a", "aarch64", compiled(CROSS, PROGRAMS / "threads.c", str(5 * scale), "5")),
        ("phases", "aarch64", compiled(CROSS, PROGRAMS / "phases.c")),
        *(kernel(name, 20 * scale) for name in KERNELS),
    ]


def quick_programs():
    return [
        ("gzip", "x86-64", installed("gzip", "-1", "-k", "-c", data(4000))),
        ("threads", "x86-64", compiled("gcc", PROGRAMS / "threads.c", "2", "3")),
        kernel("heap-sort", 2),
    ]


# ---- replays ----

def size_of(log):
    """Bytes of the log so far; takt writes to a temporary file beside it."""
    return max((path.stat().st_size for path in folder.glob(log.name + "*")), default=0)


def end_guest(takt_process):
    """Kill the program that is traced."""
    children = pathlib.Path(f"/proc/{takt_process.pid}/task/{takt_process.pid}/children")
    for pid in children.read_text(encoding="ascii").split():
        os.kill(int(pid), signal.SIGKILL)


def record(name, command, log_mb):
    log = folder / f"{name}.takt"
    with open(folder / "messages", "w+", encoding="utf-8") as messages, \
            subprocess.Popen([takt, "trace", "--count-only", "--no-profile",
                              f"--report={os.devnull}", "-o", str(log), "--", *command],
                             stdout=subprocess.DEVNULL, stderr=messages) as process:
        ends, is_cut = time.monotonic() + LIMIT_SECONDS, False
        while process.poll() is None:
            if time.monotonic() > ends:
                process.kill()
            if log_mb and not is_cut and size_of(log) > log_mb * 1000000:
                end_guest(process)
                is_cut = True
            time.sleep(0.02)
        messages.seek(0)
        if process.returncode not in ((0, CUT_STATUS) if is_cut else (0,)):
            ok(False, f"{name} can be traced", messages.read())
            return None
    return log


def replay(log, core, options):
    """Figures, with what the memo did apart; or the error."""
    done = subprocess.run([takt, "trace", f"--arch={core}", "--format=json", *options, str(log)],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    try:
        figures = json.loads(done.stdout)
    except ValueError:
        return None, {}, done.stderr
    good = done.returncode in (0, CUT_STATUS)
    return figures, figures.pop("memo"), "" if good else done.stderr


def difference(left, right, path=""):
    """The first figures that differ, by their paths in the result."""
    if isinstance(left, dict) and isinstance(right, dict):
        pairs = [(f"{path}.{key}", left.get(key), right.get(key)) for key in {**left, **right}]
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = [(f"{path}[{i}]", *values) for i, values in enumerate(zip(left, right))]
    else:
        return "" if left == right else f"{path}: {left}, {right}\n"
    return "".join(difference(a, b, name) for name, a, b in pairs if a != b)


def compare(job):
    name, log, core, models, once = job
    begun = time.monotonic()
    all_figures, all_memo, error = replay(log, core, ("--memo-check=1", *models))
    plain_figures, _, plain_error = replay(log, core, ("--no-memo", *models))
    some_figures, some_memo, other = all_figures, all_memo, error
    if not once:
        some_figures, some_memo, other = replay(log, core, ("--memo-check=100", *models))
    what = f"{name} on {core}" + (", ideal caches and branches" if models else "")
    if error or plain_error or other:
        return False, what, error, plain_error, other
    good = (all_memo["wrong"] == some_memo["wrong"] == 0 and
            all_memo["checked"] == all_memo["hits"] and
            all_figures == plain_figures == some_figures)
    remembered = 100 * some_memo["instructions"] / max(1, some_figures["instructions"])
    return good, (f"{what}: {all_figures['instructions']:,} instructions, "
                  f"{all_memo['checked']:,} pieces checked, {remembered:.0f} % remembered, "
                  f"{time.monotonic() - begun:.0f} s"), all_memo, some_memo, *(
                      difference(all_figures, figures)
                      for figures in (plain_figures, some_figures))


def cores_of(wanted):
    """Names by instruction set."""
    found = {}
    for line in read([takt, "model", "list"]).splitlines():
        row = re.match(r"(\S+) +\d+ +\d+ ", line)  # name, ports, forms
        name = row and row[1]
        if not name or (wanted and name not in wanted):
            continue
        shown = read([takt, "model", "show", name]).splitlines()
        isa = next((row.split()[1] for row in shown if row.startswith("isa ")), "x86-64")
        found.setdefault(isa, []).append(name)
    return found


def soak(arguments):
    chosen = quick_programs() if arguments.quick else programs(arguments.scale)
    cores = cores_of(arguments.cores.split(",") if arguments.cores else
                     QUICK_CORES if arguments.quick else ())
    jobs = []
    for number, (name, isa, command) in enumerate(chosen):
        if arguments.programs and name not in arguments.programs.split(","):
            continue
        if not command:
            skip(name, "not installed here")
            continue
        log = record(name, command, arguments.log_mb)
        for i, core in enumerate(cores.get(isa, ()) if log else ()):
            jobs.append((name, log, core, MODELS[(i + number) % len(MODELS)], arguments.once))
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(compare, jobs):
            ok(*result)


def main():
    global takt, folder
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--log-mb", type=float, default=0)
    parser.add_argument("--cores", default="")
    parser.add_argument("--programs", default="")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("takt")
    arguments = parser.parse_args()
    takt = str(pathlib.Path(arguments.takt).resolve())
    if not shutil.which("qemu-x86_64"):
        print("1..0 # SKIP qemu-x86_64 is not there")
        return 0
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        soak(arguments)
    print(f"1..{count}\n# {time.monotonic() - begun:.0f} s")
    return failures > 0


sys.exit(main())
