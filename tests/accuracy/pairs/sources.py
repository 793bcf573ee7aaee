# SPDX-License-Identifier: MIT
"""Debian source packages of libraries, and which of their files make the library."""
import os
import subprocess

MIRROR = "http://deb.debian.org/debian"
SUITE = "bookworm"

# Folder of the sources below the package's, and files; None: all *.c but `LEFT_OUT`.
LIBRARIES = {
    "zlib": (".", ["adler32.c", "compress.c", "crc32.c", "deflate.c", "inffast.c", "inflate.c",
                   "inftrees.c", "trees.c", "uncompr.c", "zutil.c"]),
    "bzip2": (".", ["blocksort.c", "bzlib.c", "compress.c", "crctable.c", "decompress.c",
                    "huffman.c", "randtable.c"]),
    "lz4": ("lib", ["lz4.c"]),
}
OPTIONS = {"bzip2": ["-DBZ_NO_STDIO"]}


def fetch(folder):
    """Unpacks the packages below `folder`, as apt-get verifies them; names of those there."""
    missing = [name for name in LIBRARIES if not list(folder.glob(f"{name}-*/"))]
    if missing:
        try:
            download(folder, missing)
        except (OSError, subprocess.SubprocessError):
            pass  # without a network: its pairs are left out
    return [name for name in LIBRARIES if list(folder.glob(f"{name}-*/"))]


def download(folder, names):
    """With lists of its own: the machine's need not name sources."""
    for part in ("lists/partial", "cache"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    (folder / "sources.list").write_text(f"deb-src {MIRROR} {SUITE} main\n", encoding="utf-8")
    (folder / "apt.conf").write_text(
        f'Dir::Etc::sourcelist "{folder}/sources.list";\nDir::Etc::sourceparts "-";\n'
        f'Dir::State::Lists "{folder}/lists";\nDir::Cache "{folder}/cache";\n', encoding="utf-8")
    environment = dict(os.environ, APT_CONFIG=str(folder / "apt.conf"))
    for command in (["apt-get", "update"], ["apt-get", "source", *names]):
        subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True,
                       timeout=300)


def files_of(folder, name):
    """(options, files) to compile with a program."""
    below, files = LIBRARIES[name]
    root = sorted(folder.glob(f"{name}-*/"))[-1] / below
    return [f"-I{root}", *OPTIONS.get(name, [])], [root / file for file in files]
