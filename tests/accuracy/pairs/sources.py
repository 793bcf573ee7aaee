# SPDX-License-Identifier: MIT
"""Debian source packages of libraries, and which of their files make the library."""
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from debian import fetch_sources  # noqa: E402

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
            fetch_sources(folder, missing)
        except (OSError, subprocess.SubprocessError):
            pass  # without a network: its pairs are left out
    return [name for name in LIBRARIES if list(folder.glob(f"{name}-*/"))]


def files_of(folder, name):
    """(options, files) to compile with a program."""
    below, files = LIBRARIES[name]
    root = sorted(folder.glob(f"{name}-*/"))[-1] / below
    return [f"-I{root}", *OPTIONS.get(name, [])], [root / file for file in files]
