# SPDX-License-Identifier: MIT
"""Figures of how far predictions are from measurements. Nothing here knows of files.

All scripts have their figures from here. takt computes the same ones of whole kernels itself
(src/evaluate/statistics.c); its bootstrap draws other samples.
"""
import random

BOOTSTRAP_ROUNDS = 1000
BOOTSTRAP_WORK = 4_000_000  # draws at most: fewer rounds where there are many blocks


def quantile(ordered, share):
    """Of an ascending list, interpolated between neighbours (type 7, as NumPy and R)."""
    at = share * (len(ordered) - 1)
    below = int(at)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (at - below) * (ordered[above] - ordered[below])


def mean(values):
    return sum(values) / len(values)


def relative_errors(pairs):
    """|predicted - measured| / measured of (predicted, measured) pairs."""
    return [abs(predicted - measured) / measured for predicted, measured in pairs]


ERROR_HEAD = "compared | within 5 % | within 10 % | MAPE | median"


def error_cells(errors):
    """What ERROR_HEAD names, as cells of a table."""
    cells = [f"{len(errors):,}"]
    cells += [f"{100 * mean([error <= limit + 1e-9 for error in errors]):.1f} %" for limit in (0.05, 0.1)]
    cells += [f"{100 * figure:.1f} %" for figure in (mean(errors), quantile(sorted(errors), 0.5))]
    return " | ".join(cells)


def bootstrap_interval(values, seed=1, rounds=BOOTSTRAP_ROUNDS):
    """95 % interval of the mean: percentiles of the means of resamples with replacement."""
    rounds = max(200, min(rounds, BOOTSTRAP_WORK // len(values)))
    draw = random.Random(seed)
    means = sorted(mean(draw.choices(values, k=len(values))) for _ in range(rounds))
    return quantile(means, 0.025), quantile(means, 0.975)


def tied_pairs(values):
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return sum(count * (count - 1) // 2 for count in counts.values())


def count_inversions(values):
    """Pairs that stand in the wrong order, by merge sort. Returns (sorted, inversions)."""
    if len(values) < 2:
        return values, 0
    middle = len(values) // 2
    left, in_left = count_inversions(values[:middle])
    right, in_right = count_inversions(values[middle:])
    merged, inversions, i, j = [], in_left + in_right, 0, 0
    while i < len(left) and j < len(right):
        if right[j] < left[i]:
            merged.append(right[j])
            inversions += len(left) - i
            j += 1
        else:
            merged.append(left[i])
            i += 1
    return merged + left[i:] + right[j:], inversions


def kendall_tau(pairs):
    """Tau-b in O(n log n) (Knight 1966); 0 if either side is constant."""
    pairs = sorted(pairs)
    total = len(pairs) * (len(pairs) - 1) // 2
    tied_x = tied_pairs([x for x, _ in pairs])
    tied_y = tied_pairs([y for _, y in pairs])
    _, inversions = count_inversions([y for _, y in pairs])
    agreement = total - tied_x - tied_y + tied_pairs(pairs) - 2 * inversions
    scale = ((total - tied_x) * (total - tied_y)) ** 0.5
    return agreement / scale if scale else 0.0


class Summary:
    """All figures of one row of the table, of (predicted, measured) pairs."""

    def __init__(self, pairs):
        self.count = len(pairs)
        if not pairs:
            return
        self.errors = relative_errors(pairs)
        ordered = sorted(self.errors)
        self.mape = mean(self.errors)
        self.lower_quartile, self.median, self.upper_quartile = (
            quantile(ordered, share) for share in (0.25, 0.5, 0.75))
        self.tau = kendall_tau(pairs)
        self.too_high = mean([predicted > 1.1 * measured for predicted, measured in pairs])

    def interval(self):
        """Of the MAPE; takes long."""
        return bootstrap_interval(self.errors)
