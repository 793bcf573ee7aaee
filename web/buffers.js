/* SPDX-License-Identifier: MIT */
/* buffers: entries in use by cycle, with their averages; and running sums of µops, by port and by stage. */

/* The µops of a slot. */
function uopsOf(timeline, slot) {
	return timeline.uops.slice(slot.first_uop, slot.first_uop + slot.uop_count);
}

/* Entries of the µop queue, as [first cycle, first cycle without it]: slots that rename makes of one entry keep it together. */
function queueEntries(timeline, figures) {
	const entries = [];
	let first = null;

	for (const slot of timeline.slots.filter((one) => !one.inserted)) {
		const most = figures?.instructions?.[slot.instruction]?.queue_entries ?? Infinity;

		if (!first || first.instruction !== slot.instruction || first.iteration !== slot.iteration)
			first = {instruction: slot.instruction, iteration: slot.iteration, count: 0};
		if (first.count++ < most)
			entries.push([slot.queued, slot.renamed]);
		else
			entries[entries.length - 1][1] = Math.max(entries[entries.length - 1][1], slot.renamed);
	}
	return entries;
}

/* Buffers and a function that lists the use of each entry, as [first cycle, first cycle without it]. */
const BUFFERS = [
	["instruction queue", (timeline) => timeline.slots.filter((slot) => slot.delivered_by === "decoders").map((slot) => [slot.predecoded, slot.queued])],
	["µop queue", queueEntries],
	["reorder buffer", (timeline) => timeline.slots.map((slot) => [slot.renamed, slot.retired])],
	["load queue", (timeline) => retiring(timeline, "load")],
	["store queue", (timeline) => retiring(timeline, "store address")],
];

/* µops of a kind, from rename until they retire. */
function retiring(timeline, kind) {
	return timeline.uops.filter((uop) => uop.kind === kind).map((uop) => [timeline.slots[uop.slot].renamed, timeline.slots[uop.slot].retired]);
}

/* The schedulers, each as a buffer of the µops that wait for its ports. */
function schedulerBuffers(known) {
	const several = known.filter((buffer) => buffer.kind === "scheduler" && buffer.ports);
	const waits = (takes) => (timeline) => timeline.uops.filter(takes).map((uop) => [timeline.slots[uop.slot].renamed, uop.dispatched]);

	return several.length ? several.map((one) => ({kind: "scheduler", title: `scheduler ${one.ports.join(" ")}`, entries: one.entries, list: waits((uop) => one.ports.includes(uop.port))}))
		: [{kind: "scheduler", title: "scheduler", entries: known.find((buffer) => buffer.kind === "scheduler")?.entries, list: waits((uop) => uop.port !== null)}];
}

/* Count the entries of each buffer that are in use, by cycle: [{kind, title, entries, counts}]; those that nothing uses are left out. */
function bufferUse(timeline, figures) {
	const known = figures?.buffers ?? [];
	const last = timeline.slots.reduce((most, slot) => Math.max(most, slot.retired, slot.renamed), 0);
	const all = [...BUFFERS.map(([kind, list]) => ({kind, title: kind, list, entries: known.find((buffer) => buffer.kind === kind)?.entries})), ...schedulerBuffers(known)];

	return all.map(({list, ...buffer}) => {
		const counts = new Array(last + 1).fill(0);

		for (const [from, to] of list(timeline, figures))
			for (let cycle = from; cycle < Math.min(to, last + 1); cycle++)
				counts[cycle]++;
		return {...buffer, counts};
	}).filter((buffer) => buffer.counts.some((value) => value > 0));
}

/*
 * Cycles [from, to) in which all that is in flight is in the timeline, and the pipeline is filled: from the middle iteration on, until
 * the last instruction is fetched. Short timelines begin earlier.
 */
function filledCycles(timeline) {
	const {slots} = timeline;
	const to = slots[slots.length - 1].fetched;
	const begins = [timeline.iterations >> 1, timeline.iterations >> 2, 0].map((iteration) => slots.find((slot) => slot.iteration >= iteration).renamed);

	return [begins.find((from) => from < to) ?? 0, begins.some((from) => from < to) ? to : slots[slots.length - 1].retired];
}

/* Averages and largest use, as a table. */
function bufferTable(use, [from, to]) {
	const rows = use.map((buffer) => {
		const counts = buffer.counts.slice(from, to);
		const most = Math.max(...counts, 0);

		return {...buffer, average: counts.reduce((sum, value) => sum + value, 0) / (counts.length || 1), most, full: buffer.entries ? counts.filter((value) => value >= buffer.entries).length / (counts.length || 1) : null};
	});

	return dataTable({label: "Use of buffers", rows, search: false, columns: [{key: "title", title: "buffer", class: "nowrap"},
		{key: "average", title: "average", number: true, noKey: true, show: (row) => fixed(row.average)}, {key: "most", title: "largest", number: true, noKey: true},
		{key: "entries", title: "entries", number: true, noKey: true, hint: "Entries that the core's model gives to it", show: (row) => (row.entries ? plain(row.entries) : "–")},
		{key: "share", title: "average in use", number: true, noKey: true, value: (row) => (row.entries ? row.average / row.entries : null), show: (row) => (row.entries ? percent(row.average, row.entries) : "–")},
		{key: "full", title: "cycles full", number: true, noKey: true, show: (row) => (row.full === null ? "–" : percent(row.full, 1))}]});
}

/* Sums up to each cycle of events [{name, cycles}], as lines. */
function runningSums(series, last) {
	return series.filter((one) => one.cycles.length).map(({name, cycles}) => {
		const counts = new Array(last + 1).fill(0);
		let sum = 0;

		for (const cycle of cycles)
			if (cycle <= last)
				counts[cycle]++;
		return {name, points: counts.map((value, cycle) => ({x: cycle, y: (sum += value)}))};
	});
}

const BUFFER_CHARTS = [
	["entries in use, by cycle", (use) => use.map((buffer) => ({name: buffer.title, points: buffer.counts.map((value, cycle) => ({x: cycle, y: value}))})), "entries in use"],
	["µops dispatched to each port, summed up", (use, timeline, last) => {
		const ports = [...new Set(timeline.uops.map((uop) => uop.port))].filter((port) => port !== null).sort((a, b) => a.localeCompare(b, "en", {numeric: true}));

		return runningSums(ports.map((name) => ({name, cycles: timeline.uops.filter((uop) => uop.port === name).map((uop) => uop.dispatched)})), last);
	}, "µops so far"],
	["slots and µops through each stage, summed up", (use, timeline, last) => runningSums([
		{name: "slots decoded or delivered", cycles: timeline.slots.map((slot) => slot.queued)}, {name: "slots renamed", cycles: timeline.slots.map((slot) => slot.renamed)},
		{name: "µops dispatched", cycles: timeline.uops.filter((uop) => uop.port !== null).map((uop) => uop.dispatched)}, {name: "slots retired", cycles: timeline.slots.map((slot) => slot.retired)}], last), "so far"],
];

/* The chart, with a choice of what it shows, and the table. */
function buffersPart(timeline, figures) {
	const use = bufferUse(timeline, figures);
	const cycles = filledCycles(timeline);
	const last = use.reduce((most, buffer) => Math.max(most, buffer.counts.length - 1), 0);
	const holder = h("div", {class: "buffers-chart"});
	const choice = h("select", {class: "buffers-choice", "aria-label": "What the chart shows", onchange: () => draw()}, BUFFER_CHARTS.map(([title], i) => h("option", {value: i}, title)));

	function draw() {
		const [, lines, unit] = BUFFER_CHARTS[Number(choice.value)];

		holder.replaceChildren(lineChart(lines(use, timeline, last).map((line, i) => ({...line, style: i < PART_COLOURS ? "plain" : "plain dashed"})), {xTitle: "", yTitle: unit, height: 220}));
	}

	draw();
	return h("div", {class: "buffers"}, h("div", {class: "tools"}, choice), holder,
		 h("p", {class: "hint"}, `The table has cycles ${plain(cycles[0])} to ${plain(cycles[1] - 1)}, from when the pipeline is filled until the last instruction shown is fetched. A µop waits in a scheduler from rename to dispatch; loads and stores keep their entries until they retire; slots that rename makes of one µop keep one entry of the queue. The model has no limit of physical registers.`),
		 bufferTable(use, cycles));
}
