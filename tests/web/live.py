#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `takt serve` in a browser, as a person uses it.

live.py TAKT [AXE] [--shots=DIRECTORY]: AXE is axe.min.js, without which accessibility is not tested.
"""
import base64
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "web"), str(ROOT / "tests" / "serve")]
from browser import Browser, missing  # noqa: E402
from serve_client import Server  # noqa: E402
from tap import comment, finish, ok, skip, skip_all  # noqa: E402

WORDS = [word for word in sys.argv[1:] if not word.startswith("--")]
SHOTS = next((pathlib.Path(word[8:]) for word in sys.argv if word.startswith("--shots=")), None)
TAKT = pathlib.Path(WORDS[0]).resolve()
AXE = pathlib.Path(WORDS[1]) if len(WORDS) > 1 else None
CHAIN = "again:\n\timul\trax, rax\n\tdec\trcx\n\tjne\tagain\n"
CYCLES = "return [...document.querySelectorAll('.headline-row [data-key$=cycles_per_iteration]')].map(e => Number(e.dataset.value))"

if missing():
    skip_all(missing())


class Page:
    """The page with what a user does in it."""

    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def open(self, place=""):
        self.browser.call("POST", "/url", {"url": "about:blank"})
        self.browser.logs("performance")
        self.browser.call("POST", "/url", {"url": self.server.address + place})
        self.browser.until("return document.documentElement.hasAttribute('data-ready')")

    def choose(self, control, value):
        self.browser.run("const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))", control, value)

    def set_code(self, code):
        self.browser.run("const e = document.getElementById('code'); e.value = arguments[0]; e.dispatchEvent(new Event('input'))", code)

    def cycles(self, wanted, seconds=30):
        """Wait until the table has these cycles per iteration; return what it has."""
        self.browser.until(f"{CYCLES}.join() === '{','.join(map(str, wanted))}'", seconds)
        return self.browser.run(CYCLES)

    def is_mended(self, wanted):
        """Wait until no error is shown, as cycles of an earlier answer stay beside one; true if the cycles are right then."""
        gone = self.browser.until("return !document.querySelector('.problem.error, .squiggle')", 60)
        return gone and self.cycles(wanted) == wanted

    def cores(self, *names):
        """Choose these cores and no others."""
        self.browser.run("""const boxes = [...document.querySelectorAll('[data-core-choice]')], names = arguments[0];
            for (const name of names) { const box = boxes.find(b => b.dataset.coreChoice === name); if (!box.checked) box.click(); }
            for (const box of boxes) if (box.checked && !names.includes(box.dataset.coreChoice)) box.click();""", list(names))

    def drop(self, path):
        """Drop a file onto the page, as the browser would hand it over."""
        self.browser.run("""const bytes = Uint8Array.from(atob(arguments[0]), c => c.charCodeAt(0));
            const data = new DataTransfer(); data.items.add(new File([bytes], arguments[1]));
            window.dispatchEvent(new DragEvent('dragenter', {dataTransfer: data}));
            window.dispatchEvent(new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}));""",
                         base64.b64encode(path.read_bytes()).decode(), path.name)


def test_typing(page):
    browser = page.browser
    page.open()
    ok(browser.until("return document.querySelector('.compare') !== null"), "an example is analyzed at once")
    page.choose("language", "intel")
    page.cores("SKX")
    page.set_code("")
    browser.run("document.getElementById('code').focus()")
    browser.type("#code", "again:\nimul rax, rax\ndec rcx\njne again\n")
    ok(page.cycles([3]) == [3], "what is typed is analyzed", browser.run(CYCLES))
    browser.type("#code", " ")
    costs = browser.until("return [...document.querySelectorAll('.editor-number')].map(e => e.firstChild.textContent + (e.classList.contains('in-region') ? '|' : '')).join()")
    browser.until("return document.querySelector('.editor-cost.filled')")
    costs = browser.run("return [...document.querySelectorAll('.editor-number')].map(e => e.firstChild.textContent)")
    ok("3.00" in costs, "cycles stand beside the lines", costs)
    browser.run("document.documentElement.removeAttribute('data-took')")
    loop = "again:\n" + "".join(("\tvfmadd231pd ymm2, ymm1, ymm0\n", "\tadd rax, 8\n", "\timul rbx, rcx\n", "\tmov rdx, [rdi+rax*8]\n")[i % 4] for i in range(48)) + "\tcmp rax, r9\n\tjne again\n"
    times = []
    for i in range(8):
        browser.run("document.documentElement.removeAttribute('data-took')")
        page.set_code(loop + "\n" * i)
        times.append(float(browser.until("return document.documentElement.getAttribute('data-took')")))
    ok(page.cycles([48]) == [48], "50 instructions are shown: twelve fused multiply-adds in a chain")
    comment(f"from sending 50 instructions until they are shown: {[round(time) for time in times]} ms")


def test_errors(page):
    browser = page.browser
    page.set_code("again:\n\timul\trax, rax\n\tnonsense rax\n\tjne\tagain\n")
    ok(browser.until("return document.querySelector('.problem.error')"), "an error is shown")
    ok("line 3, column 2" in browser.run("return document.querySelector('.problem').textContent"), "with its line and column",
       browser.run("return document.querySelector('.problem').textContent"))
    ok("^" in browser.run("return document.querySelector('.problem-more').textContent"), "and a caret")
    ok(browser.run("return document.querySelectorAll('.editor-number')[2].classList.contains('has-error')"), "its line is marked")
    place = browser.run("""const mark = document.querySelector('.squiggle'), field = document.getElementById('code');
        const style = getComputedStyle(field), ruler = document.createElement('span'); ruler.textContent = '0'.repeat(100);
        ruler.style.font = style.font; ruler.style.position = 'absolute'; document.body.append(ruler);
        const letter = ruler.getBoundingClientRect().width / 100; ruler.remove();
        const box = mark.getBoundingClientRect(), own = field.getBoundingClientRect();
        return [(box.left - own.left - parseFloat(style.paddingLeft)) / letter, (box.top - own.top - parseFloat(style.paddingTop)) / 20, box.width / letter]""")
    ok(abs(place[0] - 4) < 0.1 and abs(place[1] - 2) < 0.1 and place[2] >= 1, "so is its column", place)
    browser.click(".problem button")
    at = browser.run("const e = document.getElementById('code'); return [document.activeElement === e, e.value.slice(0, e.selectionStart).split('\\n').length]")
    ok(at == [True, 3], "a click on it goes there", at)
    page.set_code(CHAIN)
    ok(page.is_mended([3]), "mended code has no error")
    page.set_code("again:\n\timul rax, [\"<img src=x onerror=window.hit=1>\"]\n")
    browser.until("return document.querySelector('.problem.error')")
    ok(browser.run("return window.hit === undefined && !document.querySelector('#problems img')"), "markup in code stays text")
    page.set_code(CHAIN)


def test_large(page):
    """10 MB of assembly, of instructions and of nonsense with markup: the page says what became of it, and goes on."""
    browser = page.browser
    for name, piece in (("instructions", "\\tvaddpd ymm1, ymm2, ymm3\\n"), ("nonsense", "<img src=x onerror=window.hit=1> rax\\n")):
        size = browser.run(f"""const piece = '{piece}', e = document.getElementById('code'); e.value = piece.repeat(10_000_000 / piece.length + 1);
            document.documentElement.removeAttribute('data-took'); e.dispatchEvent(new Event('input')); return e.value.length""")
        ok(size >= 10_000_000, f"10 MB of {name} are in the editor", size)
        ok(browser.until("return document.documentElement.getAttribute('data-took')", 100), f"10 MB of {name} are answered")
        said = browser.run("return document.getElementById('problems').textContent + document.getElementById('results').textContent")
        ok(said.strip() and browser.run("return window.hit === undefined && !document.querySelector('#problems img')"), "in words, and nothing executes", said[:200])
        ok(browser.run("return document.querySelectorAll('.editor-number').length") <= 20000, "not each line has a number")
        ok(browser.run("return location.href.length") < 100_000, "the address does not hold it")
        # The browser notes each refused answer. Which one comes depends on the time that the server has: 413 or 503.
        complaints = [text for text in browser.complaints() if "/analyze?" not in text or not any(f"status of {code} " in text for code in (400, 413, 503))]
        ok(not complaints, "the console names only answers that were refused", complaints)
    page.set_code(CHAIN)
    ok(page.is_mended([3]), "little code after it is analyzed as ever")


def test_cores(page):
    browser = page.browser
    page.cores("SKX", "ZEN4", "ICL")
    ok(page.cycles([3, 3, 3]) == [3, 3, 3], "three cores stand side by side", browser.run(CYCLES))
    browser.click("[data-core='ZEN4']")
    ok(browser.until("return document.querySelector('.headline strong')?.textContent === 'ZEN4'"), "a click on one shows it below")
    page.cores("SKX")
    page.cycles([3])


OSACA = """#!/bin/sh
[ "$1 $2 $3 $4" = "--arch SKX --ignore-unknown --yaml-out" ] && grep -q imul "$6" || { echo "<img src=x onerror=window.hit=1> unknown"; exit 1; }
printf 'Summary:\\n  PortPressure:\\n    0: 1.0\\n  CriticalPath: 9.0\\n  LCD: 3.0\\n' > "$5"
"""
MCA = """#!/bin/sh
case "$*" in *-mcpu=skylake-avx512*) grep -q imul && echo 'Total Cycles:      307';; *) echo '<img src=x onerror=window.hit=1> not a processor'; exit 1;; esac
"""


def test_peers(page):
    """Other predictors beside takt's figures: stand-ins of the same names, as main() puts them into PATH."""
    browser = page.browser
    page.set_code(CHAIN)
    page.cores("SKX", "ZEN4")
    page.cycles([3, 3])
    ok(browser.run("return !document.querySelector('.peer-row')"), "no other predictor is asked by itself")
    browser.click("#peers")
    rows = "return [...document.querySelectorAll('.peer-row')].map(e => [e.dataset.peer, ...[...e.querySelectorAll('td')].map(c => c.textContent)])"
    browser.until("return document.querySelectorAll('.peer-row').length === 2")
    shown = {row[0]: row[1:] for row in browser.run(rows)}
    ok([row[0] for row in shown.values()] == ["3.07", "3.00"], "llvm-mca and OSACA stand beside the figure", shown)
    ok(all("<img src=x onerror=window.hit=1>" in row[1] for row in shown.values()), "what they do not know they say, as text", shown)
    ok(browser.run("return window.hit === undefined && !document.querySelector('.compare img')"), "which does not execute")
    ok("models of their own" in browser.run("return document.querySelector('.peers-note').textContent"), "the note says what they are")
    page.set_code(CHAIN.replace("\timul\trax, rax\n", "\timul\trax, rax\n" * 2))
    page.cycles([6, 6])
    ok(browser.until("return document.querySelectorAll('.peer-row').length === 2"), "they are asked again for other code")
    browser.click("#peers")
    ok(browser.until("return !document.querySelector('.peer-row')"), "until the user wants them no more")
    page.cores("SKX")
    page.set_code(CHAIN)
    page.cycles([3])


def test_sliders(page):
    browser = page.browser
    page.set_code("again:\n" + "\tnop\n" * 14 + "\tdec rcx\n\tjne again\n")
    ok(page.cycles([3.75]) == [3.75], "a loop of 15 slots, four a cycle", browser.run(CYCLES))
    browser.run("document.querySelector('.sliders').open = true")
    ok(browser.until("return document.querySelector('[data-setting=issue_width]')"), "there is a slider for the width")
    browser.run("const e = document.querySelector('[data-setting=issue_width]'); e.value = 2; e.dispatchEvent(new Event('input'))")
    ok(page.cycles([7.5]) == [7.5], "two a cycle take longer", browser.run(CYCLES))
    ok(browser.run("return document.querySelector('.headline-row .before')?.textContent") == "3.75", "the figure before stands beside it")
    ok("issue_width 2" in browser.run("return document.querySelector('.sliders summary').textContent"), "what was changed is named")
    browser.click(".slider-reset")
    ok(page.cycles([3.75]) == [3.75], "back to the core as it is")
    page.set_code("again:\n" + "\tvpermd ymm1, ymm0, ymm2\n" * 3 + "\tdec rcx\n\tjne again\n")
    ok(page.cycles([3]) == [3], "three shuffles on one port", browser.run(CYCLES))
    browser.run("const e = document.querySelector('[data-setting=\"port.p5\"]'); e.value = 3; e.dispatchEvent(new Event('input'))")
    ok(page.cycles([1]) == [1], "three such ports: only the four slots of an iteration limit it", browser.run(CYCLES))
    ok("port.p5 3" in browser.run("return document.querySelector('.sliders summary').textContent"), "the port is named")
    page.cores("SKX", "ZEN4")
    ok(len(page.cycles([1, 1.5]) or []) == 2, "a core without that port stays as it is", browser.run(CYCLES))
    page.cores("SKX")
    browser.click(".slider-reset")
    ok(page.cycles([3]) == [3], "back to one port")
    browser.run("document.querySelector('.sliders').open = false")


def test_permalink(page):
    browser = page.browser
    page.set_code(CHAIN)
    page.cores("SKX", "ZEN4")
    page.cycles([3, 3])
    address = browser.until("return location.hash.startsWith('#s=') && new Promise(r => setTimeout(() => r(location.hash), 700))")
    page.open(address)
    ok(page.cycles([3, 3]) == [3, 3] and browser.run("return document.getElementById('code').value") == CHAIN
       and browser.run("return document.getElementById('language').value") == "intel", "the address restores code, language and cores")
    for hash_text in "#s=nonsense", "#s=", "#s=" + "A" * 3000, "#region=1":
        page.open(hash_text)
        if not ok(browser.until("return document.querySelector('.compare') !== null"), f"a damaged address '{hash_text[:12]}' is left alone"):
            break


def test_source_code(page):
    browser = page.browser
    if not shutil.which("gcc"):
        skip("C in the editor", "there is no gcc")
        return
    page.choose("language", "c")
    page.choose("compiler", "gcc")
    browser.run("const e = document.getElementById('flags'); e.value = '-O2'; e.dispatchEvent(new Event('input'))")
    page.set_code("double sum(const double *a, long n)\n{\n\tdouble s = 0;\n\tfor (long i = 0; i < n; i++)\n\t\ts += a[i];\n\treturn s;\n}\n")
    page.cores("SKX")
    ok(page.cycles([4]) == [4], "C is compiled and analyzed", browser.run(CYCLES), browser.run("return document.getElementById('problems').textContent"))
    ok(browser.until("return [...document.querySelectorAll('.source-line')].some(e => e.textContent.includes('s += a[i]'))"), "its source stands beside the assembly")
    address = browser.until("return new Promise(r => setTimeout(() => r(location.hash), 700))")
    page.open(address)
    ok(browser.until("return document.getElementById('compile')") and not browser.run("return document.querySelector('.compare')"), "source code from an address is not compiled")
    browser.click("#compile")
    ok(page.cycles([4]) == [4], "until the user says so")
    page.set_code("int f( {\n")
    ok(browser.until("return document.querySelector('.problem.error')?.textContent.includes('line 1')"), "an error of the compiler is shown at its line")
    page.choose("example", "0")


def test_drops(page, folder):
    browser = page.browser
    source, report, page_file = folder / "list.s", folder / "saved.json", folder / "saved.html"
    source.write_text(".L1:\n\timulq %rax, %rax\n\timulq %rax, %rax\n\tdecq %rcx\n\tjne .L1\n")
    page.drop(source)
    page.cores("SKX")
    ok(page.cycles([6]) == [6] and browser.run("return document.getElementById('language').value") == "att", "a dropped text goes into the editor", browser.run(CYCLES))
    for path, form in ((report, "json"), (page_file, "html")):
        path.write_bytes(subprocess.run([TAKT, "analyze", "--arch=SKX", f"--format={form}", source], capture_output=True, check=True).stdout)
        page.drop(path)
        ok(browser.until("return document.querySelector('.saved') && document.querySelector('.headline .figure')?.textContent === '6.00'"), f"a saved result ({form}) is shown")
        browser.click("#close-saved")
        page.cycles([6])
    blocks = folder / "blocks"
    blocks.write_text("480fafc0\n")
    for command, shown in ((("deps", "--arch=SKX", source), ".deps"), (("predict", "--arch=SKX", blocks), "[aria-label=Blocks]"),
                           (("characterize", "--form=add r64, r64", "--backend=sim:SKL", "--time-only"), ".characterize"), *(((("trace", "--arch=SKX", "--", "true"), ".trace [aria-label=Functions]"),) if shutil.which("qemu-x86_64") else ())):
        output = ("--report",) if command[0] == "trace" else ("-o",)
        subprocess.run([TAKT, command[0], "--format=json", *output, report, *command[1:]], capture_output=True, check=True)
        page.drop(report)
        ok(browser.until(f"return document.querySelector('.saved') && document.querySelector(`{shown}`)"), f"a saved result of takt {command[0]} has its own view", browser.run("return document.querySelector('.results').textContent.slice(0, 300)"))
        browser.click("#close-saved")
        page.cycles([6])
    (folder / "bad.json").write_text('{"a": <script>window.hit = 1</script>')
    page.drop(folder / "bad.json")
    ok(browser.until("return document.querySelector('.problem')?.textContent.includes('no result of takt')") and browser.run("return window.hit === undefined"), "what is none is refused")
    if shutil.which("gcc"):
        subprocess.run(["gcc", "-c", "-o", folder / "list.o", source], check=True)
        page.drop(folder / "list.o")
        ok(browser.until("return document.querySelector('.object-note:not([hidden])')?.textContent.includes('list.o')"), "a dropped object is analyzed")
        page.cores("SKX")
        ok(page.cycles([6]) == [6], "with its cycles", browser.run(CYCLES))
        browser.click("#back")
        ok(browser.until("return !document.querySelector('.editor').hidden"), "and left for the editor again")


def test_measuring(page):
    browser = page.browser
    page.choose("language", "hex")
    page.set_code("48 0f af c0\n")
    page.cores("SKX")
    page.cycles([3])
    browser.click("#measure")
    shown = browser.until("return document.querySelector('[data-key=\"measured.cycles\"]')?.textContent || document.querySelector('.compare td .failure')?.textContent")
    ok(shown, "measured here", shown)


def test_keyboard(page):
    browser = page.browser
    page.choose("example", "0")
    browser.until("return document.querySelector('.compare')")
    browser.run("document.getElementById('code').focus()")
    browser.press("Escape", "Tab")
    ok(browser.run("return document.activeElement.id !== 'code'"), "Escape, then Tab leaves the editor", browser.focused())
    browser.run("document.getElementById('code').focus(); document.getElementById('code').setSelectionRange(0, 0)")
    browser.press("Tab")
    ok(browser.run("return document.getElementById('code').value.startsWith('\\t')"), "Tab indents")


def test_looks(page):
    browser = page.browser
    page.choose("example", "0")
    browser.until("return document.querySelector('.compare')")
    for width, height in (400, 800), (1400, 1000), (3840, 2160):
        browser.size(width, height)
        ok(browser.until("return document.documentElement.scrollWidth <= innerWidth && innerWidth", 5) == width, f"fits in {width} pixels",
           browser.run("return document.documentElement.scrollWidth"))
        if SHOTS:
            browser.screenshot(SHOTS / f"serve-{width}.png")
    browser.size(1400, 1000)
    browser.run("document.querySelector('.sliders').open = true; document.querySelector('.core-picker').open = true")
    for scheme in "light", "dark":
        if not AXE or not AXE.exists():
            skip(f"accessible in {scheme} colours", "axe-core is not there")
            continue
        browser.scheme(scheme)
        found = browser.inaccessible(AXE)
        ok(not found, f"accessible in {scheme} colours", found)
        if SHOTS:
            browser.screenshot(SHOTS / f"serve-{scheme}.png")
    browser.scheme("light")
    browser.run("document.querySelector('.sliders').open = false; document.querySelector('.core-picker').open = false")


def test_ends(page):
    browser = page.browser
    complaints = [text for text in browser.complaints() if "400 (Bad" not in text]
    ok(not complaints, "no complaint in the console", complaints)
    asked = {address for address in browser.requests() if not address.startswith((page.server.address, "about:", "data:"))}
    ok(not asked, "no request leaves for another address", asked)
    page.server.close()
    page.set_code(page.browser.run("return document.getElementById('code').value") + " ")
    ok(browser.until("return document.querySelector('.problem')?.textContent.includes('is it still running')"), "a server that is gone is named")


def main():
    tools = pathlib.Path(tempfile.mkdtemp(prefix="takt-tools-"))
    for name, text in (("osaca", OSACA), ("llvm-mca-21", MCA)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    os.environ["PATH"] = f"{tools}:{os.environ['PATH']}"
    try:
        server = Server(TAKT, "--measure")
    except RuntimeError as error:
        if "takt-http" in str(error):
            skip_all(str(error).splitlines()[0])
        raise
    folder = pathlib.Path(tempfile.mkdtemp(prefix="takt-live-"))
    browser = Browser()
    page = Page(browser, server)
    browser.size(1400, 1000)
    try:
        for test in test_typing, test_errors, test_large, test_cores, test_peers, test_sliders, test_permalink, test_source_code:
            test(page)
        test_drops(page, folder)
        for test in test_measuring, test_keyboard, test_looks:
            test(page)
        test_ends(page)
    finally:
        browser.close()
        shutil.rmtree(folder)
        shutil.rmtree(tools)
        if server.process.poll() is None:
            server.close()
    return finish()


sys.exit(main())
