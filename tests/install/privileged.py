#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""privileged.py PROBE: with file capabilities, the environment decides nothing in modules.

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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tap import finish, ok, skip  # noqa: E402

NOBODY = 65534
# struct vfs_cap_data, revision 2, effective: CAP_SYS_NICE, which any kernel has
CAPABILITY = struct.pack("<IIIII", 0x02000001, 1 << 23, 0, 0, 0)


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def run(program, folder, user=None, **variables):
    done = subprocess.run([program], env={"TAKT_MODULE_DIR": str(folder), **variables}, text=True,
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
    ok(run(ordinary, evil) == ["ordinary", found, "asked"], "from the folder that is named")
    ok(run(ordinary, evil, LIBPFM_FORCE_PMU="skx")[2:] == ["asked"],
       "libpfm4 may be told another processor")
    if os.geteuid() != 0:
        skip("with capabilities", "only root gives them")
        return
    os.chown(evil, NOBODY, NOBODY)
    os.chown(evil / "takt-llvm.so", NOBODY, NOBODY)
    ok(run(ordinary, evil, become_nobody) == ["ordinary", found, "asked"], "from the user's own")
    try:
        os.setxattr(privileged, "security.capability", CAPABILITY)
        got = run(privileged, evil, become_nobody)
    except OSError as error:
        skip("with capabilities", error)
        return
    if got and got[0] != "privileged":
        skip("with capabilities", "they have no effect in this folder")
        return
    ok(got and got[1] != found, f"not with capabilities: {' '.join(got)}")
    got = run(privileged, evil, become_nobody, LIBPFM_FORCE_PMU="skx")
    ok(got[2:] == ["refused"], f"nor is libpfm4 told another processor: {' '.join(got)}")
    ok(run(privileged, evil, become_nobody)[2:] == ["asked"], "and it is asked without")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.chmod(0o755)
        check(sys.argv[1], folder)
    return finish()


sys.exit(main())
