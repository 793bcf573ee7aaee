#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses the Python package; prints "good …" or "bad …" for each thing that should hold.

    use.py SOURCE
"""
import dataclasses
import inspect
import math
import pathlib
import sys

import numpy
import pandas
import takt

SOURCE = sys.argv[1]


def check(good, what):
    print("good" if good else "bad", what)


def fails(kind, text, call):
    try:
        call()
    except kind as error:
        return text in str(error)
    return False


def check_interface():
    """Every public name says what it is, in which units, and of which types."""
    public = [getattr(takt, name) for name in takt.__all__]
    check(all(inspect.getdoc(each) for each in public), "all that is public is documented")
    functions = [each for each in public if inspect.isfunction(each)]
    functions += [each for each in vars(takt.Model).values() if inspect.isfunction(each)]
    untyped = [f"{function.__name__}({name})" for function in functions
               for name, parameter in inspect.signature(function).parameters.items()
               if name != "self" and parameter.annotation is inspect.Parameter.empty]
    untyped += [function.__name__ for function in functions
                if inspect.signature(function).return_annotation is inspect.Signature.empty]
    check(functions and not untyped, f"and typed {' '.join(untyped)}".rstrip())
    check(pathlib.Path(takt.__file__).with_name("py.typed").exists(), "for checkers of types, too")
    check("cycles per execution" in inspect.getdoc(takt.predict) and
          "the seconds" in inspect.getdoc(takt.measure), "units are said")
    silent = [f"{each.__name__}.{field.name}" for each in public if dataclasses.is_dataclass(each)
              for field in dataclasses.fields(each)
              if f"\n{field.name}: " not in inspect.getdoc(each)]
    check(not silent, f"help() says what each field is {' '.join(silent)}".rstrip())


def main():
    check_interface()
    check(takt.__version__ and "SKX" in takt.cores(), "version and cores")
    check(takt.predict("4801d8", arch="SKX") == 1.0, "one block is a float")
    check(takt.predict(b"\x48\x01\xd8", arch="SKX") == 1.0, "bytes are a block")
    check(takt.predict(memoryview(b"\x48\x01\xd8"), arch="SKX") == 1.0, "so are views of bytes")
    by_core = takt.predict(["4801d8", "480fafc3"], arch=["SKX", "ZEN4"])
    check(by_core == {"SKX": [1.0, 3.0], "ZEN4": [1.0, 3.0]}, "several blocks on several cores")
    array = takt.predict(numpy.array([["4801d8", "ff"]], dtype=object), arch="SKX")
    check(array.shape == (1, 2) and array[0, 0] == 1.0 and math.isnan(array[0, 1]),
          "arrays keep their shape, and bytes that do not decode are NaN")
    series = takt.predict(pandas.Series(["4801d8", "480fafc3"], index=[7, 8]), arch="SKX")
    check(isinstance(series, numpy.ndarray) and series.tolist() == [1.0, 3.0],
          "a column of a table gives an array")
    check(takt.predict(numpy.array(["4801d8"]), arch="SKX").tolist() == [1.0],
          "so does an array of text of one size")
    check(takt.predict(numpy.array([], dtype=object), arch="SKX").shape == (0,), "and an empty one")
    check(fails(TypeError, "dtype=object",
                lambda: takt.predict(numpy.array([b"\x90"]), arch="SKX")),
          "fixed-size bytes, which lose zeros, are refused")
    many = ["4801d8"] * 2000
    check(takt.predict(many, arch="SKX", jobs=4) == [1.0] * 2000, "threads give the same figures")
    check(takt.predict([], arch="SKX") == [], "no blocks are no error")

    regions = takt.analyze(f"{SOURCE}/examples/kernels/dot_product.s", arch="SKX")
    check(regions[0].cycles == 4.0 and "loop-carried" in regions[0].limit, "a file is analyzed")
    check("4.00 cycles per iteration" in regions[0].report, "with the report as text")
    check(math.isclose(sum(stall["cycles"] for stall in regions[0].stalls), 4.0, rel_tol=1e-3),
          "stalls sum to the cycles")
    change = min(regions[0].changes, key=lambda change: change["cycles"])
    check(change["cycles"] < 4.0 and change["what"], "changes of the code are told")
    frame = regions[0].to_frame()
    check(len(frame) == len(regions[0].instructions) and "p0" in frame, "instructions as a table")
    loop = ".L1:\n\tadd $1, %rax\n\timul %rbx, %rcx\n\tdec %rdx\n\tjnz .L1\n"
    check(takt.analyze(text=loop, arch="SKX")[0].cycles == 3.0, "text is analyzed")
    check(takt.analyze(code="480fafc3", arch="SKX", mode="unroll")[0].cycles == 3.0,
          "machine code is analyzed")
    small = takt.Model("SKX", settings={"issue_width": 1, "stack_engine": False})
    check(takt.predict("90909090", arch=small) == 4.0, "a core with another parameter")

    check(fails(takt.Error, "hexadecimal", lambda: takt.predict("zz", arch="SKX")), "bad blocks")
    check(fails(takt.Error, "blocks[1]: ", lambda: takt.predict(["90", "zz"], arch="SKX")),
          "a bad block of a list is named by its index")
    check(fails(TypeError, "blocks[1]: ", lambda: takt.predict(["90", None], arch="SKX")),
          "so is one that is missing")
    check(fails(takt.Error, "nosuch", lambda: takt.Model("nosuch")), "unknown cores")
    check(fails(TypeError, "a core is a name", lambda: takt.predict("90", arch=3)), "no cores")
    check(fails(takt.Error, "rob_entires",
                lambda: takt.Model("SKX", settings={"rob_entires": 1})), "unknown parameters")
    check(fails(takt.Error, "first line 1:", lambda: takt.analyze(text="foo bar", arch="SKX")),
          "text that is no assembly, with its place")
    check(fails(takt.Error, ":2:2:",
                lambda: takt.analyze(text="\tnop\n\tfoo %eax\n", arch="SKX")),
          "a line that does not assemble, with its place")
    check(fails(takt.Error, "mode", lambda: takt.predict("90", arch="SKX", mode="x")), "bad modes")
    check(fails(TypeError, "exactly one", lambda: takt.analyze(arch="SKX")), "nothing to analyze")

    try:
        measured = takt.measure(["4801d8", "0f0b"])
    except takt.Unavailable as reason:
        check(str(reason), "this host cannot measure, and says why")
        return
    check(len(measured) == 2 and measured[0].clock and measured[0].cpu, "blocks are measured")
    check(measured[1].status not in ("ok", "unstable") and math.isnan(measured[1].cycles),
          "a block that faults has no figure")


main()
