/* SPDX-License-Identifier: MIT */
/* machine: the limits of a machine (takt bench), and the trust in its events (takt validate). */

/* ---- takt bench ---- */

const LEVELS = ["L1", "L2", "L3", "MEM"];

/* One staircase for each kernel: bandwidth by level, for one number of threads. */
function staircase(rows) {
	const levels = LEVELS.filter((level) => rows.some((row) => row.level === level));
	const kernels = [...new Set(rows.map((row) => row.kernel))];

	return lineChart(kernels.map((kernel) => ({name: kernel, points: levels.map((level, x) => ({x, row: rows.find((row) => row.kernel === kernel && row.level === level)})).filter((point) => point.row)
		.map((point) => ({x: point.x, y: point.row.value, label: `${kernel} in ${point.row.level}: ${plain(point.row.value)} ${point.row.unit}`}))})),
			 {xLabels: levels, yTitle: rows[0].unit, stairs: true, logarithmic: true});
}

function benchPage(data) {
	const limits = withIndex(data.report.limits);
	const of = (kind) => limits.filter((row) => row.kind === kind);
	const threads = [...new Set(of("bandwidth").map((row) => row.threads))];
	const titles = {bandwidth: "Bandwidth", flops: "Operations", latency: "Latency", transfer: "Transfers between cores"};

	return h("div", {class: "bench"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"}, h("p", {}, "Measured on ", h("strong", {}, data.report.cpu), ` (${data.report.origin}).`))),
		 threads.map((number) => section(`Bandwidth of ${count(number, "thread")}`, "By the level of memory that the data fits in; the axis is logarithmic.", staircase(of("bandwidth").filter((row) => row.threads === number)))),
		 ["latency", "flops", "transfer"].filter((kind) => of(kind).length).map((kind) => section(titles[kind], null, barList(of(kind).map((row) => ({
			 title: [row.kernel, row.level, count(row.threads, "thread"), row.pages && `${row.pages} pages`, kind === "transfer" ? row.cpus : null].filter(Boolean).join(", "), value: row.value, key: `limits.${row.index}.value`, unit: row.unit}))))),
		 section("All limits", null, dataTable({label: "All limits", rows: limits, filters: [{title: "kind", value: (row) => row.kind}, {title: "level", value: (row) => row.level || "–"}], columns: [
			 {key: "kind", title: "kind"}, {key: "kernel", title: "kernel", code: true}, {key: "level", title: "level"}, {key: "threads", title: "threads", number: true, path: (row) => `limits.${row.index}.threads`},
			 {key: "value", title: "value", number: true, path: (row) => `limits.${row.index}.value`}, {key: "unit", title: "unit"}, {key: "per_cycle", title: "per cycle", number: true, path: (row) => `limits.${row.index}.per_cycle`},
			 {key: "median", title: "median", number: true, path: (row) => `limits.${row.index}.median`}, {key: "size_bytes", title: "data", number: true, path: (row) => `limits.${row.index}.size_bytes`}, {key: "pages", title: "pages"},
			 {key: "rounds", title: "rounds", number: true, path: (row) => `limits.${row.index}.rounds`}, {key: "disturbed", title: "disturbed", number: true, path: (row) => `limits.${row.index}.disturbed`}]})));
}

/* Bars with a title each, as long as their values. */
function barList(entries) {
	const most = Math.max(...entries.map((entry) => entry.value), 1e-9);

	return h("ul", {class: "bars"}, entries.map((entry) => h("li", {class: "bar-row listed"}, h("span", {class: "bar-title"}, entry.title),
		h("span", {class: "bar-track"}, h("span", {class: "bar-fill", style: {width: `${(100 * entry.value) / most}%`}})), h("span", {class: "bar-value"}, figure(entry.key, entry.value, plain(entry.value))), h("span", {class: "bar-note"}, entry.unit))));
}

/* ---- takt validate ---- */

const VERDICTS = {exact: "good", trusted: "good", biased: "bad", untrusted: "bad"};

/* The least, average and largest error of an event, around 0; a change of 100 % is at the end. */
function errorBar(row) {
	const at = (value) => 50 + 50 * Math.sign(value) * Math.min(1, Math.log10(1 + Math.abs(value)) / 2);

	if (!isNumber(row.least_percent))
		return "–";
	return h("span", {class: "error-track", title: `from ${plain(row.least_percent)} % to ${plain(row.most_percent)} %`},
		 h("span", {class: "error-range", style: {left: `${at(row.least_percent)}%`, width: `${Math.max(1, at(row.most_percent) - at(row.least_percent))}%`}}), h("span", {class: "error-mean", style: {left: `${at(row.average_percent)}%`}}));
}

function validatePage(data) {
	const report = data.report;
	const events = withIndex(report.events);
	const sums = new Map();

	for (const row of events)
		sums.set(row.verdict, (sums.get(row.verdict) ?? 0) + 1);
	const path = (key) => (row) => `events.${row.index}.${key}`;
	return h("div", {class: "validate"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"}, h("p", {}, `Counts by ${report.backend === "emulate" ? "emulation" : "the processor's counters"}, held against kernels whose counts are known`, report.core ? ` (${report.core}, ${report.isa}).` : "."),
			   h("dl", {class: "cards"}, [...sums].map(([verdict, number]) => h("div", {class: "card"}, h("dt", {}, verdict), h("dd", {class: VERDICTS[verdict] ?? ""}, number)))))),
		 section("Events", "Errors in per cent of the known counts; the bar is logarithmic, from −100 % to +100 %.", dataTable({label: "Events", rows: events, filters: [{title: "verdict", value: (row) => row.verdict}], columns: [
			 {key: "event", title: "event", code: true}, {key: "level", title: "level"}, {key: "verdict", title: "verdict", show: (row) => h("span", {class: VERDICTS[row.verdict] ?? ""}, row.verdict)},
			 {key: "average_percent", title: "average error", number: true, path: path("average_percent")}, {key: "least_percent", title: "least", number: true, path: path("least_percent")}, {key: "most_percent", title: "most", number: true, path: path("most_percent")},
			 {key: "errors", title: "errors", value: (row) => row.most_percent, show: errorBar}, {key: "cases", title: "cases", number: true, path: path("cases")}, {key: "nonzero", title: "not 0", number: true, path: path("nonzero")}, {key: "worst", title: "worst in", code: true}]})),
		 Array.isArray(report.cases) && report.cases.length ? section("Cases", null, dataTable({label: "Cases", rows: report.cases, columns: columnsOf(report.cases).map((column) => ({...column, noKey: true}))})) : null);
}
