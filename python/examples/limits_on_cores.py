#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows what limits the loops of a file on several cores, as a table.

    limits_on_cores.py FILE CORE…
"""
import sys

import pandas

import takt


def main() -> None:
    if len(sys.argv) <= 2:
        sys.exit(__doc__)
    path, *cores = sys.argv[1:]
    rows = [{"loop": region.region, "core": region.core, "cycles": region.cycles,
             "limit": region.limit, "most stalled": max(region.instructions, key=lambda i: i.stall).text.strip()}
            for core in cores for region in takt.analyze(path, arch=core, sensitivity="none")]
    print(pandas.DataFrame(rows).set_index(["loop", "core"]).to_string())


main()
