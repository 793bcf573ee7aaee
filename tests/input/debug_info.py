#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Debug information as compilers write it, and damaged: `analyze --list` and `deps` show lines, or
say why not, and never crash.

Usage: debug_info.py TAKT. What a compiler here cannot do is skipped, with its reason.
"""
import concurrent.futures
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402

takt = str(pathlib.Path(sys.argv[1]).resolve())
LOOP_LINES = {4, 5}  # of the loop in each source
C_SOURCE = """double sum(const double *a, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] * a[i];
	return s;
}
int main(int argc, char **argv)
{
	double a[3] = {argc, argc, argc};
	(void)argv;
	return (int)sum(a, argc & 3);
}
"""
FORTRAN_SOURCE = """function total(a, n) result(s)
  integer :: n, i
  real(8) :: a(n), s
  do i = 1, n
    s = s + a(i) * a(i)
  end do
end function
program main
  real(8) :: a(3), total
  a = 1
  print *, total(a, 3)
end program
"""
COMPILERS = [("gcc", "x.c", C_SOURCE, "sum"), ("g++", "x.cpp", 'extern "C"\n' + C_SOURCE, "sum"),
             ("gfortran", "x.f90", FORTRAN_SOURCE, "total_"),
             ("clang", "y.c", C_SOURCE, "sum"), ("clang++", "y.cpp", 'extern "C"\n' + C_SOURCE, "sum")]
DEBUG = ["-g", "-g -gz", "-g -gz=zlib-gnu", "-g -gz=zstd", "-gdwarf-4", "-gdwarf-5",
         "-gdwarf-4 -gz", "-g -gsplit-dwarf", "-g -gsplit-dwarf -gz", "-g1"]
LINKS = [("object", "-c"), ("PIE", "-fPIE -pie")]
MORE_LINKS = [("no PIE", "-fno-pie -no-pie"), ("static", "-static"), ("shared", "-fPIC -shared")]
FEW = ["-g", "-g -gz"]  # with the links above


def run(*arguments):
    return subprocess.run([takt, *map(str, arguments)], capture_output=True, text=True,
                          errors="replace", timeout=60, check=False)


def lines_of(done):
    """The `line` column of a list; 0 where it is empty."""
    rows = done.stdout.splitlines()[1:]
    return {int(row[20:28].strip() or 0) for row in rows}


def build(folder, compiler, source, flags, name):
    output = folder / name
    done = subprocess.run([compiler, "-O1", "-fno-unroll-loops", *flags.split(), "-o", str(output),
                           str(folder / source)], capture_output=True, text=True, check=False,
                          cwd=folder)
    return output if done.returncode == 0 else None, done.stderr


def one_variant(folder, variant):
    compiler, source, function, link, flags, number = variant
    what = f"{compiler} {flags}, {link}"
    output, message = build(folder, compiler, source, flags, f"out{number}")
    if not output:
        reason = [line for line in message.splitlines() if "error" in line] or ["it fails"]
        return [("skip", what, reason[0][:150])]
    listed = run("analyze", "--list", "--arch=SKX", f"--function={function}", output)
    shift = {line + ("++" in compiler) for line in LOOP_LINES}
    good = listed.returncode == 0 and lines_of(listed) <= shift and lines_of(listed)
    told = "no source lines of" in listed.stderr and listed.returncode == 0 and "zstd" in flags
    deps = run("deps", "--arch=SKX", f"--function={function}", output)
    results = [(good or told, f"{what}: lines of the loop", listed.stdout, listed.stderr),
               (deps.returncode == 0, f"{what}: deps", deps.returncode, deps.stderr)]
    output.unlink()
    return results


def variants():
    number = 0
    for compiler, source, _, function in COMPILERS:
        for debug in DEBUG:
            for link, flags in LINKS + (MORE_LINKS if debug in FEW else []):
                number += 1
                yield compiler, source, function, link, f"{debug} {flags}", number


def report(results):
    for first, *rest in results:
        if first == "skip":
            tap.skip(*rest)
        else:
            tap.ok(first, *rest)


# ---- damaged files ----


def sections(data):
    """(header offset, name offset, flags, offset, size) of each section."""
    begin, count = struct.unpack_from("<Q", data, 40)[0], struct.unpack_from("<H", data, 60)[0]
    for i in range(count):
        at = begin + 64 * i
        name, _, flags, _, offset, size = struct.unpack_from("<IIQQQQ", data, at)
        yield at, name, flags, offset, size


def section_names(data):
    index = struct.unpack_from("<H", data, 62)[0]
    strings = list(sections(data))[index]
    return {at: data[strings[3] + name:].split(b"\0")[0].decode()
            for at, name, *_ in sections(data)}


def patched(data, at, form, *values):
    copy = bytearray(data)
    struct.pack_into(form, copy, at, *values)
    return bytes(copy)


def zstd_variant(data):
    """The same with .debug_line in a frame of zstd (RFC 8878), of one raw block, at the end."""
    names = section_names(data)
    for at, _, flags, offset, size in sections(data):
        if names[at] != ".debug_line":
            continue
        plain = zlib.decompress(data[offset + 24:offset + size])
        frame = struct.pack("<IBI", 0xfd2fb528, 0xa0, len(plain))  # one segment, 4 bytes of size
        frame += (len(plain) << 3 | 1).to_bytes(3, "little") + plain
        packed = struct.pack("<IIQQ", 2, 0, len(plain), 1) + frame
        padded = data + bytes(-len(data) % 8)
        padded = patched(padded, at + 8, "<Q", flags | 0x800)
        return patched(padded, at + 24, "<QQ", len(padded), len(packed)) + packed
    return data


def damages(data):
    """(what, bytes, whether the header is a lie that takt is to refuse)"""
    names = section_names(data)
    for at, _, flags, offset, size in sections(data):
        if not flags & 0x800 or names[at] not in (".debug_line", ".debug_info", ".debug_str"):
            continue
        for value in (0, 1, size, 1 << 31, 1 << 40, (1 << 64) - 1):
            yield (f"{names[at]} of {value} bytes", patched(data, offset + 8, "<Q", value),
                   value > 1 << 24)
        yield f"{names[at]} of unknown kind", patched(data, offset, "<I", 99), True
        yield f"{names[at]} aligned to 3", patched(data, offset + 16, "<Q", 3), True
        yield f"{names[at]} cut in the header", patched(data, at + 32, "<Q", 12), True
        yield f"{names[at]} cut in the middle", patched(data, at + 32, "<Q", size // 2), False
        yield (f"{names[at]} changed in the middle",
               patched(data, offset + size // 2, "<I", 0xdeadbeef), False)
        yield f"{names[at]} allocated", patched(data, at + 8, "<Q", flags | 2), True
        yield f"{names[at]} outside", patched(data, at + 24, "<Q", len(data) + 5), False
    yield "zstd in place of zlib", zstd_variant(data), False
    for kind in range(5):
        yield f"ELF type {kind}", patched(data, 16, "<H", kind), False
    for cut in range(1, 8):
        yield f"cut at {cut}/8", data[:len(data) * cut // 8], False


def one_damage(folder, job):
    number, label, (what, data, lies) = job
    path = folder / f"damaged{number}"
    path.write_bytes(data)
    done = run("analyze", "--list", "--arch=SKX", path)
    deps = run("deps", "--arch=SKX", path)
    path.unlink()
    good = done.returncode in (0, 1) and deps.returncode in (0, 1)
    good &= done.returncode == 0 or "error:" in done.stderr
    if what.startswith("zstd"):  # libelf may know it, or not
        good &= bool(lines_of(done) & LOOP_LINES) or "no source lines of" in done.stderr
    if lies:
        good &= done.returncode == 0 and "no source lines of" in done.stderr
    return [(bool(good), f"{label}, {what}", done.returncode, deps.returncode, done.stderr)]


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for _, source, text, _ in COMPILERS:
            (folder / source).write_text(text)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            wanted = []
            for variant in variants():
                if shutil.which(variant[0]):
                    wanted.append(variant)
            for compiler, *_ in COMPILERS:
                if not shutil.which(compiler):
                    tap.skip(compiler, "it is not installed")
            for results in pool.map(lambda v: one_variant(folder, v), wanted):
                report(results)
            jobs = []
            for label, flags in (("object", "-g -gz -c"), ("executable", "-g -gz -fno-inline")):
                path, message = build(folder, "cc", "x.c", flags, "whole")
                if not path:
                    tap.skip(f"damaged {label}", message[:150])
                    continue
                for damage in damages(path.read_bytes()):
                    jobs.append((len(jobs), label, damage))
            for results in pool.map(lambda j: one_damage(folder, j), jobs):
                report(results)


main()
sys.exit(tap.finish())
