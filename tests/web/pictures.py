#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The pictures of README.md, docs/reports.md and docs/serve.md.

pictures.py TAKT DIRECTORY: writes analyze.png, trace.png and serve.png, with at most 256 colours, so that
they are small. It is run by `make check-web SHOTS=DIRECTORY`.
"""
import collections
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "serve"), str(HERE.parent / "support")]
from browser import Browser, missing  # noqa: E402
from serve_client import Server  # noqa: E402

TAKT = pathlib.Path(sys.argv[1]).resolve()
SHOTS = pathlib.Path(sys.argv[2]).resolve()
WIDTH, HEIGHT = 1400, 1500
DOT = """#include <stddef.h>

double dot(const double *restrict a, const double *restrict b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] * b[i];
	return sum;
}
"""


def read_rows(data):
    """Return width and rows of an RGB picture, as Chromium writes it."""
    at, packed, width, channels = 8, b"", 0, 3
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + size]
        if kind == b"IHDR":
            width, channels = struct.unpack(">I", body[:4])[0], {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            packed += body
        at += size + 12
    raw, before, rows, line = zlib.decompress(packed), bytearray(width * channels), [], width * channels
    for start in range(0, len(raw), line + 1):
        kind, row = raw[start], bytearray(raw[start + 1:start + 1 + line])
        for i in range(line):
            left = row[i - channels] if i >= channels else 0
            corner = before[i - channels] if i >= channels else 0
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + before[i]) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + before[i]) // 2) & 255
            elif kind == 4:
                guess = left + before[i] - corner
                _, _, nearest = min((abs(guess - left), 0, left), (abs(guess - before[i]), 1, before[i]), (abs(guess - corner), 2, corner))
                row[i] = (row[i] + nearest) & 255
        before = row
        rows.append([tuple(row[i:i + 3]) for i in range(0, line, channels)])
    return width, rows


def distance(left, right):
    return sum((a - b) ** 2 for a, b in zip(left, right))


def nearest(palette, colour):
    return min(range(len(palette)), key=lambda i: distance(palette[i], colour))


def write_small(path):
    """Rewrite a picture with 256 colours, others by their nearest."""
    width, rows = read_rows(path.read_bytes())
    counts = collections.Counter(colour for row in rows for colour in row)
    palette = []
    # Rare colours that resemble no other come before frequent ones that do.
    for apart in (30, 15, 0):
        for colour, _ in counts.most_common():
            if len(palette) < 256 and (not palette or distance(palette[nearest(palette, colour)], colour) > apart ** 2):
                palette.append(colour)
    index = {colour: nearest(palette, colour) for colour in counts}

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    raw = b"".join(b"\0" + bytes(index[colour] for colour in row) for row in rows)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, len(rows), 8, 3, 0, 0, 0)) +
                     chunk(b"PLTE", bytes(value for colour in palette for value in colour)) +
                     chunk(b"IDAT", zlib.compress(raw, 9)) + chunk(b"IEND", b""))


def picture(browser, page, name):
    browser.open(page)
    browser.size(WIDTH, HEIGHT)
    browser.until("return document.querySelector('canvas')?.width > 0")
    path = SHOTS / f"{name}.png"
    browser.screenshot(path, HEIGHT)
    write_small(path)


def serve_picture(browser):
    """C in the editor of `takt serve`, on three cores, one of them shown below."""
    server = Server(TAKT)
    try:
        browser.call("POST", "/url", {"url": server.address})
        browser.until("return document.documentElement.hasAttribute('data-ready')")
        browser.size(WIDTH, HEIGHT)
        browser.run("""const choose = (name, value) => { const e = document.getElementById(name); e.value = value; e.dispatchEvent(new Event('change')); };
            choose('example', String([...document.getElementById('example').options].find(e => e.textContent.includes('Triad')).value));
            const wanted = ['SKX', 'ICL', 'ZEN4'], boxes = [...document.querySelectorAll('[data-core-choice]')];
            for (const name of wanted) { const box = boxes.find(e => e.dataset.coreChoice === name); if (!box.checked) box.click(); }
            for (const box of boxes) if (box.checked && !wanted.includes(box.dataset.coreChoice)) box.click();""")
        browser.until("return document.querySelectorAll('.headline-row [data-key]').length === 3 && document.querySelector('.editor-cost.filled')")
        browser.run("[...document.querySelectorAll('.compare thead button')].find(e => e.textContent === 'SKX').click()")
        browser.until("return document.querySelector('.compare .shown').textContent === 'SKX' && document.querySelector('.headline')")
        browser.screenshot(SHOTS / "serve.png", HEIGHT)
        write_small(SHOTS / "serve.png")
    finally:
        server.close()


def main():
    if missing() or not shutil.which("qemu-x86_64"):
        sys.exit(f"no pictures: {missing() or 'qemu-user is missing'}")
    if "TAKT_MODULE_DIR" in os.environ:
        os.environ["TAKT_MODULE_DIR"] = os.path.abspath(os.environ["TAKT_MODULE_DIR"])
    os.chdir(tempfile.mkdtemp(prefix="takt-pictures-"))
    pathlib.Path("dot.c").write_text(DOT, encoding="utf-8")
    subprocess.run(["gcc", "-O3", "-mavx2", "-g", "-c", "dot.c"], check=True)
    subprocess.run([TAKT, "analyze", "--arch=SKX", "-o", "report.html", "dot.o"], check=True)
    # A program with names: takt itself.
    os.environ["PATH"] = f"{TAKT.parent}:{os.environ['PATH']}"
    subprocess.run(["takt", "trace", "--arch=SKX", "--report=trace.html", "--", "takt", "analyze", "--arch=SKX", "dot.o"],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    browser = Browser()
    try:
        picture(browser, pathlib.Path("report.html").resolve(), "analyze")
        picture(browser, pathlib.Path("trace.html").resolve(), "trace")
        serve_picture(browser)
    finally:
        browser.close()
        shutil.rmtree(os.getcwd())


main()
