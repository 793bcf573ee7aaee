#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the wheel of the Python package, and uses it as its users do.

    run.py BUILD SOURCE TAKT

Figures agree with those of the command TAKT; the examples run.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import tap

NEEDS = ["cffi", "setuptools", "wheel", "numpy", "pandas"]
BLOCKS = ["4801d8", "480fafc3", "4801d8480fafc3", "90", "c5f458c1"]


def find_python():
    """A Python that has what the package needs: this one, or Debian's."""
    for python in (sys.executable, "/usr/bin/python3"):
        done = subprocess.run([python, "-c", f"import {', '.join(NEEDS)}"], capture_output=True,
                              check=False)
        if done.returncode == 0:
            return python
    return None


def predict_by_command(command, arch):
    done = subprocess.run([command, "predict", f"--arch={arch}", "--mode=unroll"], text=True,
                          input="\n".join(BLOCKS) + "\n", capture_output=True, check=True)
    return [float(line.split(",")[-1]) for line in done.stdout.splitlines()
            if line and not line.startswith("#") and line[0] in "0123456789abcdef"]


def run_use(python, site, source):
    """Runs use.py, and takes over its tests."""
    done = subprocess.run([python, "-B", str(HERE / "use.py"), str(source)], text=True,
                          env={**os.environ, "PYTHONPATH": str(site)}, capture_output=True,
                          check=False)
    for line in done.stdout.splitlines():
        tap.ok(line.startswith("good "), line.split(" ", 1)[1])
    tap.ok(done.returncode == 0, "the package is usable", done.stderr)


def run_tests(command):
    """Runs another script of tests, and takes over its tests but those that it skips."""
    done = subprocess.run(command, text=True, capture_output=True, check=False)
    tests = [line for line in done.stdout.splitlines()
             if line.startswith(("ok ", "not ok ")) and " # SKIP" not in line]
    for line in tests:
        tap.ok(line.startswith("ok "), line.split(" - ", 1)[1])
    tap.ok(done.returncode == 0 and tests, "the extension module is hardened", done.stderr)


def run_example(python, site, source, name, *arguments):
    done = subprocess.run([python, "-B", str(source / "python" / "examples" / name), *arguments],
                          text=True, capture_output=True, check=False, cwd=source,
                          env={**os.environ, "PYTHONPATH": str(site)})
    tap.ok(done.returncode == 0 and done.stdout, f"the example {name} runs", done.stderr)
    done = subprocess.run([python, "-B", str(source / "python" / "examples" / name)], text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(site)})
    tap.ok(done.returncode == 1 and f"    {name} " in done.stderr and
           "Traceback" not in done.stderr, f"{name} alone says how to call it", done.stderr)


def main():
    build, source, command = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    python = find_python()
    if not python:
        tap.skip_all(f"no Python here has {', '.join(NEEDS)}")
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder) / "site"
        done = subprocess.run([source / "tools" / "build_wheel.sh", build, python, folder],
                              capture_output=True, text=True, check=False)
        if not tap.ok(done.returncode == 0, "the wheel is built", done.stderr):
            return tap.finish()
        with zipfile.ZipFile(next(pathlib.Path(folder).glob("takt-*.whl"))) as wheel:
            wheel.extractall(site)
        for program in (site / "takt" / "takt").glob("takt-assembler"):
            program.chmod(0o755)    # installers do that, zipfile does not
        run_tests([sys.executable, "-B", HERE.parent / "install" / "hardened.py", "gcc", "--",
                   *site.glob("takt/_native*.so")])
        predicted = subprocess.run(
            [python, "-B", "-c", "import json, sys, takt;"
             " print(json.dumps(takt.predict(json.loads(sys.argv[1]), arch='SKX')))",
             json.dumps(BLOCKS)], env={**os.environ, "PYTHONPATH": str(site)}, text=True,
            capture_output=True, check=False)
        tap.ok(predicted.returncode == 0 and
               [round(cycles, 2) for cycles in json.loads(predicted.stdout)] ==
               [round(cycles, 2) for cycles in predict_by_command(command, "SKX")],
               "predictions are those of the command", predicted)
        run_use(python, site, source)
        run_example(python, site, source, "compare_with_measurements.py",
                    "tests/accuracy/host-26-2.csv", "ZEN5", "3")
        run_example(python, site, source, "sweep_parameter.py", "examples/kernels/dot_product.s",
                    "SKX", "rob_entries", "16", "224")
        run_example(python, site, source, "limits_on_cores.py", "examples/kernels/gauss_seidel.s",
                    "SKX", "ZEN4")
    return tap.finish()


sys.exit(main())
