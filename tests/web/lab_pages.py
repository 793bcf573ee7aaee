# SPDX-License-Identifier: MIT
"""Reports of the laboratory in a browser: characterize, evaluate, model learn; and functions of predict --paths."""
import json
import sqlite3

from pages import KERNELS, ROOT, check_figures, check_page, check_quiet, takt
from result_pages import data_of, rows_of
from tap import ok

BENCHMARKS_MEASURED = 12


# ---- predict --paths

def test_paths(browser, directory):
    path, kernel = directory / "paths.html", KERNELS / "dot_product.s"
    options = ("predict", "--paths", "--arch=SKX,ZEN4", "--function=dot_product", "--trips=64", kernel)
    takt(*options, "-o", path)
    report = json.loads(takt(*options, "--format=json"))
    ok(data_of(path)["report"] == report, "paths: the page has the command's JSON")
    check_page(browser, path, report, "paths")
    loops = rows_of(browser, "Loops of dot_product", 0)
    ok(len(loops) == len(report["functions"][0]["loops"]) and loops[0] == "dot_product: a call", "paths: the call and its loops", loops)
    headings = browser.run("return [...document.querySelectorAll('.paths .card dt')].map(e => e.textContent)")
    ok(headings == ["a call on SKX", "a call on ZEN4"], "paths: the cores side by side", headings)


# ---- model learn

def test_learn(browser, directory):
    path = directory / "learn.html"
    page = takt("model", "learn", "--machine=sim:SKL", "--from=SKX", "--only=rob_entries,load_latency_int,stack_engine", "-o", directory / "learnt", "--format=html")
    path.write_text(page, encoding="utf-8")
    report = data_of(path)["report"]
    check_page(browser, path, report, "learn")
    rows = rows_of(browser, "Parameters", 0)
    ok(rows == [one["parameter"] for one in report["parameters"]] and "rob_entries" in rows, "learn: a row for each parameter", rows)
    charts = browser.run("return [...document.querySelectorAll('.experiment')].map(e => [e.dataset.experiment, e.querySelectorAll('.line-dots circle').length])")
    wanted = {one["name"]: sum(timing["cycles"] is not None for timing in one["timings"]) for one in report["experiments"]}
    ok(dict(map(tuple, charts)) == wanted, "learn: a plot with each timing of each experiment", charts, wanted)
    knees = browser.run("return document.querySelectorAll('[data-experiment=window-nops] .knee').length")
    ok(knees == 2, "learn: the knee of the window, on the machine and on the learnt core", knees)
    browser.run("document.querySelectorAll(\"[aria-label='Parameters'] tbody tr\")[arguments[0]].focus()", rows.index("rob_entries"))
    browser.press("Enter")
    shown = browser.run("return [...document.querySelectorAll('.experiment')].map(e => e.dataset.experiment)")
    of_window = next(one for one in report["parameters"] if one["parameter"] == "rob_entries")["experiments"].split()
    ok(sorted(shown) == sorted(of_window), "learn: Enter on a parameter shows its experiments", shown, of_window)


# ---- characterize

def test_survey(browser, directory):
    path = directory / "survey.html"
    databases = {}
    for core in "SKL", "ZEN4":
        databases[core] = directory / f"{core}.sqlite"
        takt("characterize", "--all", "--forms=vpadd*", f"--backend=sim:{core}", "--time-only", "--output", databases[core])
    takt("characterize", "--export=report", "-o", path, databases["SKL"])
    report = json.loads(takt("characterize", "--export=report", "--format=json", databases["SKL"]))
    other = json.loads(takt("characterize", "--export=report", "--format=json", databases["ZEN4"]))
    ok(data_of(path)["report"] == report, "characterize: the page has the command's JSON")
    check_page(browser, path, report, "characterize")
    ok(sorted(rows_of(browser, "Instructions", 0)) == sorted(one["form"] for one in report["forms"]), "characterize: a row for each form")
    browser.type(".search", "vpaddb ymm")
    found = browser.until("const r = [...document.querySelectorAll(\"[aria-label='Instructions'] tbody tr\")]; return r.length < 20 && r.map(e => e.children[0].textContent)")
    ok(found and sorted(found) == sorted(one["form"] for one in report["forms"] if "vpaddb" in one["form"] and "ymm" in one["form"]), "characterize: the search finds forms", found)
    browser.open(path)
    browser.run("const s = document.querySelector(\"select[aria-label='instruction set']\"); s.value = 'avx'; s.dispatchEvent(new Event('change'))")
    shown = rows_of(browser, "Instructions", 0)
    ok(shown and sorted(shown) == sorted(one["form"] for one in report["forms"] if one["isa_set"] == "avx"), "characterize: filtered by instruction set", shown)
    browser.click("[aria-label='Instructions'] th:nth-child(3) button")
    order = browser.run("return [...document.querySelectorAll(\"[aria-label='Instructions'] tbody td:nth-child(3)\")].map(e => Number(e.dataset.value))")
    ok(order == sorted(order, reverse=True), "characterize: sorted by throughput", order)
    browser.run("document.querySelector(\"[aria-label='Instructions'] tbody tr\").focus()")
    browser.press("Enter")
    detail = browser.run("return document.querySelector(\"[aria-label='Latencies']\").textContent")
    ok("2 → 1" in detail, "characterize: Enter on a row shows its latencies", detail)
    check_plots(browser, [report["forms"][0]], "characterize")
    test_two_surveys(browser, directory, databases, report, other)


def differs(form, other):
    return abs(form["throughput_cycles"] - other["throughput_cycles"]) > 0.05 * min(form["throughput_cycles"], other["throughput_cycles"])


def check_plots(browser, forms, name):
    """Each measured point of the chosen form is in a plot, with the line of the figure if it has one."""
    plots = browser.run("return [...document.querySelectorAll('.experiment')].map(e => [e.dataset.experiment, e.querySelectorAll('.line-dots circle').length, e.querySelectorAll('.line-plain').length])")
    points = {}
    for form in forms:
        for one in form["measured"]:
            title = "throughput" if one["title"].startswith("throughput") else one["title"]
            points.setdefault(title, [0, set()])
            points[title][0] += len(one["x"])
            points[title][1].add(id(form))
    # How an instruction is decoded is seen in steps, which are no line.
    stairs = {title for title in points if title.startswith("diluted")}
    wanted = [[title, count, 0 if title in stairs else len(machines)] for title, (count, machines) in points.items()]
    pairs = {f"latency {one['source']} to {one['destination']}" for form in forms for one in form["latencies"]}
    ok(sorted(plots) == sorted(wanted) and set(points) - stairs == pairs | {"throughput"}, f"{name}: a plot for each figure, with each experiment and a line", plots, wanted)


def test_two_surveys(browser, directory, databases, report, other):
    path, saved = directory / "surveys.html", directory / "ZEN4.json"
    takt("characterize", "--export=report", "-o", path, f"--against={databases['ZEN4']}", databases["SKL"])
    check_page(browser, path, report, "two machines")
    both = browser.run("return [...document.querySelectorAll(\"[aria-label='Instructions'] tbody tr\")].map(e => [e.children[0].textContent, e.querySelector('td:nth-last-child(2)').textContent])")
    others = {one["form"]: one for one in other["forms"]}
    own = {one["form"]: one for one in report["forms"]}
    wrong = [(form, text) for form, text in both
             if (form in own and form in others) and ("throughput" in text) != differs(own[form], others[form])
             or (form not in own) != (text == f"only in {other['machine']}")]
    ok(both and not wrong and any("only in" in text for _, text in both), "two machines: differences are named", wrong[:4])
    points = browser.run("return document.querySelectorAll('.points circle').length")
    ok(points == len(set(own) & set(others)), "two machines: a point for each form that both have", points)
    shared = next(form for form in own if form in others)
    browser.run("[...document.querySelectorAll(\"[aria-label='Instructions'] tbody tr\")].find(e => e.children[0].textContent === arguments[0]).click()", shared)
    check_plots(browser, [own[shared], others[shared]], "two machines")
    saved.write_text(json.dumps(other), encoding="utf-8")
    browser.open(directory / "survey.html")
    browser.type("input[type=file]", str(saved))
    rows = browser.until("const r = document.querySelectorAll(\"[aria-label='Instructions'] thead th\"); return r.length > 8 && r.length")
    ok(rows, "two machines: a file of results can be chosen in the page", rows)
    check_quiet(browser, directory / "survey.html", "two machines, one from a file")


def test_form(browser, directory):
    path = directory / "form.html"
    options = ("characterize", "--form=vaddpd xmm, xmm, m128", "--backend=sim:SKL", "--time-only", "--explain")
    takt(*options, "-o", path)
    report = json.loads(takt(*options, "--format=json"))
    ok(data_of(path)["report"] == report, "form: the page has the command's JSON")
    check_page(browser, path, report, "form")
    measured = {}
    for run in report["runs"]:
        if run["x"] is not None and run["cycles"] is not None:
            measured.setdefault(run["title"], []).append(run["x"])
    ok("throughput in a loop" in measured and "latency 2 to 1" in measured, "form: experiments with a size", list(measured))
    check_plots(browser, [{**report, "measured": [{"title": title, "x": x} for title, x in measured.items()]}], "form")


# ---- evaluate

def evaluation(directory):
    """Benchmarks of two kernels, compiled; what would measure and predict them is written here instead."""
    place = directory / "evaluation"
    for kernel in "gemm", "jacobi-1d":
        source = ROOT / "kernels" / f"{kernel}.c"
        if source.exists():
            takt("evaluate", "build", place, f"--kernels={ROOT / 'kernels'}", f"--kernel={source}", "--small", "-q")
    with sqlite3.connect(place / "results.db") as database:
        ids = [row[0] for row in database.execute("SELECT id FROM benchmark WHERE state = 'built' ORDER BY id")]
        first = database.execute("SELECT kernel, compiler, strategy, options, file FROM benchmark WHERE id = ?", ids[:1]).fetchone()
        for number in range(BENCHMARKS_MEASURED - len(ids)):
            database.execute("INSERT INTO benchmark (kernel, compiler, strategy, options, state, reason, file, hash) VALUES (?, ?, ?, ?, 'built', '', ?, ?)",
                             (*first[:3], f"-DTEST={number}", first[4], 1000 + number))
        ids = [row[0] for row in database.execute("SELECT id FROM benchmark WHERE state = 'built' ORDER BY id")]
        for number, one in enumerate(ids):
            cycles = 1000.0 * (number + 1)
            database.execute("INSERT INTO run VALUES (?, 1000, '', 500, ?, 0)", (one, 5000 if number == BENCHMARKS_MEASURED - 1 else number))
            database.execute("INSERT INTO measurement VALUES (?, 'ok', ?, 0.001, 3, 'tsc', '<b>a processor</b>')", (one, cycles))
            for predictor, error in (("takt sim", 0.02 * number - 0.1), ("takt bounds", -0.3 + 0.01 * number)):
                database.execute("INSERT INTO prediction VALUES (?, 'SKX', ?, ?, 0.1, '')", (one, predictor, cycles * (1 + error)))
    database.close()
    return place


def quantile(values, share):
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def test_evaluate(browser, directory):
    path, place = directory / "evaluate.html", evaluation(directory)
    takt("evaluate", "report", place, "--arch=SKX", f"--kernels={ROOT / 'kernels'}", "-o", path)
    report = json.loads(takt("evaluate", "report", place, "--arch=SKX", "--format=json"))
    ok(data_of(path)["report"] == report and report["benchmarks"], "evaluate: the page has the command's JSON")
    check_page(browser, path, report, "evaluate")
    names = browser.run("return [...document.querySelectorAll('button.box-name')].map(e => e.textContent)")
    wanted = [one["predictor"] for one in report["predictors"] if "skipped" not in one]
    ok(names == wanted and "takt sim" in names, "evaluate: a box for each predictor", names)
    full = [one for one in report["benchmarks"] if one["miss_percent"] <= 15]
    errors = [100 * one["predicted_cycles"]["takt sim"] / one["measured_cycles"] - 100 for one in full]
    box = browser.run("return [...document.querySelectorAll('.box-row')].find(e => e.textContent === 'takt sim').querySelector('.box-track').dataset.box")
    ok(all(abs(float(shown) - quantile(errors, share)) < 1e-3 for shown, share in zip(box.split(), (0.05, 0.25, 0.5, 0.75, 0.95))), "evaluate: its box has the quantiles of the errors", box)
    browser.click("button.box-name")
    points = browser.run("return document.querySelectorAll('.points circle').length")
    ok(points == len(full), "evaluate: a point for each benchmark", points, len(full))
    browser.run("document.querySelector('.points circle').dispatchEvent(new MouseEvent('click', {bubbles: true}))")
    detail = browser.run("return document.querySelector('.benchmark-detail').textContent")
    kernel = full[0]["kernel"]
    ok(full[0]["name"] in detail and f"Source of {kernel}" in detail and "KERNEL" in detail, "evaluate: a click on a point leads to the kernel", detail[:300])
    check_figures(browser, report, "evaluate, with a benchmark")
    browser.run("document.querySelector(\"[aria-label='Benchmarks'] tbody tr:nth-child(2)\").focus()")
    browser.press("Enter")
    ok(browser.run("return document.querySelector('.benchmark-detail').textContent").startswith(report["benchmarks"][1]["name"]), "evaluate: Enter on a row, too")
    browser.run("const s = document.querySelector(\"select[aria-label='Set of benchmarks']\"); s.value = 'strict'; s.dispatchEvent(new Event('change'))")
    strict = sum(one["miss_percent"] <= 1 for one in report["benchmarks"])
    points = browser.run("return document.querySelectorAll('.points circle').length")
    ok(points == strict == report["strict"] and strict < len(full), "evaluate: another set of benchmarks", points, strict)
    check_quiet(browser, path, "evaluate")


def run(browser, directory):
    for test in test_paths, test_learn, test_survey, test_form, test_evaluate:
        test(browser, directory)
