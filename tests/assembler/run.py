#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile assembly text: takt names the line, ends with status 1 and leaves nothing behind.

Limits of time here are far beyond what takt takes on a slow machine: they end a test that hangs.
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import wait_for  # noqa: E402
from tap import comment, finish, ok, skip  # noqa: E402

LIMIT_SECONDS = 240
SECRET = "0123456789abcdef-secret"

takt = str(pathlib.Path(sys.argv[1]).resolve())


def check(good, what, shown=""):
    if not ok(good, what):
        comment("\n".join(str(shown).splitlines()[:20]))


def analyze(path, *options, arch="SPR"):
    return subprocess.run([takt, "analyze", f"--arch={arch}", *options, str(path)],
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False,
                          errors="replace")


def refused(path, line, message, *options, arch="SPR"):
    """The text is refused with this message at this line, and with a caret."""
    done = analyze(path, *options, arch=arch)
    wanted = f"{path}:{line}:"
    good = (done.returncode == 1 and not done.stdout and SECRET not in done.stderr
            and any(row.startswith(wanted) and message in row
                    for row in done.stderr.splitlines())
            and "^" in done.stderr)
    check(good, f"{path.name}: line {line}: {message}", f"exit {done.returncode}\n{done.stderr[:2000]}")


def children_of(pid):
    """Processes whose parent is `pid`."""
    found = []
    for status in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            found.append(int(status.parent.name))
    return found


def is_running(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return False
    return fields[0] != "Z"


ARCHS = (("SPR", "incl %eax"), ("V2", "add x0, x0, 1"), ("llvm:riscv64:sifive-u74", "addi a0, a0, 1"))


def has_arch(folder, arch, insn):
    text = folder / "probe.s"
    text.write_text(insn + "\n")
    return analyze(text, "--whole", arch=arch).returncode == 0


def test_files(folder, arch, insn):
    """Directives that read files, in every set; what they would read never shows."""
    secret = folder / "secret.s"
    secret.write_text(f"{insn}\n.ascii \"{SECRET}\"\n")
    texts = {
        "incbin": (3, f"{insn}\n{insn}\n.incbin \"{secret}\"\n"),
        "include": (2, f"{insn}\n.include \"{secret}\"\n{insn}\n"),
        "capitals": (1, f"x: .InClUdE \"{secret}\"\n{insn}\n"),
        "macro": (4, f".macro m a b\n.\\a\\b \"{secret}\"\n.endm\nm inc bin\n"),
        "irpc": (2, f"{insn}\n.irpc c,n\n.i\\c\\()clude \"{secret}\"\n.endr\n"),
        "device": (1, ".incbin \"/dev/zero\"\n"),
        "environment": (2, f"{insn}\n.include \"/proc/self/environ\"\n"),
    }
    for name, (line, text) in texts.items():
        path = folder / f"{name}.s"
        path.write_text(text)
        refused(path, line, "reads another file, which takt refuses", arch=arch)


def test_crashes(folder):
    texts = {
        "division": (3, "nop\nnop\nmov eax, [1/0]\n", "it divided by zero"),
        "remainder": (2, ".intel_syntax noprefix\nmov eax, 5 mod 0\n", "it divided by zero"),
        "parentheses": (2, "nop\n.quad " + "(" * 3_000_000 + "\n", "nested too deeply"),
        "signs": (2, "nop\n.quad " + "-" * 3_000_000 + "1\n", "nested too deeply"),
    }
    for name, (line, text, message) in texts.items():
        path = folder / f"{name}.s"
        path.write_text(text)
        refused(path, line, message)


def test_endless(folder):
    nested = "".join(".rept 1000\n" for _ in range(4)) + "incl %eax\n" + ".endr\n" * 4
    macros = ".macro m0\n" + "nop\n" * 100 + ".endm\n" + "".join(
        f".macro m{i}\nm{i - 1}\nm{i - 1}\n.endm\n" for i in range(1, 19)) + \
        ".rept 1000\nm18\n.endr\n"
    doubled = "".join(f".set a{i}, a{i + 1}+a{i + 1}\n" for i in range(60)) + ".set a60, 1\n"
    n = 100_000
    texts = {
        "repetition": (2, "nop\n.rept 100000000\nnop\n.endr\n", "more than 4000000 instructions"),
        "nested": (1, nested, "more than 4000000 instructions"),
        "doubling-macros": (175, macros, "more than 4000000 instructions"),
        "doubling-symbols": (62, doubled + ".quad a0\n", "did not finish this within 20 s"),
        "unused-symbols": (1, doubled + "nop\n", "'a0' is made of too many other symbols"),
        "chain": (1, "".join(f".set a{i}, a{i + 1}+1\n" for i in range(n)) + f".set a{n}, 1\n",
                  "'a0' is made of too many other symbols"),
        "fill": (2, "nop\n.fill 1000000000, 8\n", "more than 64 MiB of fill"),
        "alignment": (2, "nop\n.p2align 31\nnop\n", "more than 64 MiB of fill"),
        "errors": (2, "nop\nbogus %rax\n" * n, "invalid instruction mnemonic 'bogus'"),
        "macro-errors": (4, ".macro m\nbogus\n.endm\n" + "m\nnop\nnop\n" * n,
                         "invalid instruction mnemonic 'bogus'"),
    }
    for name, (line, text, message) in texts.items():
        path = folder / f"{name}.s"
        path.write_text(text)
        refused(path, line, message)


def test_large(folder):
    """What is large but good is assembled."""
    n = 100_000
    texts = {
        "symbols": (".set a0, 1\n" + "".join(f".set a{i}, a{i - 1}+1\n" for i in range(1, n))
                    + f"mov $a{n - 1}, %eax\n", 1),
        "conditions": (".if 1\n" * n + "nop\n" + ".endif\n" * n, 1),
        "irp": (".irp x," + ",".join(map(str, range(n // 10))) + "\nmov $\\x, %eax\n.endr\n",
                n // 10),
        "one-line": ("nop;" * (n // 5), n // 5),
        "uses-of-a-macro": (".macro m\nincl %eax\n.endm\n" + "m\n" * (n // 5), n // 5),
    }
    for name, (text, insns) in texts.items():
        path = folder / f"{name}.s"
        path.write_text(text)
        done = analyze(path, "--list", "--whole", "--engine=bounds")
        check(done.returncode == 0 and f" {insns} " in done.stdout, f"{name}: {insns} instructions",
              f"exit {done.returncode}\n{done.stdout[:500]}\n{done.stderr[:1000]}")


def test_printing(folder):
    path = folder / "print.s"
    path.write_text(f".print \"{SECRET}\"\nincl %eax\n")
    done = analyze(path, "--format=json", "--whole")
    check(done.returncode == 0 and SECRET not in done.stdout + done.stderr,
          "'.print' does not mix into takt's output", done.stdout[:300])


def test_killed(folder):
    """If takt goes, so does the process that assembles for it, in the middle of its work."""
    path = folder / "doubling-symbols.s"
    with subprocess.Popen([takt, "analyze", "--arch=SPR", str(path)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as running:
        children = wait_for(lambda: children_of(running.pid), 60)
        time.sleep(0.2)
        running.send_signal(signal.SIGKILL)
    check(children and wait_for(lambda: not any(map(is_running, children)), 9),
          "takt killed, and nothing is left", children)


def test_without_program(folder):
    modules = os.environ.get("TAKT_MODULE_DIR")
    modules = pathlib.Path(modules) if modules else pathlib.Path(takt).parent.parent / "modules"
    module = modules / "takt-llvm.so"
    if not module.exists():
        skip("takt-assembler is missing", f"no {module}")
        return
    bare = folder / "bare"
    bare.mkdir()
    (bare / module.name).symlink_to(module.resolve())
    path = folder / "good.s"
    path.write_text("incl %eax\n")
    done = subprocess.run([takt, "analyze", "--arch=SPR", "--whole", str(path)], text=True,
                          env=dict(os.environ, TAKT_MODULE_DIR=str(bare)), capture_output=True,
                          timeout=LIMIT_SECONDS, check=False)
    check(done.returncode == 1 and "cannot start" in done.stderr and "note: " in done.stderr,
          "takt-assembler is missing", f"{done.returncode} {done.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for arch, insn in ARCHS:
            if has_arch(folder, arch, insn):
                test_files(folder, arch, insn)
            else:
                skip(arch, "its module is not installed")
        if not has_arch(folder, *ARCHS[0]):
            skip("crashes, endless and large texts", "the module for x86-64 is not installed")
        else:
            test_crashes(folder)
            test_endless(folder)
            test_large(folder)
            test_printing(folder)
            test_killed(folder)
            test_without_program(folder)


main()
sys.exit(finish())
