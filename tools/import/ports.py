# SPDX-License-Identifier: MIT
"""Port sets as multisets {"a0123": 2, "f01": 1}, and their throughput bound."""

import itertools


def members(ports):
    """"a03b1" -> {"a0", "a3", "b1"}."""
    out, letter = set(), ""
    for character in ports:
        if character.islower():
            letter = character
        else:
            out.add(letter + character)
    return frozenset(out)


def name(units):
    """{"a0", "b1", "a3"} -> "a03b1"."""
    out, last = "", ""
    for unit in sorted(units, key=lambda u: (u[0], int(u[1], 16))):
        out += unit if unit[0] != last else unit[1]
        last = unit[0]
    return out


def width(ports):
    return len(members(ports))


def add(left, right, times=1):
    out = dict(left)
    for ports, count in right.items():
        out[ports] = out.get(ports, 0) + times * count
    return out


def bound(uops):
    """Cycles per instruction: the largest (µops within S)/|S| over unions S of the sets used."""
    sets = [(members(ports), count) for ports, count in uops.items() if count]
    best = 0.0
    for size in range(1, len(sets) + 1):
        for chosen in itertools.combinations(sets, size):
            union = frozenset().union(*(ports for ports, _ in chosen))
            inside = sum(count for ports, count in sets if ports <= union)
            best = max(best, inside / len(union))
    return best


def as_list(uops):
    """For timing_file.Timing."""
    return [(count, ports) for ports, count in uops.items() if count]
