#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Reports in a browser, as a person uses them.

run.py TAKT [AXE] [--shots=DIRECTORY]: AXE is axe.min.js, without which accessibility is not tested.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "web")]
from browser import Browser, missing  # noqa: E402
from pages import KERNELS, TAKT, check_accessible, check_figures, check_page, check_quiet, takt  # noqa: E402
from tap import finish, ok, skip_all  # noqa: E402
import lab_pages  # noqa: E402
import result_pages  # noqa: E402
from result_pages import data_of  # noqa: E402
import trace_pages  # noqa: E402

if missing():
    skip_all(missing())


# ---- analyze

def copied(browser, what):
    """Return what the button copies, as the page hands it to the clipboard."""
    browser.run("""window.kept = null;
        Object.defineProperty(navigator, 'clipboard', {configurable: true,
            value: {writeText: text => { window.kept = text; return Promise.resolve(); }}})""")
    browser.click(f"[data-copy={what}]")
    return browser.until("return window.kept")


def test_analyze(browser, directory):
    path, kernel = directory / "analyze.html", KERNELS / "gauss_seidel.s"
    takt("analyze", "--arch=SKX", f"--output={path}", kernel)
    report = json.loads(takt("analyze", "--arch=SKX", "--format=json", kernel))
    text = takt("analyze", "--arch=SKX", kernel)
    check_page(browser, path, report, "analyze")
    ok(path.stat().st_size < 2000000, "analyze: a small file", path.stat().st_size)

    ok(json.loads(copied(browser, "JSON")) == report, "analyze: copies the JSON")
    ok(copied(browser, "text") == text, "analyze: copies the text")
    ok(copied(browser, "command") == f"takt analyze --arch=SKX --output={path} {kernel}", "analyze: copies the command")

    total = browser.run("""return [...document.querySelectorAll('.stall')].reduce((n, e) => n + Number(e.style.flexGrow), 0)""")
    ok(abs(total - report["simulated"]) < 0.01, "analyze: the bar of stalls sums to the cycles", total)
    rows = browser.run("return document.querySelectorAll('.insn').length")
    ok(rows == len(report["instructions"]), "analyze: a row for each instruction", rows)


def test_trips(browser, directory):
    path, kernel = directory / "trips.html", KERNELS / "dot_product.s"
    takt("analyze", "--arch=SKX", "--trips=20", f"--output={path}", kernel)
    report = json.loads(takt("analyze", "--arch=SKX", "--trips=20", "--format=json", kernel))
    check_page(browser, path, report, "trips")
    shown = browser.run("return [...document.querySelectorAll('.execution [data-key]')].map(e => Number(e.dataset.value))")
    run = report["execution"]
    ok(shown == [run["endless"], run["fill"], run["exit"], run["cycles"], *(loop["cycles"] for loop in run["around"])],
       "trips: parts, sum, and the loops around", shown)


def arrows(browser):
    return browser.run("return [...document.querySelectorAll('path.arrow:not(.tip)')].map(e => e.getAttribute('class'))")


def test_arrows(browser, directory):
    report = json.loads(takt("analyze", "--arch=SKX", "--format=json", KERNELS / "gauss_seidel.s"))
    browser.open(directory / "analyze.html")
    shown = browser.until("return document.querySelector('path.arrow')") and arrows(browser)
    worst = sum(edge["on_loop_carried"] for edge in report["dependences"])
    ok(len(shown) == worst and all("recurrence" in one for one in shown), "arrows: the recurrence is shown", shown)
    browser.click(".check input")
    browser.until("return document.querySelectorAll('path.arrow.flag').length")
    ok(len(arrows(browser)) >= len(report["dependences"]), "arrows: all dependences are shown", len(arrows(browser)))
    browser.click(".check input")
    browser.click("tr[data-index='4']")
    own = sum(4 in (edge["from"], edge["to"]) for edge in report["dependences"])
    ok(len(arrows(browser)) == own, "arrows: those of a chosen instruction", len(arrows(browser)), own)
    ok("vaddsd" in browser.run("return document.querySelector('.detail').textContent"), "arrows: the operands in words")
    ok(browser.run("return location.hash") == "#region=1&instruction=5" or
       browser.run("return location.hash") == "#instruction=5", "arrows: the address names the instruction",
       browser.run("return location.hash"))
    browser.click(".stalls .legend-entry")
    marked = browser.run("return [...document.querySelectorAll('.insn.marked')].map(e => Number(e.dataset.index))")
    ok(marked == sorted(report["waits"][0]["instructions"]), "stalls: a cause marks its instructions", marked)
    browser.click(".advice:not(.change)")
    marked = browser.run("return [...document.querySelectorAll('.insn.marked')].map(e => Number(e.dataset.index))")
    ok(marked == sorted(report["relaxations"][0]["instructions"]), "advice: marks its instructions", marked)


def test_keyboard(browser, directory):
    """All that the mouse does, without it."""
    browser.open(directory / "analyze.html")
    browser.run("document.querySelector('.asm-pane').focus()")
    browser.press("Tab")
    ok("insn" in browser.focused(), "keyboard: Tab leads to the first instruction", browser.focused())
    browser.press("ArrowDown", "ArrowDown")
    ok(browser.run("return document.querySelector('[aria-selected=true]').dataset.index") == "2",
       "keyboard: arrows choose instructions")
    browser.press("Escape")
    ok(not browser.run("return document.querySelector('[aria-selected=true].insn')"), "keyboard: Escape chooses none")
    browser.run("document.querySelector('.advice:not(.change)').focus()")
    browser.press("Enter")
    ok(browser.run("return document.querySelectorAll('.insn.marked').length"), "keyboard: Enter presses an advice")
    reached = set()
    browser.run("document.body.focus(); document.querySelector('[data-copy]').focus()")
    for _ in range(60):
        browser.press("Tab")
        reached.add(browser.focused())
    for part in "scheme", "legend-entry", "asm-pane", "pipeline":
        ok(any(part in one for one in reached), f"keyboard: Tab reaches {part}", sorted(reached))


def view(browser):
    return browser.run("const e = document.querySelector('.pipeline'); return [Number(e.dataset.scale), Number(e.dataset.left), Number(e.dataset.top)]")


def test_pipeline(browser, directory):
    browser.open(directory / "analyze.html")
    browser.run("document.querySelector('.pipeline').scrollIntoView({block: 'center'})")
    browser.until("return document.querySelector('.pipeline').dataset.scale")
    before = view(browser)
    browser.click("[aria-label='Zoom in']")
    browser.until(f"return Number(document.querySelector('.pipeline').dataset.scale) > {before[0]}", 5)
    ok(view(browser)[0] > before[0], "pipeline: a button zooms", before, view(browser))
    browser.click("[aria-label='Show all cycles']")
    browser.until(f"return Number(document.querySelector('.pipeline').dataset.scale) < {before[0]}", 5)
    wide = view(browser)
    ok(wide[0] < before[0], "pipeline: all cycles at once", wide)
    browser.wheel(".pipeline", -300, "Control")
    browser.until(f"return Number(document.querySelector('.pipeline').dataset.scale) > {wide[0]}", 5)
    ok(view(browser)[0] > wide[0], "pipeline: Ctrl and the wheel zoom", view(browser))
    browser.run("document.querySelector('.pipeline').focus()")
    browser.press("+", "+", "Home", "ArrowRight")
    browser.until("return Number(document.querySelector('.pipeline').dataset.left) > 0", 5)
    ok(view(browser)[1] > 0, "pipeline: an arrow key moves right", view(browser))
    browser.press("ArrowDown")
    browser.until("return Number(document.querySelector('.pipeline').dataset.top) > 0", 5)
    ok(view(browser)[2] > 0, "pipeline: an arrow key moves down", view(browser))
    browser.press("j", "j")
    status = browser.run("return document.querySelector('.pipeline-status').textContent")
    ok("renamed" in status and "retired" in status, "pipeline: a row in words", status)
    drawn = browser.run("""const c = document.querySelector('.pipeline'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size""")
    ok(drawn > 4, "pipeline: something is drawn", drawn)


def test_pipeline_fetch(browser, directory):
    """Code that comes out of the decoders shows when it was fetched and predecoded, as the JSON says."""
    path = directory / "fetch.html"
    takt("analyze", "--arch=SKX", "--mode=unroll", "--timeline=12", "--format=html", "-o", path, KERNELS / "gauss_seidel.s")
    slots = json.loads(takt("analyze", "--arch=SKX", "--mode=unroll", "--timeline=12", "--timeline-format=json", KERNELS / "gauss_seidel.s"))["slots"]
    ok(all(s["fetched"] <= s["predecoded"] < s["queued"] and s["delivered_by"] == "decoders" for s in slots), "fetch: before decoding")
    browser.open(path)
    browser.run("document.querySelector('.pipeline').scrollIntoView({block: 'center'}); document.querySelector('.pipeline').focus()")
    browser.until("return document.querySelector('.pipeline').dataset.scale")
    browser.press("j", "j", "j")
    status = browser.run("return document.querySelector('.pipeline-status').textContent")
    ok(all(f"{word} {slots[2][key]}" in status for word, key in
           (("fetched", "fetched"), ("predecoded", "predecoded"), ("decoded", "queued"), ("renamed", "renamed"))),
       "fetch: a row says its cycles", status, slots[2])
    key = browser.run("return document.querySelector('.stage-key').textContent")
    ok(all(word in key for word in ("fetch", "decode", "rename", "executes", "retires")), "fetch: the key names each stage", key)
    check_quiet(browser, path, "fetch")


def lines_of_buffers(browser):
    """Return the title of each line of the chart, and its number of points."""
    return browser.run("""return [[...document.querySelectorAll('.buffers-chart .chart-legend li')].map(e => e.textContent),
        [...document.querySelectorAll('.buffers-chart .line path')].map(e => e.getAttribute('d').split('L').length)]""")


def uses(timeline, intervals):
    """Return the entries in use in each cycle."""
    counts = [0] * (max(slot["retired"] for slot in timeline["slots"]) + 1)
    for begin, end in intervals:
        for cycle in range(begin, end):
            counts[cycle] += 1
    return counts


def test_buffers(browser, directory):
    """The use of buffers, by cycle and as averages: as the slots of the timeline say."""
    browser.open(directory / "analyze.html")
    data = data_of(directory / "analyze.html")
    timeline, buffers = data["timelines"][0], data["figures"][0]["buffers"]
    last = max(slot["retired"] for slot in timeline["slots"])
    names, steps = lines_of_buffers(browser)
    ok(names == ["µop queue", "reorder buffer", "load queue", "store queue", "scheduler"] and steps == [last + 1] * 5, "buffers: lines with a point for each cycle", names, steps, last)
    begin = next(slot["renamed"] for slot in timeline["slots"] if slot["iteration"] >= timeline["iterations"] // 2)
    end = timeline["slots"][-1]["fetched"]
    rows = dict(browser.run("return [...document.querySelectorAll('[aria-label=\"Use of buffers\"] tbody tr')].map(e => [e.children[0].textContent, [...e.children].slice(1).map(c => c.textContent)])"))
    loads = [timeline["slots"][uop["slot"]] for uop in timeline["uops"] if uop["kind"] == "load"]
    wanted = {"reorder buffer": [(slot["renamed"], slot["retired"]) for slot in timeline["slots"]],
              "load queue": [(slot["renamed"], slot["retired"]) for slot in loads],
              "scheduler": [(timeline["slots"][uop["slot"]]["renamed"], uop["dispatched"]) for uop in timeline["uops"] if uop["port"] is not None]}
    for name, intervals in wanted.items():
        counts = uses(timeline, intervals)[begin:end]
        entries = next(one["entries"] for one in buffers if one["kind"] == name)
        ok(rows[name][:3] == [f"{sum(counts) / len(counts):.2f}", str(max(counts)), str(entries)] and max(counts) <= entries, f"buffers: average, largest and entries of the {name}", rows[name], max(counts))
    ok(float(rows["µop queue"][0]) <= float(rows["µop queue"][2]), "buffers: micro-fused µops share an entry of the queue", rows["µop queue"])
    ports = sorted({uop["port"] for uop in timeline["uops"] if uop["port"]})
    browser.run("const s = document.querySelector('.buffers-choice'); s.value = '1'; s.dispatchEvent(new Event('change'))")
    names, steps = lines_of_buffers(browser)
    ok(names == ports and steps == [last + 1] * len(ports), "buffers: µops of each port, summed up", names)
    browser.run("const s = document.querySelector('.buffers-choice'); s.value = '2'; s.dispatchEvent(new Event('change'))")
    ok(len(lines_of_buffers(browser)[0]) == 4, "buffers: and through each stage", lines_of_buffers(browser)[0])
    path = directory / "schedulers.html"
    takt("analyze", "--arch=ZEN4", "-o", path, KERNELS / "gauss_seidel.s")
    browser.open(path)
    names = lines_of_buffers(browser)[0]
    ok(sum(name.startswith("scheduler ") for name in names) > 1, "buffers: each scheduler", names)
    check_quiet(browser, path, "buffers, several schedulers")
    path = directory / "unrolled.html"
    takt("analyze", "--arch=SKX", "--mode=unroll", "-o", path, KERNELS / "gauss_seidel.s")
    browser.open(path)
    names = lines_of_buffers(browser)[0]
    ok(names[0] == "instruction queue", "buffers: the queue before the decoders", names)
    check_quiet(browser, path, "buffers")


def test_model_row(browser, directory):
    """A chosen instruction shows the row of the core's model: as takt model show has it."""
    browser.open(directory / "analyze.html")
    report = json.loads(takt("analyze", "--arch=SKX", "--format=json", KERNELS / "gauss_seidel.s"))
    index = next(i for i, insn in enumerate(report["instructions"]) if insn["form"] == "vaddsd xmm, xmm, m64")
    row = takt("model", "show", "SKX", "--forms=vaddsd xmm, xmm, m64").splitlines()[-1]
    ok("1*p01+1*p23" in row and "lat=4,3>1:8,a>1:11" in row, "model row: what the model has", row)
    browser.run("document.querySelectorAll('.insn')[arguments[0]].focus()", index)
    browser.press("Enter")
    text = browser.run("return document.querySelector('.model-row').textContent")
    ok("1 × p0 or p1, 1 × p2 or p3" in text and "row of the form" in text and "uops.info" in text, "model row: its µops and their source", text)
    latencies = browser.run("return [...document.querySelectorAll('[aria-label=\"Latencies by operand\"] tbody tr')].map(e => [...e.children].map(c => c.textContent).join(' '))")
    ok({"operand 2 operand 1 4", "memory operand 1 8", "base operand 1 11"} <= set(latencies), "model row: latencies of each pair of operands", latencies)
    check_accessible(browser, "model row")


SOURCE = """double sum(const double *x, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += x[i]; /* </script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> */
	return s;
}
void scale(float *x, int n)
{
	for (int i = 1; i < n; i++)
		x[i] = x[i - 1] * 0.5f;
}
"""
HOSTILE = '''	.globl	"</script><script>window.hacked=1</script>"
	.type	"</script><script>window.hacked=1</script>", @function
"</script><script>window.hacked=1</script>":
.L2:
	addq	$1, %rax
	cmpq	%rax, %rdi	# <!-- <img src=x onerror="window.hacked=1"> -->
	jne	.L2
	ret
	.size	"</script><script>window.hacked=1</script>", .-"</script><script>window.hacked=1</script>"
'''


def compile_code(directory, name, text):
    source = directory / name
    source.write_text(text, encoding="utf-8")
    output = directory / (source.stem.strip("<>") + ".o")
    subprocess.run(["gcc", "-g", "-O2", "-c", "-o", output, source], check=True)
    return output


def test_regions(browser, directory):
    """Several regions, with their source."""
    code = compile_code(directory, "<b>code.c", SOURCE)
    path = directory / "regions.html"
    takt("analyze", "--arch=SKX", "--format=html", "-o", path, code)
    report = json.loads(takt("analyze", "--arch=SKX", "--format=json", code))
    browser.open(path)
    names = browser.run("return [...document.querySelectorAll('[role=tab]')].map(e => e.textContent)")
    ok(len(names) == 1 + len(report["regions"]), "regions: a tab for each, and one for all", names)
    browser.click("[role=tab]:nth-child(2)")
    check_figures(browser, report["regions"][0], "regions")
    source = browser.run("return document.querySelector('.source-pane').textContent")
    ok('<img src=x onerror="window.hacked = 1">' in source, "regions: the source's text is shown as it is", source)
    browser.click(".source-line.has:last-of-type")
    ok(browser.run("return document.querySelectorAll('.insn.marked').length"), "regions: a line marks its instructions")
    browser.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    browser.press("ArrowRight")
    ok(browser.run("return document.querySelector('[role=tab][aria-selected=true]').textContent").startswith("scale"),
       "regions: arrow keys change the tab")
    browser.open(path, "#region=2&instruction=2")
    ok(browser.run("return document.querySelector('[aria-selected=true].insn').dataset.index") == "1",
       "regions: an address leads to an instruction")
    ok(not browser.run("return window.hacked || document.querySelector('#page img, #page script')"),
       "regions: nothing of it executes")
    browser.click("[role=tab]")
    browser.click("table[aria-label=Regions] th:nth-child(2) button")
    order = browser.run("return [...document.querySelectorAll('.data [data-key=cycles_per_iteration]')].map(e => Number(e.dataset.value))")
    ok(order == sorted(order, reverse=True) and len(order) == len(report["regions"]), "regions: sorted by cycles", order)
    check_quiet(browser, path, "regions")


def test_cores(browser, directory):
    """Several cores: a tab for each, and a table that compares them."""
    path = directory / "cores.html"
    kernel = ROOT / "examples" / "kernels" / "gauss_seidel.s"
    takt("analyze", "--arch=SKX,ZEN4", "-o", path, kernel)
    reports = json.loads(takt("analyze", "--arch=SKX,ZEN4", "--format=json", kernel))["regions"]
    browser.open(path)
    names = browser.run("return [...document.querySelectorAll('[role=tab]')].map(e => e.textContent)")
    ok(len(names) == 3 and names[1].startswith("SKX") and names[2].startswith("ZEN4"), "cores: a tab for each", names)
    cells = browser.run("return [...document.querySelectorAll('.data tbody tr')].map(e => e.textContent)")
    ok(len(cells) == 2 and all(f"{r['bounds']['loop_carried']:.2f}" in c and f"{r['bounds']['issue']:.2f}" in c
                               for r, c in zip(reports, cells)), "cores: a table with the bounds of each", cells)
    browser.click("[role=tab]:nth-child(3)")
    check_figures(browser, reports[1], "cores")
    check_quiet(browser, path, "cores")


def test_hostile(browser, directory):
    code = compile_code(directory, "hostile.s", HOSTILE)
    path = directory / "hostile.html"
    for source in code, directory / "hostile.s":
        takt("analyze", "--arch=SKX", "--format=html", "-o", path, source)
        data = path.read_text(encoding="utf-8")
        ok(data.lower().count("</script") == 2, "hostile: no tag in the data", data.lower().count("</script"))
        browser.open(path)
        ok(not browser.run("return window.hacked || document.querySelector('#page img, #page script')"),
           "hostile: nothing of it executes")
        title = browser.run("return document.title")
        check_quiet(browser, path, "hostile")
    ok("</script>" in takt("analyze", "--arch=SKX", code), "hostile: the name is the object's", title)


def test_timeline_json(directory):
    timeline = json.loads(takt("analyze", "--arch=SKX", "--timeline=3", "--timeline-format=json", KERNELS / "list_sum.s"))
    slots = timeline["slots"]
    ok(timeline["iterations"] == 3 and {slot["iteration"] for slot in slots} == {0, 1, 2}, "timeline: JSON of three iterations")
    ok(all(slot["queued"] <= slot["renamed"] <= slot["retired"] for slot in slots), "timeline: in order")
    ok(all(uop["ready"] <= uop["dispatched"] <= uop["done"] for uop in timeline["uops"]), "timeline: of µops, too")
    del directory


def main():
    directory = pathlib.Path(tempfile.mkdtemp(prefix="takt-web-"))
    browser = Browser()
    try:
        for test in test_analyze, test_trips, test_arrows, test_keyboard, test_pipeline, test_pipeline_fetch, test_buffers, test_model_row, test_regions, test_cores, test_hostile:
            test(browser, directory)
        trace_pages.run(browser, directory)
        result_pages.run(browser, directory)
        lab_pages.run(browser, directory)
    finally:
        browser.close()
        shutil.rmtree(directory)
    test_timeline_json(None)
    return finish()


sys.exit(main())
