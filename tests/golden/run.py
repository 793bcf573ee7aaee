#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Golden tests: every folder below this one with a `cmd` file is a case.

`cmd` is a shell command run in its folder with `takt` on the PATH; `out`, `err` and
`status` (only if not 0) hold what it printed and how it ended. `--bless` rewrites
them; the reviewer reads the diff.
"""
import difflib
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import comment, finish, ok  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TIMEOUT_SECONDS = 120


def run_case(folder, takt):
    environment = dict(os.environ, PATH=f"{takt.parent}:{os.environ['PATH']}", LC_ALL="C.UTF-8")
    command = (folder / "cmd").read_text(encoding="utf-8")
    done = subprocess.run(["sh", "-e", "-c", command], cwd=folder, env=environment,
                          capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    return {"out": done.stdout, "err": done.stderr,
            "status": b"" if done.returncode == 0 else b"%d\n" % done.returncode}


def bless(folder, got):
    for name, data in got.items():
        path = folder / name
        if data:
            path.write_bytes(data)
        elif path.exists():
            path.unlink()


def differences(folder, got):
    for name, data in got.items():
        path = folder / name
        want = path.read_bytes() if path.exists() else b""
        if want != data:
            yield name, want.decode(errors="replace"), data.decode(errors="replace")


def main():
    blessing = "--bless" in sys.argv
    takt = pathlib.Path([a for a in sys.argv[1:] if not a.startswith("-")][0]).resolve()
    cases = sorted(p.parent for p in HERE.rglob("cmd"))
    for folder in cases:
        got = run_case(folder, takt)
        if blessing:
            bless(folder, got)
        wrong = list(differences(folder, got))
        ok(not wrong, folder.relative_to(HERE))
        for name, want, data in wrong:
            diff = difflib.unified_diff(want.splitlines(), data.splitlines(), f"{name} wanted",
                                        f"{name} got", lineterm="")
            comment("\n".join(list(diff)[:60]))
    return finish()


sys.exit(main())
