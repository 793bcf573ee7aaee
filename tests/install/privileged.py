#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""privileged.py PROBE: with file capabilities, the environment names no modules.

PROBE (module_probe.c) gets a capability, as takt may have one to count events, and is run by an
ordinary user, whose TAKT_MODULE_DIR holds a module. Needs root.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

NOBODY = 65534
# struct vfs_cap_data, revision 2, effective: CAP_SYS_NICE, which any kernel has
CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << 23, 0, 0, 0)


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def run(program, folder, user=None):
    done = subprocess.run([program], env={"TAKT_MODULE_DIR": str(folder)}, text=True,
                          capture_output=True, check=False, preexec_fn=user)
    return done.stdout.split()


def check(probe, folder):
    evil = folder / "modules"
    evil.mkdir()
    evil.chmod(0o755)
    (evil / "takt-llvm.so").write_bytes(b"")
    ordinary, privileged = folder / "ordinary", folder / "privileged"
    for program in ordinary, privileged:
        shutil.copy(probe, program)
        program.chmod(0o755)
    found = str(evil / "takt-llvm.so")
    yield run(ordinary, evil) == ["ordinary", found], "from the folder that is named"
    if os.geteuid() != 0:
        yield True, "with capabilities # SKIP only root gives them"
        return
    os.chown(evil, NOBODY, NOBODY)
    os.chown(evil / "takt-llvm.so", NOBODY, NOBODY)
    yield run(ordinary, evil, become_nobody) == ["ordinary", found], "from the user's own"
    try:
        os.setxattr(privileged, "security.capability", CAPABILITY)
        got = run(privileged, evil, become_nobody)
    except OSError as error:
        yield True, f"with capabilities # SKIP {error}"
        return
    if got and got[0] != "privileged":
        yield True, "with capabilities # SKIP they have no effect in this folder"
        return
    yield got and got[1] != found, f"not with capabilities: {' '.join(got)}"


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        results = list(check(sys.argv[1], folder))
    print(f"1..{len(results)}")
    for number, (fine, what) in enumerate(results, 1):
        print(f"{'ok' if fine else 'not ok'} {number} - {what}")
    return 0 if all(fine for fine, _ in results) else 1


sys.exit(main())
