# SPDX-License-Identifier: MIT
"""Reports of the smaller commands in a browser: deps, predict, count, diagnose, bench and validate."""
import json
import shutil
import subprocess

from pages import KERNELS, TAKT, check_figures, check_page, check_quiet, takt
from tap import ok, skip

PROGRAM = """#include <stdlib.h>
int main(void)
{
	int odd = 0;
	unsigned seed = 1;
	for (int i = 0; i < 200000; i++)
		if ((seed = seed * 1103515245 + 12345) >> 16 & 1)
			odd += i ^ odd;
		else
			odd--;
	return odd == 12345;
}
"""
FIBONACCI = "--hex=48 8b 07 48 03 47 08 48 89 47 10 48 83 c7 08"


def data_of(path):
    """Return what a page holds: of commands whose figures differ from run to run, the page has the only ones."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text[text.index('id="data">') + len('id="data">'):].split("</script>")[0])


def rows_of(browser, label, column):
    return browser.run("return [...document.querySelectorAll(`[aria-label='${arguments[0]}'] tbody tr`)].map(e => e.children[arguments[1]].textContent)",
                       label, column)


def test_deps(browser, directory):
    path = directory / "deps.html"
    takt("deps", "--arch=SKX", FIBONACCI, "-o", path)
    report = json.loads(takt("deps", "--arch=SKX", FIBONACCI, "--format=json"))
    check_page(browser, path, report, "deps")
    arrows = browser.until("return document.querySelectorAll('path.arrow:not(.tip)').length")
    ok(arrows == len(report["memory_dependences"]), "deps: an arrow for each dependence", arrows)
    browser.click("[aria-label='Dependences through memory'] tbody tr:nth-child(2)")
    marked = browser.run("return [...document.querySelectorAll('.insn.marked')].map(e => Number(e.dataset.index))")
    edge = report["memory_dependences"][1]
    ok(marked == sorted((edge["from"], edge["to"])), "deps: a click marks both instructions", marked)
    takt("deps", "--arch=SKX", "-o", path, KERNELS / "gauss_seidel.s")
    browser.open(path)
    check_quiet(browser, path, "deps of a file")


def test_predict(browser, directory):
    path, blocks = directory / "predict.html", directory / "blocks"
    lines = ["4801c3", "480fafc2", "4801c3480fafc2480fafc2"] + ["90" * n for n in range(1, 40)]
    blocks.write_text("\n".join(lines) + "\n", encoding="utf-8")
    path.write_text(takt("predict", "--arch=SKX,ZEN4", "--format=html", blocks), encoding="utf-8")
    report = json.loads(takt("predict", "--arch=SKX,ZEN4", "--format=json", blocks))
    check_page(browser, path, report, "predict")
    columns = browser.run("return [...document.querySelectorAll('.chart')].map(e => [...e.querySelectorAll('.column title')].reduce((n, t) => n + Number(t.textContent.match(/: ([0-9,]+) block/)[1].replace(',', '')), 0))")
    ok(columns == [len(lines)] * 2, "predict: each distribution has all blocks", columns)
    browser.click("[aria-label=Blocks] th:nth-child(2) button")
    shown = [float(text) for text in rows_of(browser, "Blocks", 1)]
    ok(shown == sorted(shown, reverse=True), "predict: sorted by cycles", shown[:5])
    browser.type("[aria-label='Search Blocks']", "480fafc2")
    found = browser.until("const n = document.querySelectorAll('[aria-label=Blocks] tbody tr').length; return n < 20 && n")
    ok(found == 2, "predict: blocks are searched", found)


def test_count(browser, directory, program):
    path = directory / "count.html"
    takt("count", "--backend=emulate", "-g", "DATA", "-g", "FLOPS_DP", "-o", path, "--", program)
    check_page(browser, path, data_of(path)["report"], "count")
    browser.run("const s = document.querySelector('[aria-label=group]'); s.value = 'DATA'; s.dispatchEvent(new Event('change'))")
    ok(set(rows_of(browser, "Metrics", 0)) == {"DATA"}, "count: metrics of one group", rows_of(browser, "Metrics", 0))
    # Intervals need the processor's counters, which many machines lack: three times the same counts.
    data = data_of(path)
    head, tail = path.read_text(encoding="utf-8").split('"intervals": ')
    empty = tail.index("[]")
    path.write_text(head + '"intervals": ' + json.dumps([data["report"]] * 3) + tail[empty + 2:], encoding="utf-8")
    browser.open(path)
    points = browser.run("return [...document.querySelectorAll('.chart')].map(e => e.querySelectorAll('circle').length)")
    ok(points and set(points) == {3}, "count: a point for each interval", points)
    check_figures(browser, data["report"], "count, with intervals")
    check_quiet(browser, path, "count, with intervals")


def test_count_kernel(browser, directory):
    """Intervals of the events that the kernel counts, which need no counters of the processor."""
    path = directory / "kernel.html"
    done = subprocess.run([TAKT, "count", "-t", "20ms", "-e", "task-clock,page-faults", "-o", path, "--", "sleep", "0.2"],
                          check=False, capture_output=True)
    if done.returncode:
        skip("count: events of the kernel over time", "the kernel does not let this user count")
        return
    data = data_of(path)
    browser.open(path)
    ok("the kernel" in browser.run("return document.querySelector('.headline').textContent"), "count: the kernel counted")
    points = browser.run("return [...document.querySelectorAll('.chart')].map(e => e.querySelectorAll('circle').length)")
    ok(points == [len(data["intervals"])] * 2, "count: events over time, where there are no metrics", points, len(data["intervals"]))
    check_quiet(browser, path, "count of the kernel")


def test_diagnose(browser, directory, program):
    path = directory / "diagnose.html"
    subprocess.run([TAKT, "diagnose", "--arch=SKX", f"--report={path}", "--", program], check=False, capture_output=True)
    report = data_of(path)["report"]
    check_page(browser, path, report, "diagnose")
    titles = browser.run("return [...document.querySelectorAll('.finding h2')].map(e => e.textContent)")
    ok(titles == [one["title"] for one in report["findings"]] and "control flow" in titles, "diagnose: what was found", titles)
    evidence = browser.run("return document.querySelectorAll('.evidence tbody tr').length")
    ok(evidence == sum(len(one["evidence"]) for one in report["findings"]), "diagnose: with its evidence", evidence)


def test_bench(browser, directory):
    path = directory / "bench.html"
    takt("bench", "--levels=L1,L2", "--what=bandwidth,latency", "--kernels=load", "--rounds=1", "-q", "-o", path)
    report = data_of(path)["report"]
    check_page(browser, path, report, "bench")
    threads = {row["threads"] for row in report["limits"] if row["kind"] == "bandwidth"}
    charts = browser.run("return [...document.querySelectorAll('.chart')].map(e => e.querySelectorAll('circle').length)")
    ok(len(charts) == len(threads) and sum(charts) == sum(row["kind"] == "bandwidth" for row in report["limits"]),
       "bench: a staircase for each number of threads", charts)


def test_validate(browser, directory):
    path = directory / "validate.html"
    takt("validate", "--backend=emulate", "--kernels=copy_avx,load", "--levels=L1", "-q", "-o", path)
    report = data_of(path)["report"]
    check_page(browser, path, report, "validate")
    rows = rows_of(browser, "Events", 0)
    ok(sorted(rows) == sorted(row["event"] for row in report["events"]), "validate: a row for each event", rows)


def run(browser, directory):
    test_deps(browser, directory)
    test_predict(browser, directory)
    test_bench(browser, directory)
    test_count_kernel(browser, directory)
    if not shutil.which("qemu-x86_64"):
        skip("reports of count, diagnose and validate", "qemu-x86_64 is not installed")
        return
    source, program = directory / "odd.c", directory / "odd"
    source.write_text(PROGRAM, encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-fno-if-conversion", "-o", program, source], check=True)
    test_count(browser, directory, program)
    test_diagnose(browser, directory, program)
    test_validate(browser, directory)
