#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt on counters of a processor, where this machine has none: Debian's arm64 kernel in
qemu-system-aarch64, whose PMUv3 counts cycles and instructions.

    run.py SOURCE BUILD

Fetches the kernel, arm64 libraries and Zydis' source from Debian, cross-compiles takt as one
static program, boots them, and checks what takt counts of a program whose instructions are known,
and what `takt validate` says of the counters by its kernels. docs/notes/emulated-counters.md says what this
cannot show. `make pmu-boot` installs what it needs first.
"""
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import comment, finish, ok, skip_all  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve() / "pmu-boot"
ROOT = FOLDER / "root"  # of the arm64 libraries
TRIPLE = "aarch64-linux-gnu"
# Of Zydis there are headers alone: its static library is made of its source.
LIBRARIES = ["libzydis-dev", "libzycore-dev", "libelf-dev", "libdw-dev", "zlib1g-dev", "liblzma-dev",
             "libbz2-dev", "libzstd-dev", "nettle-dev", "libsqlite3-dev",
             "libjansson-dev"]  # the last one only so that meson is content
# qemu's user mode for arm64, which the machine runs, with the libraries that are not in the
# cross compiler's folder; and LLVM, of which takt's module for AArch64 is made, at build time.
LLVM = re.search(r"llvm-config-(\d+)", (SOURCE / "meson_options.txt").read_text())[1]
QEMU_PACKAGES = ["qemu-user", "libcapstone4", "libffi8", "libglib2.0-0", "libgmp10", "libgnutls30",
                 "libhogweed6", "libidn2-0", "libnettle8", "libnuma1", "libp11-kit0",
                 "libpcre2-8-0", "libtasn1-6", "libunistring2", "liburing2", "zlib1g", "libzstd1"]
PACKAGES = [*LIBRARIES, *QEMU_PACKAGES, f"llvm-{LLVM}-dev"]
MODULES = ["takt-llvm-aarch64.so", "takt-qemu.so"]
BOOT_SECONDS_MAX = 1800
FAULTS = 1024
FAULTS_INSTRUCTIONS = 4 * FAULTS + 8
# Turns of loop.s in the programs that are made of it.
TURNS = {"loop": 2_000_000, "long": 75_000_000, "endless": 0xffffffff}
INSTRUCTIONS, LONG_INSTRUCTIONS = (4 * TURNS[name] + 8 for name in ("loop", "long"))
PROGRAMS = (*TURNS, "faults", "threads")
CSV_HEAD = "region,thread,group,name,unit,value,origin,share"
# One event is exact. Others the kernel takes, too, but qemu's PMU has none of them: they stay 0.
EXACT = "INST_RETIRED"
# Without those that call the kernel: it takes a hundred times as many instructions there.
KERNELS = ["load", "copy_neon", "triad_neon_fma", "divide", "chase", "atomic", "call", "branch"]


# ---- what Debian has ----

def apt(tool, *arguments, **keywords):
    return subprocess.run([tool, "-c", FOLDER / "apt.conf", *arguments], check=True, cwd=FOLDER,
                          text=True, stdout=subprocess.PIPE, **keywords).stdout


def with_sources(path):
    """A list of apt's with the packages' sources, too."""
    text = path.read_text()
    if path.suffix == ".sources":
        return re.sub(r"^Types:.*", "Types: deb deb-src", text, flags=re.MULTILINE)
    return text + re.sub(r"^deb ", "deb-src ", text, flags=re.MULTILINE)


def fetch():
    """The kernel, libraries below ROOT, and Zydis' source."""
    state = FOLDER / "state"
    for name in ("lists/partial", "status"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
    (state / "lists/partial").mkdir(exist_ok=True)
    (FOLDER / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    sources = FOLDER / "sources"
    sources.mkdir(exist_ok=True)
    system = pathlib.Path("/etc/apt")
    for path in [system / "sources.list", *system.glob("sources.list.d/*")]:
        if path.suffix in (".list", ".sources") and path.exists():
            (sources / path.name).write_text(with_sources(path))
    (FOLDER / "apt.conf").write_text(
        'APT::Architecture "arm64";\nAPT::Architectures {"arm64";};\n'
        'APT::Sandbox::User "root";\n'
        f'Dir::State "{state}";\nDir::State::status "{state}/status";\n'
        f'Dir::Cache "{FOLDER}/cache";\n'
        f'Dir::Etc::sourcelist "/dev/null";\nDir::Etc::sourceparts "{sources}";\n')
    apt("apt-get", "-q", "update")
    kernel = re.search(r"Depends: (linux-image-\S+)",
                       apt("apt-cache", "depends", "linux-image-arm64"))[1]
    wanted = " ".join([kernel, *PACKAGES, "zydis"])
    if (ROOT / "fetched").exists() and (ROOT / "fetched").read_text() == wanted:
        return
    shutil.rmtree(ROOT, ignore_errors=True)
    for name in FOLDER.glob("*.deb"):
        name.unlink()
    apt("apt-get", "-q", "download", kernel, *PACKAGES)
    for name in sorted(FOLDER.glob("*.deb")):
        subprocess.run(["dpkg", "-x", name, ROOT], check=True)
    apt("apt-get", "-q", "source", "--download-only", "zydis", stderr=subprocess.DEVNULL)
    (ROOT / "fetched").write_text(wanted)


# ---- what we build ----

INCLUDE = ["-isystem", f"{ROOT}/usr/include", "-isystem", f"{ROOT}/usr/include/{TRIPLE}"]


def compile_zydis():
    """Its library, in ROOT."""
    library = ROOT / "usr/lib" / TRIPLE / "libZydis.a"
    if library.exists():
        return
    source = FOLDER / "zydis"
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir()
    subprocess.run(["tar", "-xf", next(FOLDER.glob("zydis_*.orig.tar.*")), "-C", source,
                    "--strip-components=1"], check=True)
    files = sorted(source.glob("src/*.c"))
    for path in files:
        subprocess.run([f"{TRIPLE}-gcc", "-O2", "-c", "-DZYDIS_STATIC_BUILD",
                        "-DZYCORE_STATIC_BUILD", f"-I{source}/include", f"-I{source}/src", *INCLUDE,
                        path, "-o", path.with_suffix(".o")], check=True)
    subprocess.run([f"{TRIPLE}-gcc-ar", "rcs", library, *(path.with_suffix(".o") for path in files)],
                   check=True)


def write_llvm_config():
    """A program that says of arm64's LLVM what this machine's says of its own."""
    path = FOLDER / "llvm-config"
    path.write_text(f"""#!/bin/sh
for word; do
    case $word in --link-shared) exit 1;; esac
done
llvm-config-{LLVM} "$@" | sed 's#/usr/lib/llvm-{LLVM}#{ROOT}/usr/lib/llvm-{LLVM}#g'
""")
    path.chmod(0o755)
    return path


def cross_compile():
    """takt for arm64, in FOLDER/arm64."""
    llvm = ["-isystem", f"{ROOT}/usr/include/llvm-{LLVM}", "-isystem",
            f"{ROOT}/usr/include/llvm-c-{LLVM}"]
    link = [f"-L{ROOT}/usr/lib/{TRIPLE}", f"-L{ROOT}/lib/{TRIPLE}",
            f"-Wl,-rpath-link,{ROOT}/usr/lib/{TRIPLE}:{ROOT}/lib/{TRIPLE}"]
    (FOLDER / "cross.ini").write_text(f"""[binaries]
c = '{TRIPLE}-gcc'
cpp = '{TRIPLE}-g++'
ar = '{TRIPLE}-gcc-ar'
strip = '{TRIPLE}-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '/usr/{TRIPLE}']
[properties]
sys_root = '{ROOT}'
pkg_config_libdir = '{ROOT}/usr/lib/{TRIPLE}/pkgconfig'
[built-in options]
c_args = {INCLUDE}
c_link_args = {link}
cpp_args = {llvm}
cpp_link_args = {link}
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
""")
    build = FOLDER / "arm64"
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", build, SOURCE, "--cross-file", FOLDER / "cross.ini",
                        f"-Dllvm_config={write_llvm_config()}", "-Dstatic_command=true"],
                       check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "--quiet", "src/cli/takt",
                    *(f"src/modules/{name}" for name in MODULES)], check=True)
    return build


def compile_guest_programs():
    gcc = f"{TRIPLE}-gcc"
    subprocess.run([gcc, "-O1", "-static", "-o", FOLDER / "init", HERE / "init.c"], check=True)
    subprocess.run([gcc, "-O1", "-static", "-pthread", "-o", FOLDER / "threads",
                    HERE / "threads.c"], check=True)
    for name, turns in [*TURNS.items(), ("faults", 0)]:
        source = HERE / ("loop.s" if turns else f"{name}.s")
        subprocess.run([gcc, "-nostdlib", "-static", f"-Wa,--defsym,TURNS={turns}", "-o",
                        FOLDER / name, source], check=True)


def find_library(name):
    """Of the cross compiler's folder if it has it: the same C library that takt is linked with."""
    for folder in (f"/usr/{TRIPLE}/lib", f"{ROOT}/lib/{TRIPLE}", f"{ROOT}/usr/lib/{TRIPLE}"):
        path = pathlib.Path(folder, name)
        if path.exists():
            return path.resolve()
    raise FileNotFoundError(name)


def libraries_of(paths):
    """All that these need, by name."""
    found, paths = {}, list(paths)
    while paths:
        done = subprocess.run([f"{TRIPLE}-readelf", "-d", paths.pop()], check=True, text=True,
                              stdout=subprocess.PIPE)
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout):
            if name not in found:
                found[name] = find_library(name)
                paths.append(found[name])
    return found


# ---- the machine ----

class Archive:
    """A file system as the kernel unpacks it at boot: cpio, "newc"."""

    def __init__(self):
        self.data = b""
        self.count = 0

    def add(self, name, mode, content=b"", device=(0, 0)):
        self.count += 1
        name = name.encode() + b"\0"
        fields = (self.count, mode, 0, 0, 1, 0, len(content), 0, 0, *device, len(name), 0)
        self.data += b"070701" + b"".join(b"%08x" % field for field in fields) + name
        self.data += b"\0" * (-len(self.data) % 4) + content
        self.data += b"\0" * (-len(self.data) % 4)

    def folder(self, name):
        self.add(name, 0o40755)

    def program(self, name, path):
        self.add(name, 0o100755, pathlib.Path(path).read_bytes())


def make_disk(build, commands):
    archive = Archive()
    for name in ("dev", "bin", "lib", "lib/takt", f"lib/{TRIPLE}"):
        archive.folder(name)
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.add("dev/null", 0o20666, device=(1, 3))
    archive.program("init", FOLDER / "init")
    for name in PROGRAMS:
        archive.program(f"bin/{name}", FOLDER / name)
    archive.program("bin/takt", build / "src/cli/takt")
    archive.program("bin/qemu-aarch64", ROOT / "usr/bin/qemu-aarch64")
    for name in MODULES:
        archive.program(f"lib/takt/{name}", build / "src/modules" / name)
    for name, path in libraries_of([ROOT / "usr/bin/qemu-aarch64",
                                    *(build / "src/modules" / name for name in MODULES)]).items():
        archive.program(f"lib/{name}" if name.startswith("ld-") else f"lib/{TRIPLE}/{name}", path)
    archive.add("commands", 0o100644, "".join(f"{line}\n" for line in commands).encode())
    archive.add("TRAILER!!!", 0)
    (FOLDER / "disk").write_bytes(archive.data)


def boot(cpus=1):
    """What the console said."""
    kernel = next((ROOT / "boot").glob("vmlinuz-*"))
    done = subprocess.run(
        ["qemu-system-aarch64", "-machine", "virt", "-cpu", "max,pmu=on", "-icount", "shift=0",
         "-smp", str(cpus), "-m", "1024", "-nographic", "-nodefaults", "-serial", "stdio", "-no-reboot",
         "-kernel", kernel, "-initrd", FOLDER / "disk",
         # Small pages alone: each of the program's pages is a fault.
         "-append", "console=ttyAMA0 quiet panic=-1 transparent_hugepage=never"],
        text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        timeout=BOOT_SECONDS_MAX, check=False)
    (FOLDER / "console").write_text(done.stdout)
    return done.stdout


def answers(console):
    """Of each command: exit status and what it said."""
    found = {}
    for match in re.finditer(r"^== (.*)\n((?:(?!== ).*\n)*)== status (\d+)$",
                             console.replace("\r", ""), re.MULTILINE):
        found[match[1]] = (int(match[3]), match[2])
    return found


def rows_of(text):
    """Rows of takt's CSV, which may stand behind what the program said."""
    lines = text.strip().splitlines()
    heads = [i for i, line in enumerate(lines) if line.endswith(CSV_HEAD)]
    return list(csv.DictReader([CSV_HEAD, *lines[heads[-1] + 1:]])) if heads else []


def figures(text, thread="all"):
    """Figures of takt's CSV by event, of the whole program or of a thread."""
    return {row["name"]: int(float(row["value"])) for row in rows_of(text)
            if row["thread"] == str(thread) and row["value"]}


# Shares that figures may be off by were chosen above what qemu showed: takt starts and ends a
# count when it gets to run on the emulated machine, a timer's tick or more late.
def is_near(figure, wanted, share):
    return figure is not None and abs(figure - wanted) <= share * wanted


def check_validation(status, text):
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    rows = list(csv.DictReader(lines))
    verdicts = {row["event"]: row["verdict"] for row in rows}
    ok(verdicts.pop(EXACT, None) == "exact", f"trust: {EXACT} is exact", text)
    ok(status == 1 and set(verdicts.values()) == {"untrusted"}, f"and not {verdicts}", text)
    ok(rows and rows[0]["cases"] == rows[0]["nonzero"] == str(10 * len(KERNELS)),
       "by all kernels, ten times each", text)


def check_oracle():
    """The same program under takt's other backend, on this machine."""
    takt = FOLDER.parent / "src/cli/takt"
    done = subprocess.run(
        [takt, "count", "--backend=emulate", "-e", "INSTRUCTIONS", "--format=csv", "-o", "-", "--",
         FOLDER / "loop"], text=True, stdout=subprocess.PIPE, check=False,
        env={**os.environ, "TAKT_MODULE_DIR": str(FOLDER.parent / "src/modules")})
    ok(figures(done.stdout).get("INSTRUCTIONS") == INSTRUCTIONS, "the oracle counts as many",
       done.stdout)


COUNT = "/bin/takt count --backend=pmu"
LOOPS = [f"{COUNT} -e instructions:u -e cycles:u --format=csv -- /bin/loop",
       f"{COUNT} -e INST_RETIRED:u -e CPU_CYCLES:u --format=csv -- /bin/loop"]
FAULTING = f"{COUNT} -e INST_RETIRED:u -e page-faults --format=csv -- /bin/faults"
VALIDATE = f"/bin/takt validate --backend=pmu --kernels={','.join(KERNELS)} --format=csv -q"
BENCH = "/bin/takt bench --what=flops --rounds=1 --threads=1 -q"
WITH_KERNEL = f"{COUNT} -e instructions --format=csv -- /bin/loop"
REFUSED = [f"{COUNT} -e BR_MIS_PRED --format=csv -- /bin/loop",
           f"{COUNT} -e cache-misses --format=csv -- /bin/loop"]
DEFAULTS = f"{COUNT} --format=json -- /bin/loop"
EXACT_COMMANDS = ["/bin/loop", *LOOPS, FAULTING, VALIDATE, BENCH, WITH_KERNEL, *REFUSED, DEFAULTS]


def check_exact(said):
    """What is known to the instruction."""
    ok(said.get("/bin/loop", (1,))[0] == 0, "the program runs by itself")
    for command in LOOPS:
        status, text = said.get(command, (1, ""))
        ok(status == 0 and str(INSTRUCTIONS) in text.replace(",", " ").split(),
           f"exactly {INSTRUCTIONS} instructions: {command}", text)
    status, text = said.get(FAULTING, (1, ""))
    counts = figures(text)
    ok(status == 0 and counts.get("INST_RETIRED:u") == FAULTS_INSTRUCTIONS and
       counts.get("page-faults", 0) >= FAULTS, "a page fault is no instruction of the program's",
       text)
    check_validation(*said.get(VALIDATE, (1, "")))
    status, text = said.get(BENCH, (1, ""))
    ok(status == 0 and "peakflops_neon" in text, "takt bench runs; its figures are qemu's", text)
    status, text = said.get(WITH_KERNEL, (1, ""))
    ok(status == 0 and figures(text).get("instructions", 0) > INSTRUCTIONS, "more with the kernel",
       text)
    for command in REFUSED:
        status, text = said.get(command, (0, ""))
        ok(status == 1 and "error:" in text, f"refused, with a reason: {command}", text)
    check_oracle()


def check_defaults(said):
    """Without a group, what perf stat counts; the processor has no counters of branches."""
    status, text = said.get(DEFAULTS, (1, ""))
    begin = text.find("{")
    report = json.loads(text[begin:]) if status == 0 and begin >= 0 else {"events": [], "all": [{"events": []}],
                                                                          "notes": []}
    counts = dict(zip((row["name"] for row in report["events"]), report["all"][0]["events"]))
    ok({"task-clock", "context-switches", "cpu-migrations", "page-faults", "cycles"} <= set(counts) and
       counts.get("instructions", 0) > INSTRUCTIONS, f"by default: {', '.join(counts)}", text)
    ok(not {"branches", "branch-misses"} & set(counts) and
       any("branches and branch-misses" in note for note in report["notes"]),
       "by default: what cannot be counted is named", text)


# ---- options ----

TIMELINE = f"{COUNT} -e instructions:u --format=csv -t 50ms -- /bin/long"
# qemu executes an instruction in a nanosecond of its clock; takt looks every 20 ms.
INTERVAL_INSTRUCTIONS, INTERVAL_SLACK = 50_000_000, 25_000_000


def check_timeline(said):
    status, text = said.get(TIMELINE, (1, ""))
    parts = re.split(r"^interval \d+: ", text.partition("\n\n")[0], flags=re.MULTILINE)[1:]
    counts = [figures(part).get("instructions:u", -1) for part in parts]
    total = figures(text).get("instructions:u")
    ok(status == 0 and len(counts) >= 4 and sum(counts) == total == LONG_INSTRUCTIONS,
       f"timeline: {' + '.join(map(str, counts))} = {total}", text)
    ok(counts and all(0 <= count - INTERVAL_INSTRUCTIONS < INTERVAL_SLACK for count in counts[:-2]),
       "timeline: 50 ms have 50 million instructions, and what passes until takt looks", text)


ATTACH = [f"@500 {COUNT} -e instructions:u -e task-clock --format=csv -p {{pid}}",
          f"{COUNT} -e instructions:u --format=csv -p {{pid}} -- /bin/loop",
          f"{COUNT} -e instructions:u --format=csv -p {{pid}}"]
NO_PROCESS = f"{COUNT} -e instructions:u -p 4242"
PINNED_PROCESS = f"{COUNT} -e instructions:u -C 0 -p {{pid}}"
ATTACH_COMMANDS = ["&/bin/endless", *ATTACH[:2], PINNED_PROCESS, "kill",
                   "&/bin/long", ATTACH[2], "kill", NO_PROCESS]


def check_attach(said):
    status, text = said.get(ATTACH[0], (1, ""))
    counts = figures(text)
    insns, nanoseconds = counts.get("instructions:u", 0), counts.get("task-clock", 0)
    ok(status == 0 and is_near(nanoseconds, 500_000_000, 0.1) and is_near(insns, nanoseconds, 0.02),
       f"attached until SIGINT: {insns} instructions in {nanoseconds} ns of its time, "
       "one in each", text)
    status, text = said.get(ATTACH[1], (1, ""))
    insns = figures(text).get("instructions:u", 0)
    ok(status == 0 and insns > 0, f"attached while another program runs: {insns} instructions", text)
    status, text = said.get(ATTACH[2], (1, ""))
    insns = figures(text).get("instructions:u", 0)
    ok(status == 0 and is_near(insns, LONG_INSTRUCTIONS, 0.1) and insns <= LONG_INSTRUCTIONS,
       f"attached until it ends: {insns} of its {LONG_INSTRUCTIONS} instructions", text)
    status, text = said.get(NO_PROCESS, (0, ""))
    ok(status == 1 and "there is no process 4242" in text, "no such process", text)
    status, text = said.get(PINNED_PROCESS, (0, ""))
    ok(status == 2 and "error:" in text, "what runs already is not pinned: wrong usage", text)


OWN = ["instructions:u", "INST_RETIRED:u", "r8:u", "armv8_pmuv3/event=0x8/:u",
       "armv8_pmuv3/inst_retired/:u", "cycles:u", "CPU_CYCLES:u", "r11:u"]
TURNS_TAKEN = f"{COUNT} {' '.join('-e ' + name for name in OWN)} --format=csv -- /bin/long"
TURNS_TOLD = TURNS_TAKEN.replace(" --format=csv", "")
GROUPS = f"{COUNT} -g CLOCK -g DATA --format=csv -- /bin/loop"


def check_turns(said):
    """One event by many names is more events than there are counters."""
    text = said.get("counters", (1, ""))[1]
    found = re.search(r"(\d+) counters available", text)
    counters = int(found[1]) if found else 0
    ok(0 < counters < len(OWN), f"{counters} counters for {len(OWN)} events", text)
    status, text = said.get(TURNS_TAKEN, (1, ""))
    counts = figures(text)
    shares = {row["name"]: float(row["share"]) for row in rows_of(text) if row["thread"] == "all"}
    errors = [counts.get(name, 0) / LONG_INSTRUCTIONS - 1 for name in OWN]
    ok(status == 0 and all(0 < shares.get(name, 0) < 1 for name in OWN),
       "they take turns: each counted for "
       f"{' '.join(f'{100 * share:.1f}' for share in shares.values())} % of the time", text)
    # Only `cycles` may use the counter of cycles, so that a bit more than the others' share is free.
    ok(is_near(sum(shares.values()), counters, 0.15),
       f"shares add up to {sum(shares.values()):.2f} counters", text)
    ok(all(abs(error) < 0.05 for error in errors) and any(errors),
       f"scaled up, they are {' '.join(f'{100 * error:+.2f}' for error in errors)} % off", text)
    status, text = said.get(TURNS_TOLD, (1, ""))
    ok(status == 0 and "took turns" in text and "during" in text, "and the report says so", text)
    status, text = said.get(GROUPS, (1, ""))
    found = {(row["group"], row["name"]): row["value"] for row in rows_of(text)
             if row["thread"] == "all"}
    ok(status == 0 and found.get(("CLOCK", "CPI")) == found.get(("DATA", "CPI")) == "1",
       "two groups at once: a cycle for each instruction, as qemu makes its clock", text)


THREAD_TURNS = 5_000_000
THREADS = f"{COUNT} -e instructions:u --format=csv -- /bin/threads 3 {THREAD_TURNS}"


def check_threads(said):
    """Thread N executes N + 1 times as much as the first one, 2 instructions a turn."""
    status, text = said.get(THREADS, (1, ""))
    counts = [figures(text, thread).get("instructions:u") for thread in (0, 1, 2)]
    total = figures(text).get("instructions:u", 0)
    ok(status == 0 and None not in counts and sum(counts) == total,
       f"three threads: {' + '.join(map(str, counts))} = {total}", text)
    ok(all(is_near(count, 2 * (i + 1) * THREAD_TURNS, 0.02) for i, count in enumerate(counts)),
       "each thread's are within 2 % of what is known", text)


VALIDATE_PROGRAMS = [f"/bin/takt validate --backend=pmu --format=csv -q -- /bin/{name}"
                     for name in ("loop", "faults")]
EMULATE = "/bin/takt count --backend=emulate -e INSTRUCTIONS --format=csv -- /bin/loop"


def check_programs(said):
    """Under qemu's user mode on the machine, and by its counters."""
    status, text = said.get(EMULATE, (1, ""))
    ok(status == 0 and figures(text).get("INSTRUCTIONS") == INSTRUCTIONS,
       "the oracle counts as many there", text)
    for command in VALIDATE_PROGRAMS:
        status, text = said.get(command, (0, ""))
        rows = {row["event"]: row for row in csv.DictReader(
            [line for line in text.splitlines() if line and not line.startswith("#")])}
        row = rows.get(EXACT, {})
        verdicts = {name: row["verdict"] for name, row in rows.items()}
        ok(row.get("verdict") == "exact" and row["cases"] == row["nonzero"] == "10",
           f"the program under both backends, {EXACT}: {row.get('verdict')} in "
           f"{row.get('cases')} runs: {command}", text)
        ok(status == 1 and verdicts.get("ST_SPEC") == "untrusted" and
           set(verdicts.values()) <= {"exact", "untrusted", "untested"}, f"verdicts: {verdicts}",
           text)


DIAGNOSE = "/bin/takt diagnose --backend=pmu -- /bin/long"


def check_diagnosis(said):
    status, text = said.get(DIAGNOSE, (1, ""))
    found = re.search(r"(\d+) instructions, (\d+) cycles", text)
    insns, cycles = (int(found[1]), int(found[2])) if found else (0, 0)
    ok(status == 0 and LONG_INSTRUCTIONS < insns < 1.02 * LONG_INSTRUCTIONS and
       is_near(cycles, insns, 0.01), f"diagnosed by counters: {insns} instructions, {cycles} cycles",
       text)
    unseen = re.search(r"cannot be seen in this run: (.*)", text)
    unseen = unseen[1].split(", ") if unseen else []
    ok("none of the patterns looked for" in text and "control flow" in unseen and
       "expensive instructions" in unseen and len(unseen) >= 15,
       f"names no pattern, and says of {len(unseen)} that it could not see them", text)


OPTION_COMMANDS = ["counters", TIMELINE, *ATTACH_COMMANDS, TURNS_TAKEN, TURNS_TOLD, GROUPS, THREADS,
                   DIAGNOSE, EMULATE, *VALIDATE_PROGRAMS]

# ---- two processors ----

PIN_TURNS = 20_000_000
PINNED = f"{COUNT} -e instructions:u -C 1 --format=csv -- /bin/threads 1 {PIN_TURNS}"
PINNED_IN_TURN = f"{COUNT} -e instructions:u -C 1,0 --format=csv -- /bin/threads 3 {PIN_TURNS}"
NO_CPU = f"{COUNT} -e instructions:u -C 2 -- /bin/loop"
BY_CPU = (f"{COUNT} -e instructions:u -a --format=csv -- "
          f"{COUNT} -e instructions:u -C 1 --format=csv -- /bin/long")
BY_ONE_CPU = BY_CPU.replace(" -a ", " -a -C 0 ", 1)
PAIR_COMMANDS = [PINNED, PINNED_IN_TURN, NO_CPU, BY_CPU, BY_ONE_CPU]
# Of whatever else runs; the emulated counter also sees what the other processor does meanwhile.
PAIR_SLACK = 0.05


def places(text):
    """Of each thread: masks of the CPUs where it began, was, and may be."""
    return [tuple(int(mask, 16) for mask in match) for match in re.findall(
        r"^thread \d+: began on 0x(\w+), was on 0x(\w+), may be on 0x(\w+)$", text, re.MULTILINE)]


def check_pair(said):
    status, text = said.get(PINNED, (1, ""))
    ok(status == 0 and places(text) == [(2, 2, 2)], "-C 1: began on CPU 1 and never left it", text)
    status, text = said.get(PINNED_IN_TURN, (1, ""))
    ok(status == 0 and [place[2] for place in places(text)] == [2, 1, 2] and
       all(began | was in (2, 1, 3) and was & may for began, was, may in places(text)),
       f"-C 1,0: threads pinned in turn: {places(text)}", text)
    status, text = said.get(NO_CPU, (0, ""))
    ok(status == 1 and "this machine has no CPU 2" in text, "no such CPU", text)
    status, text = said.get(BY_CPU, (1, ""))
    counts = [figures(text, cpu).get("instructions:u", 0) for cpu in (0, 1)]
    ok(status == 0 and is_near(counts[1], LONG_INSTRUCTIONS, PAIR_SLACK) and
       0 < counts[0] < PAIR_SLACK * LONG_INSTRUCTIONS,
       f"by CPU, of a program pinned to CPU 1: {counts[0]} on CPU 0, {counts[1]} on CPU 1", text)
    status, text = said.get(BY_ONE_CPU, (1, ""))
    alone = figures(text, 0).get("instructions:u", 0)
    ok(status == 0 and 0 < alone < PAIR_SLACK * LONG_INSTRUCTIONS and not figures(text, 1),
       f"CPU 0 alone: {alone}", text)


def run_machine(build, commands, cpus):
    make_disk(build, commands)
    console = boot(cpus)
    comment(console.replace("\r", ""))
    ok("== end" in console, f"a machine with {cpus} CPU booted, and ended by itself")
    return answers(console)


def main():
    lacking = missing("qemu-system-aarch64", f"{TRIPLE}-gcc", f"{TRIPLE}-g++", "apt-get", "meson",
                      f"llvm-config-{LLVM}")
    if lacking:
        skip_all(lacking)
    FOLDER.mkdir(parents=True, exist_ok=True)
    fetch()
    compile_zydis()
    build = cross_compile()
    compile_guest_programs()
    said = run_machine(build, EXACT_COMMANDS + OPTION_COMMANDS, 1)
    check_exact(said)
    for check in (check_defaults, check_timeline, check_attach, check_turns, check_threads, check_diagnosis,
                  check_programs):
        check(said)
    check_pair(run_machine(build, PAIR_COMMANDS, 2))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
