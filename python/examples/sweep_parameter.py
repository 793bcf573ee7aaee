#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows how the cycles of code depend on a parameter of the core.

    sweep_parameter.py FILE CORE PARAMETER VALUE…      sweep_parameter.py kernel.o SKX rob_entries 64 128 224
"""
import sys

import takt


def main() -> None:
    if len(sys.argv) <= 4:
        sys.exit(__doc__)
    path, core, parameter, *values = sys.argv[1:]
    for value in values:
        model = takt.Model(core, settings={parameter: value})
        for region in takt.analyze(path, arch=model, sensitivity="none"):
            print(f"{parameter}={value:<6} {region.cycles:8.2f} cycles  {region.region}: {region.limit}")


main()
