#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt on counters of a processor, where this machine has none: Debian's arm64 kernel in
qemu-system-aarch64, whose PMUv3 counts cycles and instructions.

    run.py SOURCE BUILD

Fetches the kernel, arm64 libraries and Zydis' source from Debian, cross-compiles takt as one
static program, boots them, and checks what takt counts of a program whose instructions are known,
and what `takt validate` says of the counters by its kernels. docs/commands/validate.md says what this
cannot show. `make pmu-boot` installs what it needs first.
"""
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "support"))
from tap import finish, ok  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = pathlib.Path(sys.argv[1]).resolve()
FOLDER = pathlib.Path(sys.argv[2]).resolve() / "pmu-boot"
ROOT = FOLDER / "root"  # of the arm64 libraries
TRIPLE = "aarch64-linux-gnu"
# Of Zydis there are headers alone: its static library is made of its source.
LIBRARIES = ["libzydis-dev", "libzycore-dev", "libelf-dev", "libdw-dev", "zlib1g-dev", "liblzma-dev",
             "libbz2-dev", "libzstd-dev", "nettle-dev", "libsqlite3-dev",
             "libjansson-dev"]  # the last one only so that meson is content
BOOT_SECONDS_MAX = 1800
FAULTS = 1024
FAULTS_INSTRUCTIONS = 4 * FAULTS + 8
# Turns of loop.s in the programs that are made of it.
TURNS = {"loop": 2_000_000, "long": 75_000_000, "endless": 0xffffffff}
INSTRUCTIONS, LONG_INSTRUCTIONS = (4 * TURNS[name] + 8 for name in ("loop", "long"))
PROGRAMS = (*TURNS, "faults", "threads")
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
    wanted = " ".join([kernel, *LIBRARIES, "zydis"])
    if (ROOT / "fetched").exists() and (ROOT / "fetched").read_text() == wanted:
        return
    shutil.rmtree(ROOT, ignore_errors=True)
    for name in FOLDER.glob("*.deb"):
        name.unlink()
    apt("apt-get", "-q", "download", kernel, *LIBRARIES)
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


def cross_compile():
    """takt for arm64, in FOLDER/build."""
    link = [f"-L{ROOT}/usr/lib/{TRIPLE}", f"-L{ROOT}/lib/{TRIPLE}"]
    (FOLDER / "cross.ini").write_text(f"""[binaries]
c = '{TRIPLE}-gcc'
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
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
""")
    build = FOLDER / "build"
    if not (build / "build.ninja").exists():
        subprocess.run(["meson", "setup", build, SOURCE, "--cross-file", FOLDER / "cross.ini",
                        "-Dllvm_config=", "-Dstatic_command=true"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "--quiet", "src/cli/takt"], check=True)
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
    for name in ("dev", "bin"):
        archive.folder(name)
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.program("init", FOLDER / "init")
    for name in PROGRAMS:
        archive.program(f"bin/{name}", FOLDER / name)
    archive.program("bin/takt", build / "src/cli/takt")
    archive.add("commands", 0o100644, "".join(f"{line}\n" for line in commands).encode())
    archive.add("TRAILER!!!", 0)
    (FOLDER / "disk").write_bytes(archive.data)


def boot(cpus=1):
    """What the console said."""
    kernel = next((ROOT / "boot").glob("vmlinuz-*"))
    done = subprocess.run(
        ["qemu-system-aarch64", "-machine", "virt", "-cpu", "max,pmu=on", "-icount", "shift=0",
         "-smp", str(cpus), "-m", "512", "-nographic", "-nodefaults", "-serial", "stdio", "-no-reboot",
         "-kernel", kernel, "-initrd", FOLDER / "disk",
         "-append", "console=ttyAMA0 quiet panic=-1"],
        text=True, errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        timeout=BOOT_SECONDS_MAX, check=False)
    (FOLDER / "console").write_text(done.stdout)
    return done.stdout


def answers(console):
    """Of each command: exit status and what it said."""
    found = {}
    for match in re.finditer(r"^== (/.*)\n((?:(?!== ).*\n)*)== status (\d+)$",
                             console.replace("\r", ""), re.MULTILINE):
        found[match[1]] = (int(match[3]), match[2])
    return found


def figures(text):
    """Figures of takt's CSV by event, of the whole program."""
    return {row["name"]: int(float(row["value"]))
            for row in csv.DictReader(text.strip().splitlines()) if row["thread"] == "all"}


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


COMMANDS = [
    "/bin/loop",
    "/bin/takt count --backend=pmu -e instructions:u -e cycles:u --format=csv -- /bin/loop",
    "/bin/takt count --backend=pmu -e INST_RETIRED:u -e CPU_CYCLES:u --format=csv -- /bin/loop",
    "/bin/takt count --backend=pmu -e INST_RETIRED:u -e page-faults --format=csv -- /bin/faults",
    f"/bin/takt validate --backend=pmu --kernels={','.join(KERNELS)} --format=csv -q",
    "/bin/takt bench --what=flops --rounds=1 --threads=1 -q",
    "/bin/takt count --backend=pmu -e instructions --format=csv -- /bin/loop",
    "/bin/takt count --backend=pmu -e BR_MIS_PRED --format=csv -- /bin/loop",
    "/bin/takt count --backend=pmu -e cache-misses --format=csv -- /bin/loop",
]


def main():
    missing = [name for name in ("qemu-system-aarch64", f"{TRIPLE}-gcc", "apt-get", "meson")
               if not shutil.which(name)]
    if missing:
        print(f"1..0 # SKIP no {', '.join(missing)}")
        return 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    fetch()
    compile_zydis()
    build = cross_compile()
    compile_guest_programs()
    make_disk(build, COMMANDS)
    console = boot()
    said = answers(console)
    print("# " + console.replace("\r", "").replace("\n", "\n# "))
    ok("== end" in console, "the machine booted, and ended by itself")
    ok(said.get(COMMANDS[0], (1,))[0] == 0, "the program runs by itself")
    for command in COMMANDS[1:3]:
        status, text = said.get(command, (1, ""))
        ok(status == 0 and str(INSTRUCTIONS) in text.replace(",", " ").split(),
           f"exactly {INSTRUCTIONS} instructions: {command}", text)
    status, text = said.get(COMMANDS[3], (1, ""))
    counts = figures(text)
    ok(status == 0 and counts.get("INST_RETIRED:u") == FAULTS_INSTRUCTIONS and
       counts.get("page-faults", 0) >= FAULTS, "a page fault is no instruction of the program's",
       text)
    check_validation(*said.get(COMMANDS[4], (1, "")))
    status, text = said.get(COMMANDS[5], (1, ""))
    ok(status == 0 and "peakflops_neon" in text, "takt bench runs; its figures are qemu's", text)
    status, text = said.get(COMMANDS[6], (1, ""))
    ok(status == 0 and figures(text).get("instructions", 0) > INSTRUCTIONS, "more with the kernel",
       text)
    for command in COMMANDS[7:]:
        status, text = said.get(command, (0, ""))
        ok(status == 1 and "error:" in text, f"refused, with a reason: {command}", text)
    check_oracle()
    return finish()


if __name__ == "__main__":
    sys.exit(main())
