#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dist.py SOURCE: the archive of the sources depends on the commit alone.

Two clones in different folders, with different permissions of new files and settings of git, give
the same bytes; what is not committed is left out and named.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from programs import missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

source = pathlib.Path(sys.argv[1]).resolve()


def git(folder, *arguments):
    subprocess.run(["git", "-c", f"safe.directory={source}", "-C", str(folder), *arguments],
                   capture_output=True, check=True)


def clone(folder, umask, *settings):
    previous = os.umask(umask)
    try:
        # Files are copied, since the repository may be another user's.
        git(source, "clone", "--quiet", "--depth=1", f"file://{source}", str(folder))
        for setting in settings:
            git(folder, "config", *setting)
        shutil.copy(source / "tools" / "make_dist.sh", folder / "tools")
        (folder / "not-committed").write_text("x", encoding="ascii")
        with open(folder / "README.md", "a", encoding="ascii") as file:
            file.write("a change\n")
    finally:
        os.umask(previous)


def archive_of(folder, umask, **variables):
    """The archive's path, and what the script says."""
    previous = os.umask(umask)
    try:
        done = subprocess.run([folder / "tools" / "make_dist.sh", folder / "out"], text=True,
                              env={**os.environ, **variables}, capture_output=True, check=False)
    finally:
        os.umask(previous)
    ok(done.returncode == 0, f"an archive is made in {folder.name}", done.stderr)
    return pathlib.Path(done.stdout.strip()), done.stderr


def main():
    if missing("git", "xz") or not (source / ".git").exists():
        skip_all(missing("git", "xz") or "the sources are not in a git repository")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        one, two = folder / "one", folder / "another folder"
        clone(one, 0o022)
        clone(two, 0o077, ("tar.umask", "0"), ("core.abbrev", "5"))
        first, said = archive_of(one, 0o022)
        second, _ = archive_of(two, 0o077, TZ="Asia/Tokyo", LC_ALL="C", XZ_OPT="-1")
        ok(first.name == second.name and first.read_bytes() == second.read_bytes(),
           "both have the same bytes")
        ok("not committed" in said, "what is not committed is named", said)
        with tarfile.open(first) as archive:
            names = archive.getnames()
            top = names[0]
            readme = archive.extractfile(f"{top}/README.md").read().decode()
        ok(not any(entry.endswith("not-committed") for entry in names) and
           not readme.endswith("a change\n"), "and left out")
        ok(all(f"{top}/{entry}" in names for entry in ("meson.build", "debian/rules", "LICENSE")),
           "all that a build needs is in it", names[:5])
        bare = folder / "unpacked"
        (bare / "tools").mkdir(parents=True)
        shutil.copy(one / "tools" / "make_dist.sh", bare / "tools")
        shutil.copy(one / "meson.build", bare)
        done = subprocess.run([bare / "tools" / "make_dist.sh", bare / "out"], text=True,
                              capture_output=True, check=False,
                              env={**os.environ, "GIT_CEILING_DIRECTORIES": str(folder)})
        ok(done.returncode == 1 and "no git repository" in done.stderr,
           "without a repository, the reason is said", done.stderr)
    return finish()


sys.exit(main())
