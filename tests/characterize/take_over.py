#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tools/take_over.py on a small timing file.

    take_over.py TOOL
"""
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok  # noqa: E402

TIMING = """\
takt timing 1
name  x
source h measured
adc r32, r32                     | 1*a01            |
cpuid                            | 9*a01+90*d7      | slots=9 ms=9
div r32                          | 2*a01            | lat=10
faddy xmm, xmm                   | 1*f01            | lat=2
mull r32                         | 1*a0             | lat=3 slots=1
shuffle xmm, m128                | 1*f01+1*l01      | lat=1
shuffle xmm, xmm                 | 1*f01            | lat=1
slow r32                         | 4*a01            | lat=1 ms=4
"""
EXPORT = """\
adc r32, r32                     | 1*a01            | lat=1,f>1:2 rtp=0.5 src=h
cpuid                            | 9*a01+90*d7      | slots=9 ms=9 rtp=70 src=h
div r32                          | 2*a01            | lat=7 rtp=3 src=h
faddy xmm, m128                  | 1*f01+1*l01      | lat=2,a>1:9 rtp=0.5 src=h
faddy xmm, xmm                   | 1*f01            | lat=3 rtp=0.5 src=h
mull r32                         | 1*a0             | lat=4 rtp=1.5 src=h
other r32                        | 1*a01            | lat=2,1>1:3 rtp=2 src=h
other r32, m32                   | 1*a01+1*l01      | lat=2,1>1:3 rtp=0.5 src=h
shuffle xmm, m128                | 1*f01+1*l01      | lat=1 rtp=0.5 src=h
shuffle xmm, xmm                 | 1*f12            | lat=1 rtp=0.5 src=h
slow r32                         | 4*a01            | lat=1 ms=4 rtp=0.5 src=h
"""
REPORT = """\
throughput: takes longer, 3:

      adc r32, r32                             0.75, model 0.50
      mull r32                                 1.50, model 1.00
      other r32                                2.01, model 0.50

throughput: takes less, 2:

      cpuid                                    70.00, model 90.00
      slow r32                                 0.50, model 2.00

ports: as many µops, but elsewhere, 2:

      shuffle xmm, m128                        1*{load}+1*{shuffle xmm, xmm}, model 1*f01+1*l01
      shuffle xmm, xmm                         1*{shuffle xmm, xmm}, model 1*f01

latency: through memory, otherwise, 1:

      slow r32                                 1>1 1.00, model 6

latency: between registers, 6:

      adc r32, r32                             f>1 2.00, model 1
      div r32                                  1>1 7.00, model 10
      faddy xmm, xmm                           1>1 3.00, model 2
      mull r32                                 1>1 4.00, model 3
      other r32                                1>1 3.00, model 2
      other r32, m32                           1>1 3.00, model 2
"""
# What stays is as it was, to the letter.
OWN = """\
takt timing 1
name  x
source h measured
adc r32, r32                     | 1*a01            | lat=1,f>1:2 src=h
cpuid                            | 9*a01            | slots=9 ms=9 src=h
div r32                          | 2*a01            | lat=10
faddy xmm, xmm                   | 1*f01            | lat=2
mull r32                         | 1*a0             | lat=4 slots=1 src=h
shuffle xmm, m128                | 1*f01+1*l01      | lat=1
shuffle xmm, xmm                 | 1*f12            | lat=1 src=h
slow r32                         | 1*a01            | lat=1 src=h
"""
PORTS_ONLY = TIMING.replace("shuffle xmm, xmm                 | 1*f01            | lat=1",
                            "shuffle xmm, xmm                 | 1*f12            | lat=1 src=h")
COMPOSED = "other r32                        | 1*a01+2*d7       | lat=2,1>1:3 src=h\n"


def run(*options):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for file, text in (("timing", TIMING), ("export", EXPORT), ("report", REPORT)):
            (folder / file).write_text(text, encoding="utf-8")
        return subprocess.run([sys.executable, "-B", sys.argv[1], "--busy=d7", "--leave=^fadd",
                               *options, folder / "timing", folder / "export", folder / "report"],
                              check=True, capture_output=True, text=True)


own, composed, ports = run(), run("--composed"), run("--ports-only")
ok(own.stdout == OWN, "rows that are there", own.stdout)
ok(composed.stdout == OWN + COMPOSED, "and those that were composed", composed.stdout)
ok(ports.stdout == PORTS_ONLY, "ports and nothing else", ports.stdout)
ok("1 depends on values: left" in own.stderr and "2 longer, not by" in own.stderr
   and "1 elsewhere, without" in own.stderr,
   "what is left is counted", own.stderr)
sys.exit(finish())
