#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Large inputs: each must end within its time limit, with a result or a clear error."""
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

LIMIT_SECONDS = 60
MIB = 1 << 20

takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*arguments, stdin=None):
    return subprocess.run([takt, *arguments], capture_output=True, text=True, input=stdin,
                          timeout=LIMIT_SECONDS, check=False)


def check(good, what, done):
    ok(good, what, done.returncode, done.stdout[:300], done.stderr[:300])


def move_far(path, distance):
    """Puts the section headers, and the debug sections' contents, behind a hole in the file."""
    data = bytearray(path.read_bytes())
    begin, number = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    tail = bytearray()
    for at in range(begin, begin + 64 * number, 64):
        flags, _, offset, size = struct.unpack_from("<QQQQ", data, at + 8)
        kind = struct.unpack_from("<I", data, at + 4)[0]
        if kind == 1 and not flags & 2:  # PROGBITS that is not loaded
            struct.pack_into("<Q", data, at + 24, distance + len(tail))
            tail += data[offset:offset + size] + bytes(-size % 8)
    struct.pack_into("<Q", data, 40, distance + len(tail))
    tail += data[begin:begin + 64 * number]
    with path.open("wb") as file:
        file.write(data)
        file.seek(distance)
        file.write(tail)


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

    # More sections than 16 bits count: symbols name theirs elsewhere.
    source = folder / "sections.s"
    source.write_text("".join(f'.section .text.f{i},"ax"\n.type f{i},@function\nf{i}:\n1:\tcall g\n'
                              f"\tdecq %rcx\n\tjne 1b\n\tret\n.size f{i},.-f{i}\n"
                              for i in range(33_000)))
    subprocess.run(["as", str(source), "-o", str(folder / "sections.o")], check=True)
    done = run("analyze", "--list", "--arch=SKX", "--function=f32999", str(folder / "sections.o"))
    check(done.returncode == 0 and done.stdout.splitlines()[-1].endswith(" f32999"),
          "66,000 sections", done)

    # An executable of 6 GB (sparse), with its lines and its section headers behind all that.
    source = folder / "far.c"
    source.write_text("int f(int *a, int n)\n{\n\tint s = 0;\n\tfor (int i = 0; i < n; i++)\n"
                      "\t\ts += a[i];\n\treturn s;\n}\nint main(int c, char **v)\n{\n"
                      "\treturn f((int[]){c, 2, !v}, c);\n}\n")
    far = folder / "far"
    made = subprocess.run(["cc", "-g", "-O1", "-fno-inline", str(source), "-o", str(far)],
                          check=False)
    if made.returncode == 0:
        move_far(far, 6 << 30)
        done = run("analyze", "--list", "--arch=SKX", "--function=f", str(far))
        check(done.returncode == 0 and done.stdout.splitlines()[-1].split()[3] in ("4", "5"),
              "an executable of 6 GB", done)
        done = run("deps", "--arch=SKX", "--lines=5", str(far))
        check(done.returncode == 0 and done.stdout, "deps of a line of it", done)
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
        check(peak < 600 << 10, f"no command here needs more than 600 MiB: {peak >> 10}", done)
    else:
        skip("an executable of 6 GB", "no C compiler")

sys.exit(finish())
