#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What limits a loop, by takt trace, analyze and diagnose: whether they agree.

    limits.py TAKT [KERNEL]…        make limits: all kernels, some minutes

Each kernel of kernels/ is compiled as programs, in which the loop with the most cycles is compared of
those that analyze can look at: without branches or inner loops, and so long that the reorder buffer
holds one run of it at most.

trace names where most of the issue slots go that no µop uses, apart from causes that analyze leaves
out: mispredicted branches and misses. analyze names the headline's limit, bounds within NEAR of it,
and improvements that would help by NEAR. They agree if trace's is one of these. diagnose agrees if it
names no pattern of another limit.
"""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

CORE = os.environ.get("TAKT_LIMITS_CORE", "SKL")
KERNELS = pathlib.Path(__file__).resolve().parent.parent.parent / "kernels"
COMPILER = ["gcc", "-g", "-march=haswell", "-fno-math-errno", "-std=gnu17", "-w", "-static",
            "-Wa,-mbranches-within-32B-boundaries"]
LEVELS = ["-O3", "-O2", "-O1"]
RUNS = "200"
RUN_INSTRUCTIONS_MIN = 2 * 224  # twice the reorder buffer
NEAR = 0.05  # as analyze takes bounds for limits
SHARE_MIN = 0.05  # below it, nothing but the width of the core limits a loop
AGREE_MIN = 0.95  # 57 of 60

WIDTH, FRONT_END, PORTS, DEPENDENCES = "width", "front end", "ports", "dependences"
LOSSES = {
    "retiring": WIDTH, "heavy retiring": WIDTH, "rename": WIDTH, "retirement width": WIDTH,
    "taken branches": FRONT_END, "predecode": FRONT_END, "decode": FRONT_END,
    "op cache": FRONT_END, "microcode": FRONT_END, "fetch latency": FRONT_END,
    "ports": PORTS, "store commit": PORTS,
    "integer latency": DEPENDENCES, "multiply latency": DEPENDENCES,
    "divide latency": DEPENDENCES, "floating-point latency": DEPENDENCES,
    "serialize": DEPENDENCES, "load latency": DEPENDENCES, "store forwarding": DEPENDENCES,
}
BOUNDS = {"ports": PORTS, "issue": WIDTH, "front_end": FRONT_END, "loop_carried": DEPENDENCES}
LIMITS = {  # names of bounds and stall causes; others are latencies, and buffers that these fill
    "issue": WIDTH, "rename": WIDTH, "merge": WIDTH, "retire": WIDTH,
    "fetch": FRONT_END, "predecoder": FRONT_END, "predecode": FRONT_END, "decoders": FRONT_END,
    "decode": FRONT_END, "length-changing prefix": FRONT_END, "op cache": FRONT_END,
    "loop buffer": FRONT_END, "microcode": FRONT_END, "taken branches": FRONT_END,
    "unit": PORTS, "cache bank": PORTS, "store commit": PORTS,
}
IMPROVEMENTS = {"one more port": PORTS, "a pipelined unit": PORTS, "a front end": FRONT_END,
                "the block at offset": FRONT_END, "issue of": WIDTH, "retirement of": WIDTH,
                "a store commit": PORTS}
PATTERNS = {"limited-ilp": DEPENDENCES, "saturated-ports": PORTS}
takt = str(pathlib.Path(sys.argv[1]).resolve())


def run(*words):
    return subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)


def json_of(*words):
    done = run(takt, *words)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def hottest(program):
    """The loop with the most cycles of which analyze has the same instructions, by both."""
    report = program + ".trace.json"
    done = run(takt, "trace", f"--arch={CORE}", "--format=json", f"--report={report}", "--",
               program, RUNS)
    if done.returncode:
        comment(done.stderr)
        return None
    trace = json.loads(pathlib.Path(report).read_text())
    analyzed = json_of("analyze", f"--arch={CORE}", "--function=kernel", "--format=json", program)
    if not analyzed:
        return None
    regions = analyzed if isinstance(analyzed, list) else analyzed.get("regions", [analyzed])
    starts = {int(region["instructions"][0]["address"], 16): region for region in regions}
    for loop in sorted(trace["loops"], key=lambda loop: -loop["cycles"]):
        region = starts.get(int(loop["address"], 16))
        if (region and loop["entries"] and loop["instructions"] / loop["entries"] >= RUN_INSTRUCTIONS_MIN
                and abs(loop["instructions"] / loop["iterations"]
                        / len(region["instructions"]) - 1) < NEAR):
            return trace["loss_names"], loop, region
    return None


def of_trace(names, loop):
    sums = dict.fromkeys((WIDTH, FRONT_END, PORTS, DEPENDENCES), 0)
    for name, cycles in zip(names, loop["losses"]):
        if name in LOSSES:
            sums[LOSSES[name]] += cycles
    all_cycles = sum(sums.values())
    lost, most = max((sums[kind], kind) for kind in (FRONT_END, PORTS, DEPENDENCES))
    width = sum(cycles for name, cycles in zip(names, loop["losses"])
                if name in ("rename", "retirement width"))
    return most if lost >= SHARE_MIN * all_cycles and lost > width else WIDTH


def of_analyze(region):
    headline = region["limit"]
    if headline.startswith("port"):
        limits = {PORTS}
    else:
        limits = {LIMITS.get(headline, DEPENDENCES)}
    cycles = region["cycles_per_block"]
    limits |= {kind for name, kind in BOUNDS.items()
               if region["bounds"][name] >= (1 - NEAR) * cycles}
    for trial in region["relaxations"]:
        if trial["cycles"] <= (1 - NEAR) * cycles:
            limits.add(next((kind for start, kind in IMPROVEMENTS.items()
                             if trial["what"].startswith(start)), DEPENDENCES))
    return limits


def of_diagnose(program, region):
    """The limits that patterns name at lines of the loop."""
    report = program + ".diagnose.json"
    done = run(takt, "diagnose", f"--arch={CORE}", "--no-timing", "--format=json",
               f"--report={report}", "--", program, RUNS)
    if done.returncode:
        comment(done.stderr)
        return None
    lines = {str(insn["line"]) for insn in region["instructions"]}
    findings = json.loads(pathlib.Path(report).read_text())["findings"]
    return {PATTERNS[finding["pattern"]] for finding in findings
            if finding["holds"] and finding["pattern"] in PATTERNS
            and finding.get("place", "").startswith("kernel,")
            and finding["place"].rpartition(":")[2] in lines}


def judge(case):
    kernel, level = case
    program = str(folder / (kernel.stem + level))
    if run(*COMPILER, level, "-o", program, str(kernel), "-lm").returncode:
        return None
    found = hottest(program)
    if not found:
        return None
    names, loop, region = found
    shares = {name: round(cycles / max(1, loop["cycles"]), 2)
              for name, cycles in zip(names, loop["losses"]) if cycles >= 0.05 * loop["cycles"]}
    return of_trace(names, loop), of_analyze(region), of_diagnose(program, region), shares


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    if missing("qemu-x86_64", "gcc"):
        skip_all(missing("qemu-x86_64", "gcc"))
    cases = [(kernel, level) for kernel in sorted(KERNELS.glob("*.c")) for level in LEVELS
             if kernel.stem != "run" and (not sys.argv[2:] or kernel.stem in sys.argv[2:])]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        judged = pool.map(judge, cases)
        agree = compared = 0
        for (kernel, level), result in zip(cases, judged):
            if not result:
                continue
            traced, analyzed, diagnosed, shares = result
            right = traced in analyzed and diagnosed is not None and diagnosed <= analyzed
            compared += 1
            agree += right
            comment(f"{'' if right else 'DIFFERS '}{kernel.stem} {level}: trace {traced}, analyze "
                    f"{', '.join(sorted(analyzed))}, diagnose {', '.join(sorted(diagnosed or []))}; "
                    f"{shares}")
    comment(f"{agree} of {compared} loops agree on {CORE}")
    ok(compared > 0 and agree >= AGREE_MIN * compared, "trace, analyze and diagnose agree",
       f"{agree} of {compared}")
sys.exit(finish())
