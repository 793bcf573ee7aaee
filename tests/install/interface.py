#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the public interface: what the library exports, and that options can grow.

    interface.py LIBRARY MARKER_LIBRARY INCLUDE CC CXX [--bless]

The library exports the functions that the headers below INCLUDE mark with TAKT_API, nothing else,
and they are those of symbols.txt: a name that goes or comes is a decision. With --bless, the list is
written anew. The library of the markers exports the names of marker_symbols.txt, which are all that
programs linked with it could collide with, and its header declares them. `= {0}` must be valid C and
C++ for each struct of options, and each must end in reserved fields. New options come in the place
of these, so the size of a struct stays what it is in option_sizes.txt (--bless writes it, too).
"""
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import tap  # noqa: E402

MARKER_LIST = pathlib.Path(__file__).resolve().parent / "marker_symbols.txt"
LIST = pathlib.Path(__file__).resolve().parent / "symbols.txt"
SIZES = pathlib.Path(__file__).resolve().parent / "option_sizes.txt"
# Structs that callers fill in although their names do not end in _options.
ALSO_OPTIONS = {"takt_call", "takt_trace_core"}


def declared_functions(text):
    return set(re.findall(r"^TAKT_API\b[^;{]*?\b(takt_\w+)\(", text, re.MULTILINE))


def exported_symbols(library):
    listing = subprocess.run(["nm", "-D", "--defined-only", "--format=posix", library],
                             capture_output=True, text=True, check=True).stdout
    return {line.split()[0] for line in listing.splitlines()}


def option_structs(text):
    """Yields the name and the body of each struct of options."""
    for name, body in re.findall(r"^struct (takt_\w+) \{\n(.*?)^\};", text, re.DOTALL | re.MULTILINE):
        if name.endswith("_options") or name in ALSO_OPTIONS:
            yield name, body


def compiles(compiler, suffix, include, names):
    source = "#include <takt/takt.h>\nint main(void)\n{\n"
    for name in names:
        source += f"\tstruct {name} {name}_default = {{0}};\n\t(void){name}_default;\n"
    source += "\treturn 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"options.{suffix}"
        path.write_text(source, encoding="utf-8")
        return subprocess.run([*compiler.split(), "-Wall", "-Werror", f"-I{include}", "-fsyntax-only",
                               str(path)], capture_output=True, text=True, check=False)


def sizes_of(compiler, include, names):
    """Returns a line for each struct: its name and its size in bytes."""
    source = "#include <stdio.h>\n#include <takt/takt.h>\nint main(void)\n{\n"
    for name in sorted(names):
        source += f'\tprintf("{name} %zu\\n", sizeof(struct {name}));\n'
    source += "\treturn 0;\n}\n"
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "sizes.c"
        program = pathlib.Path(folder) / "sizes"
        path.write_text(source, encoding="utf-8")
        subprocess.run([*compiler.split(), f"-I{include}", "-o", str(program), str(path)], check=True)
        return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


def check_equal(left, right, name):
    tap.ok(left == right, name, f"only in the first: {sorted(left - right)}",
           f"only in the second: {sorted(right - left)}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--bless"]
    library, marker_library, include, c_compiler, cpp_compiler = arguments
    text = "\n".join(path.read_text(encoding="utf-8")
                     for path in sorted(pathlib.Path(include, "takt").glob("*.h"))
                     if path.name != "marker.h")  # another library's
    declared = declared_functions(text)
    if "--bless" in sys.argv:
        LIST.write_text("".join(f"{name}\n" for name in sorted(declared)), encoding="ascii")
    check_equal(declared, exported_symbols(library),
                "the headers' functions are the library's exported symbols")
    check_equal(declared, set(LIST.read_text(encoding="ascii").split()),
                "the headers' functions are those of symbols.txt (--bless writes it)")
    check_equal(exported_symbols(marker_library), set(MARKER_LIST.read_text(encoding="ascii").split()),
                "the library of the markers exports the names of marker_symbols.txt")
    header = pathlib.Path(include, "takt", "marker.h").read_text(encoding="utf-8")
    check_equal(set(re.findall(r"^(?:extern )?(?:void|int) (takt_marker_\w+)[(;]", header, re.MULTILINE)),
                set(MARKER_LIST.read_text(encoding="ascii").split()), "and its header declares them")
    structs = dict(option_structs(text))
    for name, body in structs.items():
        tap.ok(re.search(r"TAKT_RESERVED(_LESS\([1-3]\))?;$", body.rstrip()), f"struct {name} can grow")
    sizes = sizes_of(c_compiler, include, structs)
    if "--bless" in sys.argv:
        SIZES.write_text(sizes, encoding="ascii")
    check_equal(set(sizes.splitlines()), set(SIZES.read_text(encoding="ascii").splitlines()),
                "the structs of options have the sizes of option_sizes.txt")
    for compiler, suffix in ((c_compiler, "c"), (cpp_compiler, "cpp")):
        done = compiles(compiler, suffix, include, structs)
        tap.ok(done.returncode == 0, f"= {{0}} is valid for {len(structs)} structs of options as {suffix}",
               done.stderr)
    return tap.finish()


if __name__ == "__main__":
    sys.exit(main())
