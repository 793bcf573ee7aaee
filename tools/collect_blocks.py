#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Basic blocks of Debian's programs, and the corpus of their measured times.

    collect_blocks.py collect TAKT -o blocks.csv
    takt measure --batch=blocks.csv --mode=both --date=YYYY-MM-DD -o measured.csv
    collect_blocks.py assemble-corpus TAKT blocks.csv measured.csv…

The first step reads the files of PACKAGES, installed ones or else fetched by apt-get, cuts them
at branches and branch targets, and draws a sample that is the same on every run: as many
blocks from each package, with each kind of code and each length in fixed shares. The second
wants a quiet machine. The last writes tests/accuracy/host-FAMILY-MODEL.csv, named after the
CPU that was measured.
"""
import argparse
import bisect
import csv
import datetime
import fnmatch
import hashlib
import pathlib
import re
import statistics
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Package: patterns of file names.
PACKAGES = {
    "cpp-12": ["cc1"],
    "libavcodec59": ["libavcodec.so.*"],
    "libc6": ["libc.so.6", "libm.so.6"],
    "libdav1d6": ["libdav1d.so.*"],
    "libembree3-3": ["libembree3.so.*"],
    "libfftw3-double3": ["libfftw3.so.*"],
    "libgmp10": ["libgmp.so.*"],
    "liblzma5": ["liblzma.so.*"],
    "libllvm19": ["libLLVM*.so.*"],
    "libopenblas0-pthread": ["libopenblasp*.so"],
    "libsqlite3-0": ["libsqlite3.so.*"],
    "libssl3": ["libcrypto.so.3", "libssl.so.3"],
    "libx264-164": ["libx264.so.*"],
    "libzstd1": ["libzstd.so.*"],
    "python3.11-minimal": ["python3.11"],
    "redis-tools": ["redis-check-rdb", "redis-benchmark"],
    "zlib1g": ["libz.so.*"],
}

INSTRUCTIONS = (2, 60)
KIND_SHARES = {"int": 0.20, "memory": 0.25, "fp": 0.23, "vector": 0.24, "crypto": 0.08}
LENGTHS = {"short": (5, 0.46), "middle": (14, 0.39), "long": (60, 0.15)}  # most, share
POOL = 400  # candidates kept of each package, kind and length

PREFIXES = {"bnd", "notrack", "rep", "repz", "repnz", "lock", "data16", "addr32", "xacquire",
            "xrelease", "cs", "ds", "es", "ss", "fs", "gs"}
CONTROL = re.compile(r"j|call|l?ret|iret|loop|int|ud[012]|hlt|sys|xbegin|xabort|xend")
NO_RETURN = re.compile(r"jmp|l?ret|iret|ud|hlt")
# Not for a measurement, or a sign that data was disassembled.
EXCLUDED = re.compile(
    r"(\(bad\)|\.byte|ins?[bwl]?|outs?[bwl]?|cli|sti|cpuid"
    r"|rd(tscp?|pmc|rand|seed|msr|pid|[fg]sbase)|wr(msr|[fg]sbase|pkru)|x[gs]etbv"
    r"|xsave\w*|xrstor\w*|fx(save|rstor)\w*|fn?(save|stenv)"
    r"|frstor|fldenv|swapgs|monitorx?|mwaitx?|clflush\w*|clwb|cldemote|enter|l[defgs]s|arpl|bound"
    r"|into|str|sldt|s[gi]dt|smsw|l[gil]dt|lmsw|invlpg|wbinvd|tpause|umwait|popf|rdssp\w|incssp\w"
    r"|ver[rw])$")
CRYPTO = re.compile(r"v?aes|sha(1|256)|v?pclmul|crc32|v?gf2p8|ad[co]x|mulx")
FP = re.compile(r"(?!v?p)\w+[ps][sd]$|f[a-z]")
VECTOR = re.compile(r"%[xyz]?mm\d|%k[0-7]|%st\b")
# Registers that may count a loop, and what shows that a block uses them.
COUNTERS = {f"r{n}": re.compile(rf"%r{n}[bwd]?\b") for n in range(15, 7, -1)}
COUNTERS["rbx"] = re.compile(r"%([re]?bx|b[lh])\b|cmpxchg16b")
COUNTERS["rbp"] = re.compile(r"%([re]?bp|bpl)\b|leave")


def run(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"error: {' '.join(command)}\n{done.stderr}")
    return done.stdout


# ---- packages ---------------------------------------------------------


def is_elf64(path):
    with open(path, "rb") as file:
        return file.read(5) == b"\x7fELF\x02"


def matching(paths, patterns):
    """ELF files, each once: links to them and the other /lib are left out."""
    found = {pathlib.Path(path).resolve() for path in paths
             if any(fnmatch.fnmatch(pathlib.Path(path).name, p) for p in patterns)}
    return sorted(path for path in found if path.is_file() and is_elf64(path))


def package_files(package, patterns, scratch):
    """Returns (version, files)."""
    done = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", package],
                          capture_output=True, text=True, check=False)
    if done.stdout.startswith("installed "):
        return done.stdout.split()[1], matching(run("dpkg-query", "-L", package).splitlines(),
                                                patterns)
    folder = scratch / package
    if not folder.exists():
        folder.mkdir(parents=True)
        run("apt-get", "download", "-q", package, cwd=folder)
        run("dpkg-deb", "-x", str(next(folder.glob("*.deb"))), str(folder / "root"))
    archive = next(folder.glob("*.deb"))
    return (run("dpkg-deb", "-f", str(archive), "Version").strip(),
            matching((folder / "root").rglob("*"), patterns))


# ---- ELF and disassembly ----------------------------------------------


def unwound_ranges(path):
    """Starts and ends of the functions that .eh_frame_hdr lists: code for certain."""
    data = path.read_bytes()
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3a)
    sections = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    name_table = sections[names][4]
    by_name = {data[name_table + s[0]:data.index(b"\0", name_table + s[0])]: s for s in sections}
    if b".eh_frame_hdr" not in by_name or b".eh_frame" not in by_name:
        return [], []
    address, offset = by_name[b".eh_frame_hdr"][3:5]
    frame_address, frame_offset = by_name[b".eh_frame"][3:5]
    if data[offset + 1:offset + 4] != b"\x1b\x03\x3b":  # the encodings that ld writes
        return [], []
    starts, ends = [], []
    for i in range(struct.unpack_from("<I", data, offset + 8)[0]):
        start, entry = struct.unpack_from("<ii", data, offset + 12 + 8 * i)
        at = frame_offset + address + entry - frame_address
        starts.append(address + start)
        ends.append(address + start + struct.unpack_from("<I", data, at + 12)[0])
    return starts, ends


def disassemble(path):
    """Yields (address, hex, mnemonic, operands) of each instruction of .text."""
    with subprocess.Popen(["objdump", "-d", "-w", "-j", ".text", str(path)],
                          stdout=subprocess.PIPE, text=True, errors="replace") as process:
        for line in process.stdout:
            fields = line.rstrip("\n").split("\t")
            if len(fields) < 3:
                continue
            words = fields[2].split("#")[0].split("<")[0].split()
            while len(words) > 1 and (words[0] in PREFIXES or words[0].startswith("rex")):
                words.pop(0)
            if words:
                yield (int(fields[0].strip(" :"), 16), fields[1].replace(" ", ""), words[0],
                       " ".join(words[1:]))


def branch_targets(path):
    targets = set()
    for _, _, mnemonic, operands in disassemble(path):
        if mnemonic[0] == "j" or mnemonic.startswith(("call", "loop")):
            if operands and "%" not in operands and operands[0] != "*":
                try:
                    targets.add(int(operands, 16))
                except ValueError:
                    continue
    return targets


def straight_lines(path):
    """Yields the blocks as lists of (hex, mnemonic, operands), their branch left out.

    Code outside every unwound function may be data: there a block counts only if it can be
    reached, by a branch or from above.
    """
    targets = branch_targets(path)
    starts, ends = unwound_ranges(path)
    block, usable, falls_through, after_branch = [], False, False, True
    for address, code, mnemonic, operands in disassemble(path):
        if after_branch or address in targets:
            if block and usable:
                yield block
            function = bisect.bisect_right(starts, address) - 1
            usable = (address in targets or falls_through
                      or function >= 0 and address < ends[function])
            block, after_branch = [], False
        if CONTROL.match(mnemonic):
            falls_through, after_branch = usable and not NO_RETURN.match(mnemonic), True
        elif EXCLUDED.match(mnemonic) or "%fs:" in operands or "%gs:" in operands:
            usable = False  # up to the next branch or target
        else:
            block.append((code, mnemonic, operands))


# ---- choice -----------------------------------------------------------


def accesses_memory(mnemonic, operands):
    return mnemonic.startswith(("push", "pop")) and not mnemonic.startswith("popcnt") or (
        "(" in operands and not mnemonic.startswith(("lea", "nop")))


def kind_of(block):
    if any(CRYPTO.match(mnemonic) for _, mnemonic, _ in block):
        return "crypto"
    vector = [m for _, m, operands in block if VECTOR.search(operands)]
    if vector:
        return "fp" if 2 * sum(bool(FP.match(m)) for m in vector) > len(vector) else "vector"
    accesses = sum(accesses_memory(mnemonic, operands) for _, mnemonic, operands in block)
    return "memory" if 2 * accesses >= len(block) else "int"


def length_of(block):
    return next(name for name, (most, _) in LENGTHS.items() if len(block) <= most)


def loop_counter(block):
    """A register that the block does not use, for the dec of a loop around it; or ""."""
    text = " ".join(f"{mnemonic} {operands}" for _, mnemonic, operands in block)
    return next((name for name, use in COUNTERS.items() if not use.search(text)), "")


def rank(seed, code):
    return hashlib.sha256(f"{seed} {code}".encode()).digest()


def candidates_of(path, source, seed):
    """The POOL first blocks of each kind and length, in the order of a hash."""
    pools, seen = {}, set()
    for block in straight_lines(path):
        code = "".join(part[0] for part in block)
        if not INSTRUCTIONS[0] <= len(block) <= INSTRUCTIONS[1] or code in seen:
            continue
        seen.add(code)
        if all(mnemonic.startswith(("nop", "xchg")) for _, mnemonic, _ in block):
            continue
        pool = pools.setdefault((kind_of(block), length_of(block)), [])
        pool.append((rank(seed, code), code, source, loop_counter(block)))
        if len(pool) > 20 * POOL:
            pool.sort()
            del pool[POOL:]
    return {stratum: sorted(pool)[:POOL] for stratum, pool in pools.items()}, len(seen)


def decodable(takt, pools):
    """Takes out what `takt predict` does not know."""
    codes = sorted({row[1] for pool in pools.values() for rows in pool.values() for row in rows})
    done = subprocess.run([takt, "predict", "--arch=SPR"], input="\n".join(codes) + "\n",
                          capture_output=True, text=True, check=False)
    good = {row[0] for row in csv.reader(done.stdout.splitlines()) if len(row) > 1 and row[1]}
    print(f"{len(good)} of {len(codes)} candidates decode", file=sys.stderr)
    return {name: {stratum: [row for row in rows if row[1] in good]
                   for stratum, rows in pool.items()} for name, pool in pools.items()}


def draw(pools, count):
    """One block of each package in turn, until the share of the stratum is full."""
    chosen = {}
    for kind, kind_share in KIND_SHARES.items():
        for length, (_, length_share) in LENGTHS.items():
            queues = [list(pool.get((kind, length), [])) for pool in pools.values()]
            want, got = round(count * kind_share * length_share), 0
            while got < want and any(queues):
                for queue in queues:
                    while queue and got < want:
                        _, code, source, counter = queue.pop(0)
                        if code not in chosen:
                            chosen[code] = (source, counter, kind, length)
                            got += 1
                            break
            print(f"{kind:7} {length:7} {got:5} of {want}", file=sys.stderr)
    return chosen


def collect(options):
    pools, versions = {}, []
    with tempfile.TemporaryDirectory() as temporary:
        scratch = pathlib.Path(options.scratch or temporary)
        for package, patterns in PACKAGES.items():
            version, files = package_files(package, patterns, scratch)
            versions.append(f"{package} {version}")
            merged = {}
            for path in files:
                source = f"{package}:{path.name.split('.so')[0]}"
                found, distinct = candidates_of(path, source, options.seed)
                print(f"{source}: {distinct} blocks", file=sys.stderr)
                for stratum, rows in found.items():
                    merged[stratum] = sorted(merged.get(stratum, []) + rows)
            pools[package] = merged
    chosen = draw(decodable(options.takt, pools), options.count)
    with open(options.output, "w", encoding="utf-8") as file:
        file.writelines(f"# package: {version}\n" for version in versions)
        file.write("hex,source,loop_reg\n")
        for code, (source, counter, _, _) in sorted(chosen.items(), key=lambda i: rank(1, i[0])):
            file.write(f"{code},{source},{counter}\n")


# ---- corpus -----------------------------------------------------------


def read_csv(path):
    """Returns ([comment text], rows as dictionaries)."""
    lines = pathlib.Path(path).read_text(encoding="utf-8").splitlines()
    return ([line[1:].strip() for line in lines if line.startswith("#")],
            list(csv.DictReader(line for line in lines if not line.startswith("#"))))


CPU = re.compile(r"(.*), family (\d+) model (\d+) stepping (\d+)")
POINTERS = 0  # where in a 64-byte line registers point, whatever --init of `takt measure` is
REPEATABLE = 0.02  # by how much repeated measurements of a block may differ


def merged_measurements(paths):
    """(hex, mode) -> (cycles or None, status), and the headers of the files, all in one."""
    comments, found = [], {}
    for path in paths:
        text, rows = read_csv(path)
        comments += [line for line in text if line not in comments]
        for row in rows:
            found.setdefault((row["hex"].lower(), row["mode"]), []).append(row)
    merged = {}
    for key, rows in found.items():
        cycles = [float(row["cycles"]) for row in rows if row["status"] == "ok"]
        if not cycles:
            merged[key] = (None, rows[0]["status"])
        elif max(cycles) > (1 + REPEATABLE) * min(cycles):
            merged[key] = (None, "unrepeatable")
        else:
            merged[key] = (statistics.median(cycles), "ok")
    return merged, comments


def status_line(mode, blocks, measured):
    counts = {}
    for row in blocks:
        status = measured.get((row["hex"], mode), (None, "not measured"))[1]
        counts[status] = counts.get(status, 0) + 1
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items(),
                                                                 key=lambda item: -item[1]))


def assemble(options):
    packages, blocks = read_csv(options.blocks)
    measured, comments = merged_measurements(options.measured)
    facts = dict(line.split(": ", 1) for line in comments if ": " in line)
    machine = CPU.fullmatch(facts.get("cpu", ""))
    if not machine or sum(line.startswith("cpu: ") for line in comments) > 1:
        sys.exit("error: the measurements name no CPU, or several")
    name, family, model, stepping = machine.groups()
    output = pathlib.Path(options.output or ROOT / "tests" / "accuracy" /
                          f"host-{family}-{model}.csv")
    arch = options.arch or re.search(r"^name +(\S+)", run(options.takt, "model", "show", "host"),
                                     re.M).group(1)
    header = [f"cpu: {name}", f"family: {family}", f"model: {model}", f"stepping: {stepping}",
              f"arch: {arch}", f"version: {run(options.takt, '--version').strip()}",
              f"date: {facts.get('date', datetime.date.today().isoformat())}",
              f"clock: {facts.get('clock', 'not known')}",
              f"options: {facts.get('options', 'not known')}",
              f"pointers: {POINTERS}", *packages,
              *(f"status of {mode}: {status_line(mode, blocks, measured)}"
                for mode in ("unroll", "loop")),
              "column hex: machine code of the block, its branch left out",
              "column source: Debian package and file",
              "column unrolled: cycles per execution, copies of the block following each other",
              "column loop: the same with one block in a loop closed by dec and jnz",
              "column loop_reg: a register free for that dec; empty if the block uses all"]
    with open(output, "w", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in header)
        file.write("hex,source,unrolled,loop,loop_reg\n")
        for row in blocks:
            cells = [measured.get((row["hex"], mode), (None,))[0] for mode in ("unroll", "loop")]
            if any(cells):
                unrolled, loop = (f"{cell:.4g}" if cell else "" for cell in cells)
                file.write(f"{row['hex']},{row['source']},{unrolled},{loop},{row['loop_reg']}\n")
    print(f"{output.name}: {output.stat().st_size // 1024} KiB", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    steps = parser.add_subparsers(required=True)
    step = steps.add_parser("collect", help="write a list of blocks")
    step.set_defaults(run=collect)
    step.add_argument("takt")
    step.add_argument("-o", "--output", required=True)
    step.add_argument("--count", type=int, default=3500)
    step.add_argument("--seed", type=int, default=1)
    step.add_argument("--scratch", metavar="DIR", help="keep fetched packages there")
    step = steps.add_parser("assemble-corpus", help="join the list with its measured times")
    step.set_defaults(run=assemble)
    step.add_argument("takt")
    step.add_argument("blocks")
    step.add_argument("measured", nargs="+", help="several: values must agree within 2 %%")
    step.add_argument("-o", "--output")
    step.add_argument("--arch", help="the core; that of this machine if not given")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
