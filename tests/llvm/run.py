# SPDX-License-Identifier: MIT
"""Every processor that LLVM has tables for analyzes a small loop of its instruction set.

    run.py TAKT            TAP for the test
    run.py --list TAKT     cycles per iteration of each, for people

The loops load, compute, store and count; what is checked is that each processor gives a
figure, and no bound lies above it. An architecture that has a module of its own is analyzed without
libLLVM, which takes long to load, and as the module with all of LLVM has it.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip_all  # noqa: E402

ARM = "ldr r3, [r0], #4\nadd r3, r3, #1\nstr r3, [r1], #4\nsubs r2, r2, #1\nbne 1b\n"
A64 = "ldr x3, [x0], #8\nadd x3, x3, #1\nstr x3, [x1], #8\nsubs x2, x2, #1\nb.ne 1b\n"
MIPS = "lw $3, 0($4)\naddiu $3, $3, 1\nsw $3, 0($5)\naddiu $4, $4, 4\nbne $4, $6, 1b\nnop\n"
PPC = "lwz 6, 0(3)\naddi 6, 6, 1\nstw 6, 0(4)\naddi 3, 3, 4\nbdnz 1b\n"
RISCV = "lw a3, 0(a0)\naddi a3, a3, 1\nsw a3, 0(a1)\naddi a0, a0, 4\nbne a0, a2, 1b\n"
S390 = "l %r3, 0(%r4)\nahi %r3, 1\nst %r3, 0(%r5)\nla %r4, 4(%r4)\nbrct %r2, 1b\n"
LOONGARCH = "ld.w $a3, $a0, 0\naddi.w $a3, $a3, 1\nst.w $a3, $a1, 0\nbne $a0, $a2, 1b\n"
SPARC = "ld [%o0], %o3\nadd %o3, 1, %o3\nst %o3, [%o1]\nsubcc %o2, 1, %o2\nbne 1b\nnop\n"
# Big-endian and 32-bit variants decode alike; one of each family is enough.
LOOPS = {"arm": ARM, "aarch64": A64, "mips64el": MIPS, "powerpc64le": PPC, "riscv64": RISCV,
         "s390x": S390, "loongarch64": LOONGARCH, "sparcv9": SPARC}
# Modules with one target.
OWN = {"arm": "takt-llvm-arm", "aarch64": "takt-llvm-aarch64", "mips64el": "takt-llvm-mips",
       "powerpc64le": "takt-llvm-powerpc", "riscv64": "takt-llvm-riscv",
       "s390x": "takt-llvm-systemz"}
# LLVM's tables of these leave out what the loop needs: Thumb only.
SKIPPED = {"arm": ("cortex-m", "sc300")}


def processors(takt):
    """(architecture, processor) as `takt model list --llvm` names them."""
    listing = subprocess.run([takt, "model", "list", "--llvm"], capture_output=True, text=True,
                             check=True).stdout
    architecture, found = None, []
    for line in listing.splitlines():
        if line.startswith("llvm:"):
            architecture, line = line[len("llvm:"):].split(":", 1)
        found += [(architecture, name) for name in line.split()]
    return found


def check(takt, folder, architecture, processor):
    """Cycles, or what is wrong."""
    path = os.path.join(folder, f"{architecture}.s")
    with open(path, "w", encoding="ascii") as file:
        file.write("1:\n" + LOOPS[architecture])
    run = subprocess.run([takt, "analyze", f"--arch=llvm:{architecture}:{processor}",
                          "--format=json", path], capture_output=True, text=True, check=False)
    if run.returncode:
        return None, run.stderr.strip().splitlines()[0]
    record = json.loads(run.stdout)
    record = record[0] if isinstance(record, list) else record
    record = record.get("regions", [record])[0]
    cycles = record["cycles_per_iteration"]
    bounds = record["bounds"]
    highest = max(bounds[name] for name in ("ports", "front_end", "issue", "loop_carried"))
    if not cycles or cycles <= 0 or cycles + 0.005 < highest:
        return cycles, f"{cycles} cycles, a bound of {highest}"
    return cycles, None


def run_in(takt, modules, path, architecture, processor):
    """The report with the modules of this folder, and whether any process loads libLLVM."""
    environment = dict(os.environ, TAKT_MODULE_DIR=str(modules), LD_DEBUG="files",
                       LD_DEBUG_OUTPUT=f"{path}.loaded")
    run = subprocess.run([takt, "analyze", f"--arch=llvm:{architecture}:{processor}",
                          "--format=json", path], env=environment, capture_output=True, text=True,
                         check=False)
    loaded = list(pathlib.Path(path).parent.glob(f"{pathlib.Path(path).name}.loaded.*"))
    with_llvm = any("libLLVM" in log.read_text(errors="replace") for log in loaded)
    for log in loaded:
        log.unlink()
    return run.stdout, with_llvm


def compare_modules(takt, folder, chosen):
    """(architecture, what is wrong) for those with a module of their own."""
    modules = pathlib.Path(os.environ.get("TAKT_MODULE_DIR") or
                           pathlib.Path(takt).resolve().parent.parent / "modules")
    shared = pathlib.Path(folder) / "modules"
    shared.mkdir()
    for name in ("takt-llvm-any.so", "takt-assembler"):
        shutil.copy(modules / name, shared)
    for architecture, module in OWN.items():
        processor = next((p for a, p in chosen if a == architecture), None)
        if not processor or not (modules / f"{module}.so").exists():
            continue
        path = os.path.join(folder, f"{architecture}.s")
        own, own_llvm = run_in(takt, modules, path, architecture, processor)
        other, other_llvm = run_in(takt, shared, path, architecture, processor)
        yield architecture, ("libLLVM is loaded" if own_llvm else
                             "libLLVM is not loaded from the other module" if not other_llvm else
                             "the reports differ" if own != other else None)


def main():
    people = sys.argv[1] == "--list"
    takt = sys.argv[-1]
    chosen = [(a, p) for a, p in processors(takt)
              if a in LOOPS and not p.startswith(SKIPPED.get(a, ("-",)))]
    if not chosen:
        skip_all("no processors of LLVM: its module is not installed")
    with tempfile.TemporaryDirectory() as folder:
        for architecture, processor in chosen:
            cycles, wrong = check(takt, folder, architecture, processor)
            if people:
                print(f"{architecture:12} {processor:24} {wrong or f'{cycles:.2f}'}")
            else:
                ok(wrong is None, f"{architecture}:{processor}", wrong)
        if not people:
            for architecture, wrong in compare_modules(takt, folder, chosen):
                ok(wrong is None, f"module of {architecture}", wrong)
    return 0 if people else finish()


sys.exit(main())
