#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels whose bounds are known by hand.

Each .s file here derives its figures in its comments and states them in lines

    # expect CORE[,CORE…] bound=cycles …

where a bound is a key of the JSON output: cycles_per_iteration (simulated), ports, issue,
front_end, loop_carried, critical_path; align=N is where in a 64-byte line the block starts,
0 if not given; ports.NAME is a port's load. Lines `# kernel FILE` and `# options OPTION…` name
another kernel than the file itself, and further options. Time is derived where one limit is well above all others. These expectations come from the derivation, never
from a run; there is no way to bless them.
"""
import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
EXPECT = re.compile(r"^#\s*expect\s+(\S+)\s+(.*)$", re.MULTILINE)
KERNEL = re.compile(r"^#\s*kernel\s+(\S+)$", re.MULTILINE)
OPTIONS = re.compile(r"^#\s*options\s+(.*)$", re.MULTILINE)
TOLERANCE_CYCLES = 0.006  # JSON has three decimals, the derivations two


def analyze(takt, path, text, core, align):
    kernel = KERNEL.search(text)
    options = OPTIONS.search(text)
    done = subprocess.run([takt, "analyze", f"--arch={core}", "--format=json",
                           "--no-sensitivity", f"--align={align}",
                           *(options.group(1).split() if options else []),
                           path.parent / kernel.group(1) if kernel else path],
                          capture_output=True, text=True, check=False, timeout=60)
    if done.returncode != 0:
        return None, done.stderr
    figures = json.loads(done.stdout)
    ports = {f"ports.{name}": cycles for name, cycles in figures["port_pressure"].items()}
    return {"cycles_per_iteration": figures["cycles_per_iteration"], **ports,
            **figures["bounds"]}, ""


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    for path in sorted(HERE.glob("*.s")):
        text = path.read_text(encoding="utf-8")
        for cores, wants in EXPECT.findall(text):
            wanted = dict(want.split("=") for want in wants.split())
            align = wanted.pop("align", "0")
            for core in cores.split(","):
                got, error = analyze(takt, path, text, core, align)
                for key, value in wanted.items():
                    ok(got is not None and abs(got[key] - float(value)) <= TOLERANCE_CYCLES,
                       f"{path.stem} on {core}: {key} {value}", got[key] if got else error.strip())
    return finish()


sys.exit(main())
