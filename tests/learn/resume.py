#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An interrupted `takt model learn` is resumed by the same command, and learns the same: after Ctrl-C, kill -9, and
with a journal whose last line was cut short.

resume.py TAKT
"""
import json
import pathlib
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TAKT = sys.argv[1]
WAIT_SECONDS = 200
ATTEMPTS = 5  # on a busy machine, a run may end before the signal comes
# A run is interrupted when it has written this many timings.
TIMINGS = 20
HEADER_LINES = 2
tests = 0
failed = False


def ok(good, title):
    global tests, failed
    tests += 1
    failed |= not good
    print(f"{'ok' if good else 'not ok'} {tests} - {title}", flush=True)


def command(directory, only):
    return [TAKT, "model", "learn", "--machine=sim:SKL", "--from=SKL", f"--only={only}", "--format=json", "-o",
            str(directory), *(["--noise=1"] if only != "forms" else [])]


def learn(directory, only):
    """Run to the end; return the report and the learnt files, whose comment counts timings."""
    done = subprocess.run(command(directory, only), capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        print(f"# {done.stderr}")
        return {}, ""
    return json.loads(done.stdout), ((directory / "cores" / "learnt.core").read_text(encoding="utf-8") +
                                     (directory / "timing" / "learnt.timing").read_text(encoding="utf-8"))


def interrupt(directory, only, number, is_far_enough):
    """Start a run and send the signal when it is far enough; return its status and standard error."""
    directory.mkdir()
    # At the lowest priority, so that this script sees in time how far it is.
    with subprocess.Popen(["nice", "-n", "19", *command(directory, only)], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, encoding="utf-8") as process:
        limit = time.monotonic() + WAIT_SECONDS
        while process.poll() is None and not is_far_enough(directory) and time.monotonic() < limit:
            time.sleep(0.005)
        process.send_signal(number)
        text = process.stderr.read()
    return process.returncode, text


def interrupt_in_time(root, only, number, is_far_enough):
    """Interrupt a run, again if it ended before it got the signal; return its directory, status and standard error."""
    for attempt in range(ATTEMPTS):
        directory = root / f"part-{only}-{number}-{attempt}"
        status, errors = interrupt(directory, only, number, is_far_enough)
        if status != 0:
            break
    return directory, status, errors


def has_timings(directory):
    try:
        return (directory / "learn.journal").read_bytes().count(b"\n") >= HEADER_LINES + TIMINGS
    except FileNotFoundError:
        return False


def forms_of(directory):
    try:
        # Without waiting for the survey, which writes often: on a slow disk it would be over by then.
        with sqlite3.connect(f"file:{directory / 'forms.sqlite'}?mode=ro", uri=True, timeout=0) as database:
            table = [row[0] for row in database.execute("select name from sqlite_master where type = 'table'")]
            return {name: database.execute(f"select count(*) from {name}").fetchone()[0] for name in table}
    except sqlite3.Error:
        return {}


def has_forms(directory):
    return max(forms_of(directory).values(), default=0) >= 30


def test_timings(root, number, title):
    whole, text = learn(root / f"whole-{number}", "rob_entries")
    directory, status, errors = interrupt_in_time(root, "rob_entries", number, has_timings)
    ok(status != 0 and not list(directory.glob("cores/*.core")), f"{title} ends a run, and no core is written")
    if number == signal.SIGINT:
        ok(status == 1 and "the same command resumes" in errors, f"{title}: it is said how to resume")
    else:
        with (directory / "learn.journal").open("a", encoding="utf-8") as journal:
            journal.write("9f78c8f6f3")  # a line that was being written
    resumed, text_resumed = learn(directory, "rob_entries")
    ok(bool(text) and text == text_resumed and resumed["parameters"] == whole["parameters"],
       f"{title}: the resumed run learns the same")
    ok(resumed.get("resumed", 0) >= TIMINGS and resumed["timings"] == whole["timings"],
       f"{title}: {resumed.get('resumed')} of {resumed.get('timings')} timings were not repeated")


def test_forms(root, number, title):
    whole, text = learn(root / f"whole-forms-{number}", "forms")
    directory, status, _ = interrupt_in_time(root, "forms", number, has_forms)
    before = max(forms_of(directory).values(), default=0)
    ok(status != 0 and before >= 30, f"{title} ends a survey after {before} forms")
    resumed, text_resumed = learn(directory, "forms")
    ok(bool(text) and text == text_resumed and resumed["forms_checked"] == whole["forms_checked"],
       f"{title}: the resumed survey checks {resumed.get('forms_checked')} forms and learns the same")


with tempfile.TemporaryDirectory() as name:
    for number, title in ((signal.SIGINT, "Ctrl-C"), (signal.SIGKILL, "kill -9")):
        test_timings(pathlib.Path(name), number, title)
        test_forms(pathlib.Path(name), number, title)
print(f"1..{tests}")
sys.exit(failed)
