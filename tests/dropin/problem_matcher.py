#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Messages about text are found by the problem matchers for gcc and by vim's default 'errorformat'.

problem_matcher.py TAKT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

# As gcc's messages are read: $gcc of VS Code, and the matcher that setup actions of GitHub register.
GCC = re.compile(r"^(.*?):(\d+):(\d*):?\s+(?:fatal\s+)?(warning|error):\s+(.*)$")

# Text of the file, words after takt, and the places (line, column) of its errors.
CASES = [
    ("a line that does not assemble", "kernel.s", ".L1:\n\tfrobnicate %eax\n\tjne .L1\n",
     ["analyze", "--arch=SKX"], [(2, 2)]),
    ("a register of the wrong kind", "kernel.s", ".L1:\n\taddsd %eax, %xmm0\n\tjne .L1\n",
     ["analyze", "--arch=SKX"], [(2, 8)]),
    ("a marker without its end", "kernel.s", "\tnop\n# LLVM-MCA-END\n", ["analyze", "--arch=SKX"],
     [(2, 3)]),
    ("a block of bad digits", "blocks.csv", "4801c3\n4801xx\n90\n", ["predict", "--arch=SKX"], [(2, 5)]),
    ("two blocks", "blocks.csv", "zz00\n4801c3\n9\n", ["predict", "--arch=SKX"], [(1, 1), (3, 1)]),
    ("a model to import", "model.yml", "isa: x86\nports: ['0']\ninstruction_forms:\n- latency: 1\n",
     ["model", "import", "--arch=SKX"], [(4, 0)]),
]


def messages(takt, folder, name, text, words):
    (folder / name).write_text(text, encoding="utf-8")
    operand = f"osaca:{name}" if "import" in words else name
    done = subprocess.run([takt, *words, operand], cwd=folder, capture_output=True, text=True,
                          check=False, timeout=60)
    return done.stderr


def vim_places(folder, errors):
    """The places that vim's quickfix list has after it read the messages."""
    (folder / "errors").write_text(errors, encoding="utf-8")
    script = ("set nomore | cgetfile errors | call writefile(map(filter(getqflist(), 'v:val.valid'), "
              "'printf(\"%d %d\", v:val.lnum, v:val.col)'), 'places') | qall!")
    subprocess.run(["vim", "-u", "NONE", "-es", "-c", script], cwd=folder, check=False, timeout=60,
                   stdin=subprocess.DEVNULL, capture_output=True)
    lines = (folder / "places").read_text(encoding="utf-8").splitlines()
    return [tuple(int(word) for word in line.split()) for line in lines]


def main():
    takt = str(pathlib.Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        for what, name, text, words, places in CASES:
            errors = messages(takt, folder, name, text, words)
            if "takt-import.so" in errors or "takt-llvm.so" in errors:
                skip(what, "takt was built without what reads such text")
                continue
            found = [match for match in map(GCC.match, errors.splitlines()) if match]
            got = [(int(match[2]), int(match[3] or 0)) for match in found]
            ok(got == places and all(match[1] == name and match[4] == "error" for match in found),
               f"{what}: place, kind and file", got, errors)
            if not shutil.which("vim"):
                skip(f"{what}: vim's quickfix list", "there is no vim")
            else:
                ok(vim_places(folder, errors) == places, f"{what}: vim's quickfix list", errors)
    return finish()


sys.exit(main())
