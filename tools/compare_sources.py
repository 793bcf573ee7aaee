#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far the shipped models and LLVM's scheduling tables disagree, core by core.

    compare_sources.py TAKT [--forms]

Imports LLVM's table for each core that LLVM models, and compares it with the shipped
one form by form. Prints a table for docs/models.md; --forms prints the differences.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

LLVM_CPUS = {"SNB": "sandybridge", "HSW": "haswell", "BDW": "broadwell", "SKL": "skylake",
             "SKX": "skylake-avx512", "ICL": "icelake-server", "ADL-P": "alderlake",
             "SPR": "sapphirerapids", "ZEN+": "znver1", "ZEN2": "znver2", "ZEN3": "znver3",
             "ZEN4": "znver4"}
SUMMARY = re.compile(r"(\d+) forms, (\d+) equal; differing in µops (\d+), latency (\d+), slots (\d+)")


def run(takt, *arguments):
    done = subprocess.run([takt, *arguments], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1) or "error:" in done.stderr:
        sys.exit(done.stderr)
    return done.stdout


def compare(takt, core, cpu, folder):
    name = f"{core}-llvm".lower()
    (folder / "timing" / f"{name}.timing").write_text(
        re.sub(r"^name .*$", f"name {name}", run(takt, "model", "import", f"llvm:{cpu}",
                                                 f"--arch={core}"), count=1, flags=re.MULTILINE))
    (folder / "cores" / f"{name}.core").write_text(
        f"takt core 1\nname {name.upper()}\ntitle LLVM {cpu}\nbase {core}\ntiming {name}\n")
    return run(takt, "model", "diff", f"--model={folder}", core, name.upper())


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    print("| core | LLVM's | forms in both | equal | µops or ports differ | latency differs | slots differ |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "cores").mkdir()
        (folder / "timing").mkdir()
        for core, cpu in LLVM_CPUS.items():
            text = compare(takt, core, cpu, folder)
            if "--forms" in sys.argv:
                print(text)
            both, equal, uops, latency, slots = SUMMARY.search(text.splitlines()[-1]).groups()
            print(f"| {core} | {cpu} | {both} | {equal} | {uops} | {latency} | {slots} |")


main()
