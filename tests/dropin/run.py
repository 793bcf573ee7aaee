#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Options of llvm-mca and OSACA: each is honoured, or refused by its own name, never read as another.

    run.py TAKT

The lists are those of llvm-mca 19 (--help-hidden) and OSACA 0.7 (--help). If llvm-mca-19 is
installed, every option of its help is tried, too.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok, skip  # noqa: E402

KERNEL = ".L2:\n\taddsd (%rdi,%rax,8), %xmm0\n\tincq %rax\n\tcmpq %rax, %rsi\n\tjne .L2\n"
CORE = "--arch=SKX"

# Option without dashes, and a value or "" for a flag.
LLVM_MCA = [
    ("all-stats", ""), ("all-views", ""), ("all-views", "false"), ("bottleneck-analysis", ""),
    ("call-latency", "100"), ("decoder-throughput", "4"), ("disable-cb", ""), ("disable-im", ""),
    ("dispatch", "3"), ("dispatch-stats", ""), ("instruction-info", "false"),
    ("instruction-tables", ""), ("iterations", "50"), ("json", ""), ("lqueue", "40"),
    ("march", "x86-64"), ("mattr", "+avx2"), ("mcpu", "skylake"), ("mcpu", "btver2"),
    ("micro-op-queue-size", "30"), ("mtriple", "x86_64-unknown-linux-gnu"), ("noalias", ""),
    ("noalias", "false"), ("output-asm-variant", "0"), ("output-asm-variant", "1"),
    ("print-imm-hex", ""), ("register-file-size", "100"), ("register-file-stats", ""),
    ("resource-pressure", ""), ("resource-pressure", "false"), ("retire-stats", ""),
    ("scheduler-stats", ""), ("show-barriers", ""), ("show-encoding", ""),
    ("skip-unsupported-instructions", "none"), ("skip-unsupported-instructions", "any"),
    ("squeue", "40"), ("summary-view", "false"), ("timeline", ""),
    ("timeline-max-cycles", "100"), ("timeline-max-iterations", "3"), ("x86-asm-syntax", "intel"),
    ("print-options", ""), ("print-all-options", ""), ("json", "false"), ("timeline", "false"),
    ("timeline", "true"), ("instruction-tables", "false"), ("show-encoding", "false"),
    ("print-imm-hex", "true"), ("show-barriers", "false"), ("disable-cb", "false"),
    ("disable-im", "true"), ("bottleneck-analysis", "false"), ("all-stats", "false"),
    ("help", ""), ("help-list", ""), ("help-hidden", ""), ("version", ""),
]
OSACA = [
    ("V", ""), ("version", ""), ("v", ""), ("verbose", ""), ("h", ""), ("arch", "SKX"),
    ("syntax", "ATT"), ("syntax", "att"), ("fixed", ""), ("lines", "2-5"), ("db-check", ""),
    ("online", ""), ("import", "ibench"), ("insert-marker", ""), ("ignore-unknown", ""),
    ("lcd-timeout", "-1"), ("f", ""), ("consider-flag-deps", ""), ("yaml-out", "x.yml"),
]
REFUSED = {"db-check", "online", "import", "insert-marker", "yaml-out"}
# These need a value whose file the option writes.
FILES = [("-o", "report.txt"), ("--out", "report.txt"), ("--output", "report.txt"),
         ("--export-graph", "graph.dot"), ("-export-graph", "graph.dot")]


def run(takt, words, folder, text=KERNEL):
    return subprocess.run([takt, "analyze", *words], cwd=folder, input=text, text=True,
                          capture_output=True, timeout=120, check=False)


def spellings(name, value):
    if len(name) == 1:
        return [[f"-{name}"]]
    forms = []
    for dashes in ("-", "--"):
        if not value:
            forms.append([dashes + name])
            continue
        forms.append([f"{dashes}{name}={value}"])
        if value not in ("false", "true", ""):
            forms.append([dashes + name, value])
    return forms


def check(takt, tool, name, value, folder):
    """An option is honoured, or refused in a message that has its name; no file appears."""
    for words in spellings(name, value):
        core = [] if name in ("mcpu", "arch") else [CORE]
        done = run(takt, [*words, *core, "kernel.s"], folder)
        left = sorted(p.name for p in folder.iterdir())
        fine = done.returncode == 0
        if name in REFUSED:
            fine = done.returncode == 2 and f"'--{name}'" in done.stderr
        ok(fine and left == ["kernel.s"], f"{tool}: {' '.join(words)}")
        if not fine or left != ["kernel.s"]:
            comment(f"status {done.returncode}, files {left}: {done.stderr.strip()}")


def check_files(takt, folder):
    for name, path in FILES:
        for words in ([name, path], [f"{name}={path}"]):
            if name == "-o" and len(words) == 1:
                words = [name + path]
            done = run(takt, [*words, CORE, "kernel.s"], folder)
            made = sorted(p.name for p in folder.iterdir() if p.name != "kernel.s")
            ok(done.returncode == 0 and made == [path], f"{' '.join(words)} writes {path}")
            for left in made:
                (folder / left).unlink()


def check_meanings(takt, folder):
    """Options that change figures or form do so."""
    plain = run(takt, [CORE, "kernel.s"], folder).stdout
    ok(run(takt, [CORE], folder).stdout.replace("standard input", "kernel.s") == plain,
       "standard input without '-'")
    ok(run(takt, [CORE, "-vv", "kernel.s"], folder).stdout == plain, "-vv of OSACA, which is -v twice")
    ok(run(takt, [CORE, "-vf", "kernel.s"], folder).returncode == 2, "-vf is no option")
    ok("at 1 per cycle" in run(takt, [CORE, "-dispatch=1", "kernel.s"], folder).stdout,
       "-dispatch=1")
    ok(run(takt, [CORE, "-json", "kernel.s"], folder).stdout.startswith("{"), "-json")
    both = run(takt, [CORE, "-json", "-timeline", "-timeline-max-iterations=3", "kernel.s"], folder).stdout
    ok(both.startswith("{") and json.loads(both)["timeline"]["iterations"] == 3, "-json -timeline", both[:300])
    for word in ("-json=false", "-timeline=false", "-instruction-tables=0"):
        ok(run(takt, [CORE, word, "kernel.s"], folder).stdout == plain, f"{word} changes nothing")
    ok(run(takt, [CORE, "-json=maybe", "kernel.s"], folder).returncode == 2, "-json=maybe")
    ok("simulated" not in run(takt, [CORE, "-instruction-tables", "kernel.s"], folder).stdout,
       "-instruction-tables simulates nothing")
    timeline = run(takt, [CORE, "-timeline", "-timeline-max-iterations=2", "kernel.s"], folder).stdout
    ok("[1,0]" in timeline or timeline != plain, "-timeline")
    ok(run(takt, [CORE, "-all-views", "-timeline-max-iterations=2", "kernel.s"], folder).stdout == timeline,
       "-all-views has the timeline")
    ok(run(takt, [CORE, "-all-views", "-timeline=false", "kernel.s"], folder).stdout == plain,
       "-all-views without the timeline")
    ok("BTVER2" in run(takt, ["-mcpu=btver2", "kernel.s"], folder).stdout.upper(), "-mcpu=btver2")
    check_views(takt, folder, plain, timeline)
    bad = KERNEL.replace("\tincq", "\tfrobnicate\n\tincq")
    ok(run(takt, [CORE, "-"], folder, bad).returncode == 1, "a line that does not assemble")
    for word in ("-skip-unsupported-instructions=any", "-skip-unsupported-instructions=parse-failure",
                 "--ignore-unknown"):
        done = run(takt, [CORE, word, "-"], folder, bad)
        ok(done.returncode == 0 and "1 line does not assemble and is left out: line 3 'frobnicate'"
           in " ".join(done.stdout.split()), word)
    done = run(takt, ["--mcpu=skylak", "kernel.s"], folder)
    ok(done.returncode == 1 and "skylake" in done.stderr, "a misspelt processor is suggested")
    for variant, text in (("0", "%rbx, %rax"), ("1", "rax, rbx")):
        done = run(takt, [CORE, f"-output-asm-variant={variant}", "--hex=4801d8"], folder)
        ok(text in done.stdout, f"-output-asm-variant={variant}")


def check_views(takt, folder, plain, timeline):
    """Options that say which columns and cycles are shown."""
    for word in ("-show-encoding", "--show-encoding=true"):
        shown = run(takt, [CORE, word, "kernel.s"], folder).stdout
        ok(re.search(r" f2 0f 58 04 c7   \s*addsd ", shown) and "48 ff c0 " in shown, word)
    ok(run(takt, [CORE, "-show-encoding=false", "kernel.s"], folder).stdout == plain, "-show-encoding=false")
    ports = re.compile(r"^ +p0 .*CP", re.M)
    for word in ("-resource-pressure=false", "--resource-pressure=0"):
        shown = run(takt, [CORE, word, "kernel.s"], folder).stdout
        ok(ports.search(plain) and not ports.search(shown) and re.search(r"^ +CP +LCD", shown, re.M), word)
    ok(run(takt, [CORE, "-resource-pressure", "kernel.s"], folder).stdout == plain, "-resource-pressure")
    ok(run(takt, [CORE, "-resource-pressure=maybe", "kernel.s"], folder).returncode == 2, "-resource-pressure=maybe")
    cut = run(takt, [CORE, "-timeline", "-timeline-max-iterations=2", "-timeline-max-cycles=12", "kernel.s"],
              folder).stdout
    rows = [line for line in cut.splitlines() if line.startswith("[0,0]")]
    ok(len(rows) == 1 and "R" not in rows[0].split("addsd")[0] and "the first 12 of " in cut, "-timeline-max-cycles=12")
    ok(run(takt, [CORE, "-timeline", "-timeline-max-iterations=2", "-timeline-max-cycles=0", "kernel.s"],
           folder).stdout == timeline, "-timeline-max-cycles=0")


# Inputs of the shapes that LLVM's own tests have: options, text, exit status, what is printed.
INPUTS = [
    ("nothing but a comment", [CORE], "# nothing\n", 1, "no machine code"),
    ("an empty region", [CORE], "# LLVM-MCA-BEGIN a\n# LLVM-MCA-END a\n\tnop\n", 1, "no instruction"),
    ("overlapping regions", [CORE], "# LLVM-MCA-BEGIN a\n\tnop\n# LLVM-MCA-BEGIN b\n\tincq %rax\n"
     "# LLVM-MCA-END a\n\tnop\n# LLVM-MCA-END b\n", 0, "b: 2 instructions"),
    ("a region named twice", [CORE], "# LLVM-MCA-BEGIN a\n\tnop\n# LLVM-MCA-BEGIN a\n\tnop\n"
     "# LLVM-MCA-END a\n", 1, "LLVM-MCA-BEGIN a"),
    ("an end without a name", [CORE], "# LLVM-MCA-BEGIN a\n\tnop\n# LLVM-MCA-END\n", 0, "a: 1 instruction"),
    ("Intel syntax by a directive", [CORE], ".intel_syntax noprefix\n\tadd rax, qword ptr [rdi+8*rcx]\n", 0,
     "add rax"),
    ("all views off", [CORE, "-all-views=false", "-instruction-info", "-iterations=1"], "\tvaddps "
     "%xmm0, %xmm1, %xmm2\n", 0, "vaddps"),
    ("an instruction that the core lacks", ["-mtriple=x86_64-unknown-unknown", "-mcpu=btver2"],
     "\tvpaddd %ymm0, %ymm1, %ymm2\n", 0, "vpaddd"),
    ("a gather and a scatter", ["-mcpu=skylake-avx512", "-timeline"], "\tvgatherdps (%rdi,%zmm1,4), %zmm0 {%k1}\n"
     "\tvscatterdps %zmm0, (%rdi,%zmm1,4) {%k2}\n", 0, "vscatterdps"),
    ("zero idioms and eliminated moves", ["-mcpu=znver4", "-register-file-stats"], "\tvxorps %xmm0, %xmm0, %xmm0\n"
     "\tvmovaps %xmm0, %xmm1\n\tsubq %rax, %rax\n", 0, "zero idiom"),
    ("a processor that no one has", ["-mtriple=x86_64", "-mcpu=foo"], "\tnop\n", 1, "foo"),
    ("other triples", ["-mtriple=aarch64", "-mcpu=cortex-a55"], "\tadd\tx0, x0, x1\n", 0, "add"),
    ("a barrier and a serializing one", [CORE, "-show-barriers"], "\tmfence\n\tcpuid\n\tlfence\n", 0, "lfence"),
    ("a call and a return", [CORE, "-call-latency=50"], "\tcallq foo\n\tretq\n", 0, "call"),
]


def check_inputs(takt, folder):
    for what, words, text, status, printed in INPUTS:
        done = run(takt, [*words, "-"], folder, text)
        shown = done.stdout + done.stderr
        ok(done.returncode == status and printed in shown, f"input: {what}", done.returncode, shown)


def check_installed(takt, folder):
    """Every option in the help of the installed llvm-mca is in the list."""
    tool = shutil.which("llvm-mca-19")
    if not tool:
        skip("options of the installed llvm-mca", "llvm-mca-19 is not installed")
        return
    text = subprocess.run([tool, "--help-hidden"], capture_output=True, text=True, check=True).stdout
    known = {name for name, _ in LLVM_MCA} | {"h", "o", "help-list-hidden"}
    names = re.findall(r"^  -{1,2}([a-z][\w-]*)", text, re.MULTILINE)
    ok(len(names) > 30 and not set(names) - known, "llvm-mca's own list")
    comment(f"not in the list: {sorted(set(names) - known)}")
    for name in set(names) - {"h", "o"}:
        done = run(takt, [f"--{name}", "kernel.s", CORE], folder)
        ok("unknown option" not in done.stderr, f"--{name} is known")
        for left in folder.iterdir():
            if left.name != "kernel.s":
                left.unlink()


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "kernel.s").write_text(KERNEL, encoding="utf-8")
        for tool, options in (("llvm-mca", LLVM_MCA), ("OSACA", OSACA)):
            for option, value in options:
                check(takt, tool, option, value, folder)
        check_files(takt, folder)
        check_meanings(takt, folder)
        check_inputs(takt, folder)
        check_installed(takt, folder)
    finish()


main()
