#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The JSON that takt writes keeps to the schemas that are generated from the same declarations.

run.py TAKT SCHEMA_DIRECTORY. Checked is the JSON of all golden tests, and that of commands that are
run here; and that a schema refuses a document with a key too few, a key too many, or a wrong type.
"""
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from tap import finish, ok, skip  # noqa: E402

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP python3-jsonschema is not installed")
    sys.exit(0)

TAKT = pathlib.Path(sys.argv[1]).resolve()
SCHEMAS = pathlib.Path(sys.argv[2])
KERNEL = str(ROOT / "examples" / "kernels" / "gauss_seidel.s")


def validator(command):
    schema = json.loads((SCHEMAS / f"{command}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def complaint(command, document):
    """Return what is wrong with a document, or None."""
    error = jsonschema.exceptions.best_match(validator(command).iter_errors(document))
    return error and f"{error.json_path}: {error.message[:200]}"


def check(command, document, what):
    wrong = complaint(command, document)
    ok(wrong is None, f"{command}: {what}", wrong)


def golden():
    for out in sorted((ROOT / "tests" / "golden").rglob("out")):
        text = out.read_text(encoding="utf-8")
        command = re.search(r"\btakt (\w+)", (out.parent / "cmd").read_text(encoding="utf-8"))
        # Perfetto's format is its own.
        if not text.startswith("{") or not command or "traceEvents" in text:
            continue
        name = "timeline" if '"slots": [' in text else command.group(1)
        documents, text = [], text.lstrip()
        # Behind its documents, a case may show other output.
        while text.startswith("{"):
            document, end = json.JSONDecoder().raw_decode(text)
            documents.append(document)
            text = text[end:].lstrip(" \n,")
        for document in documents:
            check(name, document, f"golden test {out.parent.name}")


def run(command, *arguments, what, report=()):
    """Run a command and check its JSON; commands with a program under them write to a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "report.json")
        options = [option.format(path) for option in report] or ["-o", str(path)]
        done = subprocess.run([TAKT, command, "--format=json", *options, *arguments],
                              capture_output=True, check=False, timeout=120)
        if not path.exists() or not path.stat().st_size:
            ok(False, f"{command}: {what}: no JSON", done.stderr.decode(errors="replace"))
            return None
        document = json.loads(path.read_text(encoding="utf-8"))
    check(command, document, what)
    return document


def measurable():
    done = subprocess.run([TAKT, "measure", "--hex=90"], capture_output=True, check=False)
    return done.returncode == 0


def commands():
    document = run("analyze", "--arch=SKX", "--sensitivity", "--align=all", KERNEL, what="one region")
    run("analyze", "--arch=SKX", "--engine=bounds", KERNEL, what="without a simulation")
    timeline = run("analyze", "--arch=SKX", "--timeline=2", KERNEL, what="with a timeline")
    ok(timeline and timeline["timeline"]["iterations"] == 2 and timeline["timeline"]["slots"],
       "analyze: a timeline in its JSON", timeline and list(timeline))
    run("analyze", "--arch=SKX", "--trips=20", KERNEL, what="a loop that ends")
    run("analyze", "--arch=SKX", "--list", KERNEL, what="a list")
    several = ROOT / "tests" / "golden" / "analyze" / "aarch64-comments" / "kernel.s"
    run("analyze", "--arch=N1", several, what="several regions")
    run("analyze", "--arch=SKX,ZEN4", KERNEL, what="two cores")
    run("analyze", "--arch=all", "--list", KERNEL, what="a list for all cores")
    run("analyze", "--arch=llvm:riscv64:sifive-u74,llvm:riscv64:sifive-p670",
        ROOT / "tests" / "golden" / "analyze" / "several-cores-riscv64" / "vector.s",
        what="a core that lacks an extension")
    if measurable():
        run("measure", "--hex=480fafc2", what="a block")
        run("measure", "--hex=ffe0", what="a block that is refused")
    else:
        skip("measure: a block", "this machine cannot measure")
    run("deps", "--arch=SKX", KERNEL, what="a stencil")
    run("deps", "--arch=SKX", "--overwrites", KERNEL, what="what is overwritten")
    run("characterize", "--backend=sim:SKX", "--form=add r64, r64", what="on the simulator")
    for which, what in (("", "all families"), ("=neoverse-v2", "a family"), ("=emulate", "events under emulation"),
                        ("=neoverse-v2/BRANCH", "a group")):
        run("count", f"--list{which}", what=what)
    run("validate", "--list", what="a list of kernels")
    return document


def survey():
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder, "results.sqlite")
        subprocess.run([TAKT, "characterize", "--all", "--forms=vpaddb [xy]mm, [xy]mm, ?mm", "--backend=sim:SKX",
                        f"--output={results}"], capture_output=True, check=True, timeout=120)
        done = subprocess.run([TAKT, "characterize", "--export=report", "--format=json", results],
                              capture_output=True, check=False, timeout=120)
    document = json.loads(done.stdout)
    check("characterize", document, "all forms")
    names = [form["form"] for form in document["forms"]]
    ok("vpaddb ymm, ymm, ymm" in names and document["forms"][names.index("vpaddb ymm, ymm, ymm")]["latencies"],
       "characterize: forms with their latencies", names)
    ok({form["isa_set"] for form in document["forms"]} >= {"avx", "avx2"}, "characterize: forms with their sets")


def learn():
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([TAKT, "model", "learn", "--machine=sim:SKL", "--from=SKL", "--format=json",
                               "--only=length_change_cycles", "-o", folder],
                              capture_output=True, check=False, timeout=120)
    check("learn", json.loads(done.stdout), "one parameter")


def identify():
    done = subprocess.run([TAKT, "model", "identify", "--machine=sim:SKL", "--format=json"],
                          capture_output=True, check=False, timeout=120)
    check("identify", json.loads(done.stdout), "a simulated machine")


def programs():
    if not shutil.which("qemu-x86_64") or os.uname().machine != "x86_64":
        for command in ("trace", "count", "diagnose", "validate"):
            skip(f"{command}: a program", "qemu-x86_64 is not installed, or this is no x86-64")
        return
    program = ["--", "/bin/true"]
    run("trace", "--arch=SKX", *program, what="with all models",
        report=["--report={}"])
    run("trace", "--arch=SKX", "--dependences", "--sensitivity", *program,
        what="with dependences and better cores",
        report=["--report={}"])
    run("trace", "--blocks-only", *program, what="blocks only", report=["--report={}"])
    run("count", "--backend=emulate", "-g", "DATA", *program, what="a group")
    run("diagnose", "--backend=emulate", "--arch=SKX", "--all-figures", *program, what="all figures",
        report=["--report={}"])
    run("validate", "--backend=emulate", "--kernels=load_sse", "--levels=L1", "--cases",
        what="with cases")


def written(folder, name, *command):
    """Return what a command writes to the file of this name."""
    path = pathlib.Path(folder) / name
    done = subprocess.run([TAKT, command[0], "-o", path, *command[1:]], capture_output=True, text=True, check=False,
                          timeout=120)
    return path.read_text(encoding="utf-8") if path.exists() else done.stderr


def endings():
    """The ending of the output's name chooses the format."""
    with tempfile.TemporaryDirectory() as folder:
        check_endings(folder)


def check_endings(folder):
    results = ROOT / "tests" / "golden" / "diff"
    pathlib.Path(folder, "blocks.csv").write_text("4801d8,1\n", encoding="utf-8")
    commands_of = {
        "analyze": ["--arch=SKX", "--hex=4801d8"], "deps": ["--arch=SKX", KERNEL],
        "diff": [f"{results}/before.json", f"{results}/after.json"],
        "predict": ["--arch=SKX", f"{folder}/blocks.csv"]}
    for command, words in commands_of.items():
        text = written(folder, f"{command}.json", command, *words)
        ok(text.startswith("{"), f"{command}: a name that ends in .json", text[:300])
        if text.startswith("{"):
            check(command, json.loads(text), "what such a file holds")
    text = written(folder, "graph.dot", "analyze", *commands_of["analyze"])
    ok(text.startswith("digraph"), "analyze: a name that ends in .dot", text[:300])
    text = written(folder, "text.json", "analyze", "--format=text", *commands_of["analyze"])
    ok(not text.startswith("{"), "analyze: a format that is given counts", text[:300])
    if shutil.which("qemu-x86_64") and os.uname().machine == "x86_64":
        text = written(folder, "trace.json", "trace", "--arch=SKX", "--", "/bin/true")
        ok(text.startswith("{"), "trace: such a name is no log", text[:300])


def refusals(document):
    """A schema that accepts anything would pass all the above."""
    for what, change in (
            ("a key too few", lambda damaged: damaged.pop("limit")),
            ("a key too many", lambda damaged: damaged.update(more=1)),
            ("a string for a number", lambda damaged: damaged.update(alignment="0")),
            ("a word that is none", lambda damaged: damaged.update(mode="round")),
            ("a negative index", lambda damaged: damaged["dependences"][0].update({"from": -1}))):
        damaged = copy.deepcopy(document)
        change(damaged)
        ok(complaint("analyze", damaged) is not None, f"refused: {what}")


golden()
analysis = commands()
survey()
learn()
identify()
programs()
endings()
if analysis:
    refusals(analysis)
sys.exit(finish())
