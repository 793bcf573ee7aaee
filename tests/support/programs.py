# SPDX-License-Identifier: MIT
"""Programs that tests build and run: what several scripts need."""
import contextlib
import pathlib
import re
import shutil
import subprocess
import time

from tap import comment


def missing(*programs):
    """Which of these programs are not installed, as words for a skip; empty if none."""
    names = [name for name in programs if not shutil.which(name)]
    return f"no {', '.join(names)}" if names else ""


def build(command, source, target):
    """Builds a program by a compiler's command. Returns its path; None if that fails here."""
    if not shutil.which(command[0]):
        return None
    done = subprocess.run([*command, "-o", str(target), str(source)], capture_output=True,
                          text=True, check=False)
    if done.returncode:
        comment(done.stderr)
        return None
    return str(target)


def wait_for(condition, seconds):
    """Waits until a condition gives something, at most so long. Returns what it gives last."""
    end = time.monotonic() + seconds
    while True:
        found = condition()
        if found or time.monotonic() >= end:
            return found
        time.sleep(0.02)


def guests_alive(folder):
    """Processes of qemu that run programs of a folder."""
    alive = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            words = entry.read_bytes().split(b"\0")
            if any(word.startswith(bytes(folder)) for word in words) and b"-plugin" in words:
                alive.append(entry.parent.name)
    return alive


def without_memo(report):
    """A report as JSON text without what the memo did, which depends on when it began."""
    return re.sub(r'\n  "memo": .*', "", report)
