#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The types of the Python package, as mypy --strict sees them.

    typed.py SOURCE

The package and its examples have no error; programs that use it get the types that its signatures
promise, and a wrong use is reported.
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import tap

FLOATS = "numpy.ndarray[Any, numpy.dtype[numpy.float64]]"
PROMISED = {
    'takt.predict("90")': "float",
    'takt.predict(b"x")': "float",
    'takt.predict(["90", "c3"])': "list[float]",
    'takt.predict([b"x"], arch=takt.Model("SKX"))': "list[float]",
    'takt.predict(text for text in ("90", "c3"))': "list[float]",
    'takt.predict("90", arch=["SKX", "ZEN4"])': "dict[str, float]",
    'takt.predict(["90"], arch=[takt.Model("SKX")])': "dict[str, list[float]]",
    'takt.measure("90")': "takt.Measurement",
    'takt.measure(["90"])': "list[takt.Measurement]",
    'takt.measure(["90"])[0].cycles': "float",
    'takt.analyze("a.o")[0].instructions[0].latency': "float",
    'takt.cores()': "list[str]",
    'takt.Model("SKX").isa': "str",
}
ARRAYS = {
    'takt.predict(numpy.array(["90"], dtype=object))': FLOATS,
    'takt.predict(numpy.array(["90"]), arch=("SKX",))': f"dict[str, {FLOATS}]",
}
WRONG = ["takt.predict(3)", 'takt.predict("90", arch=3)', "takt.measure(None)", 'takt.analyze(3)',
         'takt.predict("90").shape', 'takt.Model("SKX", settings=3)']


def run_mypy(source, scratch, *paths):
    """mypy as a person calls it in the folder of the sources, but that it leaves nothing there."""
    return subprocess.run(["mypy", "--strict", f"--cache-dir={scratch / 'cache'}", *map(str, paths)],
                          cwd=source, text=True, capture_output=True, check=False)


def check_user(source, scratch):
    """Programs of users."""
    probe = scratch / "probe.py"
    probe.write_text("import numpy\n", encoding="ascii")
    have_numpy = run_mypy(source, scratch, probe).returncode == 0
    if not have_numpy:
        tap.skip("the types of arrays", "mypy finds no numpy")
    promised = {**PROMISED, **(ARRAYS if have_numpy else {})}
    head = ["import takt", "from typing import Any", "from typing_extensions import assert_type"]
    head += ["import numpy"] if have_numpy else []
    good = scratch / "good.py"
    good.write_text("\n".join(head + [f"assert_type({text}, {kind})" for text, kind in
                                      promised.items()]) + "\n", encoding="ascii")
    done = run_mypy(source, scratch, good)
    for line, (text, kind) in enumerate(promised.items(), len(head) + 1):
        tap.ok(f"good.py:{line}:" not in done.stdout, f"{text} is {kind}", done.stdout)
    tap.ok(done.returncode == 0, "programs have no error", done.stdout, done.stderr)
    bad = scratch / "bad.py"
    bad.write_text("import takt\n" + "".join(f"{text}\n" for text in WRONG), encoding="ascii")
    done = run_mypy(source, scratch, bad)
    for line, text in enumerate(WRONG, 2):
        tap.ok(f"bad.py:{line}: error:" in done.stdout, f"{text} is reported", done.stdout)


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    try:
        subprocess.run(["mypy", "--version"], capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError) as reason:
        tap.skip_all(f"mypy cannot be run: {reason}")
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        done = run_mypy(source, scratch, "python/takt", "python/examples")
        tap.ok(done.returncode == 0, "the package and its examples are typed", done.stdout,
               done.stderr)
        check_user(source, scratch)
    return tap.finish()


sys.exit(main())
