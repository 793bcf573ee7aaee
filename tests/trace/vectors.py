#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt trace: vector instructions of RISC-V take as long as what they run under says.

    vectors.py TAKT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import programs  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

CORE = "llvm:riscv64:sifive-p670"
LIMIT_SECONDS = 60
TURNS = 500
BUILD = ["clang", "--target=riscv64-linux-gnu", "-march=rv64gcv", "-nostdlib", "-static",
         "-fuse-ld=lld", "-mno-relax"]
ENVIRONMENT = {**os.environ, "QEMU_CPU": "rv64,v=true,vext_spec=v1.0"}
KERNEL = "\tvadd.vv v8, v0, v16\n\tvadd.vv v24, v0, v16\n\tadd a3, a3, a4\n"
BEGIN = "\t.globl _start\n_start:\n"
EXIT = "\tli a7, 93\n\tli a0, 0\n\tecall\n"

takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, env=ENVIRONMENT,
                          timeout=LIMIT_SECONDS, check=False)


def build(name, text):
    source, target = folder / f"{name}.s", folder / name
    source.write_text(BEGIN + text + EXIT)
    return programs.build(BUILD, source, target)


def figures(*arguments):
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    check = [] if "--no-memo" in arguments else ["--memo-check=1"]
    done = run("trace", f"--arch={CORE}", "--format=json", *check, f"--report={report}",
               *arguments)
    try:
        return json.loads(report.read_text())
    except (OSError, ValueError):
        comment(f"{arguments}: {done.stderr}")
        return None


def set_to(lmul):
    return f"\tvsetvli a5, zero, e32, {lmul}, ta, ma\n"


def loop(body, turns=TURNS):
    return f"\tli t0, {turns}\n.Lloop:\n{body}\taddi t0, t0, -1\n\tbnez t0, .Lloop\n"


def cycles_per_turn(name, before, body):
    """What a turn takes once all is as it always is, and the figures of the longer run."""
    short, long = (figures("--", build(f"{name}{turns}", before + loop(body, turns)))
                   for turns in (TURNS, 2 * TURNS))
    return (long["cycles"] - short["cycles"]) / TURNS, long


def analyzed(name, before):
    source = folder / f"{name}-loop.s"
    source.write_text(before + loop(KERNEL))
    done = run("analyze", f"--arch={CORE}", "--no-sensitivity", "--engine=sim", "--format=json",
               str(source))
    return json.loads(done.stdout)["cycles_per_iteration"]


def constant():
    """As takt analyze has it, whatever the width."""
    found = {}
    for lmul in ("mf2", "m1", "m2", "m4", "m8"):
        found[lmul], all_of_it = cycles_per_turn(lmul, set_to(lmul), KERNEL)
        wanted = analyzed(lmul, set_to(lmul))
        # The runs' ends may differ by a few cycles, of 500 turns; where this was written the
        # figures are equal.
        ok(abs(found[lmul] - wanted) <= 0.02 * wanted, f"{lmul}: as analysed, {wanted} cycles",
           found[lmul])
        ok(all_of_it["unsettled_instructions"] == 0 and all_of_it["memo"]["wrong"] == 0,
           f"{lmul}: all is known", all_of_it["memo"])
    # 8 cycles against 2: between the two additions' 8 registers and the loop's own limit.
    ok(found["m8"] > 3 * found["m1"], "eight registers take longer than one", found)


def changing():
    """The same code under two settings: a function, and a block that begins in its middle."""
    calls = (set_to("m1") + "\tcall f\n" + set_to("m8") + "\tcall f\n" + "\tj 1f\nf:\n" + KERNEL +
             "\tret\n1:\n")
    both, all_of_it = cycles_per_turn("calls", "", calls)
    one, _ = cycles_per_turn("calls1", "", calls.replace("m8", "m1"))
    eight, _ = cycles_per_turn("calls8", "", calls.replace("m1,", "m8,"))
    ok(one < both < eight, "a function called under two settings takes as long as under each",
       one, both, eight)
    # As above: 2 % of 9, rounded up. It is 9.0 where this was written.
    ok(abs(both - 9) <= 0.2, "two additions of 8 cycles and two of 1, on two ports: 9 cycles", both)
    ok(all_of_it["memo"]["wrong"] == 0, "and is remembered as two", all_of_it["memo"])


def unknown():
    """vsetvl takes the settings from a register, which traces do not record."""
    program = build("register", "\tli a6, 0xd0\n\tvsetvl a5, zero, a6\n" + loop(KERNEL))
    result = figures("--", program)
    ok(result["unsettled_instructions"] == 2 * TURNS, "vector instructions behind vsetvl",
       result["unsettled_instructions"])
    done = run("trace", f"--arch={CORE}", "--no-profile", "--", program)
    ok(f"{2 * TURNS:,} vector instructions were executed while LMUL and SEW were not known" in done.stderr,
       "of which the report says so", done.stderr)
    again = build("again", "\tli a6, 0xd0\n\tvsetvl a5, zero, a6\n" + set_to("m1") + loop(KERNEL))
    ok(figures("--", again)["unsettled_instructions"] == 0, "vsetvli makes them known again")
    whole = build("whole", "\tli a6, 0xd0\n\tvsetvl a5, zero, a6\n" +
                  loop("\tvl1re8.v v8, (sp)\n"))
    ok(figures("--", whole)["unsettled_instructions"] == 0,
       "loads of whole registers take what they take")


def kept():
    """A log holds all that is needed."""
    program = build("log", "\tli s1, 20\n2:\n" + set_to("m1") + loop(KERNEL, 50) +
                    set_to("m8") + loop(KERNEL, 50).replace("Lloop", "Lwide") +
                    "\taddi s1, s1, -1\n\tbnez s1, 2b\n")
    log = folder / "log.takt"
    live = figures("-o", str(log), "--", program)
    ok(live["cycles"] == figures(str(log))["cycles"], "a log gives the same cycles")
    ok(live["cycles"] == figures("--no-memo", str(log))["cycles"], "without a memo, too")


def main():
    if programs.missing("clang", "qemu-riscv64"):
        skip_all(programs.missing("clang", "qemu-riscv64"))
    program = build("probe", set_to("m1"))
    if not program or run("trace", f"--arch={CORE}", "--", program).returncode:
        skip_all("vector programs for riscv64 cannot be built or run here")
    constant()
    changing()
    unknown()
    kept()
    return finish()


with tempfile.TemporaryDirectory() as place:
    folder = pathlib.Path(place)
    sys.exit(main())
