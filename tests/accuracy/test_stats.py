#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The statistics against slow definitions and values worked out by hand; corpora's selection."""
import itertools
import random
import unittest

import corpora
import stats


def slow_tau(pairs):
    agreement = untied_x = untied_y = 0
    for (x, y), (other_x, other_y) in itertools.combinations(pairs, 2):
        sign_x, sign_y = (x > other_x) - (x < other_x), (y > other_y) - (y < other_y)
        agreement += sign_x * sign_y
        untied_x += sign_x != 0
        untied_y += sign_y != 0
    return agreement / (untied_x * untied_y) ** 0.5


class Tau(unittest.TestCase):
    def test_extremes(self):
        self.assertEqual(stats.kendall_tau([(1, 1), (2, 2), (3, 3)]), 1)
        self.assertEqual(stats.kendall_tau([(1, 3), (2, 2), (3, 1)]), -1)
        self.assertEqual(stats.kendall_tau([(1, 1), (1, 2)]), 0)

    def test_by_hand(self):
        # 6 pairs: 4 agree, 1 does not, 1 tied in y: 3 / sqrt(6 * 5)
        self.assertAlmostEqual(stats.kendall_tau([(1, 1), (2, 3), (3, 2), (4, 3)]), 3 / 30 ** 0.5)

    def test_against_definition(self):
        draw = random.Random(7)
        for size in (2, 3, 17, 60):
            pairs = [(draw.randrange(9), draw.randrange(9)) for _ in range(size)]
            pairs += [(0, 1), (1, 0)]  # so that neither side is constant
            self.assertAlmostEqual(stats.kendall_tau(pairs), slow_tau(pairs))


class Quartiles(unittest.TestCase):
    def test_by_hand(self):
        for values, share, want in (([5], 0.25, 5), ([1, 2], 0.5, 1.5), ([1, 2, 3, 4], 0.25, 1.75),
                                    ([1, 2, 3, 4], 0.75, 3.25), ([1, 2, 3, 4, 5], 0.75, 4),
                                    ([1, 9], 0, 1), ([1, 9], 1, 9)):
            with self.subTest(values=values, share=share):
                self.assertAlmostEqual(stats.quantile(values, share), want)


class Bootstrap(unittest.TestCase):
    def test_constant(self):
        low, high = stats.bootstrap_interval([0.5] * 10)
        self.assertAlmostEqual(low, 0.5)
        self.assertAlmostEqual(high, 0.5)

    def test_reproducible(self):
        values = [i / 50 for i in range(50)]
        self.assertEqual(stats.bootstrap_interval(values), stats.bootstrap_interval(values))

    def test_width(self):
        """Near the normal approximation: ±1.96 s/√n."""
        draw = random.Random(3)
        values = [draw.gauss(10, 2) for _ in range(400)]
        centre = stats.mean(values)
        low, high = stats.bootstrap_interval(values)
        for side in (centre - low, high - centre):
            self.assertAlmostEqual(side, 1.96 * 2 / 400 ** 0.5, delta=0.04)


class Rows(unittest.TestCase):
    def test_summary(self):
        row = stats.Summary([(1, 2), (3, 2), (2, 2), (4, 4)])
        self.assertEqual((row.count, row.mape, row.median, row.too_high), (4, 0.25, 0.25, 0.25))
        self.assertEqual((row.lower_quartile, row.upper_quartile), (0, 0.5))

    def test_cells(self):
        self.assertEqual(stats.error_cells([0.3, 0.05, 0, 0.1]),
                         "4 | 50.0 % | 75.0 % | 11.2 % | 7.5 %")

    def test_empty(self):
        self.assertEqual(stats.Summary([]).count, 0)


class Selection(unittest.TestCase):
    BLOCKS = [corpora.Block(f"{i:04x}", f"{i:04x}", 1.0, 1, False) for i in range(2000)]

    def test_sample(self):
        once = corpora.sample(self.BLOCKS, 100)
        self.assertEqual(len({block.hex for block in once}), 100)
        self.assertEqual(once, corpora.sample(self.BLOCKS, 100))
        self.assertEqual(corpora.sample(self.BLOCKS[::-1], 100)[::-1], once)
        self.assertLess(set(once), set(corpora.sample(self.BLOCKS, 200)))
        self.assertNotEqual(once, corpora.sample(self.BLOCKS, 100, seed=2))

    def test_halves(self):
        fit, judge = (corpora.half(self.BLOCKS, name) for name in ("fit", "judge"))
        self.assertEqual(set(fit) | set(judge), set(self.BLOCKS))
        self.assertFalse(set(fit) & set(judge))
        self.assertAlmostEqual(len(fit), 1000, delta=100)

    def test_loop_code(self):
        self.assertEqual(corpora.loop_code("90", 1, "r15"), "90" + "49ffcf" + "75fa")
        self.assertEqual(corpora.loop_code("90", 2, "rcx"), "9090" + "48ffc9" + "75f9")
        self.assertEqual(corpora.loop_code("90", 1, "r15", near=True), "9049ffcf" + "0f85f6ffffff")
        self.assertEqual(corpora.loop_code("90" * 123, 1, "rax")[-4:], "7580")
        self.assertEqual(corpora.loop_code("90" * 124, 1, "rax")[-12:], "0f857bffffff")


if __name__ == "__main__":
    unittest.main()
