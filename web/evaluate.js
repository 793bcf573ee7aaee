/* SPDX-License-Identifier: MIT */
/* evaluate: predictors against measurement: box plots, points, tables, and each benchmark with its kernel. */

const MISS_PERCENT_FULL = 15, MISS_PERCENT_STRICT = 1;
const SETS = [
	{key: "full", title: "full set", text: `cache misses take up to ${MISS_PERCENT_FULL} % of the cycles`, has: (row) => row.miss_percent <= MISS_PERCENT_FULL},
	{key: "pruned", title: "pruned set", text: "those of the full set that dependences through memory do not limit", has: (row) => row.miss_percent <= MISS_PERCENT_FULL && !row.memory_bound},
	{key: "strict", title: "strict set", text: `cache misses take up to ${MISS_PERCENT_STRICT} % of the cycles`, has: (row) => row.miss_percent <= MISS_PERCENT_STRICT}];
const AXIS_LEAST = -100, AXIS_MOST = 200; /* per cent; errors beyond are drawn at the ends */

function errorPercent(row, name) {
	const predicted = row.predicted_cycles[name];

	return isNumber(predicted) && row.measured_cycles > 0 ? (100 * predicted) / row.measured_cycles - 100 : null;
}

function signedPercent(value) {
	return isNumber(value) ? `${value > 0 ? "+" : ""}${fixed(value, Math.abs(value) < 10 ? 1 : 0)} %` : "–";
}

/* ---- box plots ---- */

function boxPlace(value) {
	return (100 * (Math.min(Math.max(value, AXIS_LEAST), AXIS_MOST) - AXIS_LEAST)) / (AXIS_MOST - AXIS_LEAST);
}

function boxTrack(errors) {
	const sorted = [...errors].sort((a, b) => a - b);
	const [low, first, middle, third, high] = [0.05, 0.25, 0.5, 0.75, 0.95].map((share) => quantile(sorted, share));
	const span = (from, to) => ({left: `${boxPlace(from)}%`, width: `${Math.max(0.2, boxPlace(to) - boxPlace(from))}%`});
	const words = `median ${signedPercent(middle)}, half from ${signedPercent(first)} to ${signedPercent(third)}, 90 % from ${signedPercent(low)} to ${signedPercent(high)}`;

	return h("span", {class: "box-track", title: words, role: "img", "aria-label": words, "data-box": [low, first, middle, third, high].map((value) => value.toFixed(4)).join(" ")},
		 h("span", {class: "box-zero", style: {left: `${boxPlace(0)}%`}}), h("span", {class: "box-whisker", style: span(low, high)}),
		 h("span", {class: "box-half", style: span(first, third)}), h("span", {class: "box-median", style: {left: `${boxPlace(middle)}%`}}));
}

function boxPlots(rows, predictors, choose) {
	const axis = h("li", {class: "box-row box-axis", "aria-hidden": "true"}, h("span", {class: "box-name"}), h("span", {class: "box-ticks"}, [-100, -50, 0, 50, 100, 150, 200].map((value) => h("span", {class: "box-tick", style: {left: `${boxPlace(value)}%`}}, signedPercent(value)))));

	return h("ul", {class: "boxes"}, axis, predictors.map((one) => {
		const errors = rows.map((row) => errorPercent(row, one.predictor)).filter(isNumber);

		return h("li", {class: "box-row"}, h("button", {type: "button", class: "link box-name", title: "Show its points", onclick: () => choose(one.predictor)}, one.predictor),
			 errors.length ? boxTrack(errors) : h("span", {class: "hint"}, one.skipped || "no predictions in this set"));
	}));
}

/* ---- points ---- */

/* Measured cycles to the right, predicted ones upwards, both logarithmic; on the line, both are equal. */
function pointChart(rows, name, choose, {x: xTitle = "measured cycles", y: yTitle = "predicted cycles", what = "Predicted against measured cycles of"} = {}) {
	const width = 900, height = 460, left = 70, right = 16, top = 14, bottom = 40;
	const points = rows.filter((row) => isNumber(row.predicted_cycles[name]) && row.predicted_cycles[name] > 0 && row.measured_cycles > 0);

	if (!points.length)
		return h("p", {}, "There are no points.");
	const values = points.flatMap((row) => [row.measured_cycles, row.predicted_cycles[name]]);
	const low = values.reduce((a, b) => Math.min(a, b)) / 1.2, high = values.reduce((a, b) => Math.max(a, b)) * 1.2;
	const at = (value) => Math.log(value / low) / Math.log(high / low);
	const x = (value) => left + (width - left - right) * at(value);
	const y = (value) => height - bottom - (height - top - bottom) * at(value);
	const all = logarithmicTicks(low, high);
	const marks = all.length < 12 ? all : all.filter((value) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9);
	const chart = s("svg", {class: "chart points", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${what} ${plain(points.length)}: ${xTitle}, ${yTitle}`},
			marks.map((value) => [s("line", {class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value)}), s("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, short(value)),
					      s("line", {class: "grid", x1: x(value), x2: x(value), y1: top, y2: height - bottom}), s("text", {x: x(value), y: height - bottom + 16, "text-anchor": "middle"}, short(value))]),
			s("text", {x: 0, y: 10}, yTitle), s("text", {x: width - right, y: height - 6, "text-anchor": "end"}, xTitle),
			s("line", {class: "mean", x1: x(low), y1: y(low), x2: x(high), y2: y(high)}),
			points.map((row) => s("circle", {class: row.jointly_bad ? "point bad-point" : "point", cx: x(row.measured_cycles), cy: y(row.predicted_cycles[name]), r: 3.5, "data-index": row.index},
					      s("title", {}, `${row.name}: ${plain(row.measured_cycles)} ${xTitle}, ${plain(row.predicted_cycles[name])} ${yTitle}, ${signedPercent(errorPercent(row, name))}`))));

	chart.addEventListener("click", (event) => {
		const circle = event.target.closest("circle");

		if (circle)
			choose(rows.find((row) => row.index === Number(circle.getAttribute("data-index"))));
	});
	return chart;
}

/* ---- one benchmark ---- */

function kernelSource(data, kernel) {
	const source = (data.sources ?? []).find((one) => baseName(one.file) === `${kernel}.c`);

	if (!source)
		return h("p", {class: "hint"}, "This report has no sources of kernels: --kernels=DIRECTORY adds them.");
	const numbers = Object.keys(source.lines).map(Number).sort((a, b) => a - b);
	return h("pre", {class: "kernel-source scroll", tabindex: 0, role: "region", "aria-label": `Source of ${kernel}`}, numbers.map((number) => `${String(number).padStart(4)}  ${source.lines[number]}\n`).join(""));
}

function benchmarkDetail(data, row, rows, choose) {
	const predictors = data.report.predictors.filter((one) => isNumber(row.predicted_cycles[one.predictor]));
	const most = Math.max(row.measured_cycles, ...predictors.map((one) => row.predicted_cycles[one.predictor]));
	const bar = (title, key, value, note) => h("li", {class: "bar-row listed"}, h("span", {class: "bar-title"}, title), h("span", {class: "bar-track"}, h("span", {class: "bar-fill", style: {width: `${(100 * value) / most}%`}})),
						   h("span", {class: "bar-value"}, key ? figure(key, value, plain(value)) : plain(value)), h("span", {class: "bar-note"}, note));
	const same = rows.filter((other) => other.kernel === row.kernel && other !== row);

	return [h("h3", {class: "benchmark-name"}, h("code", {}, row.name)),
		h("p", {}, [row.miss_percent > 0 && `Cache misses would take ${fixed(row.miss_percent, 1)} % of its cycles. `, row.memory_bound && "Dependences through memory limit it. ", row.jointly_bad && "It is among the worst of every static predictor. ", row.bottleneck && `Its cycles are lost to ${row.bottleneck}.`].filter(Boolean)),
		h("ul", {class: "bars"}, bar("measured", `benchmarks.${row.index}.measured_cycles`, row.measured_cycles, "cycles of a call"),
		  predictors.map((one) => bar(one.predictor, null, row.predicted_cycles[one.predictor], signedPercent(errorPercent(row, one.predictor))))),
		row.file ? h("div", {class: "tools"}, copyButton("analyze command", () => `takt analyze --arch=${data.report.core} -o kernel.html ${data.report.directory}/${row.file}`), h("code", {class: "hint"}, `${data.report.directory}/${row.file}`)) : null,
		h("div", {class: "two"}, h("div", {}, h("h3", {}, `Source of ${row.kernel}`), kernelSource(data, row.kernel)),
		  same.length ? h("div", {}, h("h3", {}, `Other benchmarks of ${row.kernel}`), h("ul", {class: "others"}, same.slice(0, 60).map((other) => h("li", {}, h("button", {type: "button", class: "link", onclick: () => choose(other)}, other.name.slice(row.kernel.length + 1)), ` ${plain(other.measured_cycles)} cycles`)))) : null)];
}

/* ---- tables ---- */

function predictorTable(report) {
	const rows = report.predictors.map((one, index) => ({...one, index}));
	const of = (key, title, hint) => (set) => ({key: `${set}-${key}`, title: `${set}: ${title}`, hint, number: true, value: (row) => row[set] && row[set][key], show: (row) => fixed(row[set] && row[set][key]), path: (row) => `predictors.${row.index}.${set}.${key}`});
	const columns = ["full", "pruned"].flatMap((set) => [of("points", "points", "Benchmarks with a prediction")(set), of("mape_percent", "mean %", "Mean absolute error")(set), of("median_percent", "median %", "Median absolute error")(set), of("q3_percent", "3rd quartile %", "Third quartile of absolute errors")(set), of("tau", "τ", "Kendall's rank correlation")(set), of("under_percent", "too low %", "Share of predictions that are too low")(set)]);

	for (const column of columns)
		if (column.key.endsWith("points"))
			column.show = (row) => plain(column.value(row));
	return dataTable({label: "Predictors", rows, search: false, columns: [{key: "predictor", title: "predictor", show: (row) => (row.skipped ? `${row.predictor}: ${row.skipped}` : row.predictor)},
		{key: "failures", title: "failures", number: true, path: (row) => `predictors.${row.index}.failures`}, ...columns, {key: "cpu_seconds", title: "CPU s", number: true, path: (row) => `predictors.${row.index}.cpu_seconds`, show: (row) => fixed(row.cpu_seconds)}]});
}

function coverageTable(report) {
	const rows = report.coverage.map((one, index) => ({...one, index})).filter((one) => one.pairs);
	const path = (key) => (row) => `coverage.${row.index}.${key}`;

	return rows.length ? section("Dependences through memory", "Shares of those that occurred which takt deps finds; precision is the share of the found ones that occurred.", dataTable({label: "Dependences", rows, search: false, columns: [
		{key: "of", title: "of"}, {key: "entry_values", title: "register values", value: (row) => (row.entry_values ? "of the run" : "unknown")}, {key: "age", title: "limit"}, {key: "pairs", title: "pairs", number: true, path: path("pairs")},
		{key: "unweighted_percent", title: "each once %", number: true, path: path("unweighted_percent")}, {key: "weighted_percent", title: "as often as it occurred %", number: true, path: path("weighted_percent")}]})) : null;
}

function benchmarkTable(rows, predictors, choose) {
	return dataTable({label: "Benchmarks", rows, onChoose: choose, filters: [{title: "kernel", value: (row) => row.kernel}, {title: "compiler", value: (row) => row.compiler}, {title: "options", value: (row) => row.strategy}], columns: [
		{key: "name", title: "benchmark", code: true}, {key: "measured_cycles", title: "measured cycles", number: true, path: (row) => `benchmarks.${row.index}.measured_cycles`},
		...predictors.map((one) => ({key: `error-${one.predictor}`, title: one.predictor, number: true, noKey: true, hint: "Predicted / measured − 1", value: (row) => errorPercent(row, one.predictor), show: (row) => signedPercent(errorPercent(row, one.predictor))})),
		{key: "bottleneck", title: "cycles lost to"}]});
}

/* ---- the page ---- */

class EvaluateView {
	constructor(data) {
		this.data = data;
		this.rows = data.report.benchmarks.map((row, index) => ({...row, index}));
		this.predictors = data.report.predictors.filter((one) => !one.skipped);
		this.set = SETS[0];
		this.predictor = (this.predictors.find((one) => one.predictor === "takt paths") ?? this.predictors[0] ?? {predictor: ""}).predictor;
		this.boxes = h("div");
		this.points = h("div");
		this.detail = h("div", {class: "benchmark-detail", "aria-live": "polite"}, h("p", {class: "hint"}, "Choose a point, or a row of the table of benchmarks."));
		this.sets = h("select", {"aria-label": "Set of benchmarks", onchange: () => { this.set = SETS[this.sets.selectedIndex]; this.draw(); }}, SETS.map((one) => h("option", {value: one.key}, one.title)));
		this.names = h("select", {"aria-label": "Predictor", onchange: () => { this.predictor = this.names.value; this.draw(); }}, this.predictors.map((one) => h("option", {value: one.predictor, selected: one.predictor === this.predictor}, one.predictor)));
		this.setText = h("span", {class: "hint"});
		this.draw();
	}

	draw() {
		const rows = this.rows.filter((row) => this.set.has(row));

		this.setText.textContent = `${count(rows.length, "benchmark")}: ${this.set.text}`;
		this.boxes.replaceChildren(boxPlots(rows, this.predictors, (name) => {
			this.predictor = this.names.value = name;
			this.draw();
			this.points.scrollIntoView({block: "nearest"});
		}));
		this.points.replaceChildren(pointChart(rows, this.predictor, (row) => this.choose(row)));
	}

	choose(row) {
		this.detail.replaceChildren();
		append(this.detail, [benchmarkDetail(this.data, row, this.rows, (other) => this.choose(other))]);
		this.detail.closest("section").scrollIntoView({block: "nearest"});
	}

	element() {
		const report = this.data.report;
		const cards = [["measured", "measured"], ["compiled", "compiled"], ["distinct", "with different code"], ["failed", "failed"], ["disturbed", "disturbed"], ["full", "in the full set"], ["pruned", "in the pruned set"], ["strict", "in the strict set"]];

		return h("div", {class: "evaluate"},
			 h("div", {class: "summary single"}, h("div", {class: "headline"},
				 h("p", {}, "Predictions for ", h("strong", {}, report.core), report.core_choice ? ` (${report.core_choice})` : "", ", held against measurements", report.cpu ? [" on ", h("strong", {}, report.cpu)] : "", report.clock ? ` (clock: ${report.clock})` : "", "."),
				 report.core_doubt ? h("p", {class: "warning"}, report.core_doubt) : null,
				 h("dl", {class: "cards"}, cards.map(([key, title]) => h("div", {class: "card"}, h("dt", {}, title), h("dd", {}, figure(key, report[key], plain(report[key])))))),
				 isNumber(report.median_spread_percent) ? h("p", {class: "hint"}, "Repeats of a measurement differ by ", figure("median_spread_percent", report.median_spread_percent), " % in the median.") : null)),
			 section("Errors", "Predicted / measured − 1. A box holds half of the benchmarks, its line is the median, the whiskers hold 90 %.", h("div", {class: "tools"}, this.sets, this.setText), this.boxes),
			 section("Predicted against measured", "On the line, both are equal. Red: among the worst of every static predictor. A click shows the benchmark.", h("div", {class: "tools"}, this.names), this.points),
			 section("Benchmark", null, this.detail),
			 section("Predictors", "Errors are absolute: |predicted − measured| / measured.", predictorTable(report)),
			 section("Benchmarks", "A click shows a benchmark with its kernel.", benchmarkTable(this.rows, this.predictors, (row) => this.choose(row))), coverageTable(report));
	}
}

function evaluatePage(data) {
	return new EvaluateView(data).element();
}
