# SPDX-License-Identifier: MIT
"""Core cycles of an iteration, measured on this machine without a counter of them.

driver.c times rounds with the time stamp counter and, before and after each, a chain of
additions that says how long a cycle is at that moment. Rounds around which the chain changed are
left out, and so are those next to which additions in parallel were slow: then another hardware
thread had the core's units. Of the rest of a run the lower quartile counts: on a busy machine
many rounds are interrupted, and none gets faster by that. Both sides of a pair run in turns, so that a change of the machine meets both.
"""
import os
import platform
import statistics
import subprocess

CHAIN_CYCLES = 65536  # as driver.c has it
# Chosen, not derived: a clock that changed by more would be an error of that size in the round, and
# another hardware thread costs parallel additions far more than a twentieth.
CHAIN_TOLERANCE = 0.01
WIDE_TOLERANCE = 0.05
ROUNDS_LEAST = 20


def quartiles(values):
    if len(values) < 2:
        return values[0], values[0]
    low, _, high = statistics.quantiles(values, n=4, method="inclusive")
    return low, high


def accepted(lines):
    """Cycles of the rounds that nothing disturbed."""
    rows = [tuple(map(int, line.split())) for line in lines]
    wide_best = statistics.median(sorted(row[3] / row[1] for row in rows)[:max(1, len(rows) // 2)])
    for ticks, before, after, wide_before, wide_after in rows:
        slow = max(wide_before / before, wide_after / after) > wide_best * (1 + WIDE_TOLERANCE)
        if not slow and abs(before - after) <= CHAIN_TOLERANCE * before:
            yield ticks / ((before + after) / 2) * CHAIN_CYCLES


def run_rounds(binary, rounds, cpu):
    command = [str(binary), "--time", str(rounds)]
    if platform.system() == "Linux":
        command = ["setarch", "--addr-no-randomize", *command]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={"PATH": os.environ["PATH"]},
                          preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))
    cycles = list(accepted(done.stdout.splitlines()))
    return quartiles(cycles)[0] if len(cycles) >= ROUNDS_LEAST else None


class Busy(Exception):
    """Other programs disturbed nearly all rounds."""


def measure_pair(binaries, repeats, rounds, cpu):
    """Of each side cycles and spread, and the change with its spread; spreads are quartiles'.
    Busy if too few rounds were left alone."""
    runs = []
    for _ in range(3 * repeats):
        run = [run_rounds(binary, rounds, cpu) for binary in binaries]
        if None not in run:
            runs.append(run)
        if len(runs) == repeats:
            break
    if not runs:
        raise Busy("the machine is too busy to measure")
    sides = []
    for side in zip(*runs):
        low, high = quartiles(side)
        sides.append((statistics.median(side), (high - low) / statistics.median(side)))
    changes = [new / old - 1 for old, new in runs]
    low, high = quartiles(changes)
    return sides, statistics.median(changes), high - low
