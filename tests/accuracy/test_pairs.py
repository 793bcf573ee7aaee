#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The arithmetic of pairs/: which rounds count, and what an error is."""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE / "pairs"), str(HERE.parent / "support")]

import native  # noqa: E402
import run  # noqa: E402
from tap import finish, ok  # noqa: E402


def test_rounds():
    chain = native.CHAIN_CYCLES // 2  # ticks, if the core runs at twice the counter's speed
    good = f"1000 {chain} {chain} {chain // 4} {chain // 4}"
    changed = f"1000 {chain} {chain * 11 // 10} {chain // 4} {chain // 4}"
    shared = f"1000 {chain} {chain} {chain // 4} {chain // 2}"
    got = list(native.accepted([good] * 6 + [changed, shared]))
    ok(got == [2000] * 6, "rounds that were disturbed are left out")
    ok(native.quartiles([3]) == (3, 3), "quartiles of one")
    ok(native.quartiles([1, 2, 3, 4, 5]) == (2, 4), "quartiles of five")


def test_busy():
    rounds, native.run_rounds = native.run_rounds, lambda *_: None
    try:
        native.measure_pair(["a", "b"], 2, 10, 0)
        ok(False, "a pair whose rounds were all disturbed is no figure")
    except native.Busy:
        ok(True, "a pair whose rounds were all disturbed is no figure")
    native.run_rounds = rounds


def test_errors():
    pair = {"measured": (100, 150), "predicted": {"p": (200, 250)}, "kind": "compute"}
    ok(abs(run.change(100, 150) - 100 / 3) < 1e-9, "a change in per cent of the slower side")
    ok(run.change(150, 100) == -run.change(100, 150), "does not depend on which is A")
    ok(abs(run.error_of(pair, "p") - (100 / 3 - 20)) < 1e-9, "differential error")
    ok("mean differential error 13.33 points, worst 13.3; mean absolute error 83.3 %" in
       next(run.summary([pair], "p")), "summary")


def test_pairs():
    pairs = list(run.read_pairs(HERE / "pairs" / "pairs.txt", "*"))
    names = [pair["name"] for pair in pairs]
    ok(len(set(names)) == len(names), "names are unique")
    ok(sum(pair["kind"] == "compute" for pair in pairs) >= 12, "twelve are bound by computing")
    ok(all(pair["kind"] in ("compute", "branch") for pair in pairs), "kinds")
    ok(all((run.PROGRAMS / f"{pair['program'].partition(':')[0]}.c").exists() for pair in pairs),
       "programs are there")
    ok(all(pair["sides"][0] != pair["sides"][1] for pair in pairs), "sides differ")
    ok([pair["name"] for pair in run.read_pairs(HERE / "pairs" / "pairs.txt", "crc32-s*")] ==
       ["crc32-slices"], "some of them")


test_rounds()
test_busy()
test_errors()
test_pairs()
sys.exit(finish())
