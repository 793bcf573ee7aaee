#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Benchmarks for ibench: they assemble to the forms they name, run, and are read back by their names.

    ibench.py TAKT COMPILER…
"""
import collections
import ctypes
import pathlib
import platform
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok, skip  # noqa: E402

STEP = 60  # every 40th file is assembled
RUN = ["add r64, r64", "adc r32, r32", "mul r64", "imul r64, r64, i8", "shl r32, i8", "mov r64, m64",
       "mov m32, r32", "addpd xmm, xmm", "divps xmm, m128", "cvtsi2sd xmm, r64", "movaps xmm, xmm"]
# 1.0, or two floats of 1.0 read as a double.
ONES = (1.0, struct.unpack("d", struct.pack("ff", 1, 1))[0])
NAMES = {"addq-r_r", "adcl-r_r", "mulq-r", "imulq-i_r_r", "shll-i_r", "movq-mbo_r", "movl-r_mbo",
         "addpd-x_x", "divps-mbo_x", "cvtsi2sd-r_x", "movaps-x_x"}


def run(words):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)


def bytes_of(path):
    """The bytes of the first instruction that is measured."""
    return bytes.fromhex(re.search(r"bytes are ([0-9a-f ]+)\. \*/", path.read_text())[1])


def has_form(path, built):
    """True if the object has the instruction; assemblers may put two prefixes in another order."""
    wanted = bytes_of(path)
    other = bytes([wanted[1], wanted[0], *wanted[2:]]) if wanted[0] == 0xf3 else wanted
    return wanted in built or other in built


def assembles(takt, compiler, folder):
    found = run([takt, "characterize", f"--ibench={folder}", "--all", "--arch=SKX"])
    paths = sorted(folder.glob("*.S"))
    ok(found.returncode == 0 and f"{len(paths)} files" in found.stderr,
       "the number of files is said", *found.stderr.splitlines())
    ok(len(paths) > 4000, "thousands of forms of a core with AVX-512 have benchmarks")
    bad = []
    for path in paths[::STEP]:
        built = path.with_suffix(".o")
        found = run([*compiler, "-c", "-o", built, path])
        if found.returncode or not has_form(path, built.read_bytes()):
            # All nops are one instruction to an assembler.
            if not path.name.startswith("nop"):
                bad.append(f"{path.name}: {found.stderr.strip()[-200:]}")
    comment(f"assembled {len(paths[::STEP])}")
    ok(not bad, "each assembles to the form that it names", *bad)
    return paths


def round_trip(takt, folder, paths):
    """Lines as ibench prints them become rows of the forms."""
    results = folder / "results.txt"
    results.write_text("Using frequency 2.50GHz.\n" + "".join(
        f"{path.stem}:\t{3 if path.stem.endswith('-LT') else 1}.000 (clock cycles)\n"
        for path in paths))
    found = run([takt, "model", "import", f"ibench:{results}", "--arch=SKX"])
    rows = dict(line.split("|", 1) for line in found.stdout.splitlines() if line.count("|") == 2)
    rows = {form.strip(): row for form, row in rows.items()}
    lost = [path.stem for path in paths
            if path.read_text().split(":")[0].removeprefix("/* ") not in rows]
    comment(f"{len(rows)} rows of {len(paths)} files")
    ok(found.returncode == 0 and "lat=3" in rows.get("vaddpd ymm, ymm, ymm", "")
       and "rtp=1" in rows["vaddpd ymm, ymm, ymm"], "figures become a row", *found.stderr.splitlines())
    # The importer knows forms that the core has no row for, or whose sizes it cannot tell.
    ok(len(lost) < 0.1 * len(paths), "names are read back as the forms", *lost[:40])


def runs(takt, compiler, folder):
    for form in RUN:
        found = run([takt, "characterize", f"--ibench={folder}", f"--form={form}"])
        ok(found.returncode == 0, form, *found.stderr.splitlines())
    kinds = collections.defaultdict(set)
    for path in folder.glob("*.S"):
        name, kind = path.stem.rsplit("-", 1)
        kinds[name].add(kind)
        built = path.with_suffix(".so")
        found = run([*compiler, "-shared", "-o", built, path])
        if found.returncode:
            ok(False, path.name, *found.stderr.splitlines())
            continue
        library = ctypes.CDLL(str(built))
        library.latency.restype = ctypes.c_double
        count = ctypes.c_int.in_dll(library, "ninst").value
        loop = path.read_text().split(".Lloop:\n")[1].split("\tsub r15d")[0].splitlines()
        result = library.latency(1000)
        library.latency(0)
        library.latency(-1)
        # The benchmark returns what its memory holds, which the store replaced.
        ok(count == len(loop) and (result in ONES or path.name.startswith("movl")),
           f"{path.name} runs, and counts its instructions",
           f"{count} counted, {len(loop)} in the loop, result {result}")
    ok(set(kinds) == NAMES, "names are OSACA's", *sorted(set(kinds) ^ NAMES))
    ok(kinds["adcl-r_r"] == {"LT"}, "instances that wait for each other have no throughput")
    ok(kinds["movl-r_mbo"] == {"TP"}, "a store has no chain")


def refusals(takt, folder):
    for words, message in (
            (["--form=jmp rel"], "not among the forms"),
            (["--form=add r64"], "there is no such instruction"),
            (["--all", "--forms=zz*"], "no form matches 'zz*'"),
            (["--form=vaddpd zmm, zmm, zmm", "--arch=HSW"], "the machine lacks it"),
            ([], "needs either '--form' or '--all'"),
            (["--all", "--form=nop"], "needs either '--form' or '--all'"),
            (["--all", "--output=x"], "measures nothing")):
        found = run([takt, "characterize", f"--ibench={folder / 'none'}", *words])
        ok(found.returncode and message in found.stderr, f"refused: {' '.join(words)}",
           *found.stderr.splitlines())
    found = run([takt, "characterize", f"--ibench={folder / 'a' / 'b'}", "--all"])
    ok(found.returncode == 1 and "No such file" in found.stderr, "a folder that cannot be made")


def main():
    takt, compiler = sys.argv[1], sys.argv[2:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if platform.machine() != "x86_64":
            skip("benchmarks assemble and run", "an x86-64 machine")
        else:
            paths = assembles(takt, compiler, folder / "all")
            round_trip(takt, folder, paths)
            (folder / "some").mkdir()
            runs(takt, compiler, folder / "some")
        refusals(takt, folder)
    return finish()


sys.exit(main())
