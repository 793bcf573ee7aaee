#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How time grows with the size of the input, for inputs of many kinds.

Usage: growth.py [--only=WORD] [--rounds=N] TAKT. Each input is made at n, 2n and 4n; a figure is
the least processor time of several runs. The exponent is that of both doublings together: 1 where
twice as much takes twice as long, 2 where it takes four times as long. What exceeds LIMIT is marked.
"""
import math
import pathlib
import resource
import struct
import subprocess
import sys
import tempfile

LIMIT = 1.3  # n log n is 1.1 at these sizes; the rest is for noise
TIMEOUT_SECONDS = 300


# ---- inputs: each writes a file of size n, and returns the arguments of takt ----


def raw(path, data, *options):
    path.write_bytes(data)
    return [*options, "--raw", str(path)]


def text(path, lines, *options):
    path = path.with_suffix(".s")
    path.write_text(lines)
    return [*options, str(path)]


def elf_object(path, source):
    subprocess.run(["as", "-o", str(path), "-"], input=source, text=True, check=True)
    return str(path)


MIX = bytes.fromhex("4801d8" "480fafc1" "488b07" "48894610" "4883c708" "c5f458c2")  # 6 instructions


def block(count):
    return MIX * (count // 6)


def analyze_block(path, n):
    return ["analyze", "--arch=SKX", *raw(path, block(n))]


def block_bounds(path, n):
    return ["analyze", "--arch=SKX", "--engine=bounds", *raw(path, block(n))]


def block_sensitivity(path, n):
    return ["analyze", "--arch=SKX", "--sensitivity", *raw(path, block(n))]


def block_json(path, n):
    return ["analyze", "--arch=SKX", "--json", *raw(path, block(n))]


def block_deps(path, n):
    return ["deps", "--arch=SKX", *raw(path, block(n))]


def chain(path, n):
    return ["analyze", "--arch=SKX", *raw(path, bytes.fromhex("4801d8") * n)]


def stores(path, n):
    """Stores to places of their own, and loads of them."""
    data = b"".join(b"\x48\x89\x87" + struct.pack("<i", 8 * i) for i in range(n // 2))
    data += b"".join(b"\x48\x8b\x87" + struct.pack("<i", 8 * i) for i in range(n // 2))
    return ["deps", "--arch=SKX", *raw(path, data)]


def predict_block(path, n):
    path.write_text(block(n).hex() + "\n")
    return ["predict", "--arch=SKX", str(path)]


def predict_blocks(path, n):
    path.write_text((block(12).hex() + "\n") * n)
    return ["predict", "--arch=SKX", "--engine=bounds", str(path)]


def text_lines(path, n):
    return ["analyze", "--arch=SKX", "--engine=bounds",
            *text(path, "f:\n" + "\taddq %rax, %rbx\n\timulq %rcx, %rdx\n" * (n // 2) + "\tjne f\n")]


def text_loops(path, n):
    loops = "".join(f".L{i}:\taddq %rax, %rbx\n\tdecq %rcx\n\tjne .L{i}\n" for i in range(n))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", *text(path, loops)]


def marks_in_row(path, n):
    rows = "".join(f"# LLVM-MCA-BEGIN r{i}\n\taddq %rax, %rbx\n# LLVM-MCA-END r{i}\n"
                   for i in range(n))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", *text(path, rows)]


def many_loops(path, n):
    """One function."""
    loop = "1:\taddq %rax, %rbx\n\tdecq %rcx\n\tjne 1b\n"
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds",
            elf_object(path, ".globl f\n.type f,@function\nf:\n" + loop * n + "\tret\n.size f,.-f\n")]


def many_functions(path, n):
    source = "".join(f".type f{i},@function\nf{i}:\n1:\taddq %rax, %rbx\n\tdecq %rcx\n\tjne 1b\n"
                     f"\tret\n.size f{i},.-f{i}\n" for i in range(n))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", elf_object(path, source)]


def many_sections(path, n):
    source = "".join(f'.section .text.f{i},"ax"\n.type f{i},@function\nf{i}:\n1:\taddq %rax, %rbx\n'
                     f"\tdecq %rcx\n\tjne 1b\n\tret\n.size f{i},.-f{i}\n" for i in range(n))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", elf_object(path, source)]


def with_lines(path, n):
    source = '.file 1 "x.c"\n.text\n' + "".join(
        f'.section .text.f{i},"ax"\n.type f{i},@function\nf{i}:\n1:\t.loc 1 {i + 1}\n'
        f"\taddq %rax, %rbx\n\tdecq %rcx\n\tjne 1b\n\tret\n.size f{i},.-f{i}\n" for i in range(n))
    subprocess.run(["gcc", "-g", "-c", "-x", "assembler", "-o", str(path), "-"], input=source,
                   text=True, check=True)
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", str(path)]


def nest(path, n):
    source = "f:\n" + "".join(f".L{i}:\tnop\n" for i in range(n)) + \
        "".join(f"\tdecq %rcx\n\tjne .L{i}\n" for i in reversed(range(n)))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", elf_object(path, source)]


def crossing(path, n):
    source = "f:\n" + "".join(f".L{i}:\tnop\n" for i in range(n)) + \
        "".join(f"\tdecq %rcx\n\tjne .L{i}\n" for i in range(n))
    return ["analyze", "--list", "--arch=SKX", "--engine=bounds", elf_object(path, source)]


def one_region(path, n):
    command = many_loops(path, n)
    return command[:1] + [f"--region={n // 2}"] + command[2:]


def attributes(path, n):
    path.write_text("<root><e" + "".join(f' a{i}="1"' for i in range(n)) + "/></root>")
    return ["model", "import", "--arch=SKL", f"uops.info:{path}:SKL"]


def elements(path, n):
    path.write_text("<root>" + '<instruction string="NOP"><architecture name="SKX"/></instruction>'
                    * n + "</root>")
    return ["model", "import", "--arch=SKL", f"uops.info:{path}:SKL"]


KINDS = [
    # name, input, n, what it is n of
    ("block, analyze", analyze_block, 25000, "instructions"),
    ("block, bounds", block_bounds, 25000, "instructions"),
    ("block, sensitivity", block_sensitivity, 2000, "instructions"),
    ("block, JSON", block_json, 25000, "instructions"),
    ("block, deps", block_deps, 25000, "instructions"),
    ("block, predict", predict_block, 25000, "instructions"),
    ("chain, analyze", chain, 25000, "instructions"),
    ("stores and loads, deps", stores, 10000, "instructions"),
    ("blocks, predict", predict_blocks, 25000, "blocks"),
    ("text of one block", text_lines, 25000, "lines"),
    ("text of loops", text_loops, 10000, "loops"),
    ("text of marked regions", marks_in_row, 5000, "regions"),
    ("loops of one function", many_loops, 25000, "loops"),
    ("loops of functions", many_functions, 25000, "loops"),
    ("loops of sections", many_sections, 10000, "loops"),
    ("the same with lines", with_lines, 5000, "loops"),
    ("nested loops", nest, 25000, "loops"),
    ("crossing loops", crossing, 1000, "loops"),
    ("--region=N of many", one_region, 25000, "loops"),
    ("XML attributes", attributes, 50000, "attributes"),
    ("XML elements", elements, 50000, "elements"),
]


def cpu_seconds(command, rounds):
    """Least processor seconds; None if it takes too long."""
    least = math.inf
    for _ in range(rounds):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False, timeout=TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            return None
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        least = min(least, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        if least > 5:
            break
    return least


def main():
    options = dict(word.lstrip("-").split("=", 1) for word in sys.argv[1:] if word.startswith("--"))
    takt = [word for word in sys.argv[1:] if not word.startswith("--")][0]
    rounds, over = int(options.get("rounds", 3)), 0
    print("| input | n | n s | 2n s | 4n s | exponent | |\n|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        path = pathlib.Path(name) / "input"
        for what, make, count, unit in KINDS:
            if options.get("only", "") not in what:
                continue
            seconds = [cpu_seconds([takt, *make(path, k * count)], rounds) for k in (1, 2, 4)]
            if None in seconds:
                exponent = math.inf
            elif seconds[2] < 0.05:
                exponent = 0  # over before it could grow
            else:
                exponent = math.log2(seconds[2] / max(seconds[0], 0.01)) / 2
            over += exponent > LIMIT
            figures = " | ".join("–" if s is None else f"{s:.2f}" for s in seconds)
            print(f"| {what} | {count:,} {unit} | {figures} | {exponent:.1f} | "
                  f"{'grows too fast' if exponent > LIMIT else ''} |", flush=True)
    print(f"{over} above {LIMIT}")


main()
