#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speedscope's own importer reads what takt trace --folded writes.

speedscope.py TAKT FOLDER: opens speedscope's page, FOLDER/index.html, in a headless Chromium with a
profile, as speedscope's command does, and compares the functions that it shows with the file's sums.
"""
import base64
import collections
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE)]
from browser import Browser, missing  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402

TAKT = pathlib.Path(sys.argv[1]).resolve()
PAGE = pathlib.Path(sys.argv[2]).resolve() / "index.html"
PROGRAM = r"""
#include <stdio.h>
__attribute__((noipa)) unsigned mix(unsigned value)
{
	for (int i = 0; i < 200; i++)
		value = value * 1664525 + 1013904223;
	return value;
}
__attribute__((noipa)) unsigned work(unsigned seed)
{
	for (int i = 0; i < 50; i++)
		seed = mix(seed) + 1;
	return seed + 1;
}
__attribute__((noipa)) unsigned deep(unsigned depth)
{
	return depth ? deep(depth - 1) + 1 : work(3);
}
unsigned operator_names(void) __asm__("\"list<int, 1; 2>::sum <b>\"");
__attribute__((noipa)) unsigned operator_names(void)
{
	return mix(1) + 1;
}
int main(void)
{
	return work(1) + deep(5) + operator_names() == 7;
}
"""
ALL_ROWS_PIXELS = 9000  # of a window in which all rows of the table are, which holds only those that are seen
# The rows of speedscope's table of functions: name, time of it and what it calls, own time.
ROWS = """return [...document.querySelectorAll('tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.textContent.trim()))
    .filter(cells => cells.length >= 3)"""


def sums(text):
    """Return cycles of each function with what it calls, its own cycles, and the sum of all."""
    total, own, whole = collections.Counter(), collections.Counter(), 0
    for line in text.splitlines():
        stack, _, weight = line.rpartition(" ")
        frames = stack.split(";")
        whole += int(weight)
        own[frames[-1]] += int(weight)
        for frame in set(frames):
            total[frame] += int(weight)
    return total, own, whole


def number(text):
    """Return the first number of a cell such as "12,345 (6.7%)"; speedscope shortens none in such profiles."""
    return float(re.match(r"[\d,.]+", text).group().replace(",", ""))


def show(browser, folder, path):
    """Open a profile as the command `speedscope FILE` does."""
    script = folder / "profile.js"
    data = base64.b64encode(path.read_bytes()).decode()
    script.write_text(f"speedscope.loadFileFromBase64({json.dumps(path.name)}, {json.dumps(data)})", encoding="utf-8")
    browser.call("POST", "/url", {"url": f"file://{PAGE}#localProfilePath={script}"})
    return browser.until("return document.title.includes(arguments[0])".replace("arguments[0]", json.dumps(path.name)))


def check(browser, folder):
    source, program, path = folder / "work.c", folder / "work", folder / "work.folded"
    source.write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-O1", "-g", "-o", program, source], check=True)
    subprocess.run([TAKT, "trace", "--arch=SKX", f"--folded={path}", "--", program], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=True)
    total, own, whole = sums(path.read_text(encoding="utf-8"))
    ok(whole > 0 and total["work"] > total["deep"] - own["deep"] > 0, "a profile with stacks", dict(total))
    ok(show(browser, folder, path), "speedscope opens the file", browser.run("return document.title"))
    browser.size(1400, ALL_ROWS_PIXELS)
    browser.press("3")
    rows = browser.until(ROWS.replace("return", "const rows =", 1) + "; return rows.length && rows")
    ok(rows, "it lists functions")
    shown = {cells[2]: cells for cells in rows or []}
    for name in ("work", "mix", "deep", "list<int, 1, 2>::sum <b>"):
        found = shown.get(name)
        ok(found and name in total, f"{name}: is one of them", sorted(shown)[:20], sorted(total)[:20])
        if found and name in total:
            ok(abs(number(found[0]) - total[name]) <= 0.006 * total[name], f"{name}: with what it calls, as in the file", found, total[name])
            ok(abs(number(found[1]) - own[name]) <= 0.006 * own[name] + 1, f"{name}: its own", found, own[name])
    severe = [text for text in browser.complaints() if "SEVERE" in text or "Error" in text]
    ok(not severe, "without an error", severe)


def main():
    if missing():
        skip_all(missing())
    if not PAGE.exists():
        skip_all("speedscope is not there")
    if not shutil.which("gcc") or not shutil.which("qemu-x86_64"):
        skip_all("gcc and qemu-user are needed")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-speedscope-"))
    browser = Browser()
    try:
        check(browser, folder)
    finally:
        browser.close()
        shutil.rmtree(folder)
    return finish()


sys.exit(main())
