/* SPDX-License-Identifier: MIT */
/* trace: a program: its cycles and what they are lost to, its calls, tables, code, caches, processes. */

/* ---- the summary ---- */

function traceCaveats(report) {
	const list = [
		report.stopped_by && `Partial: ${typeof report.stopped_by === "string" ? report.stopped_by : `signal ${report.stopped_by}`} stopped this before the log's end.`,
		report.signal && `The program was killed by signal ${report.signal}${report.fault && report.fault.place ? ` at ${report.fault.place}` : ""}.`,
		!report.signal && report.exit_status > 0 && `The program ended with exit status ${report.exit_status}.`,
		report.processes_not_followed > 0 && `${count(report.processes_not_followed, "process", "processes")} that it made ${report.processes_not_followed === 1 ? "was" : "were"} not followed.`,
		report.became_other && "A process became a program that was not followed.",
		report.left_out > 0 && `${plain(report.left_out)} instructions or runs have no code in any binary.`,
		report.unread_path && `Names of ${report.unread_path} could not be read: ${report.unread_cause}.`,
		report.core && !report.models_caches && "Ideal: every access hits the first-level cache.",
		report.core && !report.models_branches && "Ideal: every branch is predicted correctly.",
		report.blocks_only && "Loads and stores were not traced.",
		report.unknown_instructions > 0 && `${plain(report.unknown_instructions)} timed instructions cannot be decoded and count as nops.`,
		report.default_instructions > 0 && `${plain(report.default_instructions)} timed instructions have the default of their class: ${percent(report.default_instructions, report.instructions)} of all.`,
	].filter(Boolean);

	return list.map((text) => h("p", {class: "warning"}, text));
}

function traceHeadline(report) {
	const timed = isNumber(report.cycles);
	const cards = timed ? [["instructions per cycle", (report.instructions / report.cycles).toFixed(2), null], ["instructions", plain(report.instructions), "instructions"], ["µops", plain(report.uops), "uops"]]
		: [["blocks", plain(report.blocks), "blocks"]];
	const modelled = timed && ["pipeline", report.models_caches && "caches and TLBs", report.models_branches && "branch prediction"].filter(Boolean).join(", ");

	return h("div", {class: "headline"},
		 h("div", {class: "big"}, timed ? figure("cycles", report.cycles, plain(report.cycles)) : figure("instructions", report.instructions, plain(report.instructions)),
		   h("span", {class: "unit"}, timed ? "cycles" : "instructions")),
		 h("p", {}, timed ? ["Simulated on ", h("strong", {}, report.core), report.core_choice ? ` (${report.core_choice})` : "", "."] : "Counted exactly, without a core.",
		   ` A program for ${report.guest}.`),
		 h("dl", {class: "cards"}, cards.map(([title, text, key]) => h("div", {class: "card"}, h("dt", {}, title), h("dd", {}, key ? figure(key, report[key], text) : text)))),
		 h("p", {class: "hint"}, [modelled && `modelled: ${modelled}`, count(report.threads.length, "thread"), `${plain(report.distinct_blocks)} different blocks`, report.settings].filter(Boolean).join(" · ")),
		 traceCaveats(report));
}

function traceLosses(report) {
	const ports = (report.busy_ports ?? []).filter((one) => one.cycles > 0).slice(0, 3).map((one) => `${one.ports} ${percent(one.cycles, report.cycles)}`).join(", ");
	const hints = {retiring: "slots of instructions", "heavy retiring": "slots of instructions of several µops", "fetch latency": "instruction cache and TLB misses", "taken branches": "targets that come late",
		       "op cache": "its width", rename: "groups of slots that do not fit", branch: "mispredicted and late branches", ports,
		       system: "system calls, by an estimate"};

	return isNumber(report.cycles) ? partsBar(report.loss_names.map((name, i) => ({title: name, value: report.losses[i], key: `losses.${i}`, text: hints[name] ?? ""})),
						  {total: report.cycles, unit: "cycles", label: "Cycles by what they go to"}) : null;
}

/* ---- how exact it is ---- */

function sampledPart(report) {
	const sample = report.sample, layouts = report.layouts;

	if (sample)
		return section("What was simulated", "Parts of the program, chosen at random; the rest is estimated from them.",
			       h("p", {}, figure("sample.simulated_instructions", sample.simulated_instructions, plain(sample.simulated_instructions)), ` of ${plain(report.instructions)} instructions, `,
				 figure("sample.units", sample.units, plain(sample.units)), " units. ", isNumber(sample.half_width_cycles)
					 ? ["With a confidence of 95 %, the cycles are ", h("strong", {}, plain(report.cycles)), " ± ", figure("sample.half_width_cycles", sample.half_width_cycles, plain(sample.half_width_cycles)), ` (±${percent(sample.half_width_cycles, report.cycles)}).`]
					 : "These are too few for an error estimate."),
			       intervalBar(report.cycles, sample.half_width_cycles));
	if (layouts)
		return section("Layouts", `Cycles of ${count(layouts.cycles.length, "layout")} of code and data, drawn at random (seed ${layouts.seed}).`,
			       h("p", {}, "Mean ", h("strong", {}, plain(report.cycles)), " ± ", figure("layouts.half_width_cycles", layouts.half_width_cycles, fixed(layouts.half_width_cycles)), ` cycles with a confidence of 95 % (±${percent(layouts.half_width_cycles, report.cycles)}); a single layout is `,
				 figure("layouts.deviation_cycles", layouts.deviation_cycles, fixed(layouts.deviation_cycles)), ` cycles (${percent(layouts.deviation_cycles, report.cycles)}) from the mean, as a standard deviation.`),
			       stripChart(layouts.cycles.map((value, i) => ({value, label: `layout ${i + 1}`})), {mean: report.cycles, half: layouts.half_width_cycles, unit: "cycles"}));
	return null;
}

/* An estimate with its interval. */
function intervalBar(value, half) {
	return isNumber(half) ? stripChart([{value, label: "estimate"}], {mean: value, half, unit: "cycles"}) : null;
}

/* ---- tables ---- */

/* Columns that all tables of a profile have. */
function weightColumns(report, list) {
	const timed = isNumber(report.cycles);
	const all = timed ? report.cycles : report.instructions;
	const cost = (row) => (timed ? row.cycles : row.instructions);
	const most = Math.max(...report[list].map(cost), 1);
	const path = (key) => (row) => `${list}.${row.index}.${key}`;
	const colours = timed ? rankColours(report.losses) : [];

	return {cost, lead: [{key: timed ? "cycles" : "instructions", title: timed ? "cycles" : "instructions", number: true, path: path(timed ? "cycles" : "instructions")},
		       {key: "share", title: "%", number: true, noKey: true, value: (row) => (100 * cost(row)) / all, show: (row) => percent(cost(row), all)},
		       timed && {key: "losses", title: "what they go to", value: (row) => causesText(report.loss_names, row.losses), class: "losses-cell",
				 show: (row) => h("span", {class: "losses-line"}, h("span", {class: "mini-track"}, lossesCell(report.loss_names, row.losses, most, colours)), h("span", {class: "hint"}, causesText(report.loss_names, row.losses)))},
		       timed && {key: "ipc", title: "IPC", number: true, noKey: true, value: (row) => (row.cycles ? row.instructions / row.cycles : null), show: (row) => (row.cycles ? (row.instructions / row.cycles).toFixed(2) : "–")}].filter(Boolean), path};
}

function withIndex(rows) {
	return rows.map((row, index) => ({...row, index}));
}

function functionPlace(report, row) {
	return `${report.functions[row.function].name}+0x${row.offset.toString(16)}`;
}

/* Columns of the causes that were chosen. */
function lossColumns(picker, path) {
	return picker.chosen.map((index) => ({key: `loss-${index}`, title: picker.names[index], number: true, hint: "Cycles lost to this cause", value: (row) => row.losses?.[index] ?? null, path: path(`losses.${index}`)}));
}

function profileTable(report, list, label, columns, onChoose, note) {
	const {lead, path} = weightColumns(report, list);
	const rows = withIndex(report[list]);
	const make = () => {
		const picker = isNumber(report.cycles) ? new LossColumns(report.loss_names, usedLosses(report.loss_names, rows.map((row) => row.losses)), () => fill()) : null;
		const holder = h("div");
		const fill = () => holder.replaceChildren(dataTable({label, rows, onChoose, sort: {key: lead[0].key}, search: rows.length > 8, columns: [...lead, ...(picker ? lossColumns(picker, path) : []), ...columns(path)]}));

		fill();
		return h("div", {}, note > rows.length ? h("p", {class: "hint"}, `The ${plain(rows.length)} of ${plain(note)} that cost most are in this file.`) : null, picker?.element, holder);
	};

	return {label, note: count(note ?? rows.length, "row"), make};
}

function traceTables(report, whole, go) {
	const line = (row) => (row.file ? `${row.file}:${row.line}` : "");
	const entries = [
		report.regions && report.regions.length ? profileTable(report, "regions", "Regions", (path) => [
			{key: "entries", title: "entries", number: true, path: path("entries")}, {key: "name", title: "region", code: true}]) : null,
		profileTable(report, "functions", "Functions", (path) => [
			{key: "total", title: "with calls", number: true, hint: "With all functions that it called", value: (row) => row.total_cycles ?? row.total_instructions,
			 path: (row) => path(isNumber(row.total_cycles) ? "total_cycles" : "total_instructions")(row)},
			{key: "calls", title: "calls", number: true, path: path("calls")}, {key: "name", title: "function", code: true}, {key: "file", title: "file", value: (row) => baseName(row.file)}], (row) => go.functionAt(row.index)),
		profileTable(report, "lines", "Lines", () => [{key: "place", title: "line", code: true, value: line},
			{key: "text", title: "source", code: true, class: "source-text", value: (row) => go.lineText(row)}], (row) => go.line(row), whole.lines),
		profileTable(report, "loops", "Loops", (path) => [
			{key: "analyzed", title: "analysis", value: (row) => (go.isAnalyzed(row) ? "analyzed" : ""), show: (row) => (go.isAnalyzed(row) ? h("span", {class: "good"}, "analyzed") : "")},
			{key: "iterations", title: "iterations", number: true, path: path("iterations")},
			{key: "per", title: isNumber(report.cycles) ? "cycles/iteration" : "instructions/iteration", number: true, noKey: true, value: (row) => (row.iterations ? (row.cycles ?? row.instructions) / row.iterations : null), show: (row) => (row.iterations ? fixed((row.cycles ?? row.instructions) / row.iterations) : "–")},
			{key: "entries", title: "entries", number: true, path: path("entries")}, {key: "depth", title: "depth", number: true, path: path("depth")},
			{key: "place", title: "loop", code: true, value: (row) => functionPlace(report, row)}, {key: "line", title: "line", code: true, value: (row) => (row.file ? `${baseName(row.file)}:${row.line}` : "")}], (row) => go.loop(row), whole.loops),
		profileTable(report, "blocks_run", "Blocks", (path) => [
			{key: "executions", title: "executions", number: true, path: path("executions")},
			{key: "per", title: "cycles/execution", number: true, noKey: true, value: (row) => (row.executions && isNumber(row.cycles) ? row.cycles / row.executions : null), show: (row) => (row.executions && isNumber(row.cycles) ? fixed(row.cycles / row.executions) : "–")},
			{key: "length", title: "instructions", number: true, path: path("length")},
			{key: "place", title: "block", code: true, value: (row) => functionPlace(report, row)}, {key: "address", title: "address", code: true}], (row) => go.block(row), whole.blocks_run),
	].filter(Boolean);

	return section("Where the cycles go", "A click on a row shows its code.", tabs("Profile", entries).element);
}

/* ---- caches and branches ---- */

function missTable(report) {
	const caches = report.caches;

	if (!caches)
		return null;
	const rows = ["fetches", "loads", "stores"].map((kind) => ({kind, ...caches[kind]}));
	const path = (key) => (row) => `caches.${row.kind}.${key}`;
	const per = (key, of, title) => ({key: `${key}_share`, title, number: true, noKey: true, value: (row) => (row[of] ? row[key] / row[of] : null), show: (row) => (row[of] ? percent(row[key], row[of]) : "–")});

	return h("div", {}, h("h3", {}, "Caches and TLBs"), dataTable({label: "Caches and TLBs", rows, search: false, columns: [{key: "kind", title: "kind", class: "nowrap"}, {key: "accesses", title: "accesses", number: true, path: path("accesses")},
		{key: "l1_misses", title: "L1 misses", number: true, path: path("l1_misses")}, per("l1_misses", "accesses", "of accesses"),
		{key: "l2_misses", title: "L2 misses", number: true, path: path("l2_misses")}, {key: "l3_misses", title: "L3 misses", number: true, path: path("l3_misses")},
		{key: "tlb_misses", title: "TLB misses", number: true, path: path("tlb_misses")}, {key: "page_walks", title: "page walks", number: true, path: path("page_walks")}]}),
		 terms([["written back", `${plain(caches.l1_write_backs)} lines from L1, ${plain(caches.l2_write_backs)} from L2, ${plain(caches.l3_write_backs)} from L3`],
			["prefetched", `${plain(caches.prefetches)} lines, ${percent(caches.useful_prefetches, caches.prefetches)} of them used`],
			caches.non_temporal_lines ? ["non-temporal", `${plain(caches.non_temporal_lines)} lines`] : null]));
}

function branchTable(report) {
	const branches = report.branches;

	if (!branches)
		return null;
	const rows = Object.entries(branches).filter(([, value]) => isRecord(value) && value.executed).map(([kind, value]) => ({kind, ...value}));
	const all = rows.reduce((sum, row) => sum + row.missed, 0);

	return h("div", {}, h("h3", {}, "Branch prediction"), dataTable({label: "Branch prediction", rows, search: false, sort: {key: "missed"}, columns: [{key: "kind", title: "kind", value: (row) => words(row.kind)},
		{key: "executed", title: "executed", number: true, path: (row) => `branches.${row.kind}.executed`}, {key: "missed", title: "mispredicted", number: true, bar: true, path: (row) => `branches.${row.kind}.missed`},
		{key: "rate", title: "rate", number: true, noKey: true, value: (row) => row.missed / row.executed, show: (row) => percent(row.missed, row.executed)}]}),
		 terms([["per 1,000 instructions", fixed((1000 * all) / report.instructions)], ["late", `${plain(branches.late)} predicted correctly, but too late`]]));
}

function countsPart(report) {
	const names = [["instructions"], ["repeats", "string repeats"], ["interrupted"], ["blocks"], ["taken", "branches taken"], ["not_taken", "branches not taken"], ["loads"], ["load_bytes", "bytes loaded"], ["stores"], ["store_bytes", "bytes stored"], ["syscalls", "system calls"]];

	return section("Counts", "Exact, whatever the core.", h("dl", {class: "cards"}, names.filter(([key]) => isNumber(report[key])).map(([key, title]) =>
		h("div", {class: "card"}, h("dt", {}, title ?? key), h("dd", {}, figure(key, report[key], plain(report[key])))))));
}

function processesPart(report) {
	const timed = isNumber(report.cycles);
	const columns = (list) => [timed && {key: "cycles", title: "cycles", number: true, bar: true, path: (row) => `${list}.${row.index}.cycles`}, {key: "instructions", title: "instructions", number: true, path: (row) => `${list}.${row.index}.instructions`}].filter(Boolean);
	const processes = report.processes ?? [];

	return [processes.length > 1 ? section("Processes", "Each program of each process, on a core of its own; they may have run at the same time.", dataTable({label: "Processes", rows: withIndex(processes), columns: [
		{key: "number", title: "#", number: true, noKey: true, value: (row) => row.index}, ...columns("processes"), {key: "thread_count", title: "threads", number: true, path: (row) => `processes.${row.index}.thread_count`},
		{key: "began", title: "began by", value: (row) => (row.began === "start" ? row.began : `${row.began} of ${row.parent}`)}, {key: "ended", title: "ended by", value: (row) => (row.ended === "exit" ? `exit ${row.exit_status}` : row.ended)},
		{key: "command", title: "command", code: true}]})) : null,
		report.threads.length > 1 ? section("Threads", null, dataTable({label: "Threads", rows: withIndex(report.threads), columns: [{key: "number", title: "thread", number: true, noKey: true, value: (row) => row.index}, ...columns("threads"),
			{key: "losses", title: "what they go to", value: (row) => causesText(report.loss_names, row.losses)}]})) : null];
}

/* ---- loops ---- */

/* The loops that were analyzed when the report was made: their view is shown when one is chosen. */
class AnalyzedLoops {
	constructor(data) {
		this.report = data.report;
		this.loops = new Map((data.loops ?? []).map((loop) => [loop.address, loop]));
		this.holder = h("div");
		this.title = h("p", {class: "loop-title"});
		this.element = section("Loop", "One iteration of the loop's most frequent path, as takt analyze sees it: data are in the first-level cache, and branches are predicted.", this.title, this.holder);
		this.element.hidden = true;
	}

	has(row) {
		return this.loops.has(row.address);
	}

	/* Show the analysis of this row of the loops; false if there is none. */
	show(row) {
		const loop = this.loops.get(row.address);

		if (!loop)
			return false;
		const inTrace = isNumber(row.cycles) && row.iterations ? row.cycles / row.iterations : null;
		const view = analyzeRegion(loop.report, loop.timeline, null, {insn: -1, onSelect: () => {}}, loop.figures);

		this.title.replaceChildren();
		append(this.title, [h("code", {}, functionPlace(this.report, row)), `: ${fixed(loop.report.cycles_per_iteration)} cycles per iteration alone`, inTrace === null ? "" : `, ${fixed(inTrace)} in the program`, "."]);
		/* Its figures are those of another result than the page's. */
		for (const one of view.querySelectorAll("[data-key]"))
			one.removeAttribute("data-key");
		this.holder.replaceChildren(view);
		this.element.hidden = false;
		this.element.scrollIntoView({block: "start", behavior: "smooth"});
		requestAnimationFrame(() => view.dispatchEvent(new Event("draw")));
		say(`Analysis of the loop at ${row.address}`);
		return true;
	}
}

/* ---- the page ---- */

/* Colours of a flame graph: one for each file of functions, the costliest first. */
function flameGroups(report) {
	const sums = new Map(), fileOf = new Map();

	for (const one of report.functions) {
		const file = baseName(one.file) || "run-time code";

		sums.set(file, (sums.get(file) ?? 0) + (one.cycles ?? one.instructions));
		fileOf.set(one.name, file);
	}
	const groups = [...sums].sort((a, b) => b[1] - a[1]).map(([file]) => file).slice(0, PART_COLOURS - 1);
	return {groups, groupOf: (name) => { const at = groups.indexOf(fileOf.get(name)); return at < 0 ? PART_COLOURS - 1 : at; }, fileOf};
}

function tracePage(data) {
	const report = data.report;
	const hasProfile = Boolean(report.functions);
	const annotation = data.annotation && data.annotation.functions.length ? data.annotation : null;
	const code = annotation ? new AnnotatedCode({annotation, sources: data.sources, unit: isNumber(report.cycles) ? "cycles" : "runs", whole: report.cycles ?? report.instructions,
		lossNames: report.loss_names, blocks: report.blocks_run}) : null;
	const codeSection = code ? section("Code", null, later(() => code.open())) : null;
	const textOf = new Map((data.sources ?? []).map((source) => [source.file, source.lines]));
	const reveal = (found) => {
		if (found)
			codeSection.scrollIntoView({block: "start", behavior: "smooth"});
		say(found ? `Code of ${code.shown.name}` : "This has no code in the report: it costs too little");
		return found;
	};
	const go = {
		isAnalyzed: (row) => loops.has(row),
		functionAt: (index) => {
			if (calls)
				calls.show(report.functions[index].name);
			return reveal(Boolean(code) && code.showFunction(index));
		},
		loop: (row) => {
			const shown = Boolean(code) && code.showFunction(row.function);

			if (shown)
				code.goToOffset(row.offset);
			if (!loops.show(row))
				reveal(shown);
		},
		block: (row) => { if (reveal(Boolean(code) && code.showFunction(row.function))) code.goToOffset(row.offset); },
		line: (row) => {
			const has = (one) => one.instructions.some((insn) => insn.file === row.file && insn.line === row.line);
			const at = code ? code.functions.findIndex(has) : -1;

			if (at >= 0)
				code.show(at);
			if (reveal(at >= 0))
				code.goToLine(row.file, row.line);
		},
		lineText: (row) => (textOf.get(row.file)?.[row.line] ?? "").trim(),
	};
	const loops = new AnalyzedLoops(data);
	const look = hasProfile ? flameGroups(report) : null;
	const flame = data.stacks && hasProfile ? new FlameGraph({stacks: data.stacks, groups: look.groups, groupOf: look.groupOf,
		describe: (name) => [["file", look.fileOf.get(name)]], hasCode: (name) => Boolean(code) && code.has(name), onCode: (name) => reveal(Boolean(code) && code.showName(name))}) : null;
	const calls = flame ? new CallsView({flame, unit: data.stacks.unit}) : null;
	const losses = traceLosses(report);

	if (flame)
		Object.assign(flame.options, {onChoose: (name) => calls.show(name), onRoot: () => calls.drawGraphs()});

	return h("div", {class: "trace"},
		 h("div", {class: "summary"}, traceHeadline(report), losses),
		 sampledPart(report), coursePart(data),
		 flame ? section("Flame graph", `Calls by their ${data.stacks.unit}: what calls is above what it calls.`, flame.element) : null,
		 calls ? section("Callers and callees", "Of the function that is chosen in the flame graph or in the table, over all stacks. A click on a frame goes to its function.", calls.element) : null,
		 hasProfile ? later(() => traceTables(report, data.whole ?? {}, go)) : null,
		 loops.element, codeSection,
		 report.caches || report.branches ? section("Caches and branches", "Counts of the models; what they cost is in the bar above.", h("div", {class: "two"}, missTable(report), branchTable(report))) : null,
		 processesPart(report), countsPart(report));
}
