#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The closed loop: the simulator plays a core, `takt model learn` gets only times, and must find it again.

loop.py TAKT [--isa=x86-64|aarch64] [--cores=NAME,…] [--random=N] [--seed=N] [--noise=PERCENT] [--blocks=N]
             [--corpus=FILE] [--part=blocks|programs] [--jobs=N] [--state=FILE] [--write=FILE]

The cores played are the known ones of an instruction set, where learning starts from the core itself, so that nothing
may change; and random ones: a known core in which each learnable parameter is changed with a probability of one in three, and a
dozen frequent instructions are slower. For each, the table has how many of the parameters that an experiment decides
were found exactly, or within 2 % (sizes), how many of the decided pairs of instructions that may fuse are right, how many of the changed instructions have the true row again, how many other
instructions got a new row that they did not need, and on how many blocks the learnt core's prediction is within 1 % of
the true core's.

The test fails if the random cores' totals are below --wanted-parameters, --wanted-pairs or --wanted-blocks (percent). With --state,
each core's result is appended to FILE, and the same command takes it from there instead of learning the core again; a
file of another takt or of other options is begun anew. With --write, FILE (a page of the documentation) gets the
table between the lines "<!-- closed loop: PART -->" (of AArch64: "PART of AArch64") and "<!-- end -->".
"""
import argparse
import concurrent.futures
import datetime
import hashlib
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "accuracy"))
import corpora  # noqa: E402

X86_CORES = ("SNB", "IVB", "HSW", "BDW", "SKL", "SKX", "CLX", "ICL", "TGL", "RKL", "SPR", "ADL-P", "ZEN+", "ZEN2", "ZEN3",
         "ZEN4", "ZEN5")
AARCH64_CORES = ("A57", "A72", "A64FX", "M1", "N1", "N2", "TSV110", "TX2", "V1", "V2")
# What random cores of AArch64 keep: prefixes do not change lengths there, and rows say what rename eliminates.
X86_ONLY = {"length_change_cycles", "immediate_add_elimination", "jcc_erratum", "move_elimination_int_slots",
            "move_elimination_vector_slots"}
ROWS = 12  # instructions of a random core that are slower than its base's
# What each part learns, of what changes in its random cores.
PARTS = {"blocks": "blocks,fusing,forms", "programs": "programs"}
SIZES = {"rob_entries", "scheduler_entries", "load_queue_entries", "store_queue_entries", "branch_target_entries",
         "branch_target_second_entries", "op_cache_lines"}
# First instructions of random cores' pairs with jumps, and second ones of pairs without.
JUMPING = {"x86-64": "cmp test add sub and or xor inc dec", "aarch64": "cmp cmn tst adds subs ands"}
MOVED = {"fuse-pair": "add sub and or xor inc dec neg not shl shr rol", "fuse-load": "add sub and or xor inc dec neg not"}
# Conditions that read the same flags, by the word that stands for both in reports.
CONDITIONS = {"o": "no", "b": "ae", "e": "ne", "be": "a", "s": "ns", "p": "np", "l": "ge", "le": "g"}
# How random cores differ: each parameter with the values it may get, by its old one.
CHANGES = {
    "issue_width": lambda old: random.choice([old - 1, old + 1, old + 2]),
    "op_cache_width": lambda old: random.choice([old - 1, old + 1, old + 2]),
    "decode_width": lambda old: random.choice([old - 1, old + 1, old + 2]),
    "fetch_bytes": lambda old: random.choice([16, 32]),
    "length_change_cycles": lambda old: random.choice([0, 2, 3, 5]),
    "store_forward_cycles": lambda old: old + random.choice([-1, 1, 2]),
    "store_forward_fail_cycles": lambda old: old + random.choice([-2, 1, 3]),
    "immediate_add_elimination": lambda old: 1 - old,
    "move_elimination_int_slots": lambda old: random.choice([-1, 0, 2, 4, 6]),
    "move_elimination_vector_slots": lambda old: random.choice([-1, 0, 2, 4, 6]),
    "rob_entries": lambda old: int(old * random.uniform(0.7, 1.5)),
    "scheduler_entries": lambda old: int(old * random.uniform(0.7, 1.4)),
    "load_queue_entries": lambda old: int(old * random.uniform(0.7, 1.4)),
    "store_queue_entries": lambda old: int(old * random.uniform(0.7, 1.4)),
    "jcc_erratum": lambda old: 1 - old,
}
PROGRAM_CHANGES = {
    "mispredict_cycles": lambda old: old + random.choice([-3, -1, 2, 5]),
    "return_stack_entries": lambda old: random.choice([8, 12, 16, 24, 32, 48]),
    "branch_target_entries": lambda old: random.choice([old // 2, 2 * old]),
    "branch_target_second_cycles": lambda old: old + random.choice([1, 2]),
    "branch_decode_cycles": lambda old: old + random.choice([-2, 2, 4]),
    "op_cache_lines": lambda old: old + random.choice([-128, 128, 256]),
    "l2_extra_cycles": lambda old: old + random.choice([1, 2, 4]),
    "l3_extra_cycles": lambda old: int(old * random.uniform(0.7, 1.6)),
    "memory_extra_cycles": lambda old: int(old * random.uniform(0.7, 1.5)),
    "l1d_kb": lambda old: old * random.choice([0.5, 2]),
    "l2_kb": lambda old: old * random.choice([0.5, 2]),
    "l3_kb": lambda old: old * random.choice([0.5, 2]),
    "dtlb_entries": lambda old: old * random.choice([0.5, 2]),
    "stlb_entries": lambda old: old * random.choice([0.5, 2]),
    "stlb_extra_cycles": lambda old: old + random.choice([-2, 2, 4]),
    "page_walk_cycles": lambda old: old + random.choice([-6, 5, 12]),
    "line_fill_buffers": lambda old: random.choice([8, 10, 12, 16, 20, 24, 32]),
    "branch_indirect_cycles": lambda old: random.choice([1, 2, 3, 4]),
}


def options_of():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("takt")
    parser.add_argument("--isa", choices=("x86-64", "aarch64"), default="x86-64")
    parser.add_argument("--cores", help="known cores to play (default: all of the instruction set)")
    parser.add_argument("--random", type=int, default=20, metavar="N", help="random cores")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--noise", default="1", help="percent")
    parser.add_argument("--blocks", type=int, default=2000)
    parser.add_argument("--corpus", help="blocks to predict (default: stored ones of the instruction set)")
    parser.add_argument("--wanted-parameters", type=float, default=95)
    parser.add_argument("--wanted-blocks", type=float, default=95)
    parser.add_argument("--wanted-pairs", type=float, default=99)
    parser.add_argument("--timeout", type=int, default=1800, help="seconds of one command")
    parser.add_argument("--part", choices=PARTS, default="blocks", help="experiments: of blocks and rows of "
                        "instructions, or of programs (branches, caches, translations)")
    parser.add_argument("--only", help="parameters to learn, instead of all of the part")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cores learnt at the same time")
    parser.add_argument("--state", type=pathlib.Path, metavar="FILE", help="results so far, taken up again")
    parser.add_argument("--write", type=pathlib.Path, metavar="FILE", help="page that gets the table")
    options = parser.parse_args()
    options.known = AARCH64_CORES if options.isa == "aarch64" else X86_CORES
    if options.cores is None:
        options.cores = ",".join(options.known)
    if options.corpus is None:
        options.corpus = str(ROOT / "tests" / ("learn/blocks_aarch64.hex" if options.isa == "aarch64" else
                                               "accuracy/host-26-2.csv"))
    return options


def takt(*arguments, text=None):
    done = subprocess.run([OPTIONS.takt, *arguments], input=text, capture_output=True, encoding="utf-8", check=False,
                          timeout=OPTIONS.timeout)
    if done.returncode:
        sys.exit(f"takt {' '.join(arguments)}: {done.stderr}")
    return done.stdout


def parameters_of(core, directory=None):
    """What the core file of a core says, by `takt model show`: a word, mostly a number, by name."""
    found = {}
    for line in takt("model", "show", core, *model_option(directory)).splitlines():
        words = line.split()
        if line.startswith("takt timing"):
            break
        if len(words) >= 2 and not line.startswith(("source", "#")):
            found.setdefault(words[0], {"yes": 1, "no": 0}.get(words[1], words[1]))
    return found


def model_option(directory):
    return [f"--model={directory}"] if directory else []


def forms_of():
    """The forms whose rows a quick run checks."""
    if OPTIONS.isa == "x86-64":
        text = (ROOT / "src" / "learn" / "forms.def").read_text(encoding="utf-8")
        return re.findall(r'^FORM\("([^"]+)"\)', text, re.M)
    text = (ROOT / "src" / "learn" / "chains.def").read_text(encoding="utf-8")
    # From an instruction to its form: registers lose their numbers, and immediates are i.
    return [re.sub(r"#\d+", "i", re.sub(r"\b([xwdshv])\d+", r"\1", insn))
            for insn in re.findall(r'^CHAIN\("([^"]+)"', text, re.M)]


def slower_rows(base):
    """Rows of frequent instructions with one latency for all pairs, which becomes longer: text by form."""
    forms = forms_of()
    found = {}
    for line in takt("model", "show", base, "--forms=*").splitlines():
        form, _, rest = (part.strip() for part in (line + "||").split("|")[:3])
        latency = re.match(r"lat=([1-9])(?= |$)", line.split("|")[2].strip()) if line.count("|") == 2 else None
        if form in forms and latency and not re.search(r"\bm\d+", form):
            longer = int(latency.group(1)) + random.choice([1, 2])
            found[form] = re.sub(r"lat=\d", f"lat={longer}", re.sub(r" (?:src|rtp)=\S+", "", line), count=1)
    return {form: found[form] for form in sorted(random.sample(sorted(found), min(ROWS, len(found))))}


def random_loop_buffer(old):
    """Lines of a core file for a loop buffer where the core has none, or for none where it has one."""
    if int(old["loop_buffer"]):
        return ["loop_buffer no r"]
    # Loops that take a cycle or less anyway, since their counter's chain does, tell nothing of their copies.
    short = min(8, int(old["issue_width"]))
    copies = str(old.get("loop_buffer_copies", "11111111")).zfill(8)[:short]
    thrice = random.randint(9, 16)
    return ["loop_buffer yes r", f"queue_entries {random.choice([56, 64, 72, 96])} r", f"loop_buffer_thrice {thrice} r",
            f"loop_buffer_twice {random.randint(thrice, 32)} r",
            f"loop_buffer_copies {copies}{''.join(str(random.choice([2, 3, 4, 6])) for _ in range(8 - short))} r"]


def random_pairs():
    """Lines of a core file that say which pairs of instructions become one µop."""
    lines = []
    for first in JUMPING[OPTIONS.isa].split():
        # Comparisons for equality fuse on all cores that fuse any; restrictions of operands are tried with them.
        words = [word for word in CONDITIONS if random.random() < 1 / 2 or (first, word) == ("cmp", "e")]
        words = [*words, *(CONDITIONS[word] for word in words)] if OPTIONS.isa == "x86-64" else ["*"] * (len(words) > 3)
        if words:
            lines.append(f"fuse {first} : {' '.join(words)}")
    if OPTIONS.isa == "x86-64":
        lines += [f"{kind} mov : {' '.join(random.sample(seconds.split(), 5))}" for kind, seconds in MOVED.items()
                  if random.random() < 1 / 2]
    return lines


def pairs_of(core, directory):
    """Which pairs become one µop, as reports name them: (first, second, whether the first is a load)."""
    found = set()
    for line in takt("model", "show", core, *model_option(directory)).splitlines():
        kind, _, rest = line.partition(" ")
        firsts, _, seconds = rest.partition(":")
        if kind not in ("fuse", "fuse-pair", "fuse-load"):
            continue
        for first in firsts.split():
            for second in list(CONDITIONS) + ["all"] if "*" in seconds else seconds.split():
                found.add((first, second, kind == "fuse-load"))
    return found


def judge_pairs(learnt, truth):
    """Of how many pairs the timings decide, and of how many rightly; operands' kinds are not judged."""
    decided = [found for found in learnt if found["how"] == "measured" and "," not in found["second"]]
    wrong = [found for found in decided if found["fuses"] != ((found["first"], found["second"], found["loaded"]) in truth)]
    return {"pairs": len(decided), "pairs_right": len(decided) - len(wrong),
            "pairs_wrong": [f"{found['first']} {found['second']} {'fuse' if found['fuses'] else 'do not fuse'}: not true"
                            for found in wrong]}


def make_random(name, directory):
    """Write a random core; return the core that it is made of, and the forms whose rows differ."""
    base = random.choice(OPTIONS.known)
    old = parameters_of(base)
    rows = slower_rows(base)
    lines = ["takt core 1", f"name {name}", "title a random core", f"base {base}", f"isa {OPTIONS.isa}",
             f"timing {name.lower()}",
             "source r estimated at random"]
    timing = pathlib.Path(directory, "timing")
    timing.mkdir(exist_ok=True)
    (timing / f"{name.lower()}.timing").write_text(
        "\n".join(["takt timing 1", f"name {name.lower()}", f"isa {OPTIONS.isa}", f"base {old['timing']}", "source r estimated  at random",
                   "default-source r", *rows.values()]) + "\n", encoding="utf-8")
    for parameter, change in (PROGRAM_CHANGES if OPTIONS.part == "programs" else CHANGES).items():
        split = parameter == "scheduler_entries" and "scheduler" in old
        if random.random() >= 1 / 3 or split or parameter not in old or int(old[parameter]) == 0 and \
           parameter == "op_cache_width" or OPTIONS.isa == "aarch64" and parameter in X86_ONLY:
            continue
        value = int(old[parameter])
        if parameter == "store_forward_fail_cycles" and value < 3:
            continue
        value = int(change(value))
        word = ("no", "yes")[value] if parameter in ("immediate_add_elimination", "jcc_erratum") else value
        lines.append(f"{parameter} {word} r")
        ways = re.sub("_(kb|entries)$", "_ways", parameter)
        if parameter in ("l1d_kb", "l2_kb", "l3_kb", "dtlb_entries", "stlb_entries"):
            lines.append(f"{ways} {int(old[ways]) * value // int(old[parameter])} r")
    if OPTIONS.part == "blocks" and random.random() < 1 / 3:
        lines += random_pairs()
    if OPTIONS.part == "blocks" and OPTIONS.isa == "x86-64" and random.random() < 1 / 3:
        lines += random_loop_buffer(old)
    cores = pathlib.Path(directory, "cores")
    cores.mkdir(exist_ok=True)
    (cores / f"{name.lower()}.core").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return base, list(rows)


def blocks_of():
    if OPTIONS.corpus.endswith(".hex"):
        lines = pathlib.Path(OPTIONS.corpus).read_text(encoding="utf-8").splitlines()
        found = [line for line in lines if line and not line.startswith("#")]
        return found[:: max(1, len(found) // OPTIONS.blocks)][:OPTIONS.blocks]
    found = [block.hex for one in corpora.read(pathlib.Path(OPTIONS.corpus)) if one.mode == "unroll" for block in one.blocks]
    return found[:: max(1, len(found) // OPTIONS.blocks)][:OPTIONS.blocks]


def close_loop(block):
    """A block of AArch64 with the end of a loop: sub x28, x28, 1; cbnz x28, to its start."""
    back = -(len(block) // 8 + 1) & 0x7FFFF
    return block + (0xd100079c).to_bytes(4, "little").hex() + (0xb500001c | back << 5).to_bytes(4, "little").hex()


def predict(core, directory, mode):
    is_open_loop = mode == "loop" and OPTIONS.isa == "aarch64"
    output = takt("predict", f"--arch={core}", f"--mode={mode}", "--engine=sim", *model_option(directory), "-",
                  text="\n".join(map(close_loop, BLOCKS) if is_open_loop else BLOCKS) + "\n")
    return [line.split(",")[1] for line in output.splitlines() if not line.startswith(("#", "hex"))]


def rows_found(core, directory, cores_directory, forms):
    """How many of the forms cost the same on the learnt core as on the true one."""
    if not forms:
        return 0
    shutil.copytree(cores_directory, directory, dirs_exist_ok=True)
    equal = 0
    for form in forms:
        done = subprocess.run([OPTIONS.takt, "model", "diff", core, "learnt", f"--forms={form}", f"--model={directory}"],
                              capture_output=True, encoding="utf-8", check=False, timeout=OPTIONS.timeout)
        # The learnt row names pairs where the true one has a figure for all: the pairs are compared.
        agrees = re.search(r"latencies of operand pairs .* 100\.0 %", done.stdout)
        equal += "differing in µops 0," in done.stdout and agrees is not None
    return equal


def true_value(found, truth_of):
    """The true value of a parameter; random cores keep the sizes of several schedulers."""
    name, _, slots = found["parameter"].partition(".")
    if slots:
        return int(str(truth_of[name]).zfill(8)[int(slots) - 1]) if name in truth_of else found["nearest"]
    return int(truth_of.get(name, found["nearest"]))


def judge(learnt, truth_of):
    """Compare learnt parameters with the true ones: how many are decided, exact, near; and what is wrong."""
    decided = exact = near = right = 0
    wrong = []
    general = {found["parameter"]: found["value"] for found in learnt}.get("store_forward_cycles")
    for found in learnt:
        true = true_value(found, truth_of)
        if found["parameter"] == "store_forward_vector_cycles" and general == int(truth_of["store_forward_cycles"]):
            # 0 means the same as of general registers.
            found["value"], true = found["value"] or general, true or general
        right += found["value"] == true or (found["parameter"] in SIZES and abs(found["value"] - true) <= 0.02 * true)
        if found["how"] not in ("measured", "at-least"):
            continue
        decided += 1
        # "At least" is a statement about smaller values only.
        fine = found["value"] == true or (found["how"] == "at-least" and found["least"] <= true)
        exact += fine
        size = found["parameter"] in SIZES or found["parameter"].startswith("scheduler ")
        near += fine or (size and abs(found["value"] - true) <= 0.02 * true)
        if found["value"] != true:
            wrong.append(f"{found['parameter']} {found['value']} ({found['least']}…{found['most']}, {found['how']}), "
                         f"true {true}")
    return {"decided": decided, "exact": exact, "near": near, "wrong": wrong, "learnt": len(learnt), "right": right,
            "undecided": [found["parameter"] for found in learnt if found["how"] not in ("measured", "at-least")]}


def compare_blocks(core, origin, cores_directory, directory):
    """On how many blocks the learnt core, and the one that learning began with, agree with the true one within 1 %."""
    same = total = before = 0
    for mode in ("unroll", "loop"):
        truth, learnt, start = (predict(core, cores_directory, mode), predict("learnt", directory, mode),
                                predict(origin, cores_directory, mode))
        for a, b, c in zip(truth, learnt, start):
            if a and b and c:
                total += 1
                same += abs(float(b) / float(a) - 1) <= 0.01
                before += abs(float(c) / float(a) - 1) <= 0.01
    return {"blocks": total, "blocks_equal": same, "blocks_before": before}


def run_core(core, origin, cores_directory, title, forms=()):
    """Learn one core from its times; return what the table needs."""
    with tempfile.TemporaryDirectory() as directory:
        model, truth_of = model_option(cores_directory), parameters_of(core, cores_directory)
        result = json.loads(takt("model", "learn", f"--machine=sim:{core}", f"--from={origin}", *model,
                                 f"--only={OPTIONS.only or PARTS[OPTIONS.part]}", f"--noise={OPTIONS.noise}", f"--seed={OPTIONS.seed}", "--format=json", "-o", directory))
        found = judge(result["parameters"], truth_of) | compare_blocks(core, origin, cores_directory, directory)
        found |= judge_pairs(result["pairs"], pairs_of(core, cores_directory))
        rows = rows_found(core, directory, cores_directory, forms)
    return found | {"title": title, "from": origin, "timings": result["timings"], "seconds": result["seconds"],
                    "rows_changed": len(forms), "rows_found": rows,
                    "rows_more": max(0, result["forms_corrected"] - rows)}


# ---- results that outlive an interruption ----

def options_word():
    """Identify the takt and the options that results depend on."""
    options = {name: getattr(OPTIONS, name) for name in ("isa", "seed", "noise", "blocks", "corpus", "part", "only")}
    binary = hashlib.sha256(pathlib.Path(OPTIONS.takt).read_bytes()).hexdigest()
    return {"takt": binary, "options": {name: str(value) for name, value in options.items()}}


def read_state():
    """Results by title of an interrupted run; a last line that was cut short is ignored."""
    found = {}
    try:
        lines = OPTIONS.state.read_text(encoding="utf-8").splitlines() if OPTIONS.state else []
    except FileNotFoundError:
        lines = []
    parsed = []
    for line in lines:
        try:
            parsed.append(json.loads(line))
        except json.JSONDecodeError:
            break
    if parsed and parsed[0] == options_word():
        found = {row["title"]: row for row in parsed[1:]}
    if OPTIONS.state:
        OPTIONS.state.parent.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(row) + "\n" for row in [options_word(), *found.values()])
        OPTIONS.state.write_text(text, encoding="utf-8")
    return found


LOCK = threading.Lock()


def run_job(job, done, total):
    row = run_core(*job)
    with LOCK:
        done[row["title"]] = row
        if OPTIONS.state:
            with OPTIONS.state.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
        print(f"{len(done)} of {total}, {time.monotonic() - START:.0f} s: {row['title']}: {row['near']} of "
              f"{row['decided']} parameters, {row['blocks_equal']} of {row['blocks']} predictions", file=sys.stderr,
              flush=True)
        for text in row["wrong"] + row["pairs_wrong"]:
            print(f"  {row['title']}: {text}", file=sys.stderr, flush=True)


# ---- the table ----

def table_of(rows):
    lines = ["| core | from | timings | s | parameters | right | decided | exact | within 2 % | pairs right | "
             "rows found | rows more | blocks equal before, % | blocks equal, % |",
             "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"]
    for row in rows:
        blocks = max(1, row["blocks"])
        lines.append(f"| {row['title']} | {row['from']} | {row['timings']} | {row['seconds']:.0f} | {row['learnt']} | "
                     f"{row['right']} | {row['decided']} | "
                     f"{row['exact']} | {row['near']} | {row['pairs_right']} of {row['pairs']} | {row['rows_found']} of {row['rows_changed']} | "
                     f"{row['rows_more']} | {100 * row['blocks_before'] / blocks:.1f} | "
                     f"{100 * row['blocks_equal'] / blocks:.1f} |")
    return lines


def share_of(rows, part, whole):
    total = sum(row[whole] for row in rows)
    return 100 * sum(row[part] for row in rows) / total if total else 100


def summary_of(kind, rows):
    return (f"{len(rows)} {kind} core{'s' * (len(rows) != 1)}: of {sum(row['learnt'] for row in rows)} parameters, "
            f"{share_of(rows, 'right', 'learnt'):.1f} % have the true value; of {sum(row['decided'] for row in rows)} "
            f"decided ones {share_of(rows, 'near', 'decided'):.1f} %; of {sum(row['pairs'] for row in rows)} decided pairs "
            f"{share_of(rows, 'pairs_right', 'pairs'):.1f} %; of {sum(row['blocks'] for row in rows)} predictions "
            f"{share_of(rows, 'blocks_equal', 'blocks'):.1f} %.")


def write_page(lines):
    text = OPTIONS.write.read_text(encoding="utf-8")
    what = OPTIONS.part + (" of AArch64" if OPTIONS.isa == "aarch64" else "")
    begin, end = f"<!-- closed loop: {what} -->\n", "<!-- end -->\n"
    if begin not in text or end not in text.split(begin, 1)[1]:
        sys.exit(f"error: {OPTIONS.write} has no lines '{begin.strip()}' and '{end.strip()}' for the table")
    before, rest = text.split(begin, 1)
    OPTIONS.write.write_text(before + begin + "\n".join(lines) + "\n" + end + rest.split(end, 1)[1], encoding="utf-8")


def jobs_of(directory):
    """What is to be learnt: core, the one to begin with, directory of more cores, title, changed forms."""
    found = [(core, core, None, core, ()) for core in filter(None, OPTIONS.cores.split(","))]
    for i in range(OPTIONS.random):
        # Each random core depends on its number and the seed alone.
        random.seed(f"{OPTIONS.seed}/{i}")
        name = f"RANDOM{i}"
        base, forms = make_random(name, directory)
        found.append((name, base, directory, name.lower(), forms))
    return found


def has_decoder():
    """True unless this build lacks the module that decodes the instruction set."""
    done = subprocess.run([OPTIONS.takt, "predict", f"--arch={OPTIONS.known[0]}", "--engine=sim", "-"], input=BLOCKS[0] + "\n",
                          capture_output=True, encoding="utf-8", check=False, timeout=OPTIONS.timeout)
    return "takt-llvm" not in done.stderr


def main():
    if not has_decoder():
        print("skipped: this build has no module that decodes the instruction set")
        return 77
    with tempfile.TemporaryDirectory() as directory:
        jobs, done = jobs_of(directory), read_state()
        left = [job for job in jobs if job[3] not in done]
        with concurrent.futures.ThreadPoolExecutor(OPTIONS.jobs) as pool:
            futures = [pool.submit(run_job, job, done, len(jobs)) for job in left]
            for future in concurrent.futures.as_completed(futures):
                future.result()
    rows = [done[job[3]] for job in jobs]
    known, drawn = [row for row in rows if row["title"] == row["from"]], [row for row in rows if row["title"] != row["from"]]
    lines = table_of(rows) + [""] + [summary_of(kind, part) for kind, part in (("known", known), ("random", drawn)) if part]
    print("\n".join(lines))
    if OPTIONS.write:
        write_page([f"Seed {OPTIONS.seed}, noise {OPTIONS.noise} %, {datetime.date.today()}.", "", *lines])
    return (share_of(drawn, "near", "decided") < OPTIONS.wanted_parameters or
            share_of(drawn, "blocks_equal", "blocks") < OPTIONS.wanted_blocks or
            share_of(drawn, "pairs_right", "pairs") < OPTIONS.wanted_pairs)


START = time.monotonic()
OPTIONS = options_of()
BLOCKS = blocks_of()
sys.exit(main())
