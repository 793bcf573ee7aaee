#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/accuracy.md says of each core of data/cores by what it was judged."""
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def test_cores(self):
        names = {re.search(r"^name +(\S+)", path.read_text(encoding="utf-8"), re.M)[1]
                 for path in (ROOT / "data" / "cores").glob("*.core")}
        page = (ROOT / "docs" / "accuracy.md").read_text(encoding="utf-8")
        table = re.search(r"^\| core \| judged by .*?\n\n", page, re.M | re.S)[0]
        listed = [name for row in table.split("\n")[2:-2] for name in row.split("|")[1].split(",")]
        self.assertEqual(sorted(names), sorted(name.strip() for name in listed if name.strip()))


if __name__ == "__main__":
    unittest.main()
