#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""takt count on counters of a processor, where this machine has none: Debian's arm64 kernel in
qemu-system-aarch64, whose PMUv3 counts cycles and instructions.

    run.py SOURCE BUILD

Fetches the kernel and arm64 libraries from Debian, cross-compiles takt, boots them, and checks
what takt counts of a program whose instructions are known. What it cannot show: qemu counts
instructions and a clock made of them (-icount), so cycles mean nothing, and no other event of
the processor exists. `make pmu-boot` installs what it needs first.
"""
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
LIBRARIES = ["libc6", "libzydis-dev", "libzycore-dev", "libzydis4.0", "libzycore1.4", "libelf-dev",
             "libelf1", "libdw-dev", "libdw1", "zlib1g-dev", "zlib1g", "liblzma-dev", "liblzma5",
             "libbz2-dev", "libbz2-1.0", "libzstd-dev", "libzstd1", "nettle-dev", "libnettle8",
             "libhogweed6", "libgmp10", "libsqlite3-dev", "libsqlite3-0", "libjansson-dev",
             "libjansson4"]
BOOT_SECONDS_MAX = 600
TURNS = 2_000_000
INSTRUCTIONS = 4 * TURNS + 8


# ---- what Debian has ----

def apt(tool, *arguments, **keywords):
    return subprocess.run([tool, "-c", FOLDER / "apt.conf", *arguments], check=True, cwd=FOLDER,
                          text=True, stdout=subprocess.PIPE, **keywords).stdout


def fetch():
    """The kernel, and libraries below ROOT."""
    state = FOLDER / "state"
    for name in ("lists/partial", "status"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
    (state / "lists/partial").mkdir(exist_ok=True)
    (FOLDER / "cache/archives/partial").mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    (FOLDER / "apt.conf").write_text(
        'APT::Architecture "arm64";\nAPT::Architectures {"arm64";};\n'
        'APT::Sandbox::User "root";\n'
        f'Dir::State "{state}";\nDir::State::status "{state}/status";\n'
        f'Dir::Cache "{FOLDER}/cache";\n')
    apt("apt-get", "-q", "update")
    kernel = re.search(r"Depends: (linux-image-\S+)",
                       apt("apt-cache", "depends", "linux-image-arm64"))[1]
    if (ROOT / "kernel").exists() and (ROOT / "kernel").read_text() == kernel:
        return
    shutil.rmtree(ROOT, ignore_errors=True)
    for name in FOLDER.glob("*.deb"):
        name.unlink()
    apt("apt-get", "-q", "download", kernel, *LIBRARIES)
    for name in sorted(FOLDER.glob("*.deb")):
        subprocess.run(["dpkg", "-x", name, ROOT], check=True)
    (ROOT / "kernel").write_text(kernel)


# ---- what we build ----

def cross_compile():
    """takt for arm64, in FOLDER/build."""
    places = [f"{ROOT}/usr/lib/{TRIPLE}", f"{ROOT}/lib/{TRIPLE}"]
    link = [f"-L{place}" for place in places] + [f"-Wl,-rpath-link,{place}" for place in places]
    include = ["-isystem", f"{ROOT}/usr/include", "-isystem", f"{ROOT}/usr/include/{TRIPLE}"]
    (FOLDER / "cross.ini").write_text(f"""[binaries]
c = '{TRIPLE}-gcc'
ar = '{TRIPLE}-gcc-ar'
strip = '{TRIPLE}-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['qemu-aarch64', '-L', '{ROOT}']
[properties]
sys_root = '{ROOT}'
pkg_config_libdir = '{ROOT}/usr/lib/{TRIPLE}/pkgconfig'
[built-in options]
c_args = {include}
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
                        "-Dllvm_config="], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", build, "--quiet", "src/cli/takt"], check=True)
    return build


def compile_guest_programs():
    gcc = f"{TRIPLE}-gcc"
    subprocess.run([gcc, "-O1", "-static", "-o", FOLDER / "init", HERE / "init.c"], check=True)
    subprocess.run([gcc, "-nostdlib", "-static", "-o", FOLDER / "loop", HERE / "loop.s"], check=True)


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


def needed_libraries(build):
    """Files that the dynamic linker will look for, by name."""
    found, todo = {}, [build / "src/cli/takt"]
    while todo:
        listing = subprocess.run([f"{TRIPLE}-readelf", "-d", todo.pop()], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", listing):
            places = [build, ROOT / "lib" / TRIPLE, ROOT / "usr/lib" / TRIPLE]
            path = next(place / name for place in places if (place / name).exists())
            if name not in found:
                found[name] = path
                todo.append(path)
    return found


def make_disk(build, commands):
    archive = Archive()
    for name in ("dev", "bin", "lib", "lib/takt"):
        archive.folder(name)
    archive.add("dev/console", 0o20600, device=(5, 1))
    archive.program("init", FOLDER / "init")
    archive.program("bin/loop", FOLDER / "loop")
    archive.program("bin/takt", build / "src/cli/takt")
    for name, path in needed_libraries(build).items():
        archive.program(f"lib/{name}", path)
    if "lib/ld-linux-aarch64.so.1" not in archive.data.decode("latin-1"):
        archive.program("lib/ld-linux-aarch64.so.1", ROOT / "lib/ld-linux-aarch64.so.1")
    archive.add("commands", 0o100644, "".join(f"{line}\n" for line in commands).encode())
    archive.add("TRAILER!!!", 0)
    (FOLDER / "disk").write_bytes(archive.data)


def boot():
    """What the console said."""
    kernel = next((ROOT / "boot").glob("vmlinuz-*"))
    done = subprocess.run(
        ["qemu-system-aarch64", "-machine", "virt", "-cpu", "max,pmu=on", "-icount", "shift=0",
         "-m", "512", "-nographic", "-nodefaults", "-serial", "stdio", "-no-reboot",
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
    return {row[0]: row[1] for row in re.findall(r"^(\S+?),.*?,([0-9.]+)", text, re.MULTILINE)}


COMMANDS = [
    "/bin/loop",
    "/bin/takt count --backend=pmu -e instructions:u -e cycles:u --format=csv -- /bin/loop",
    "/bin/takt count --backend=pmu -e INST_RETIRED:u -e CPU_CYCLES:u --format=csv -- /bin/loop",
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
    counts = [int(word) for word in re.findall(r"\b\d{7,}\b", text)]
    ok(status == 0 and counts and min(counts) > INSTRUCTIONS, "more with the kernel", text)
    for command in COMMANDS[4:]:
        status, text = said.get(command, (0, ""))
        ok(status == 1 and "error:" in text, f"refused, with a reason: {command}", text)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
