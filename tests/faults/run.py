#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every command, with each of its calls for memory, files and processes failing in turn.

    run.py [--all|--leaks] [--only=NAME] [--number=N --mode=once|onwards] [--jobs=N] TAKT INJECT.so

inject.c, preloaded, counts the calls that takt's own code makes and lets the one with number n fail: either it alone, or
all of its kind from then on. Whatever fails, a command must end by itself and soon, with an error
message and status 1 or 2, or with the very output of a run that nothing disturbs; a file it
was to write is then whole, or as it was before; it leaves no other files and no processes behind.

A place is a call with its innermost callers. --all tries every n; where one place calls more than REPEATS times, as
many of these calls, spread evenly. --leaks runs the same commands, and some that fail, under valgrind (with
--all; else a few of them). Without it, each place's first call is tried, and of these a sample that is the same every time.
"""
import argparse
import collections
import concurrent.futures
import ctypes
import os
import pathlib
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import tap  # noqa: E402

LIMIT_SECONDS = 60
SAMPLE = 36        # failures of a command that are tried without --all
REPEATS = 100      # with --all, calls that are tried of those from one and the same place
LIMITS_MB = (50, 70, 90, 100, 120, 150, 200, 250)
COUNT, ONCE, ONWARDS, SHORT = range(4)
MEMORY, WRITE = 1, 8
HEADER = struct.Struct("=IIQQQ")
RECORD = struct.Struct("=I4sQ")
RECORDS_MAX = 1 << 17
OLD = b"what was here before\n"
NUMBERS = re.compile(rb"[-+]?\d+(\.\d+)?|nan|inf")
PR_SET_CHILD_SUBREAPER = 36

parser = argparse.ArgumentParser()
parser.add_argument("--all", action="store_true")
parser.add_argument("--leaks", action="store_true")
parser.add_argument("--only")
parser.add_argument("--number", type=int)
parser.add_argument("--mode", default="once")
parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
parser.add_argument("takt")
parser.add_argument("inject")
options = parser.parse_args()
takt = str(pathlib.Path(options.takt).resolve())
inject = str(pathlib.Path(options.inject).resolve())
# What was identified or learnt on this machine is another file that a failure could hide.
os.environ.update(XDG_CACHE_HOME="/nonexistent", XDG_DATA_HOME="/nonexistent")


class Case:
    """A command; `outputs` are the files it writes, `timed` if figures differ from run to run."""

    def __init__(self, name, *arguments, outputs=(), timed=False, needs=(), stdin=None, share=1.0,
                 writes_others=False, status=0, repeats=REPEATS):
        self.name, self.arguments, self.outputs, self.timed = name, arguments, outputs, timed
        self.repeats = repeats
        self.limited = arguments[0] == "trace" and "run.takt" in arguments
        self.needs, self.stdin, self.share, self.status = needs, stdin, share, status
        # valgrind takes too long for a survey, and cannot follow into the sandbox.
        self.is_followed = not timed and arguments[0] != "characterize"
        self.writes_others = writes_others  # a database, a directory: kept from run to run by design


CASES = [
    Case("help", "help", "analyze"),
    Case("analyze text", "analyze", "--arch=SKX", "block.s"),
    Case("analyze hex", "analyze", "--arch=ZEN4", "--hex", "block.hex", "-o", "out.txt",
         "--export-graph=graph.dot", outputs=("out.txt", "graph.dot")),
    Case("analyze elf", "analyze", "--arch=SKX", "--function=work", "--format=json", "code.o",
         needs=("code.o",)),
    Case("analyze list", "analyze", "--arch=SKX", "--list", "code.o", needs=("code.o",)),
    Case("analyze aarch64", "analyze", "--arch=V2", "--hex", "aarch64.hex", share=0.5),
    Case("deps", "deps", "--arch=SKX", "--hex", "memory.hex", "-o", "out.txt",
         outputs=("out.txt",)),
    Case("predict", "predict", "--arch=SKX", "--jobs=2", "blocks.csv", status=1),
    Case("model show", "model", "show", "SKX", "--forms=add*", "-o", "out.txt",
         outputs=("out.txt",)),
    Case("model check", "model", "check", "SKX"),
    Case("model directory", "model", "check", "--model=models", "SKX", share=0.5),
    Case("model diff", "model", "diff", "SKX", "ICL", "--forms=add*", status=1, share=0.3),
    Case("model import", "model", "import", "--arch=SKL", "uops.info:rows.xml"),
    Case("measure", "measure", "--hex", "add.hex", "--rounds=3", "-o", "out.txt", timed=True,
         outputs=("out.txt",)),
    Case("measure batch", "measure", "--batch", "blocks.csv", "--rounds=3", timed=True,
         status=1),
    Case("trace live", "trace", "--arch=SKX", "--ideal=branches", "--report=out.txt", "-o", "log.takt", "--",
         "./program", outputs=("out.txt", "log.takt"), needs=("program",)),
    Case("trace log", "trace", "--arch=SKX", "--report=out.txt",
         "run.takt", outputs=("out.txt",), needs=("run.takt",)),
    Case("trace checkpoint", "trace", "--arch=SKX", "--checkpoint=state", "run.takt",
         needs=("run.takt",)),
    Case("count", "count", "--backend=emulate", "-g", "BRANCH", "-o", "out.txt", "--", "./program",
         outputs=("out.txt",), needs=("program",)),
    Case("count log", "count", "--backend=emulate", "-g", "BRANCH", "run.takt", needs=("run.takt",)),
    Case("count list", "count", "--list=SKX"),
    Case("diff", "diff", "before.json", "after.json", needs=("before.json",)),
    Case("diagnose", "diagnose", "--backend=auto", "--no-timing", "--arch=SKX", "--report=out.txt", "--", "./program",
         outputs=("out.txt",), needs=("program",)),
    Case("validate", "validate", "--kernels=ddot", "--levels=L1", "--arch=SKX", "-o", "out.txt",
         outputs=("out.txt",), needs=("program",), share=0.5),
    Case("bench", "bench", "--what=bandwidth", "--levels=L1", "--kernels=load", "--rounds=1",
         "--threads=1", timed=True, share=0.5, repeats=10),
    Case("characterize", "characterize", "--backend=sim:SKX", "--form=add r64, r64",
         share=0.15, repeats=2),
    Case("characterize all", "characterize", "--all", "--backend=sim:SKX", "--forms=inc r64",
         "-o", "survey.db", writes_others=True, share=0.15, repeats=2),
    Case("evaluate", "evaluate", "report", "evaluation", needs=("evaluation",)),
]


# ---- fixtures ------------------------------------------------------------------------------

PROGRAM = """
.globl _start
_start:
    mov $20, %ecx
    lea buffer(%rip), %rdi
again:
    mov (%rdi), %rax
    add %rcx, %rax
    mov %rax, 8(%rdi)
    dec %ecx
    jnz again
    mov $60, %eax
    xor %edi, %edi
    syscall
.bss
buffer: .space 64
"""
CODE = """
double work(const double *a, int n) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }
"""
HEX = {"block": "4801d8480fafc3", "aarch64": "2000028b", "memory": "48890348034310", "add": "4801d8"}
ROWS = """<?xml version="1.0"?><root><extension name="BASE">
<instruction asm="ADD" category="BINARY" extension="BASE" string="ADD (R64, R64)">
<operand idx="1" r="1" w="1" type="reg" width="64" name="REG0">RAX</operand>
<operand idx="2" r="1" type="reg" width="64" name="REG1">RAX</operand>
<architecture name="SKL"><measurement uops="1" ports="1*p0156" TP="0.25">
<latency start_op="1" target_op="1" cycles="1"/><latency start_op="2" target_op="1" cycles="1"/>
</measurement></architecture></instruction></extension></root>
"""


def quietly(*command):
    return subprocess.run([*map(str, command)], cwd=fixtures, capture_output=True, check=False,
                          stdin=subprocess.DEVNULL)


def make_fixtures():
    (fixtures / "block.s").write_text(
        "# LLVM-MCA-BEGIN\nadd %rbx, %rax\nimul (%rdi), %rax\nmov %rax, 8(%rdi)\n# LLVM-MCA-END\n")
    (fixtures / "blocks.csv").write_text("4801d8\n480fafc3\nzz\n4889034803431000\n")
    for name, digits in HEX.items():
        (fixtures / f"{name}.hex").write_text(digits + "\n")
    (fixtures / "program.s").write_text(PROGRAM)
    (fixtures / "code.c").write_text(CODE)
    (fixtures / "rows.xml").write_text(ROWS)
    (fixtures / "bad.s").write_text("add %rax, %rbx\nnonsense %rax\n")
    (fixtures / "models" / "cores").mkdir(parents=True)
    quietly("gcc", "-nostdlib", "-static", "-o", "program", "program.s")
    quietly("gcc", "-O1", "-g", "-c", "-o", "code.o", "code.c")
    if shutil.which("qemu-x86_64"):
        for name in ("before", "after"):
            quietly(takt, "trace", "--arch=SKX", "--format=json", f"--report={name}.json", "-o",
                    "run.takt", "--", "./program")
    else:
        (fixtures / "program").unlink(missing_ok=True)
    for whole, cut, size in (("code.o", "cut.o", 300), ("run.takt", "cut.takt", 200)):
        if (fixtures / whole).exists():
            (fixtures / cut).write_bytes((fixtures / whole).read_bytes()[:size])
    quietly(takt, "evaluate", "report", "evaluation")


# ---- a run -----------------------------------------------------------------------------------

class Result:
    def __init__(self, status, stdout, stderr, outputs, left, state):
        self.status, self.stdout, self.stderr = status, stdout, stderr
        self.outputs, self.left, self.state = outputs, left, state
        self.orphans = False


def fresh_folder():
    folder = pathlib.Path(tempfile.mkdtemp(dir=scratch))
    shutil.copytree(fixtures, folder / "in", symlinks=True)
    (folder / "tmp").mkdir()
    return folder


def run(case, mode, number=0, kinds=0, faulty=True, arguments=None, stdout=subprocess.PIPE, limit=None):
    """Runs it once; `limit`: a resource and how much of it there is."""
    folder = fresh_folder()
    inside = folder / "in"
    state = folder / "state"
    with open(state, "wb") as file:
        file.write(HEADER.pack(mode, kinds, number, 0, 0))
        file.truncate(HEADER.size + RECORD.size * RECORDS_MAX)
    for output in case.outputs:
        (inside / output).write_bytes(OLD)
    before = set(inside.rglob("*"))
    environment = dict(os.environ, TMPDIR=str(folder / "tmp"))
    if faulty:
        environment.update(LD_PRELOAD=inject, TAKT_FAULTS=str(state))
    bounds = (lambda: resource.setrlimit(limit[0], (limit[1], limit[1]))) if limit else None
    process = subprocess.Popen([takt, *(arguments or case.arguments)], cwd=inside, env=environment,
                               stdin=subprocess.DEVNULL, stdout=stdout, preexec_fn=bounds,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        stdout, stderr = process.communicate(timeout=LIMIT_SECONDS)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        stdout, stderr = process.communicate()
        status = "no end"
    result = Result(status, stdout, stderr,
                    {name: (inside / name).read_bytes() if (inside / name).exists() else None
                     for name in case.outputs},
                    sorted(str(path.relative_to(inside)) for path in
                           set(inside.rglob("*")) - before) +
                    sorted(path.name for path in (folder / "tmp").iterdir()), None)
    if result.outputs.get("log.takt", OLD) not in (OLD, None):
        # The log names files, whose folder is another each time.
        replay = subprocess.run([takt, "trace", "--count-only", "log.takt"], cwd=inside,
                                capture_output=True, check=False)
        result.outputs["log.takt"] = b"%d\n" % replay.returncode + replay.stdout
    result.orphans = session_lives(process.pid)
    with open(state, "rb") as file:
        header = HEADER.unpack(file.read(HEADER.size))
        result.calls, result.failed = header[3], header[4]
        if mode == COUNT:
            data = file.read(RECORD.size * min(result.calls, RECORDS_MAX))
            result.state = list(RECORD.iter_unpack(data))
    shutil.rmtree(folder)
    return result


def session_lives(session):
    """Whether processes of the session are still there a second later."""
    for _ in range(50):
        alive = False
        for entry in pathlib.Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
                except OSError:
                    continue
                alive |= int(fields[3]) == session and fields[0] != "Z"
        if not alive:
            return False
        time.sleep(0.02)
    os.killpg(session, signal.SIGKILL)
    return True


def shape(case, data):
    """What must be the same in each run: of what is timed, how lines begin."""
    if not case.timed or not data:
        return data
    return [[NUMBERS.sub(b"#", word) for word in re.split(rb"[,\s]+", line)[:2]]
            for line in data.splitlines()]


def judge(case, clean, result):
    """What is wrong with it, or None."""
    if result.status == "no end":
        return f"it does not end within {LIMIT_SECONDS} s"
    if result.status < 0 or result.status > 2:
        return f"status {result.status}"
    if result.orphans:
        return "it leaves processes behind"
    # Whatever opens a database next removes what SQLite leaves.
    extra = [name for name in result.left if name not in clean.left and
             not (result.status and name.endswith(("-wal", "-shm")))]
    if extra and not (case.writes_others and result.status):
        return f"it leaves {extra}"
    if re.search(rb"Success\n|\(null\)", result.stderr):
        return "the message does not name the cause"
    if result.status != clean.status or result.status:
        if result.status == clean.status and result.stderr == clean.stderr:
            return same_output(case, clean, result)
        if is_busy(case, result):
            return None
        if b"error: " not in result.stderr:
            return f"status {result.status} without an error"
        for name, data in result.outputs.items():
            if data not in (OLD, None) and shape(case, data) != shape(case, clean.outputs[name]):
                return f"'{name}' is neither as before nor whole"
            if data is None:
                return f"'{name}' is lost"
        return None
    return same_output(case, clean, result)


# What a measurement says, with status 1 and no error, where other work on the machine disturbed it.
BUSY = re.compile(rb"^ *status +(disturbed|unstable)\b", re.MULTILINE)


def is_busy(case, result):
    return case.timed and any(BUSY.search(data or b"")
                              for data in (result.stdout, *result.outputs.values()))


# What a report says of a file that it could not read for its names: they are then missing, not wrong.
DECLARED = re.compile(rb"^(?:note: |  )?no names of '.*': .", re.MULTILINE)


def same_output(case, clean, result):
    if any(DECLARED.search(data or b"") for data in (result.stdout, *result.outputs.values())):
        return None
    if case.writes_others and result.status == 0:
        missing = [name for name in clean.left if name not in result.left]
        if missing:
            return f"status 0 without {missing}"
    if shape(case, result.stdout) != shape(case, clean.stdout):
        return "status 0, but other output"
    for name, data in result.outputs.items():
        if shape(case, data) != shape(case, clean.outputs[name]):
            return f"status 0, but '{name}' is another"
    return None


# ---- which failures ----------------------------------------------------------------------

def chosen(case, records):
    """(mode, number, kinds): all, or a sample of places."""
    places = collections.defaultdict(list)
    for number, record in enumerate(records, 1):
        places[record].append(number)
    every = []
    for (kind, _, _), numbers in places.items():
        step = max(1, len(numbers) // case.repeats) if options.all else len(numbers)
        every += [(ONCE, number, kind) for number in numbers[::step]]
        if kind in (MEMORY, WRITE):
            every += [(ONWARDS, number, kind) for number in numbers[::step]]
    every.sort(key=lambda choice: (choice[1], choice[0]))
    most = max(4, int(SAMPLE * case.share))
    if options.all or len(every) <= most:
        return every
    return [every[i * len(every) // most] for i in range(most)]


def check_full(case, clean):
    """Full disks, limits of files and of memory, as the system has them. Yields what is wrong."""
    if clean.stdout and not case.status:
        with open("/dev/full", "wb") as full:
            result = run(case, COUNT, faulty=False, stdout=full)
        if result.status != 1 or b"cannot write to standard output: No space" not in result.stderr:
            yield f"> /dev/full: status {result.status}, {result.stderr[:200]!r}"
    for name in case.outputs:
        arguments = [argument.replace(name, "/dev/full") for argument in case.arguments]
        result = run(case, COUNT, faulty=False, arguments=arguments)
        if result.status != 1 or b"'/dev/full': No space" not in result.stderr:
            yield f"{name} -> /dev/full: status {result.status}, {result.stderr[:200]!r}"
    limits = [(resource.RLIMIT_FSIZE, 10)] if case.outputs else []
    if case.limited:
        limits += [(resource.RLIMIT_AS, size << 20) for size in LIMITS_MB]
    for limit in limits:
        result = run(case, COUNT, faulty=False, limit=limit)
        # Where not even the libraries can be loaded, that is the loader's to say.
        wrong = None if result.status == 127 else judge(case, clean, result)
        if wrong:
            yield f"resource {limit}: {wrong}: {result.stderr[:200]!r}"


def try_case(case, pool):
    for need in case.needs:
        if not (fixtures / need).exists():
            tap.skip(case.name, f"there is no '{need}'")
            return
    plain = run(case, COUNT, faulty=False)
    clean = run(case, COUNT)
    if case.timed and (plain.status != case.status or clean.status != case.status):
        tap.skip(case.name, "nothing can be timed here: " + plain.stderr.decode(errors="replace")
                 .partition("\n")[0])
        return
    if not tap.ok(clean.status == case.status and clean.calls > 0 and plain.status == clean.status and
                  (case.timed or plain.stdout == clean.stdout),
                  f"{case.name}: undisturbed", clean.status, clean.stderr, plain.stderr):
        return
    if options.number:
        choices = [({"once": ONCE, "onwards": ONWARDS}[options.mode], options.number,
                    clean.state[options.number - 1][0])]
    else:
        choices = chosen(case, clean.state)
    futures = {pool.submit(run, case, *choice): choice for choice in choices}
    bad, fired = [], 0
    for future in concurrent.futures.as_completed(futures):
        mode, number, kinds = futures[future]
        result = future.result()
        fired += result.failed > 0
        wrong = judge(case, clean, result)
        if options.number:
            print(result.status, result.stdout.decode(), result.stderr.decode(), result.outputs,
                  result.left)
        if wrong:
            what = clean.state[number - 1][1].rstrip(b"\0").decode()
            bad.append((number, f"{'onwards' if mode == ONWARDS else 'once'} {number} ({what}): {wrong}: "
                                f"{result.stderr[:300]!r}"))
    short = run(case, SHORT)
    wrong = judge(case, clean, short) or (short.status != clean.status and "another status")
    if wrong:
        bad.append((0, f"short and interrupted transfers: {wrong}: {short.stderr[:300]!r}"))
    bad += [(0, text) for text in check_full(case, clean)]
    tap.ok(not bad, f"{case.name}: {clean.calls} calls, {len(choices)} failures, of which "
                    f"{fired} happened", *[text for _, text in sorted(bad)])


# ---- leaks -----------------------------------------------------------------------------------

# What fails on the way: it must free what it had until then. Only what valgrind can follow.
FAILURES = [
    ("analyze", "--arch=SKX", "bad.s"),
    ("analyze", "--arch=SKX", "--syntax=att", "bad.s"),
    ("analyze", "--arch=V2", "bad.s"),
    ("analyze", "--arch=SKX", "cut.o"),
    ("analyze", "--arch=none", "block.s"),
    ("deps", "--arch=SKX", "bad.s"),
    ("trace", "--count-only", "cut.takt"),
    ("trace", "--count-only", "bad.s"),
    ("trace", "--", "./none"),
    ("count", "--backend=emulate", "-g", "NONE", "--", "./program"),
    ("count", "-g", "BRANCH", "--", "./program"),
    ("diagnose", "--backend=auto", "--", "./none"),
    ("diagnose", "--backend=pmu", "--", "./program"),
    ("diff", "cut.takt", "after.json"),
    ("model", "import", "--arch=SKL", "uops.info:bad.s"),
    ("model", "import", "--arch=SKL", "osaca:bad.s"),
    ("validate", "--kernels=none"),
    ("evaluate", "build", "none", "--kernels=none"),
    ("characterize", "--backend=sim:SKX", "--form=none"),
]
VALGRIND = ("valgrind", "--quiet", "--leak-check=full", "--show-leak-kinds=definite,indirect,possible",
            "--errors-for-leak-kinds=definite,indirect,possible", "--error-exitcode=99",
            f"--suppressions={pathlib.Path(__file__).parent / 'loader.supp'}")


def check_leaks(arguments):
    folder = fresh_folder()
    done = subprocess.run([*VALGRIND, takt, *arguments], cwd=folder / "in", capture_output=True,
                          stdin=subprocess.DEVNULL, timeout=5 * LIMIT_SECONDS, check=False,
                          env=dict(os.environ, TMPDIR=str(folder / "tmp")))
    shutil.rmtree(folder)
    found = [line for line in done.stderr.decode(errors="replace").splitlines()
             if line.startswith("==")]
    return arguments, done.returncode in (0, 1, 2), found[:20]


def check_all_leaks(pool):
    if not shutil.which("valgrind"):
        tap.skip("leaks", "valgrind is not installed")
        return
    cases = [case for case in CASES if case.is_followed and
             all((fixtures / need).exists() for need in case.needs)]
    runs = [case.arguments for case in cases if options.all or case.name == "diagnose"]
    runs += FAILURES if options.all else FAILURES[::4]
    for arguments, good, found in pool.map(check_leaks, runs):
        tap.ok(good, "no leaks: " + " ".join(arguments), *found)


def main():
    global scratch, fixtures
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        fixtures = scratch / "fixtures"
        fixtures.mkdir()
        make_fixtures()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            if options.leaks:
                check_all_leaks(pool)
            for case in CASES:
                if not options.leaks and options.only in (None, case.name):
                    begin = time.monotonic()
                    try_case(case, pool)
                    print(f"# {time.monotonic() - begin:.1f} s", flush=True)
    return tap.finish()


sys.exit(main())
