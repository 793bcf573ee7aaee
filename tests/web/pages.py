# SPDX-License-Identifier: MIT
"""What holds for every report, and how tests make and read them."""
import base64
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "web")]
from tap import ok, skip  # noqa: E402

WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
TAKT = pathlib.Path(WORDS[0]).resolve()
AXE = pathlib.Path(WORDS[1]) if len(WORDS) > 1 else None
SHOTS = next((pathlib.Path(word[8:]) for word in sys.argv if word.startswith("--shots=")), None)
KERNELS = ROOT / "examples" / "kernels"
PROGRAM_BYTES_MAX = 1 << 20  # of a page without its data
SIZES = [(400, 800), (1400, 1000), (3840, 2160)]
# Where a page names a figure, its number in the JSON, and its text.
FIGURES = """return [...document.querySelectorAll('[data-key][data-value]')].filter(e => e.offsetParent)
    .map(e => [e.dataset.key, Number(e.dataset.value), e.textContent.trim()])"""

def takt(*arguments, cwd=None):
    run = subprocess.run([TAKT, *arguments], cwd=cwd, capture_output=True, text=True, check=False)
    assert run.returncode == 0, (arguments, run.stderr)
    return run.stdout


def at(report, key):
    """Return what a JSON path such as `waits.0.cycles` names."""
    for word in key.split("."):
        report = report[int(word)] if isinstance(report, list) else report[word]
    return report


# ---- what holds for each report

def check_figures(browser, report, what):
    """Figures shown are those of the JSON, rounded."""
    shown = browser.run(FIGURES)
    wrong = []
    for key, value, text in shown:
        try:
            exact = at(report, key)
        except (KeyError, IndexError, ValueError, TypeError):
            wrong.append((key, "is not in the JSON"))
            continue
        number = text.replace(",", "").replace("−", "-")
        if value != exact:
            wrong.append((key, value, exact))
        # Two decimals, or none from 100,000 on (web/format.js).
        elif number and abs(float(number) - exact) > (0.00501 if abs(exact) < 100000 else 0.501):
            wrong.append((key, text, exact))
    ok(shown and not wrong, f"{what}: {len(shown)} figures are the JSON's", wrong[:5])


def check_quiet(browser, path, what):
    """No complaint in the console; nothing was loaded but the file."""
    complaints = browser.complaints()
    ok(not complaints, f"{what}: no complaint in the console", complaints)
    asked = [address for address in browser.requests() if not address.startswith(f"file://{path}")]
    ok(not asked, f"{what}: no request leaves the file", asked)


def check_sizes(browser, what):
    for width, height in SIZES:
        browser.size(width, height)
        wide = browser.until("return document.documentElement.scrollWidth <= innerWidth && innerWidth", 5)
        ok(wide == width, f"{what}: fits in {width} pixels", browser.run("return document.documentElement.scrollWidth"))
    browser.size(1400, 1000)


def check_accessible(browser, what):
    for scheme in "light", "dark":
        if not AXE or not AXE.exists():
            skip(f"{what}: accessible in {scheme} colours", "axe-core is not there")
            continue
        browser.scheme(scheme)
        found = browser.inaccessible(AXE)
        ok(not found, f"{what}: accessible in {scheme} colours", found)
    browser.scheme("light")


def check_colours(browser, what):
    """Both schemes differ, and the button overrides the system's."""
    ground = "return getComputedStyle(document.body).backgroundColor"
    browser.scheme("light")
    light = browser.run(ground)
    browser.scheme("dark")
    dark = browser.run(ground)
    browser.click(".scheme")
    ok(light != dark and browser.run(ground) == light, f"{what}: light and dark, and a choice of one", light, dark)
    browser.click(".scheme")
    browser.click(".scheme")
    browser.scheme("light")


def check_print(browser, what):
    """On paper: no buttons of the page's head, dark letters on white in either scheme, and some pages."""
    browser.devtools("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
    shown = browser.run("return [document.querySelector('.actions').offsetParent === null, getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]")
    paper = base64.b64decode(browser.devtools("Page.printToPDF", preferCSSPageSize=True)["data"])
    browser.devtools("Emulation.setEmulatedMedia", media="", features=[])
    dark = sum(map(int, shown[2].strip("rgb()").split(","))) < 200
    box = re.search(rb"/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]", paper)
    ok(box and float(box[1]) > float(box[2]), f"{what}: is printed on the long side of the paper", box)
    ok(shown[0] and shown[1] == "rgb(255, 255, 255)" and dark and len(paper) > 10000, f"{what}: is printed in dark letters on white, without buttons", shown, len(paper))


def check_program(path, what):
    """Size of all but the data."""
    text = path.read_text(encoding="utf-8")
    begin = text.index('id="data">')
    size = len(text.encode()) - len(text[begin:text.index("</script>", begin)].encode())
    ok(size < PROGRAM_BYTES_MAX, f"{what}: {size} bytes without its data", size)


def take_shot(browser, what):
    """Keep a picture of the page if --shots=DIRECTORY was given."""
    if not SHOTS:
        return
    SHOTS.mkdir(parents=True, exist_ok=True)
    browser.size(1400, 1000)
    browser.screenshot(SHOTS / f"{what}.png", min(4000, browser.run("return document.documentElement.scrollHeight")))


def check_page(browser, path, report, what):
    browser.size(1400, 1000)
    browser.open(path)
    take_shot(browser, what)
    check_figures(browser, report, what)
    check_sizes(browser, what)
    check_accessible(browser, what)
    check_colours(browser, what)
    check_print(browser, what)
    check_program(path, what)
    check_quiet(browser, path, what)
