# SPDX-License-Identifier: MIT
"""Runs takt and other tools on many blocks.

A predictor has a `name` and `predict(corpus, codes)`, which gives a Run, or None where the
tool or the option is not there. Cycles are per execution of the code.
"""
import csv
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple


class Run(NamedTuple):
    cycles: dict    # hex of the code -> cycles; codes that failed are missing
    seconds: float  # of processor time, without the start of the process
    asked: int      # blocks


def timed(command, text):
    """Runs a command on `text`; returns it and the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class Takt:
    limit = 0

    def __init__(self, takt, name, *options):
        self.takt, self.name, self.options = takt, name, options

    def predict(self, corpus, codes):
        command = [self.takt, "predict", f"--arch={corpus.arch}", f"--mode={corpus.mode}",
                   *self.options]
        if corpus.pointers and "--engine=sim" in self.options:
            command.append(f"--pointers={corpus.pointers}")
        done, seconds = timed(command, "".join(f"{code}\n" for code in codes))
        if done.returncode == 2 or (done.returncode and not done.stdout):
            print(f"note: {self.name}: {done.stderr.splitlines()[0] if done.stderr else 'failed'}",
                  file=sys.stderr)
            return None
        _, start = timed(command, "90\n")
        cycles = {}
        for row in csv.reader(done.stdout.splitlines()):
            try:
                cycles[row[0]] = float(row[1])
            except (IndexError, ValueError):
                continue
        return Run(cycles, max(seconds - start, 1e-9), len(codes))


class Slow:
    """A tool whose predictions are kept in a file, to be asked once for each block."""

    def __init__(self, cache, limit):
        self.cache, self.limit = cache, limit

    def path_of(self, arch):
        return pathlib.Path(self.cache) / f"{self.cache_name(arch)}.csv"

    def recall(self, arch):
        if not self.cache or not self.path_of(arch).exists():
            return {}
        with open(self.path_of(arch), encoding="utf-8") as file:
            return {row["code"]: (row["cycles"], float(row["seconds"]))
                    for row in csv.DictReader(file)}

    def remember(self, arch, found):
        if not self.cache:
            return
        fresh = not self.path_of(arch).exists()
        with open(self.path_of(arch), "a", encoding="utf-8") as file:
            if fresh:
                file.write("code,cycles,seconds\n")
            file.writelines(f"{code},{cycles},{seconds:.6f}\n"
                            for code, (cycles, seconds) in found.items())

    def predict(self, corpus, codes):
        arch, mode = corpus.arch, corpus.mode
        if not self.available(arch):
            return None
        known = self.recall(arch)
        missing = [code for code in dict.fromkeys(codes) if code not in known]
        for first in range(0, len(missing), self.chunk):
            found = self.ask(arch, mode, missing[first:first + self.chunk])
            self.remember(arch, found)
            known.update(found)
            if sys.stderr.isatty():
                print(f"\r{self.name} {arch} {mode}: {first + len(found)} of {len(missing)}",
                      end="\r\n" if first + self.chunk >= len(missing) else "", file=sys.stderr)
        cycles = {code: float(known[code][0]) for code in codes if known[code][0]}
        return Run(cycles, max(sum(known[code][1] for code in codes), 1e-9), len(codes))


# ---- llvm-mca ---------------------------------------------------------

MCA_ITERATIONS = 1000  # 100 are about 12 % too high on short blocks, from the start-up
MCA_CPUS = {"SNB": "sandybridge", "IVB": "ivybridge", "HSW": "haswell", "BDW": "broadwell",
            "SKL": "skylake", "SKX": "skylake-avx512", "CLX": "cascadelake",
            "ICL": "icelake-server", "TGL": "tigerlake", "RKL": "rocketlake",
            "ADL-P": "alderlake", "SPR": "sapphirerapids", "ZEN+": "znver1", "ZEN2": "znver2",
            "ZEN3": "znver3", "ZEN4": "znver4", "ZEN5": "znver5"}
REGION = re.compile(r"^\[\d+\] Code Region - (\d+)$.*?^Total Cycles: +(\d+)$", re.M | re.S)
PLACE = re.compile(r"^<stdin>:(\d+):\d+: (?:error|warning)", re.M)
SEPARATOR = "\tnopl\t2053856333(%rax)"
SEPARATOR_BYTES = "[0x0f 0x1f 0x80 0x4d 0x5c 0x6b 0x7a]"


def disassemble(llvm_mc, codes):
    """Assembly lines of each code; None where a code is not understood in whole."""
    text = "".join("[" + " ".join(f"0x{byte:02x}" for byte in bytes.fromhex(code)) + "]\n"
                   + SEPARATOR_BYTES + "\n" for code in codes)
    done = subprocess.run([llvm_mc, "--disassemble", "--triple=x86_64"], input=text,
                          capture_output=True, text=True, check=False)
    blocks = done.stdout.removeprefix("\t.text\n").split(SEPARATOR + "\n")[:-1]
    if len(blocks) != len(codes):
        return [None] * len(codes)
    bad = {(int(line) - 1) // 2 for line in PLACE.findall(done.stderr)}
    return [None if i in bad else block for i, block in enumerate(blocks)]


class Mca(Slow):
    chunk = 50

    def __init__(self, version, cache, limit):
        super().__init__(cache, limit)
        self.name = f"llvm-mca {version}"
        self.version = version
        self.mca, self.mc = (shutil.which(f"{tool}-{version}") for tool in ("llvm-mca", "llvm-mc"))
        self.cpus = ""
        if self.mca and self.mc:
            self.cpus = subprocess.run([self.mca, "--mcpu=help"], input="", capture_output=True,
                                       text=True, check=False).stderr

    def cache_name(self, arch):
        return f"mca-cache-{arch}-{self.version}"

    def available(self, arch):
        return f" {MCA_CPUS.get(arch)} " in self.cpus

    def ask(self, arch, mode, codes):
        todo = {str(i): text for i, text in enumerate(disassemble(self.mc, codes)) if text}
        found, spent = {}, 0.0
        while todo:
            text, owners = "", [None]
            for name, block in todo.items():
                text += f"# LLVM-MCA-BEGIN {name}\n{block}# LLVM-MCA-END\n"
                owners += [name] * (block.count("\n") + 2)
            done, seconds = timed([self.mca, "--mtriple=x86_64", f"--mcpu={MCA_CPUS[arch]}",
                                   f"--iterations={MCA_ITERATIONS}", "--all-views=false",
                                   "--summary-view"], text)
            spent += seconds
            results = dict(REGION.findall(done.stdout))
            found.update(results)
            for name in results:
                del todo[name]
            if not todo:
                break
            # Lines that do not parse; otherwise it stopped at the first region without a result.
            bad = {owners[int(line)] for line in PLACE.findall(done.stderr)} & set(todo)
            for name in bad or [next(iter(todo))]:
                del todo[name]
        each = spent / len(codes)
        return {code: (str(int(found[str(i)]) / MCA_ITERATIONS) if str(i) in found else "", each)
                for i, code in enumerate(codes)}


# ---- OSACA ------------------------------------------------------------

OSACA_ARCHS = {"ADL-P": "GLC", "ZEN+": "ZEN1", "RKL": "ICX", "TGL": "ICL", "CLX": "CSX"}
OSACA_SUMS = re.compile(r"^ +(\d+(?:\.\d+)?(?: +\d+(?:\.\d+)?)+) *$", re.M)


class Osaca(Slow):
    """The larger of its port pressure and loop-carried dependence, as its authors advise."""
    chunk = 20
    name = "OSACA"

    def __init__(self, cache, limit):
        super().__init__(cache, limit)
        self.osaca, self.mc = shutil.which("osaca"), shutil.which("llvm-mc-19")

    def cache_name(self, arch):
        return f"osaca-cache-{arch}"

    def available(self, arch):
        return bool(self.osaca and self.mc)

    def ask(self, arch, mode, codes):
        found = {}
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "block.s"
            for code, text in zip(codes, disassemble(self.mc, codes)):
                cycles, seconds = "", 0.0
                if text:
                    source.write_text(text, encoding="utf-8")
                    done, seconds = timed([self.osaca, "--arch", OSACA_ARCHS.get(arch, arch),
                                           "--ignore-unknown", str(source)], "")
                    cycles = self.largest(done.stdout)
                found[code] = (cycles, seconds)
        return found

    @staticmethod
    def largest(report):
        """The line of sums below the table: each port in use, critical path, LCD."""
        lines = OSACA_SUMS.findall(report)
        if not lines:
            return ""
        *ports, _, loop_carried = map(float, lines[-1].split())
        return str(max([*ports, loop_carried]))


ABLATIONS = ("front-end", "port-rule", "fusion", "moves", "memory")


def takt_of(takt):
    return [Takt(takt, "takt bounds", "--engine=bounds"),
            Takt(takt, "takt sim", "--engine=sim"),
            Takt(takt, "takt sim, no memory dependences", "--engine=sim",
                 "--no-memory-dependences")]


def all_of(options):
    found = takt_of(options.takt)
    if options.ablate:
        return found[1:2] + [Takt(options.takt, f"takt sim without {what}", "--engine=sim",
                                  f"--without={what}") for what in ABLATIONS]
    found += [Mca(version, options.cache, options.slow_blocks) for version in (14, 19)]
    return found + [Osaca(options.cache, options.slow_blocks)]
