#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""LLVM's own inputs for llvm-mca, with the options of their RUN lines, as input of takt analyze.

    llvm_inputs.py TAKT FOLDER [PATTERN]

FOLDER gets LLVM's sources as Debian has them, of which the inputs are unpacked, unless it has files below
llvm/test/tools/llvm-mca already. No run may crash, hang, or meet an option that takt does not know. What takt
refuses is counted by its message: llvm-mca may refuse it, too, or the text may be for a processor that takt's
LLVM lacks.

Where takt takes the processor from LLVM's tables, too, the reciprocal throughput of each region is compared with
that of llvm-mca 19: the larger of the bounds by ports and by issue.
"""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from debian import fetch_sources  # noqa: E402
from tap import comment, finish, ok, skip  # noqa: E402

PACKAGE = "llvm-toolchain-19"
TIMEOUT_SECONDS = 120
ROUNDING = 0.0501  # figures of llvm-mca have one decimal
# Options of the shell line that belong to the test's own machinery.
SHELL = re.compile(r"\||\d?[<>]|&&|;")


def fetch(folder):
    """The folder of the inputs."""
    found = list(folder.rglob("llvm/test/tools/llvm-mca"))
    if found:
        return found[0]
    fetch_sources(folder, [PACKAGE], unpack=False)
    archive = next(folder.glob(f"{PACKAGE}_*.orig.tar.xz"))
    subprocess.run(["tar", "-xJf", archive, "--wildcards", "*/llvm/test/tools/llvm-mca/*"],
                   cwd=folder, check=True)
    return next(folder.rglob("llvm/test/tools/llvm-mca"))


def commands(path):
    """The words of each command of llvm-mca in the RUN lines, and whether it must fail."""
    lines, last = [], ""
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        match = re.search(r"RUN:(.*)", line)
        if not match:
            continue
        last += match.group(1).strip()
        if last.endswith("\\"):
            last = last[:-1] + " "
            continue
        lines.append(last)
        last = ""
    for line in lines:
        match = re.search(r"(not\s+(?:--crash\s+)?)?\bllvm-mca\b(.*)", line)
        if not match:
            continue
        words = SHELL.split(match.group(2))[0]
        before = SHELL.split(match.group(2), maxsplit=1)[1:]
        if before and "<" in match.group(2) and "%s" not in words:
            words += " %s"
        yield bool(match.group(1)), shlex.split(words.replace("%s", str(path)).replace(
            "%p", str(path.parent)).replace("%S", str(path.parent)))


def run(takt, words):
    try:
        done = subprocess.run([takt, "analyze", "--no-sensitivity", *words], stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=TIMEOUT_SECONDS, check=False,
                              cwd="/tmp" if "-o" in words else None)
    except subprocess.TimeoutExpired:
        return None, f"no end after {TIMEOUT_SECONDS} s"
    return done.returncode, done.stderr.decode(errors="replace")


def without_output(words):
    """The words without those that choose the output, its place or its views."""
    kept = []
    for word in words:
        if kept and kept[-1] in ("-o", "--o"):
            kept.pop()
        elif not re.match(r"--?(json|timeline.*|all-views.*|all-stats.*)$", word):
            kept.append(word)
    return kept


def mca_throughputs(words):
    """Block RThroughput of each region, by llvm-mca itself; None if it refuses the input."""
    done = subprocess.run(["llvm-mca-19", "-iterations=1", *words], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    if done.returncode:
        return None
    return [float(value) for value in re.findall(r"^Block RThroughput: +([0-9.]+)", done.stdout, re.MULTILINE)]


def compare(takt, words):
    """Pairs of llvm-mca's figure and takt's; none where the tables are others, or regions differ."""
    words = without_output(words)
    try:
        done = subprocess.run([takt, "analyze", "--no-sensitivity", *words, "--format=json"],
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_SECONDS,
                              check=False)
        report = json.loads(done.stdout)
        regions = report.get("regions", [report])
        if not all(region["arch"].startswith("llvm:") for region in regions):
            return []
        theirs = mca_throughputs(words)
    except (json.JSONDecodeError, subprocess.TimeoutExpired, KeyError):
        return []
    if not theirs or len(theirs) != len(regions):
        return []
    return [(one, max(region["bounds"]["ports"], region["bounds"]["issue"]))
            for one, region in zip(theirs, regions)]


def compare_all(takt, jobs):
    """Reports how many figures are equal, and those that are not."""
    if not shutil.which("llvm-mca-19"):
        skip("figures as llvm-mca has them", "llvm-mca-19 is not installed")
        return
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: compare(takt, job[2]), jobs))
    equal, differing = collections.Counter(), collections.Counter()
    for (path, _, _), pairs in zip(jobs, found):
        isa = "x86" if "X86" in path.parts else "others"
        for theirs, ours in pairs:
            same = abs(theirs - ours) <= ROUNDING
            (equal if same else differing)[isa] += 1
            if not same:
                comment(f"{path.parent.name}/{path.name}: llvm-mca {theirs}, takt {ours}")
    for isa in ("x86", "others"):
        comment(f"reciprocal throughput, {isa}: {equal[isa]} equal, {differing[isa]} not")
    # The comments above name the others: cmpxchg and xadd of btver2, which LLVM's tables resolve by their operands,
    # skipped instructions, units of Exynos, and vectors of RISC-V.
    for isa in ("x86", "others"):
        ok(equal[isa] >= differing[isa], f"most figures are llvm-mca's, {isa}", (equal[isa], differing[isa]))


def reason(text):
    """The first error without names and places, so that equal ones are counted together."""
    for line in text.splitlines():
        if "error:" in line:
            line = line[line.index("error:") + 7:]
            return re.sub(r"'[^']*'", "'…'", re.sub(r"\b(0x[0-9a-f]+|\d+)\b", "N", line))
    return "no message"


def main():
    takt, folder = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        folder = fetch(folder)
    except (OSError, StopIteration, subprocess.SubprocessError) as error:
        skip("LLVM's inputs", f"they cannot be fetched: {error}")
        return finish()
    pattern = sys.argv[3] if len(sys.argv) > 3 else ""
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".s", ".test", ".ll")
                   and pattern in str(path))
    jobs = [(path, must_fail, words) for path in files for must_fail, words in commands(path)]
    reasons, states, fine = collections.Counter(), collections.Counter(), True
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda job: run(takt, job[2]), jobs)
        for (path, must_fail, words), (status, text) in zip(jobs, results):
            bad = status is None or status < 0 or status > 2 or "unknown option" in text
            states[str(status)] += 1
            if status and not must_fail:
                reasons[reason(text)] += 1
            if bad:
                fine = False
                comment(f"status {status}: takt analyze {shlex.join(words)}")
                comment(text.strip()[-300:])
    for message, count in reasons.most_common(40):
        comment(f"{count:6} {message}")
    comment(f"{len(files)} files, {len(jobs)} commands: " +
            ", ".join(f"status {status}: {count}" for status, count in sorted(states.items())))
    ok(fine, "no crash, no hang, no unknown option")
    ok(len(jobs) > 0, "there were commands")
    compare_all(takt, [job for job in jobs if not job[1]])
    return finish()


sys.exit(main())
