#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace --timeline: a part of a loop's run is what takt analyze shows of it, once steady.

    timeline.py TAKT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing, without_memo  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

LOOP = """	.p2align 6
top:	mov (%rsi), %rax
	imul %rax, %rdx
	add %rdx, %rbx
	mov %rbx, 8(%rsi)
	addss %xmm1, %xmm0
	dec %ecx
	jnz top
"""
PROGRAM = """	.globl _start
	.text
_start:	mov $20000, %ecx
	lea place(%rip), %rsi
""" + LOOP + """	mov $60, %eax
	xor %edi, %edi
	syscall
	.bss
	.p2align 6
place:	.skip 64
"""
INSNS = 7       # of an iteration
SLOTS = 6       # the branch is fused to what it tests
ITERATIONS = 8  # compared

takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments):
    done = subprocess.run([takt, *map(str, arguments)], capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode:
        comment(done.stderr)
    return done.stdout


def read_konata(text):
    """For each slot in order: its text, and the cycles in which it was renamed and retired."""
    cycle, slots = 0, {}
    for line in text.splitlines():
        part = line.split("\t")
        if part[0] in ("C", "C="):
            cycle = int(part[1]) + (cycle if part[0] == "C" else 0)
        elif part[0] == "L" and part[2] == "0":
            slots[int(part[1])] = [re.sub(r"^\[[0-9,]*\] (top: )?", "", part[3]), None, None]
        elif part[0] == "S" and part[3] == "0" and part[4] == "Rn":
            slots[int(part[1])][1] = cycle
        elif part[0] == "R":
            slots[int(part[1])][2] = cycle
    return [slots[number] for number in sorted(slots)]


def steps(slots):
    """From slot to slot of the last iterations: how much later they are retired."""
    last = slots[-SLOTS * ITERATIONS:]
    return [b[2] - a[2] for a, b in zip(last, last[1:])]


def pattern(slots):
    """The same, from the loop's first instruction on."""
    first = next(i for i, slot in enumerate(slots) if slot[0].startswith("mov rax"))
    return steps(slots[first:first + SLOTS * ITERATIONS])


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    (folder / "loop.s").write_text(LOOP)
    (folder / "program.s").write_text(PROGRAM)
    program, log = folder / "program", folder / "log"
    subprocess.run(["gcc", "-nostdlib", "-static", "-o", program, folder / "program.s"], check=True)
    run("trace", "--count-only", "--report=/dev/null", "-o", log, "--", program)
    alone = read_konata(run("analyze", "--arch=SKL", "--timeline=200", "--timeline-format=konata",
                            folder / "loop.s"))
    out = folder / "timeline"
    wanted = (ITERATIONS + 2) * INSNS
    plain = run("trace", "--arch=SKL", "--ideal=caches,branches", "--format=json", log)
    shown = run("trace", "--arch=SKL", "--ideal=caches,branches", "--format=json", f"--timeline=100000:{wanted}",
                "--timeline-format=konata", f"--timeline-output={out}", log)
    # What is recorded is not remembered.
    ok(shown and without_memo(shown) == without_memo(plain),
       "the totals are the same as without it", shown, plain)
    part = read_konata(out.read_text())
    ok(len(part) == (ITERATIONS + 2) * SLOTS, "all instructions are there", len(part))
    ok(pattern(part) == steps(alone), "the same relative cycles as of the loop alone",
       pattern(part), steps(alone))
    run("trace", "--arch=SKL", f"--timeline=0:{wanted}", "--timeline-format=perfetto",
        f"--timeline-output={out}", log)
    ok(json.loads(out.read_text()), "the beginning, as JSON")
    text = run("trace", "--arch=SKL", "--report=-", "--timeline=0:8", "--", program)
    ok("instructions per cycle" in text and "timeline of thread 0 from instruction 0 on" in text,
       "a run's report and timeline, both on standard output", text[-2000:])
    text = run("trace", "--arch=SKL", "--timeline=139990", log)
    ok("timeline of thread 0 from instruction 139990 on" in text and "syscall" in text,
       "the end, behind the report", text[-2000:])
    text = run("trace", "--arch=SKL", "--timeline=139990", "--timeline-thread=1", log)
    ok("timeline of" not in text, "none of a thread that is not there")
    for wrong in ("x", "1:", "1:0", "1:4097", "-1", "1:2:3"):
        done = subprocess.run([takt, "trace", "--arch=SKL", f"--timeline={wrong}", str(log)],
                              capture_output=True, text=True, check=False)
        ok(done.returncode == 2 and "--timeline" in done.stderr, f"refused: {wrong}", done)
sys.exit(finish())
