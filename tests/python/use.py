#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Uses the Python package; prints "good …" or "bad …" for each thing that should hold.

    use.py SOURCE
"""
import math
import sys

import numpy
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


def main():
    check(takt.__version__ and "SKX" in takt.cores(), "version and cores")
    check(takt.predict("4801d8", arch="SKX") == 1.0, "one block is a float")
    check(takt.predict(b"\x48\x01\xd8", arch="SKX") == 1.0, "bytes are a block")
    by_core = takt.predict(["4801d8", "480fafc3"], arch=["SKX", "ZEN4"])
    check(by_core == {"SKX": [1.0, 3.0], "ZEN4": [1.0, 3.0]}, "several blocks on several cores")
    array = takt.predict(numpy.array([["4801d8", "ff"]], dtype=object), arch="SKX")
    check(array.shape == (1, 2) and array[0, 0] == 1.0 and math.isnan(array[0, 1]),
          "arrays keep their shape, and bytes that do not decode are NaN")
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
    frame = regions[0].to_frame()
    check(len(frame) == len(regions[0].instructions) and "p0" in frame, "instructions as a table")
    loop = ".L1:\n\tadd $1, %rax\n\timul %rbx, %rcx\n\tdec %rdx\n\tjnz .L1\n"
    check(takt.analyze(text=loop, arch="SKX")[0].cycles == 3.0, "text is analyzed")
    check(takt.analyze(code="480fafc3", arch="SKX", mode="unroll")[0].cycles == 3.0,
          "machine code is analyzed")
    small = takt.Model("SKX", settings={"issue_width": 1, "stack_engine": False})
    check(takt.predict("90909090", arch=small) == 4.0, "a core with another parameter")

    check(fails(takt.Error, "hexadecimal", lambda: takt.predict("zz", arch="SKX")), "bad blocks")
    check(fails(takt.Error, "nosuch", lambda: takt.Model("nosuch")), "unknown cores")
    check(fails(takt.Error, "rob_entires",
                lambda: takt.Model("SKX", settings={"rob_entires": 1})), "unknown parameters")
    check(fails(takt.Error, ":1:", lambda: takt.analyze(text="foo bar", arch="SKX")),
          "text that is no assembly, with its place")
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
