#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Debian packages of `make deb`, in a fresh Debian 12: `make check-deb`. Needs root.

    run.py SOURCE BUILD [--built]

BUILD/deb has the packages. lintian finds nothing; the files are hardened; they pass their tests
(debian/tests) where nothing else is installed; and the workflow of docs/ci.md runs, step by step, in
another folder, where it builds the same packages, bit by bit. With --built, the workflow takes those of
BUILD/deb instead of building them, as where a service keeps them.
"""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok, skip, skip_all  # noqa: E402

RELEASE = "bookworm"
BUILD_SECONDS = 7200
PROGRAM = r"""
#include <stdlib.h>

int main(int argc, char **argv)
{
	volatile unsigned sum = 0;

	for (unsigned i = 0; i < 100000; i++)
		sum += i WORK;
	return argc > 1 ? 0 : (int)(sum & 1);
}
"""

is_built = "--built" in sys.argv
source, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:]
                 if not argument.startswith("--"))
packages = build / "deb"
scratch = build / "check-deb"


def run(*command, **options):
    return subprocess.run([str(word) for word in command], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)


# ---- a fresh Debian ----

def mirrors():
    """Lines of sources.list: where this machine takes the release and its updates from."""
    listed = run("apt-get", "indextargets", "--format", "$(SITE) $(RELEASE) $(COMPONENT)",
                 "Created-By: Packages").stdout
    rows = dict.fromkeys(tuple(line.split()) for line in listed.splitlines())
    return [f"deb {site} {suite} {component}" for site, suite, component in rows
            if suite.startswith(RELEASE) and component == "main"]


def debian(target, lines):
    """Debian as its smallest installation has it, without what this machine has installed."""
    main = next(line.split()[1] for line in lines if line.split()[2] == RELEASE)
    done = run("debootstrap", "--variant=minbase", RELEASE, target, main)
    if not ok(done.returncode == 0, "a Debian is installed into a folder", done.stdout[-2000:]):
        return False
    (target / "etc/apt/sources.list").write_text("\n".join(lines) + "\n", encoding="ascii")
    shutil.copy("/etc/resolv.conf", target / "etc/resolv.conf")
    done = run("chroot", target, "apt-get", "update", "-q")
    return ok(done.returncode == 0, "and knows its packages", done.stdout[-2000:])


@contextlib.contextmanager
def mounted(target):
    """The kernel's own folders, as a container has them."""
    folders = [("proc", "proc", target / "proc"), ("tmpfs", "tmpfs", target / "dev/shm")]
    mounts = []
    try:
        for kind, name, folder in folders:
            folder.mkdir(exist_ok=True)
            subprocess.run(["mount", "-t", kind, name, folder], check=True)
            mounts.append(folder)
        yield
    finally:
        for folder in reversed(mounts):
            subprocess.run(["umount", "--lazy", folder], check=False)


def in_chroot(target, folder, command):
    return run("chroot", target, "sh", "-e", "-c", f"cd {folder}\n{command}", timeout=BUILD_SECONDS,
               env={"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                    "HOME": "/root", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})


# ---- what the packages are ----

def check_lintian():
    changes = next(packages.glob("takt_*.changes"))
    # The first version of a package that enters Debian closes a bug of Debian's; this one does not.
    done = run("lintian", "--allow-root", "--fail-on=error,warning",
               "--suppress-tags=initial-upload-closes-no-bugs", changes)
    ok(done.returncode == 0, "lintian finds no error and no warning")
    comment(done.stdout)


def is_linked(path):
    """Return True for programs and shared libraries: ELF files of type DYN or EXEC."""
    with open(path, "rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and head[16:18] in (b"\x02\0", b"\x03\0")


def check_hardening():
    files = scratch / "files"
    for package in packages.glob("*.deb"):
        if "-dbgsym_" not in package.name:
            run("dpkg-deb", "-x", package, files)
    programs = [path for path in files.rglob("*")
                if path.is_file() and not path.is_symlink() and is_linked(path)]
    done = run(sys.executable, "-B", source / "tests/install/hardened.py", "gcc", "--", *programs)
    ok(done.returncode == 0 and len(programs) > 10, "programs and libraries are hardened", done.stdout)


def check_installed(root):
    debs = [path for path in packages.glob("*.deb") if "-dbgsym_" not in path.name]
    results = scratch / "autopkgtest"
    done = run("autopkgtest", "--output-dir", results, *debs, next(packages.glob("*.dsc")),
               "--no-built-binaries", "--", "chroot", root, timeout=BUILD_SECONDS)
    summary = results / "summary"
    ok(done.returncode == 0, "the installed packages pass their tests", done.stdout[-3000:])
    if summary.exists():
        comment(summary.read_text(encoding="utf-8"))


# ---- the workflow ----

def steps():
    """Yields each step of the workflow: a command, or where a checkout goes."""
    page = (source / "docs/ci.md").read_text(encoding="utf-8")
    workflow = re.search(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)[1]
    for step in re.split(r"^ +- ", workflow.split("steps:\n")[1], flags=re.MULTILINE)[1:]:
        path = re.search(r"path: (\S+)", step)
        command = re.search(r"run: (.*)", step)
        is_late = step.startswith("if: failure()")
        yield (command[1] if command else None), (path[1] if path else "."), is_late


def check_out(project, path):
    if path == ".":
        (project / "program.c").write_text(PROGRAM.replace("WORK", ""), encoding="ascii")
        (project / "Makefile").write_text("program: program.c\n\tgcc -g -O1 -static -o $@ $<\n",
                                          encoding="ascii")
        return
    done = run("git", "-c", f"safe.directory={source}", "clone", "--quiet", "--depth=1",
               f"file://{source}", project / path)
    ok(done.returncode == 0, "takt is checked out", done.stdout)


def check_workflow(root):
    project = root / "srv" / "project"
    project.mkdir(parents=True)
    late = None
    for command, path, is_late in steps():
        if is_late:
            late = command
        elif not command:
            check_out(project, path)
        else:
            if command.startswith("takt diff"):
                in_chroot(root, "/srv/project", "takt trace --arch=SKX --format=json "
                          "--report=budget.json -- ./program input")
            if is_built and command.endswith("make -C takt deb"):
                skip(f"step: {command}", "the packages are built")
                shutil.copytree(packages, project / "takt" / "build" / "deb",
                                ignore=shutil.ignore_patterns("work"))
                continue
            done = in_chroot(root, "/srv/project", command)
            if not ok(done.returncode == 0, f"step: {command}", done.stdout[-3000:]):
                log = project / "takt" / "build" / "deb" / "build.log"
                if log.exists():
                    comment(log.read_text(encoding="utf-8", errors="replace")[-3000:])
                return
            guard = command
    (project / "program.c").write_text(PROGRAM.replace("WORK", "* 3 + (sum ^ i)"), encoding="ascii")
    done = in_chroot(root, "/srv/project", f"make program && {guard}")
    ok(done.returncode == 1 and "the limit is 1 %" in done.stdout, "a slower program fails",
       done.stdout)
    done = in_chroot(root, "/srv/project", late)
    ok("main" in done.stdout, "and the last step says where", done.stdout)


def build_depends(folder):
    text = next(folder.glob("takt_*.buildinfo")).read_text(encoding="utf-8")
    return set(re.findall(r"^ (\S+ \(= [^)]*\))", text, re.MULTILINE))


def check_same(other):
    if not list(other.glob("takt_*.buildinfo")):
        return  # the workflow's build failed, as its step says
    different = build_depends(packages) ^ build_depends(other)
    if different:
        skip("both builds have the same bytes", f"of other packages: {' '.join(sorted(different))}")
        return
    names = sorted(path.name for path in packages.glob("*.deb"))
    wrong = [name for name in names
             if (packages / name).read_bytes() != (other / name).read_bytes()]
    ok(names and not wrong, "packages built in another folder have the same bytes", wrong)


def main():
    if os.geteuid() != 0:
        skip_all("only root installs a Debian into a folder")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    check_lintian()
    check_hardening()
    lines = mirrors()
    fresh, used = scratch / "fresh", scratch / "used"
    if not lines or not debian(fresh, lines):
        return finish()
    run("cp", "-a", fresh, used)
    with mounted(used):
        check_installed(used)
    with mounted(fresh):
        check_workflow(fresh)
    if not is_built:
        check_same(fresh / "srv/project/takt/build/deb")
    return finish()


sys.exit(main())
