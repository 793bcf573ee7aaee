#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt as a tool of Compiler Explorer: the wrapper with what that passes.

compiler_explorer.py TAKT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from tap import finish, ok, skip  # noqa: E402

TAKT = pathlib.Path(sys.argv[1]).resolve()
WRAPPER = ROOT / "tools" / "compiler-explorer" / "takt-compiler-explorer"

# As the assembly pane shows it: names demangled, directives and unused labels filtered, Intel syntax.
FILTERED = """\
sum(std::span<double const, 18446744073709551615ul>):
        lea     rdx, [rdi+rsi*8]
        cmp     rdi, rdx
        je      .L4
        vxorpd  xmm0, xmm0, xmm0
.L3:
        vaddsd  xmm0, xmm0, QWORD PTR [rdi]
        add     rdi, 8
        cmp     rdx, rdi
        jne     .L3
        ret
.L4:
        vxorpd  xmm0, xmm0, xmm0
        jmp     operator delete(void*, unsigned long)
"""
# As the compiler wrote it, which tools of llvm-mca's kind get: all directives, mangled names.
RAW = """\
\t.file\t"example.cpp"
\t.intel_syntax noprefix
\t.text
\t.p2align 4
\t.globl\t_Z3sumSt4spanIKdLm18446744073709551615EE
\t.type\t_Z3sumSt4spanIKdLm18446744073709551615EE, @function
_Z3sumSt4spanIKdLm18446744073709551615EE:
.LFB1:
\t.file 1 "/app/example.cpp"
\t.loc 1 5 1
\t.cfi_startproc
\tlea\trdx, [rdi+rsi*8]
\tvxorpd\txmm0, xmm0, xmm0
\t.p2align 4,,10
\t.p2align 3
.L3:
\t.loc 1 7 5
\tvaddsd\txmm0, xmm0, QWORD PTR [rdi]
\tadd\trdi, 8
\tcmp\trdx, rdi
\tjne\t.L3
\tret
\t.cfi_endproc
.LFE1:
\t.size\t_Z3sumSt4spanIKdLm18446744073709551615EE, .-_Z3sumSt4spanIKdLm18446744073709551615EE
\t.ident\t"GCC: (Compiler-Explorer-Build) 13.2.0"
\t.section\t.note.GNU-stack,"",@progbits
"""
ARM = """\
sum(double const*, long):
        movi    d0, #0
.L3:
        ldr     d31, [x0], 8
        fadd    d0, d0, d31
        cmp     x0, x1
        bne     .L3
        ret
"""


def tool(*arguments, text="", **settings):
    environment = {**os.environ, "TAKT": str(TAKT), **settings}
    return subprocess.run([WRAPPER, *arguments], input=text, capture_output=True, text=True, check=False, env=environment, timeout=60)


def check(run, core, cycles, what):
    first = run.stdout.splitlines()
    ok(run.returncode == 0 and any(f"{core} " in line for line in first[:2]) and any(line.startswith(f"{cycles} cycles per iteration") for line in first[:4]),
       what, run.stdout[:400], run.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        filtered, raw, arm = (pathlib.Path(folder) / name for name in ("example.s.osaca", "output.s.mca", "arm.s.mca"))
        for path, text in (filtered, FILTERED), (raw, RAW), (arm, ARM):
            path.write_text(text)
        mca = ["-mtriple=x86_64-unknown-linux-gnu", "-mcpu=generic"]
        check(tool(*mca, raw), "SKX", "4.00", "llvm-mca's tool, no core chosen")
        check(tool("-mtriple=x86_64-unknown-linux-gnu", "-mcpu=haswell", raw), "HSW", "3.00", "the core of -march=haswell")
        check(tool("-mtriple=x86_64-unknown-linux-gnu", "-mcpu=x86-64-v3", raw), "SKX", "4.00", "a level is no core")
        check(tool(*mca, "--arch=ZEN4", raw), "ZEN4", "3.00", "the user's option wins")
        check(tool(filtered), "SKX", "4.00", "OSACA's tool: filtered text with demangled names")
        check(tool("--arch=ICL", text=FILTERED), "ICL", "4.00", "text on standard input")
        check(tool(*mca, raw, TAKT_CORE="ZEN3"), "ZEN3", "3.00", "the site's core")
        check(tool("-mtriple=aarch64-unknown-linux-gnu", "-mcpu=generic", arm), "V2", "2.00", "AArch64")
        run = tool(*mca, raw)
        ok("\x1b" not in run.stdout and max(map(len, run.stdout.splitlines())) <= 110, "plain text of bearable width")
        run = tool(*mca, "-timeline", "-iterations=3", raw)
        ok(run.returncode == 0 and "timeline" in run.stdout.lower(), "options of llvm-mca", run.stdout[-300:], run.stderr)
        run = tool(*mca, "--nonsense", raw)
        ok(run.returncode == 2 and "unknown option" in run.stderr, "a wrong option is named", run.stderr)
        if shutil.which("gcc"):
            source, built = pathlib.Path(folder) / "sum.c", pathlib.Path(folder) / "output.o"
            source.write_text("double sum(const double *a, long n) { double s = 0; for (long i = 0; i < n; i++) s += a[i]; return s; }\n")
            subprocess.run(["gcc", "-O2", "-c", "-o", built, source], check=True)
            check(tool(built), "SKX", "4.00", "an object file")
        else:
            skip("an object file", "there is no gcc")
    return finish()


sys.exit(main())
