# SPDX-License-Identifier: MIT
"""Reads files of measured blocks, whatever their columns, and selects from them.

A corpus is a CSV, or CSV.xz, with hex blocks in its first column; lines that start with
# are a header of `# key: value` lines. These columns are known:

    cycles_per_iter                         unrolled (BHive's published values)
    tp_unrolled_distinct, tp_loop_distinct  unrolled and loop, pointers apart
    loop_unroll, loop_reg                   copies in the measured loop, its counter
    unrolled, loop                          the same as measured by takt (tests/accuracy/*.csv)
    may_alias                               1: pointers alias as measured

A file with none of the first five has its cycles in the second column, unrolled. The core is
the header's `arch`, or the file's name. The header's `pointers` says where in their 64-byte
lines registers pointed; takt is told.
"""
import csv
import hashlib
import lzma
import pathlib
from typing import NamedTuple

COLUMNS = {"unroll": ("tp_unrolled_distinct", "unrolled", "cycles_per_iter"),
           "loop": ("tp_loop_distinct", "loop")}
REGISTERS = ("rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
             "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15")
PLAUSIBLE = (0.2, 500)  # cycles; what lies outside is a failed measurement


class Block(NamedTuple):
    hex: str
    code: str        # what ran: the block itself, or the loop around it
    measured: float  # cycles per execution of the block
    copies: int      # of the block in one execution of `code`
    may_alias: bool


class Corpus(NamedTuple):
    name: str
    arch: str
    mode: str        # unroll or loop, as `takt predict` calls them
    pointers: str    # bytes into a line, as `takt predict` takes them; "" if not known
    blocks: list
    left_out: int    # values that are not plausible
    has_alias: bool


def loop_code(block, copies, register, near=False):
    """Hex of the loop around `copies` copies of the block: dec REGISTER; jnz to its start.

    The jump has a displacement of 8 bits if that is enough, and of 32 bits with `near`, as in all
    loops of `takt measure`.
    """
    number = REGISTERS.index(register)
    body = block * copies + f"{0x49 if number >= 8 else 0x48:02x}ffc{8 | number & 7:x}"
    size = len(body) // 2
    if size + 2 <= 128 and not near:
        return body + f"75{256 - size - 2:02x}"
    return body + "0f85" + (2 ** 32 - size - 6).to_bytes(4, "little").hex()


def hash_of(text):
    return hashlib.sha256(text.encode()).digest()


def sample(blocks, count, seed=1):
    """At most `count` blocks, in their order. A smaller sample is part of a larger one."""
    if count >= len(blocks):
        return blocks
    ranks = sorted((hash_of(f"{seed} {block.hex}"), block.hex) for block in blocks)
    chosen = {name for _, name in ranks[:count]}
    return [block for block in blocks if block.hex in chosen]


def half(blocks, name):
    """Rules are fitted on one half and judged on the other, whatever the corpus or core.

    Salted, since a corpus may itself be a part chosen by a hash of the block.
    """
    wanted = name == "judge"
    return [block for block in blocks if hash_of(f"half {block.hex}")[0] % 2 == wanted]


def read_table(path):
    """Returns (header dictionary, column names, rows)."""
    header, lines = {}, []
    with (lzma.open if path.suffix == ".xz" else open)(path, "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                lines.append(line)
            elif ":" in line:
                key, value = line[1:].split(":", 1)
                header[key.strip()] = value.strip()
    rows = list(csv.reader(lines))
    names = ["hex", "cycles"]
    if rows and not all(c in "0123456789abcdefABCDEF" for c in rows[0][0]):
        names = rows.pop(0)
    return header, names, rows


def number(text):
    try:
        return float(text)
    except ValueError:
        return 0.0


def block_of(row, mode, column):
    """The block of a row, or None if it was not measured in this mode."""
    code, copies = row["hex"].lower(), 1
    measured = number(row.get(column, ""))
    if not measured:
        return None
    if mode == "loop":
        copies = int(row.get("loop_unroll") or 1)
        register = row.get("loop_reg")
        if register not in REGISTERS:
            return None
        code = loop_code(code, copies, register, near=column == "loop")
    return Block(row["hex"].lower(), code, measured, copies, row.get("may_alias") == "1")


def read(path, arch=None):
    """The corpora of a file: one for each mode that it has."""
    header, names, rows = read_table(path)
    rows = [dict(zip(names, row)) for row in rows]
    columns = {mode: next((name for name in known if name in names), None)
               for mode, known in COLUMNS.items()}
    if not any(columns.values()):
        columns = {"unroll": names[1]}
    arch = arch or header.get("arch") or path.name.split(".")[0].upper()
    found = []
    for mode, column in columns.items():
        if not column:
            continue
        blocks = [block for block in (block_of(row, mode, column) for row in rows) if block]
        plausible = [b for b in blocks if PLAUSIBLE[0] <= b.measured <= PLAUSIBLE[1]]
        found.append(Corpus(path.name, arch, mode, header.get("pointers", ""), plausible,
                            len(blocks) - len(plausible), "may_alias" in names))
    return found


def stored():
    """Files of the corpora in this repository."""
    here = pathlib.Path(__file__).resolve().parent
    return sorted([*here.glob("host-*.csv"), *here.glob("kernels-*.csv")])


def find(paths):
    """Files of paths, and of the folders among them."""
    for path in map(pathlib.Path, paths):
        if not path.is_dir():
            yield path
            continue
        yield from sorted(p for p in path.rglob("*.csv*") if p.suffix in (".csv", ".xz"))
