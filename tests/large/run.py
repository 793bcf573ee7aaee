#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large inputs: each must end within its time limit, with a result or a clear error."""
import pathlib
import subprocess
import sys
import tempfile

LIMIT_SECONDS = 60
MIB = 1 << 20

takt = str(pathlib.Path(sys.argv[1]).resolve())
count = failures = 0


def run(*arguments, stdin=None):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, input=stdin,
                          timeout=LIMIT_SECONDS, check=False)


def check(good, what, done):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        print(f"# exit {done.returncode}\n# {done.stdout[:300]!r}\n# {done.stderr[:300]!r}")


def headline(done):
    lines = done.stdout.splitlines()
    return lines[1] if len(lines) > 1 else ""


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)

    # 100,000 dependent additions of one cycle.
    raw = folder / "block.bin"
    raw.write_bytes(bytes.fromhex("4801d8") * 100_000)
    done = run("analyze", "--arch=SKX", "--raw", str(raw))
    check(done.returncode == 0 and headline(done).startswith("100000.00 cycles"),
          "100,000 instructions", done)

    # The same as a loop in assembly text.
    text = folder / "block.s"
    text.write_text("1:\n" + "\timulq %rbx, %rax\n" * 100_000 + "\tjmp 1b\n")
    done = run("analyze", "--arch=SKX", str(text))
    check(done.returncode == 0 and headline(done).startswith("300000.00 cycles"),
          "100,000 instructions of assembly text", done)

    # An object of 100 MB with one loop.
    source = folder / "big.s"
    source.write_text("f:\taddq %rax, %rbx\n\tdecq %rcx\n\tjne f\n\tret\n"
                      f"\t.data\n\t.zero {100 * MIB}\n")
    subprocess.run(["as", str(source), "-o", str(folder / "big.o")], check=True)
    done = run("analyze", "--arch=SKX", str(folder / "big.o"))
    check(done.returncode == 0 and headline(done).startswith("1.00 cycles"), "a 100 MB object", done)

    # 100 MB of text is beyond the limit, and said to be.
    junk = folder / "junk.s"
    junk.write_text("\taddq %rax, %rbx\n" * (100 * MIB // 17))
    done = run("analyze", "--arch=SKX", str(junk))
    check(done.returncode == 1 and "MiB" in done.stderr, "100 MB of assembly text", done)

    # 100 MB that is nothing.
    zeros = folder / "zeros"
    with zeros.open("wb") as file:
        file.truncate(100 * MIB)
    done = run("analyze", "--arch=SKX", str(zeros))
    check(done.returncode == 1 and "error:" in done.stderr, "100 MB of zero bytes", done)

print(f"1..{count}")
sys.exit(1 if failures else 0)
