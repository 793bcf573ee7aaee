/* SPDX-License-Identifier: MIT */
/* count: events and metrics of a program, as a whole, by thread or region, and over time. */

function countValue(value, unit) {
	return isNumber(value) ? `${short(value)}${unit ? ` ${unit}` : ""}` : "–";
}

/* Names of what a part of the counts is of: a region, a thread, a processor. */
function partName(part) {
	return ["region", "thread", "cpu", "interval"].filter((key) => part[key] !== undefined && part[key] !== null).map((key) => (key === "region" ? part[key] : `${key} ${part[key]}`)).join(", ") || "all";
}

function countTable(report, kind, title) {
	const parts = [...report.all.map((part, index) => ({part, path: `all.${index}`, name: report.all.length > 1 ? partName(part) : "all"})),
		       ...(report.parts.length > 1 || report.parts.some((part) => part.region) ? report.parts.map((part, index) => ({part, path: `parts.${index}`, name: partName(part)})) : [])].slice(0, 40);
	const rows = report[kind].map((row, index) => ({...row, index})).filter((row) => parts.some((one) => isNumber(one.part[kind][row.index])));
	const groups = new Set(rows.map((row) => row.group));

	if (!rows.length)
		return null;
	return section(title, null, dataTable({label: title, rows, filters: groups.size > 1 ? [{title: "group", value: (row) => row.group}] : [], columns: [
		groups.size > 1 && {key: "group", title: "group"}, {key: "name", title: kind === "metrics" ? "metric" : "event", code: kind === "events"},
		...parts.map((one, i) => ({key: `part${i}`, title: one.name, number: true, value: (row) => one.part[kind][row.index], show: (row) => plain(one.part[kind][row.index]), path: (row) => `${one.path}.${kind}.${row.index}`})),
		{key: "unit", title: "unit"}, {key: "origins", title: "origin", value: (row) => (row.origins ?? []).join(", ")},
		{key: "formula", title: kind === "metrics" ? "formula" : "what it counts", class: "soft", value: (row) => row.formula ?? row.description}].filter(Boolean)}));
}

/* A chart for each metric that the intervals have; without metrics, for the rate of each event, as the last interval is shorter. */
function countTimeline(report, intervals) {
	const times = intervals.map((one, i) => (isNumber(one.all[0].milliseconds) ? one.all[0].milliseconds / 1000 : i));
	const ends = times.map((_, i) => times.slice(0, i + 1).reduce((sum, value) => sum + value, 0));
	const kind = report.metrics.length ? "metrics" : "events";
	const points = (index) => intervals.map((one, i) => ({x: ends[i], y: kind === "events" ? one.all[0].events[index] / times[i] : one.all[0].metrics[index]})).filter((point) => isNumber(point.y));
	const charts = report[kind].map((row, index) => ({row, points: points(index)})).filter((one) => one.points.length);

	return charts.length ? section("Over time", `${count(intervals.length, "interval")}.`, h("div", {class: "two"}, charts.map(({row, points}) => h("div", {}, h("h3", {}, row.group ? `${row.group}: ${row.name}` : row.name),
		lineChart([{name: row.name, points}], {xTitle: "s", yTitle: kind === "events" ? `${row.unit || ""} per s`.trim() : row.unit || "", height: 170}))))) : null;
}

/* Events that the kernel counts, by perf's names. */
const KERNEL_EVENTS = new Set(["alignment-faults", "context-switches", "cpu-clock", "cpu-migrations", "emulation-faults", "major-faults", "minor-faults", "page-faults", "task-clock"]);

function countedBy(report) {
	if (report.backend === "emulate")
		return "emulation: each instruction was looked at";
	return report.events.length && report.events.every((event) => KERNEL_EVENTS.has(event.name)) ? "the kernel" : `the processor's counters (${report.family})`;
}

function countPage(data) {
	const report = data.report;
	const intervals = data.intervals ?? [];

	return h("div", {class: "count"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"}, h("p", {}, "Counted by ", h("strong", {}, countedBy(report)), "."),
			   report.all.length && isNumber(report.all[0].milliseconds) ? h("p", {}, figure("all.0.milliseconds", report.all[0].milliseconds, fixed(report.all[0].milliseconds)), " ms.") : null,
			   report.signal ? h("p", {class: "warning"}, `The program was killed by signal ${report.signal}.`) : report.exit_status ? h("p", {class: "warning"}, `The program ended with exit status ${report.exit_status}.`) : null,
			   (report.notes ?? []).map((note) => h("p", {class: "hint"}, note)))),
		 countTable(report, "metrics", "Metrics"), intervals.length ? countTimeline(report, intervals) : null, countTable(report, "events", "Events"));
}
