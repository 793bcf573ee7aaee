# SPDX-License-Identifier: MIT
"""Reports of programs in a browser: takt trace and takt diff."""
import json
import shutil
import subprocess

from pages import check_accessible, check_figures, check_page, check_quiet, takt
from result_pages import data_of
from tap import ok, skip

# A function's name, and a comment, that would do harm as HTML.
EVIL = "<img src=x onerror=window.hacked=1>"
PROGRAM = """#include <stdlib.h>
#include <string.h>
double dot(const double *a, const double *b, int n) __asm__("\\"%s\\"");
__attribute__((noipa)) double dot(const double *a, const double *b, int n)
{
	double s = 0;
	for (int i = 0; i < n; i++)
		s += a[i] OPERATION b[i]; /* </script><script>window.hacked = 1</script> */
	return s;
}
__attribute__((noipa)) int odd(const int *x, int n)
{
	int c = 0;
	for (int i = 0; i < n; i++)
		if (x[i] & 1)
			c += x[i] / 7;
		else
			c--;
	return c;
}
static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}
int main(void)
{
	int n = 3000, x[3000];
	double *a = calloc(n, sizeof(*a)), *b = calloc(n, sizeof(*b));
	unsigned seed = 1;
	for (int i = 0; i < n; i++)
		x[i] = (int)((seed = seed * 1103515245 + 12345) >> 8), a[i] = i, b[i] = i + 1;
	double s = 0;
	for (int i = 0; i < 10; i++)
		s += dot(a, b, n);
	int c = odd(x, n);
	qsort(x, n, sizeof(*x), compare);
	return (s > 0) + (c + odd(x, n) == 1) > 2;
}
""" % EVIL
ZOOMED = "return document.querySelector('.flame').dataset.zoom"


def build(directory, name, operation):
    """Compile the program; its source stays where the debug information says."""
    source = directory / f"<b>{name}.c"
    source.write_text(PROGRAM.replace("OPERATION", operation), encoding="utf-8")
    subprocess.run(["gcc", "-g", "-O1", "-fno-tree-vectorize", "-o", directory / name, source], check=True)
    return directory / name


def make(directory):
    """Trace two versions of a program into logs, which give the same figures each time."""
    if not shutil.which("qemu-x86_64"):
        return False
    for name, operation in ("old", "*"), ("new", "/"):
        takt("trace", "--count-only", "-o", directory / f"{name}.takt", "--report", directory / "discarded", "--",
             build(directory, name, operation))
    return True


def folded_sum(path, word):
    """Return the cycles of all stacks that have the word in a function's name."""
    total = 0
    for line in path.read_text(encoding="utf-8").splitlines():
        stack, _, cycles = line.rpartition(" ")
        total += int(cycles) * any(word in name.lower() for name in stack.split(";"))
    return total


def test_trace(browser, directory):
    path, folded = directory / "trace.html", directory / "folded"
    takt("trace", "--arch=SKX", f"--report={path}", f"--folded={folded}", directory / "old.takt")
    report = json.loads(takt("trace", "--arch=SKX", "--format=json", directory / "old.takt"))
    check_page(browser, path, report, "trace")
    total = browser.run("return [...document.querySelectorAll('.stall')].reduce((n, e) => n + Number(e.style.flexGrow), 0)")
    ok(total == report["cycles"], "trace: the bar of losses sums to the cycles", total, report["cycles"])
    colours = "[...%s].map(e => [e.textContent, e.closest('li').querySelector('.swatch').className])"
    summary = dict(map(tuple, browser.run("return " + colours % "document.querySelectorAll('.summary .part-entry strong')")))
    course = dict(map(tuple, browser.run("return " + colours % "document.querySelector('.course-chart').closest('section').querySelectorAll('.chart-legend li')")))
    course.pop("others", None)
    ok(len(course) > 2 and len(set(course.values())) == len(course) and all(summary[name] == course[name] for name in course),
       "trace: each of the largest causes has one colour, in the bar and over time", course, summary)
    small = [cycles for cycles in report["losses"] if 0 < cycles < 0.005 * report["cycles"]]
    ok(len(small) > 1 and browser.run("return document.querySelector('.small-parts summary').textContent").startswith(f"{len(small)} smaller causes: {sum(small):,} "),
       "trace: causes that are too small to be seen are in one line", small)
    ok(browser.run("return document.querySelectorAll('.summary .part-entry').length") == sum(cycles > 0 for cycles in report["losses"]), "trace: which has them all")
    ok(not browser.run("return window.hacked || document.querySelector('#page img, #page script')"),
       "trace: nothing of its names executes")
    for tab, name in enumerate(("lines", "loops", "blocks"), 2):
        browser.click(f".tab:nth-child({tab})")
        check_figures(browser, report, f"trace, {name}")
    check_tables(browser, report)
    check_code(browser, report)
    check_jumps(browser, path)
    check_flame(browser, folded)
    check_folding(browser, folded)
    check_course(browser, path, report)
    check_calls(browser, folded)
    check_sandwich(browser, folded)
    check_columns(browser, path, report)
    check_loop(browser, path, report)
    check_quiet(browser, path, "trace, used")


def check_tables(browser, report):
    browser.click(".tab:nth-child(1)")
    cells = "return [...document.querySelectorAll('[aria-label=Functions] tbody tr')].map(e => e.children[%d].textContent)"
    names = browser.run(cells % 6)
    best = sorted(report["functions"], key=lambda one: -one["cycles"])
    ok(names[:3] == [one["name"] for one in best[:3]], "trace: the costliest function is first", names[:3])
    browser.click("[aria-label=Functions] th:nth-child(6) button")
    calls = [int(text.replace(",", "")) for text in browser.run(cells % 5)]
    ok(calls == sorted(calls, reverse=True), "trace: sorted by calls", calls[:5])
    browser.type("[aria-label='Search Functions']", "compar")
    found = browser.until("const n = document.querySelectorAll('[aria-label=Functions] tbody tr').length; return n < 30 && n")
    ok(found == sum("compar" in (one["name"] + one["file"].rsplit("/")[-1] if one["file"] else one["name"]).lower()
                    for one in report["functions"]), "trace: functions are searched", found)


def check_code(browser, report):
    """The code of the function whose name is hostile, with its source."""
    index = next(i for i, one in enumerate(report["functions"]) if one["name"] == EVIL)
    browser.run("""const s = document.querySelector('.function-choice');
        s.value = [...s.options].find(o => o.textContent.endsWith(arguments[0])).value;
        s.dispatchEvent(new Event('change'))""", EVIL)
    cycles = browser.run("return [...document.querySelectorAll('[data-annotation]')].reduce((n, e) => n + Number(e.dataset.value), 0)")
    ok(cycles == report["functions"][index]["cycles"], "code: its cycles are the function's", cycles)
    source = browser.run("return document.querySelector('.source-pane').textContent")
    ok("</script><script>window.hacked = 1</script>" in source, "code: the source is shown as it is", source)
    browser.run("document.querySelector('.hottest').click()")
    shares = browser.run("return [...document.querySelectorAll('.annotated-insn')].map(e => Number(e.querySelector('[data-annotation]').dataset.value))")
    chosen = browser.run("return Number(document.querySelector('.annotated-insn.chosen').dataset.index)")
    ok(shares[chosen] == max(shares), "code: goes to the hottest instruction", chosen, shares)
    ok(browser.run("return document.querySelectorAll('.annotated-insn.marked').length && "
                   "document.querySelector('.annotate-view .source-line[aria-pressed=true]') !== null"),
       "code: an instruction marks its line")
    browser.click(".annotate-view .source-line.has")
    ok(browser.run("return document.querySelectorAll('.annotated-insn.marked').length"), "code: a line marks its instructions")


def branches_of(function):
    """Return (branch, target) of each direct branch to another instruction of a function for x86-64, as indexes."""
    places = {insn["address"]: index for index, insn in enumerate(function["instructions"])}
    found = set()
    for index, insn in enumerate(function["instructions"]):
        words = insn["text"].split()
        target = places.get(words[-1]) if words[0].startswith("j") else None
        if target not in (None, index):
            found.add((index, target))
    return found


def check_jumps(browser, path):
    """Branches inside a function are arrows from their row to their target's."""
    functions = data_of(path)["annotation"]["functions"]
    index = max(range(len(functions)), key=lambda i: (0 < len(branches_of(functions[i])) <= 8) * len(branches_of(functions[i])))
    wanted = branches_of(functions[index])
    browser.run("const s = document.querySelector('.function-choice'); s.value = arguments[0]; s.dispatchEvent(new Event('change'))", str(index))
    rows = browser.run("""return [...document.querySelectorAll('.annotated-insn')].map(row =>
        [...row.querySelectorAll('[data-jump]')].map(e => [Number(e.dataset.jump), e.className.split(' ')[0] + (e.classList.contains('jump-head') ? '>' : '')]))""")
    heads, tails, lines = {}, {}, {}
    for row, pieces in enumerate(rows):
        for jump, kind in pieces:
            if kind == "jump-line":
                lines.setdefault(jump, []).append(row)
            else:
                (heads if kind.endswith(">") else tails)[jump] = row
    ok(wanted and {(tails[jump], heads[jump]) for jump in heads} == wanted, "code: an arrow for each branch", sorted(wanted), tails, heads)
    ok(all(lines[jump] == list(range(min(tails[jump], heads[jump]), max(tails[jump], heads[jump]) + 1)) for jump in heads),
       "code: arrows lead from row to row", lines)
    branch = min(wanted)[0]
    browser.run("document.querySelectorAll('.annotated-insn')[arguments[0]].click()", branch)
    marked = set(browser.run("return [...document.querySelectorAll('.of-chosen')].map(e => Number(e.dataset.jump))"))
    ok(marked == {jump for jump in heads if branch in (tails[jump], heads[jump])}, "code: those of a chosen branch are marked", marked)
    widths = browser.run("return [...document.querySelectorAll('.jump-line')].every(e => getComputedStyle(e).backgroundColor === 'rgba(0, 0, 0, 0)' && e.getBoundingClientRect().height > 4)")
    ok(widths, "code: arrows are drawn and hide nothing")


def check_course(browser, path, report):
    """The run's intervals, with the keyboard and with the mouse."""
    intervals = data_of(path)["course"]["intervals"]
    ok(len(intervals) > 20 and sum(one["instructions"] for one in intervals) == report["instructions"], "course: all instructions are in an interval", len(intervals))
    ok(abs(sum(one["cycles"] for one in intervals) - report["cycles"]) <= len(intervals), "course: and all cycles", report["cycles"])
    steps = browser.run("return document.querySelector('.course-rate').getAttribute('d').split('H').length - 1")
    ok(steps == len(intervals), "course: a step for each interval", steps)
    browser.run("document.querySelector('.course-chart').focus()")
    browser.press("Home", "ArrowRight")
    status = browser.run("return document.querySelector('.course-status').textContent")
    ok(f"Interval 2 of {len(intervals)}" in status and f"{intervals[1]['instructions']:,} instructions" in status, "course: arrow keys choose an interval", status)
    browser.run("""const c = document.querySelector('.course-chart'), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent('click', {clientX: r.right - 10, clientY: r.top + 20, bubbles: true}))""")
    status = browser.run("return document.querySelector('.course-status').textContent")
    ok("Interval 2 of" not in status and "instructions in" in status, "course: a click, too", status)


def check_calls(browser, folded):
    """Callers and callees: the sums over all stacks."""
    browser.run("document.querySelector('.tab:nth-child(1)').click()")
    browser.run("[...document.querySelectorAll('[aria-label=Functions] tbody tr')].find(e => e.children[6].textContent === 'compare').click()")
    title = browser.run("return document.querySelector('.calls-title').textContent")
    stacks = [line.rpartition(" ") for line in folded.read_text(encoding="utf-8").splitlines()]
    total = sum(int(cycles) for stack, _, cycles in stacks if "compare" in stack.split(";"))
    ok(f"compare: {total:,} cycles with what it calls" in title, "calls: the function's cycles in all stacks", title, total)
    callers = {}
    for stack, _, cycles in stacks:
        names = stack.split(";")
        if "compare" in names:
            caller = names[names.index("compare") - 1]
            callers[caller] = callers.get(caller, 0) + int(cycles)
    shown = browser.run("return [...document.querySelectorAll('[data-calls=callers] li')].map(e => [e.querySelector('.bar-title').textContent, Number(e.querySelector('.bar-value').textContent.replaceAll(',', ''))])")
    ok(dict(map(tuple, shown)) == callers, "calls: each caller with its part", shown, callers)
    browser.run("document.querySelector('[data-calls=callers] button').focus()")
    browser.press("Enter")
    title = browser.run("return document.querySelector('.calls-title').textContent")
    ok(title.startswith(shown[0][0]), "calls: Enter goes to a caller", title)


def check_loop(browser, path, report):
    """A row of the table of loops opens the analysis that was made with the report."""
    loops = {one["address"]: one for one in data_of(path)["loops"]}
    hostile = next(i for i, one in enumerate(report["functions"]) if one["name"] == EVIL)
    row = next(one for one in report["loops"] if one["function"] == hostile)
    ok(row["address"] in loops and any("mulsd" in insn["text"] for insn in loops[row["address"]]["report"]["instructions"]), "loop: the hottest ones are analyzed", list(loops))
    browser.click(".tab:nth-child(3)")
    browser.run("""[...document.querySelectorAll('[aria-label=Loops] tbody tr')].find(e => e.textContent.includes(arguments[0])).focus()""", EVIL)
    browser.press("Enter")
    text = browser.until("const e = document.querySelector('.loop-title'); return e.offsetParent && e.textContent")
    cycles = loops[row["address"]]["report"]["cycles_per_iteration"]
    ok(text and EVIL in text and f"{cycles:.2f} cycles per iteration alone" in text, "loop: Enter on a row opens its analysis", text)
    rows = browser.run("return document.querySelectorAll('.analysis .insn').length")
    ok(rows == len(loops[row["address"]]["report"]["instructions"]), "loop: with its instructions", rows)
    ok(browser.until("return document.querySelectorAll('.analysis path.arrow').length"), "loop: and their dependences")
    ok(browser.run("return document.querySelector('.analysis .pipeline') !== null"), "loop: and its pipeline")


def check_flame(browser, folded):
    browser.run("document.querySelector('.flame').scrollIntoView({block: 'center'}); document.querySelector('.flame').focus()")
    ok(browser.until(ZOOMED) == "all", "flame graph: all at first")
    browser.press("ArrowDown", "ArrowDown", "Enter")
    zoomed = browser.until(ZOOMED + " !== 'all' && document.querySelector('.flame').dataset.zoom")
    ok(zoomed, "flame graph: Enter zooms into what arrows chose", zoomed)
    browser.press("Escape")
    browser.until(f"{ZOOMED} !== '{zoomed}'")
    browser.press("0")
    ok(browser.until(ZOOMED + " === 'all'"), "flame graph: 0 zooms out")
    browser.run("""const c = document.querySelector('.flame'), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent('click', {clientX: r.left + 40, clientY: r.top + 3 * 19 + 8, bubbles: true}))""")
    ok(browser.until(ZOOMED + " !== 'all'"), "flame graph: a click zooms")
    browser.click(".flame-reset")
    ok(browser.until(ZOOMED + " === 'all'"), "flame graph: a button shows all")
    browser.type(".flame-view .search", "compare")
    found = int(browser.until("return Number(document.querySelector('.flame-view').dataset.found)") or 0)
    ok(found == folded_sum(folded, "compare"), "flame graph: the search sums what it finds", found)
    text = browser.run("return document.querySelector('.flame-found').textContent")
    ok("% of the cycles" in text, "flame graph: and says how much that is", text)
    browser.run("document.querySelector('.flame-view .search').focus()")
    browser.press("Enter")
    shown = browser.run("return [document.querySelector('.flame-found').textContent, document.querySelector('.flame-status strong').textContent]")
    ok(shown[0].startswith("frame 1 of ") and "compare" in shown[1], "flame graph: Enter goes to the costliest frame that was found", shown)
    drawn = browser.run("""const c = document.querySelector('.flame'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const seen = new Set(); for (let i = 0; i < d.length; i += 4) if (d[i + 3] === 255) seen.add(d[i] << 16 | d[i + 1] << 8 | d[i + 2]); return seen.size""")
    ok(drawn > 8, "flame graph: something is drawn", drawn)


def stacks_of(folded):
    """Return each stack as a list of names, with its cycles."""
    for line in folded.read_text(encoding="utf-8").splitlines():
        stack, _, cycles = line.rpartition(" ")
        yield stack.split(";"), int(cycles)


def fold(names):
    """Go back to the frame of a function that is on the stack already."""
    stack = []
    for name in names:
        stack = stack[:stack.index(name) + 1] if name in stack else stack + [name]
    return tuple(stack)


def check_folding(browser, folded):
    """Recursion folded into one frame; the strip above marks what is shown."""
    prefixes = {stack[:i + 1] for names, _ in stacks_of(folded) for stack in [fold(names)] for i in range(len(stack))}
    recursive = next(name for names, _ in stacks_of(folded) for name in names if names.count(name) > 2)
    search = "const e = document.querySelector('.flame-view .search'); e.value = arguments[0]; e.dispatchEvent(new Event('input')); return document.querySelector('.flame-found').textContent"
    before = browser.run(search, recursive)
    browser.click(".fold")
    after = browser.run(search, recursive)
    wanted = sum(recursive in stack[-1] for stack in prefixes)
    ok(after.startswith(f"{wanted} frame") and before != after, f"flame graph: {recursive} is folded", before, after, wanted)
    found = browser.run("return Number(document.querySelector('.flame-view').dataset.found)")
    ok(found == folded_sum(folded, recursive), "flame graph: its cycles stay the same", found)
    browser.run("document.querySelector('.flame-view .search').focus()")
    browser.press("Enter")
    own = browser.run("return document.querySelector('.flame-status').textContent")
    cycles = {}
    for names, cost in stacks_of(folded):
        cycles[fold(names)] = cycles.get(fold(names), 0) + cost
    ok(any(f"itself {cost:,} cycles" in own for stack, cost in cycles.items() if stack[-1] == recursive), "flame graph: so do its own", own)
    ok(browser.until("return Number(document.querySelector('.overview').dataset.share) < 1"), "overview: a part is marked")
    browser.run("""const c = document.querySelector('.overview'), r = c.getBoundingClientRect();
        c.dispatchEvent(new MouseEvent('click', {clientX: r.left + 30, clientY: r.top + 1, bubbles: true}))""")
    ok(browser.until(ZOOMED + " === 'all' && document.querySelector('.overview').dataset.share === '1.0000'"), "overview: a click on the root shows all")
    browser.run(search, "")
    browser.click(".fold")


def check_sandwich(browser, folded):
    """Callers and callees as flame graphs, with the keyboard."""
    browser.run("[...document.querySelectorAll('[aria-label=Functions] tbody tr')].find(e => e.children[6].textContent === 'compare').click()")
    stacks = [(names, cost) for names, cost in stacks_of(folded) if "compare" in names]
    callers = {}
    for names, cost in stacks:
        caller = names[names.index("compare") - 1]
        callers[caller] = callers.get(caller, 0) + cost
    upper, lower = ".sandwich [data-sandwich=callers]", ".sandwich [data-sandwich=callees]"
    ok(browser.until(f"return document.querySelector('{upper} .flame').dataset.zoom === 'compare' && document.querySelector('{lower} .flame').dataset.zoom === 'compare'"), "sandwich: the function is between both")
    total = sum(cost for _, cost in stacks)
    ok(f"{total:,} cycles, 100 % of the function's" in browser.run(f"return document.querySelector('{lower} .flame-status').textContent"), "sandwich: with its cycles", total)
    browser.run(f"document.querySelector('{upper} .flame').focus()")
    browser.press("ArrowUp")
    status = browser.run(f"return document.querySelector('{upper} .flame-status').textContent")
    best = max(callers, key=callers.get)
    ok(best in status and f"calls it for {callers[best]:,} cycles" in status, "sandwich: the arrow goes up to the caller", status, callers)
    browser.press("Enter")
    title = browser.run("return document.querySelector('.calls-title').textContent")
    ok(title.startswith(f"{best}:"), "sandwich: Enter goes to it", title)
    drawn = browser.run(f"return Number(document.querySelector('{lower} .flame').dataset.frames)")
    ok(browser.until(f"return Number(document.querySelector('{lower} .flame').dataset.frames) > 1"), "sandwich: and draws what it calls", drawn)


def check_columns(browser, path, report):
    """Causes as columns, of tables and beside the code."""
    names = report["loss_names"]
    cause = max(range(len(names)), key=lambda i: report["losses"][i])
    browser.run("document.querySelector('.tab:nth-child(1)').click(); document.querySelector('.tabbed .column-picker').open = true")
    browser.click(f".tabbed [data-cause='{names[cause]}']")
    shown = browser.run("return [...document.querySelectorAll(`[aria-label=Functions] [data-key$='losses.${arguments[0]}']`)].map(e => Number(e.dataset.value))", cause)
    wanted = [one["losses"][cause] for one in sorted(report["functions"], key=lambda one: -one["cycles"])]
    ok(shown[:20] == wanted[:20], f"columns: {names[cause]} of each function", shown[:3], wanted[:3])
    check_figures(browser, report, "columns")
    index = next(i for i, one in enumerate(report["functions"]) if one["name"] == "odd")
    browser.run("const s = document.querySelector('.function-choice'); s.value = [...s.options].find(o => o.textContent.endsWith(' odd')).value; s.dispatchEvent(new Event('change'))")
    browser.run("document.querySelector('.annotate-view .column-picker').open = true")
    browser.click(f".annotate-view [data-cause='{names[cause]}']")
    shown = browser.run("return [...document.querySelectorAll('[data-loss]')].map(e => Number(e.dataset.value))")
    wanted = sum(one["losses"][cause] for one in report["blocks_run"] if one["function"] == index)
    ok(len(shown) > 1 and sum(shown) == wanted, "columns: beside the code, those of its blocks", shown, wanted)
    ok("check" in browser.run("return document.activeElement.parentElement.className"), "columns: the focus stays on the choice", browser.focused())
    check_accessible(browser, "columns")


def test_estimates(browser, directory):
    """What was sampled, and layouts, each with its interval."""
    for option in "--sample", "--layouts=3":
        path = directory / "estimate.html"
        takt("trace", "--arch=SKX", option, f"--report={path}", directory / "old.takt")
        report = json.loads(takt("trace", "--arch=SKX", option, "--format=json", directory / "old.takt"))
        browser.open(path)
        check_figures(browser, report, f"trace {option}")
        if option != "--sample":
            points = browser.run("return document.querySelectorAll('.chart .point').length")
            ok(points == 3, "trace: a point for each layout", points)
        check_quiet(browser, path, f"trace {option}")
        for width in 400, 1400:
            browser.size(width, 1000)
            # Names of an axis that are cut off can be read wrongly.
            cut = browser.run("""return [...document.querySelectorAll('.chart text')].filter(text => {
                const inner = text.getBoundingClientRect(), outer = text.closest('svg').getBoundingClientRect();
                return inner.left < outer.left - 1 || inner.right > outer.right + 1; }).map(text => text.textContent)""")
            ok(not cut, f"trace {option}: at {width} pixels no figure of a chart is cut off", cut)
    path = directory / "counts.html"
    takt("trace", "--count-only", f"--report={path}", directory / "old.takt")
    browser.open(path)
    check_figures(browser, json.loads(takt("trace", "--count-only", "--format=json", directory / "old.takt")), "trace --count-only")
    check_quiet(browser, path, "trace --count-only")


def test_diff(browser, directory):
    path = directory / "diff.html"
    arguments = ["diff", "--arch=SKX", "--allow=program", directory / "old.takt", directory / "new.takt"]
    takt(*arguments, f"--report={path}")
    report = json.loads(takt(*arguments, "--format=json"))
    check_page(browser, path, report, "diff")
    rows = browser.run("return [...document.querySelectorAll(\"[aria-label='Functions that changed'] tbody tr\")].length")
    ok(rows == len(report["functions"]), "diff: a row for each function", rows)
    code = browser.run("return [...document.querySelectorAll('.diff-code .annotated-table')].map(e => e.textContent)")
    ok(len(code) == 2 and "mulsd" in code[0] and "divsd" in code[1], "diff: the code before and after", code)
    browser.click("[aria-label='Functions that changed'] tbody tr:nth-child(2)")
    name = browser.run("return document.querySelector('.diff-function h3').textContent")
    ok(name == (report["functions"][1]["after"] or report["functions"][1]["before"])["name"], "diff: a click shows a function", name)
    check_figures(browser, report, "diff, a function")
    browser.run("document.querySelector('.flame').focus()")
    browser.press("ArrowDown")
    status = browser.run("return document.querySelector('.flame-status').textContent")
    ok("before" in status and "change" in status, "diff: a frame says what it was before", status)
    ok(not browser.run("return window.hacked"), "diff: nothing of its names executes")
    check_quiet(browser, path, "diff, used")
    for name in "old", "new":
        takt("trace", "--arch=SKX", "--format=json", f"--report={directory / name}.json", directory / f"{name}.takt")
    takt("diff", "--allow=program", f"--report={path}", directory / "old.json", directory / "new.json")
    browser.open(path)
    ok(browser.run("return !document.querySelector('.flame')"), "diff: results have no stacks")
    check_quiet(browser, path, "diff of results")


def run(browser, directory):
    if not make(directory):
        skip("reports of programs", "qemu-x86_64 is not installed")
        return
    for test in test_trace, test_estimates, test_diff:
        test(browser, directory)
