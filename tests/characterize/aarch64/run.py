# SPDX-License-Identifier: MIT
"""Writes the code of AArch64 experiments for a core's forms, and runs it in qemu-user.

    run.py WRITE_CODE CORE QEMU RUN_CODE
"""

import subprocess
import sys
import tempfile


def main():
    write_code, core, qemu, run_code = sys.argv[1:]
    with tempfile.NamedTemporaryFile() as code:
        subprocess.run([write_code, core, "3", code.name], check=True)
        sys.exit(subprocess.run([qemu, run_code, code.name], check=False).returncode)


main()
