#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs libFuzzer targets, each for a number of CPU seconds, and tells what they did.

    run.py BUILD SECONDS [--only=NAME[,NAME...]] [--seed=N] [--log=FILE]

BUILD is a build folder made with -Dfuzz=true. Each target starts from its committed corpus;
inputs that reach new code are kept in BUILD/corpus and used by the next run. Crashing inputs are
kept in BUILD/crashes. With --seed, a run on the same corpus makes the same inputs. With --log, a
line of each target is appended to FILE, so that runs add up.
Exit status 1 if a target found a fault or could not run.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
MEMORY_LIMIT_MB = 4096
INPUT_TIMEOUT_SECONDS = 120
# A target that restarts without using CPU time is broken.
RESTART_LIMIT = 200


def child_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def start(target, modules, arguments):
    # Without its modules, a target would refuse most inputs at once.
    environment = {**os.environ, "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
                   "TAKT_MODULE_DIR": str(modules)}
    return subprocess.run([str(target), f"-rss_limit_mb={MEMORY_LIMIT_MB}", *arguments],
                          capture_output=True, text=True, errors="replace", check=False,
                          env=environment)


def is_slow_by_itself(target, modules, log):
    """True if the input that timed out takes as long in processor time.

    The fuzzer's own clock goes on while other programs have the processor."""
    written = re.search(r"Test unit written to (\S+timeout-\S+)", log)
    if not written:
        return True
    begun = child_cpu_seconds()
    done = start(target, modules, [f"-timeout={100 * INPUT_TIMEOUT_SECONDS}", written[1]])
    if done.returncode or child_cpu_seconds() - begun > INPUT_TIMEOUT_SECONDS:
        return True
    pathlib.Path(written[1]).unlink()
    return False


def run_once(target, modules, corpus, committed, crashes, wall_seconds, seed):
    """One process of the fuzzer. Returns (exit status, executions, coverage, log)."""
    done = start(
        target, modules,
        [f"-max_total_time={wall_seconds}", "-print_final_stats=1", f"-seed={seed}",
         "-close_fd_mask=2",  # some targets silence the command's messages, not the fuzzer's
         f"-timeout={INPUT_TIMEOUT_SECONDS}", f"-artifact_prefix={crashes}/{target.name}-",
         str(corpus), str(committed)])
    executions = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stderr)
    coverage = re.findall(r"cov: (\d+)", done.stderr)
    return (done.returncode, int(executions.group(1)) if executions else 0,
            int(coverage[-1]) if coverage else 0, done.stderr)


def fuzz(target, build, seconds, seed):
    """Runs a target until it used `seconds` of CPU time. Returns its row, and what went wrong."""
    corpus = build / "corpus" / target.name
    crashes = build / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(exist_ok=True)
    committed = HERE / "corpus" / target.name.removeprefix("fuzz-")
    modules = (build / "src" / "modules").resolve()
    if not any(modules.glob("*.so")):
        return 0, 0, 0, f"there are no modules in '{modules}'"
    begun = child_cpu_seconds()
    executions = coverage = 0
    for _ in range(RESTART_LIMIT):
        left = seconds - (child_cpu_seconds() - begun)
        if left <= 0:
            break
        status, more, reached, log = run_once(target, modules, corpus, committed, crashes,
                                              max(1, round(left)), seed)
        executions += more
        coverage = max(coverage, reached)
        if status and ("libFuzzer: timeout" not in log or
                       is_slow_by_itself(target, modules, log)):
            return child_cpu_seconds() - begun, executions, coverage, log
    return child_cpu_seconds() - begun, executions, coverage, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    parser.add_argument("--log", type=pathlib.Path)
    options = parser.parse_args()
    wanted = set(options.only.replace(",", " ").split())
    targets = [path for path in sorted((options.build / "tests" / "fuzz").glob("fuzz-*"))
               if path.is_file() and path.stat().st_mode & 0o111
               and (not wanted or path.name.removeprefix("fuzz-") in wanted)]
    unknown = wanted - {path.name.removeprefix("fuzz-") for path in targets}
    if unknown or not targets:
        sys.exit(f"error: no such target in {options.build}: {', '.join(sorted(unknown)) or 'any'}")

    failed = 0
    print(f"{'target':<20}{'CPU s':>8}{'executions':>12}{'edges':>8}  result", flush=True)
    for target in targets:
        cpu, executions, coverage, log = fuzz(target, options.build, options.seconds, options.seed)
        result = "fault" if log else "no fault"
        failed += log is not None
        print(f"{target.name:<20}{cpu:>8.0f}{executions:>12}{coverage:>8}  {result}", flush=True)
        if log:
            print("".join("# " + line for line in log.splitlines(keepends=True)[-60:]))
        if options.log:
            with open(options.log, "a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%d')}\t{target.name}\t{cpu:.0f}\t{executions}\t"
                           f"{coverage}\t{result}\n")
    print(f"{len(targets) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
