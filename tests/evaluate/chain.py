#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt evaluate on a few kernels: all steps, interrupted, in shards, merged.

    chain.py TAKT KERNELS
"""
import collections
import contextlib
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip  # noqa: E402

takt, kernels = sys.argv[1], pathlib.Path(sys.argv[2])
SECONDS_MAX = 200
WRONG = '''/* VARIANTS: BROKEN=0,1,2 */
#include "kernel.h"
static int result;
INIT { }
KERNEL { result = 7; }
#if BROKEN == 2
#error "on purpose"
#endif
CHECK { return result == 7 + BROKEN; }
'''
# Each element is read once it was written.
ELEMENTS = 1001
MEMORY = '''#include "kernel.h"
static volatile uint64_t a[ELEMENTS];
INIT { }
KERNEL { a[0] = 1; FOR(i, 1, ELEMENTS) a[i] = a[i - 1] + 1; }
CHECK { return a[ELEMENTS - 1] == ELEMENTS; }
'''


def evaluate(step, directory, *options, path=os.environ["PATH"]):
    return subprocess.run([takt, "evaluate", step, directory, *options], capture_output=True,
                          text=True, timeout=SECONDS_MAX, env=dict(os.environ, PATH=path))


def rows(directory, sql):
    with sqlite3.connect(directory / "results.db") as database:
        return database.execute(sql).fetchall()


def build(folder, sources):
    options = ("--kernels", sources)
    whole, half, other = folder / "whole", folder / "half", folder / "other"
    built = evaluate("build", whole, *options)
    ok(built.returncode == 0, "build", built.stderr)
    states = dict(rows(whole, "SELECT state, count(*) FROM benchmark WHERE kernel = 'wrong' "
                              "GROUP BY state"))
    ok(states.get("failed") == 24, "what is wrong or does not compile is left out", states)
    ok(states.get("built", 0) >= 1 and states["built"] + states.get("same", 0) == 12,
       "equal code is one benchmark", states)
    files = {path.name for path in (whole / "bin").iterdir()}
    wanted = {row[0][4:] for row in rows(whole, "SELECT file FROM benchmark WHERE state = 'built'")}
    ok(files == wanted, "only distinct benchmarks are kept", files ^ wanted)
    before = rows(whole, "SELECT max(id) FROM benchmark")
    evaluate("build", whole, *options)
    ok(rows(whole, "SELECT max(id) FROM benchmark") == before, "the second time nothing is built")
    for directory, shard in ((half, "1/2"), (other, "2/2")):
        part = evaluate("build", directory, *options, "--shard", shard)
        ok(part.returncode == 0, f"part {shard}", part.stderr)
        evaluate("count", directory, "--shard", shard)
        ok(not rows(directory, "SELECT id FROM benchmark WHERE state = 'built' AND "
                               "id NOT IN (SELECT benchmark FROM run)"),
           f"part {shard} counts all that it built")
    merged = evaluate("merge", half, other)
    ok(merged.returncode == 0, "merge", merged.stderr)
    sql = "SELECT DISTINCT kernel, hash FROM benchmark WHERE state = 'built' ORDER BY 1, 2"
    ok(rows(half, sql) == rows(whole, sql), "parts make the whole")
    measured_elsewhere(half, other)
    return whole


OWN = '''/* VARIANTS: REAL=double,float */
#include "kernel.h"
static REAL a[64];
INIT { FILL(a, 1); }
KERNEL { FOR(i, 1, 64) a[i] = a[0] * 2; }
CHECK { return a[63] == a[0] * 2; }
'''


def own_kernel(folder, sources):
    """A kernel outside of takt's folder, in one file."""
    place = folder / "elsewhere" / "mine.c"
    place.parent.mkdir()
    place.write_text(OWN)
    options = ("--kernels", sources, "--kernel", place)
    built = evaluate("build", folder / "own", *options)
    kinds = dict(rows(folder / "own", "SELECT kernel, count(*) FROM benchmark WHERE state IN "
                                      "('built', 'same') GROUP BY kernel"))
    ok(built.returncode == 0 and list(kinds) == ["mine"] and kinds["mine"] >= 12,
       "a kernel of one's own, in all variants", kinds, built.stderr)
    place.write_text(OWN.replace("KERNEL {", "KERNEL { oops"))
    built = evaluate("build", folder / "own-wrong", *options, "--small")
    ok(built.returncode == 1 and "mine.c' can be used: does not compile" in built.stderr,
       "one that does not compile is an error", built.stderr)
    built = evaluate("build", folder / "own-other", "--kernels", sources, "--kernel=mine.f90")
    ok(built.returncode == 1 and "'mine.f90' is no C file" in built.stderr,
       "so is another file", built.stderr)


def measured_elsewhere(here, there):
    for directory, cpu in ((here, "one processor"), (there, "another")):
        with contextlib.closing(sqlite3.connect(directory / "results.db")) as database:
            database.execute("INSERT INTO measurement SELECT min(id), 'ok', 1, 0, 3, 'tsc', ? "
                             "FROM benchmark WHERE state = 'built'", (cpu,))
            database.commit()
    merged = evaluate("merge", here, there)
    ok(merged.returncode == 1 and "one processor, not of another" in merged.stderr,
       "measurements of two processors are not mixed", merged.stderr)


def steps(directory):
    counted = evaluate("count", directory)
    ok(counted.returncode == 0, "count", counted.stderr)
    bad = rows(directory, "SELECT benchmark, reason FROM run WHERE reason <> ''")
    ok(not bad, "all ran", bad)
    wrong = rows(directory, "SELECT benchmark, insns FROM run WHERE insns = 0 OR NOT EXISTS "
                            "(SELECT 1 FROM block WHERE block.benchmark = run.benchmark)")
    ok(not wrong, "each has blocks", wrong)
    predicted = evaluate("predict", directory, "--arch=SKL")
    ok(predicted.returncode == 0, "predict", predicted.stderr)
    failed = rows(directory, "SELECT * FROM prediction WHERE cycles IS NULL AND predictor "
                             "LIKE 'takt%'")
    ok(not failed, "takt predicts all", failed)
    with sqlite3.connect(directory / "results.db") as database:
        database.execute("UPDATE prediction SET cycles = -cycles WHERE core = 'SKL'")
    again = evaluate("predict", directory, "--arch=SKL", "--predictor=takt sim", "--again")
    wrong = rows(directory, "SELECT DISTINCT predictor FROM prediction WHERE core = 'SKL' AND"
                            " cycles < 0")
    ok(again.returncode == 0 and ("takt bounds",) in wrong and ("takt sim",) not in wrong,
       "one predictor again", again.stderr, wrong)
    with sqlite3.connect(directory / "results.db") as database:
        database.execute("UPDATE prediction SET cycles = abs(cycles) WHERE core = 'SKL'")
    unknown = evaluate("predict", directory, "--arch=SKL", "--predictor=crystal ball")
    ok(unknown.returncode == 1 and "'takt sim' is one" in unknown.stderr,
       "an unknown predictor", unknown.stderr)
    # Not what the machine does, but what the report makes of it.
    with sqlite3.connect(directory / "results.db") as database:
        database.execute("INSERT OR REPLACE INTO measurement SELECT benchmark, 'ok', cycles * 2, 0,"
                         " 3, 'none', 'none' FROM prediction WHERE predictor = 'takt sim'")
    report = json.loads(evaluate("report", directory, "--arch=SKL", "--format=json").stdout)
    row = next(row for row in report["predictors"] if row["predictor"] == "takt sim")
    full = row["full"]
    ok(full["mape_percent"] == 50 and full["under_percent"] == 100 and full["tau"] == 1,
       "the report's figures", row)
    if missing("uiCA.py"):
        row = next(row for row in report["predictors"] if row["predictor"] == "uiCA")
        ok("skipped" in row, "what is not installed is skipped", row)
    else:
        skip("what is not installed is skipped", "uiCA is installed")
    text = evaluate("report", directory, "--arch=SKL").stdout
    ok(all(f"Table {i}" in text for i in range(1, 5)), "the paper's tables", text)
    drawn = evaluate("report", directory, "--arch=SKL", "--format=svg").stdout
    boxes = xml.etree.ElementTree.fromstring(drawn).findall("{*}rect")
    ok(len(boxes) > 4, "box plots", drawn)


# Other tools, as far as their adapters know them.
OSACA = """#!/bin/sh
[ "$1 $2 $3 $4" = "--arch SKL --ignore-unknown --yaml-out" ] && grep -q . "$6" || exit 1
cat > "$5" <<END
Header: {Version: 1}
Kernel:
- Line: "addq %rax, %rax"
  PortPressure: {'0': 90.0}
Summary:
  PortPressure:
    '0': 1.5
    0DV: 0.0
    '1': 3.25
  CriticalPath: 70.0
  LCD: 2.0
Target:
  Name: skl
END
"""
UICA = """#!/bin/sh
[ "$2 $3 $4 $5" = "-raw -arch SKL -TPonly" ] && [ -s "$1" ] || exit 1
echo 2.50
"""


def stand_ins(directory, folder):
    """Tools that are added later: nothing else is done again."""
    tools = folder / "tools"
    tools.mkdir()
    for name, text in (("osaca", OSACA), ("uiCA.py", UICA)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    sql = "SELECT * FROM prediction WHERE predictor NOT IN ('OSACA', 'uiCA') ORDER BY 1, 3"
    before = rows(directory, sql)
    done = evaluate("predict", directory, "--arch=SKL", path=f"{tools}:{os.environ['PATH']}")
    ok(done.returncode == 0, "tools are added later", done.stderr)
    ok(rows(directory, sql) == before, "the others are not asked again")
    for name, cycles in (("OSACA", 3.25), ("uiCA", 2.5)):
        wrong = rows(directory, "SELECT cycles, remark, executions FROM prediction JOIN (SELECT"
                     " benchmark, sum(executions) AS executions FROM block GROUP BY 1) USING"
                     f" (benchmark) WHERE predictor = '{name}' AND (cycles IS NULL OR"
                     f" abs(cycles - {cycles} * executions) > 1e-6)")
        asked = rows(directory, f"SELECT count(*) FROM prediction WHERE predictor = '{name}'")
        ok(asked[0][0] > 0 and not wrong, f"{name} by block", asked, wrong)
    left = [path.name for path in directory.iterdir() if path.name.startswith("block-")]
    ok(not left, "no files are left", left)


def memory(directory):
    read = rows(directory, "SELECT id, (SELECT sum(count) FROM dependence WHERE benchmark = id),"
                " misses, accesses FROM benchmark JOIN run ON benchmark = id WHERE kernel ="
                " 'memory'")
    wanted = (2 * (ELEMENTS - 1), 0, 2 * ELEMENTS)  # the return address is read, too
    ok(read and all(row[1:] == wanted for row in read), "who read what was written", read, wanted)
    own = rows(directory, "SELECT sum(count), sum(count_512), sum(count_own) FROM dependence JOIN"
               " benchmark ON id = benchmark WHERE kernel = 'memory' GROUP BY id")
    ok(all(row[0] == row[1] and row[1] - row[2] in range(0, 8) for row in own),
       "nearly all while nothing but the loop ran", own)
    found = rows(directory, "SELECT sum(weight), sum(found_weight) FROM coverage JOIN benchmark ON"
                 " id = benchmark WHERE kernel = 'memory' AND paths AND NOT entry_values AND"
                 " lifetime = 2")[0]
    # All of it where this was written; some may be left for code around the loop.
    ok(found[1] > 0.8 * found[0], "most of it is found without running", found)
    times = rows(directory, "SELECT a.cycles, b.cycles FROM prediction a JOIN prediction b USING"
                 " (benchmark) JOIN benchmark ON id = benchmark WHERE kernel = 'memory' AND"
                 " a.predictor = 'takt paths' AND b.predictor = 'takt paths, no memory'")
    # 1.65 to 4.8 times as long where this was written, by how the compiler unrolled it.
    ok(times and all(row[0] > 1.4 * row[1] > 0 for row in times), "and is what takes long", times)


def blocks(directory):
    """Control flow ends a block, and begins one where it leads to."""
    code = collections.defaultdict(dict)
    for benchmark, offset, data in rows(directory, "SELECT benchmark, offset, code FROM block"):
        code[benchmark][offset] = data
    flows = [(benchmark, offset, flow) for benchmark in code for offset in code[benchmark]
             for flow in flow_of(code[benchmark][offset], offset)]
    inner = [row for row in flows if row[2][0] != row[1] + len(code[row[0]][row[1]])]
    ok(flows and not inner, "control flow only ends blocks", inner)
    middle = [row for row in flows for offset, data in code[row[0]].items()
              if row[2][1] is not None and offset < row[2][1] < offset + len(data)]
    ok(not middle, "nor does it lead into the middle of one", middle)
    wrong = rows(directory, "SELECT block.benchmark, offset, executions, (SELECT sum(executions)"
                            " FROM edge WHERE edge.benchmark = block.benchmark AND target ="
                            " offset) AS came FROM block WHERE came > executions OR came <"
                            " executions - 1")
    ok(not wrong, "edges lead to blocks as often as they ran", wrong)


def flow_of(data, offset):
    """End and target of each transfer of control, by objdump."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(data)
        file.flush()
        said = subprocess.run(["objdump", "-D", "-b", "binary", "-m", "i386:x86-64", "-w",
                               f"--adjust-vma={offset}", file.name], capture_output=True, text=True,
                              check=True).stdout
    for line in said.splitlines():
        found = re.match(r" *([0-9a-f]+):\t([0-9a-f ]+)\t(?:bnd |notrack )?(j\w+|ret|call)"
                         r" *(?:0x([0-9a-f]+))?", line)
        if found:
            yield (int(found[1], 16) + len(found[2].split()),
                   int(found[4], 16) if found[4] else None)


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    sources = folder / "kernels"
    sources.mkdir()
    for file in ("kernel.h", "run.c", "list-sum.c"):
        shutil.copy(kernels / file, sources)
    with open(sources / "list-sum.c", "r+") as file:
        text = re.sub("VARIANTS: .*", "VARIANTS: UNROLL=4", file.read())
        file.seek(0)
        file.truncate()
        file.write(text)
    (sources / "wrong.c").write_text(WRONG)
    (sources / "memory.c").write_text(f"#define ELEMENTS {ELEMENTS}\n" + MEMORY)
    whole = build(folder, sources)
    own_kernel(folder, sources)
    if missing("qemu-x86_64"):
        skip("counts and predictions", missing("qemu-x86_64"))
    else:
        steps(whole)
        if missing("osaca") and missing("uiCA.py"):
            stand_ins(whole, folder)
        else:
            skip("tools are added later", "OSACA or uiCA is installed")
        memory(whole)
        blocks(whole)
    bad = evaluate("count", folder / "whole" / "results.db")
    ok(bad.returncode == 1 and "results.db" in bad.stderr, "a file is no directory", bad.stderr)
    bad = evaluate("build", folder / "new", "--kernels", folder / "nowhere")
    ok(bad.returncode == 1 and "nowhere" in bad.stderr, "no kernels", bad.stderr)
    ok(evaluate("built", folder / "new").returncode == 2, "no such step")
sys.exit(finish())
