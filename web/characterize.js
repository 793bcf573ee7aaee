/* SPDX-License-Identifier: MIT */
/* characterize: all instructions of a machine, beside those of another; and one instruction with its experiments. */

const SAME_THROUGHPUT = 0.05, SAME_LATENCY_CYCLES = 0.5; /* as the text report counts agreement */

/* ---- figures of a form ---- */

function latencyRange(form) {
	if (!form || !form.latencies.length)
		return null;
	return {least: Math.min(...form.latencies.map((one) => one.least)), most: Math.max(...form.latencies.map((one) => one.most))};
}

function rangeText(range) {
	return !range ? "–" : range.most - range.least > 0.05 ? `${fixed(range.least)} … ${fixed(range.most)}` : fixed(range.most);
}

function pairName(pair) {
	return `${pair.source} → ${pair.destination}`;
}

function latenciesDiffer(form, other) {
	const pairs = new Map(other.latencies.map((pair) => [pairName(pair), pair]));

	return form.latencies.some((pair) => {
		const same = pairs.get(pairName(pair));

		return same && (pair.least > same.most + SAME_LATENCY_CYCLES || pair.most < same.least - SAME_LATENCY_CYCLES);
	});
}

/* In what a form differs from the same form of other results, in words. */
function formDifference(form, other, names) {
	if (!other)
		return `only ${names[0]}`;
	if (!form)
		return `only ${names[1]}`;
	if (form.reason || other.reason)
		return "not measured";
	const parts = [Math.abs(form.throughput_cycles - other.throughput_cycles) > SAME_THROUGHPUT * Math.min(form.throughput_cycles, other.throughput_cycles) && "throughput", latenciesDiffer(form, other) && "latency",
		       isNumber(form.uops) && isNumber(other.uops) && form.uops !== other.uops && "µops"].filter(Boolean);

	return parts.length ? parts.join(", ") : "same";
}

/* ---- one form of all ---- */

function formDetail(row, machines) {
	const shown = machines.map((machine, i) => ({machine, form: row.forms[i]})).filter((one) => one.form);
	const pairs = [...new Set(shown.flatMap((one) => one.form.latencies.map(pairName)))];
	const latency = (form, name) => {
		const pair = form.latencies.find((one) => pairName(one) === name);

		return pair ? rangeText(pair) : "–";
	};
	const lines = [["throughput", (form) => `${fixed(form.throughput_cycles)} cycles`], ["in a chain with itself", (form) => `${fixed(form.chain_cycles)} cycles`], ["µops", (form) => plain(form.uops)], ["ports", (form) => form.ports || "–"], ["ports alone", (form) => (isNumber(form.ports_cycles) ? `${fixed(form.ports_cycles)} cycles` : "–")], ["uncertain", (form) => form.ports_doubt || "no"],
		       ["no latencies because", (form) => form.no_latency_reason || "–"],
		       ["spread of throughput", (form) => (isNumber(form.spread) ? `${(100 * form.spread).toFixed(1)} %` : "–")], ["experiments", (form) => plain(form.experiments)]];
	const variants = shown.flatMap((one) => one.form.variants.map((variant) => ({...variant, machine: one.machine.machine})));

	return [h("h3", {}, h("code", {}, row.form), row.isa_set && h("span", {class: "hint"}, ` ${row.isa_set}`)), shown.filter((one) => one.form.reason).map((one) => h("p", {class: "warning"}, `${one.machine.machine}: ${one.form.reason}`)),
		h("div", {class: "two"}, h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Figures"}, h("table", {class: "data plain-table"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "figure"), shown.map((one) => h("th", {scope: "col"}, one.machine.machine)))),
			h("tbody", {}, lines.map(([title, text]) => h("tr", {}, h("th", {scope: "row"}, title), shown.map((one) => h("td", {}, text(one.form)))))))),
		  pairs.length ? h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Latencies"}, h("table", {class: "data plain-table"}, h("thead", {}, h("tr", {}, h("th", {scope: "col"}, "latency, cycles"), shown.map((one) => h("th", {scope: "col"}, one.machine.machine)))),
			h("tbody", {}, pairs.map((name) => h("tr", {}, h("th", {scope: "row"}, name), shown.map((one) => h("td", {}, latency(one.form, name)))))))) : null),
		variants.length ? variantTable(variants) : null, measuredPart(shown.map((one) => ({machine: one.machine.machine, form: one.form})))];
}

function variantTable(variants) {
	return h("div", {}, h("h3", {}, "Variants"), dataTable({label: "Variants", rows: variants, search: false, columns: [variants[0].machine !== undefined && {key: "machine", title: "machine"}, {key: "kind", title: "kind", value: (row) => words(row.kind)}, {key: "detail", title: "of"},
		{key: "figure", title: "figure", number: true, noKey: true, show: (row) => fixed(row.figure)}, {key: "other", title: "otherwise", number: true, noKey: true, show: (row) => fixed(row.other)}].filter(Boolean)}));
}

/* ---- all forms ---- */

/* Rows of one or two results: {form, isa_set, forms: [of each], indexes}. */
function surveyRows(machines) {
	const rows = new Map();

	machines.forEach((machine, m) => machine.forms.forEach((form, index) => {
		const row = rows.get(form.form) ?? {form: form.form, isa_set: form.isa_set, forms: [], indexes: []};

		row.forms[m] = form;
		row.indexes[m] = index;
		rows.set(form.form, row);
	}));
	const names = machines.map((machine) => `in ${machine.machine}`);
	for (const row of rows.values())
		row.difference = machines.length > 1 ? formDifference(row.forms[0], row.forms[1], names) : "";
	return [...rows.values()];
}

function machineColumns(machine, m, several) {
	const title = (text) => (several ? `${machine.machine}: ${text}` : text);
	/* Only the first machine's figures are the report's. */
	const of = (key, text, hint, show) => ({key: `${key}-${m}`, title: title(text), hint, number: true, noKey: m > 0, value: (row) => row.forms[m] && row.forms[m][key], show: (row) => show(row.forms[m] && row.forms[m][key]), path: (row) => `forms.${row.indexes[m]}.${key}`});

	return [of("throughput_cycles", "throughput", "Cycles of an instance among independent ones", fixed),
		{key: `latency-${m}`, title: title("latency"), hint: "Cycles, from the least to the most of all operand pairs", number: true, noKey: true, value: (row) => (latencyRange(row.forms[m]) ?? {most: null}).most, show: (row) => rangeText(latencyRange(row.forms[m]))},
		of("uops", "µops", "Counted µops", plain), {key: `ports-${m}`, title: title("ports"), code: true, value: (row) => (row.forms[m] ? row.forms[m].ports : ""), show: (row) => (row.forms[m] && row.forms[m].ports ? [row.forms[m].ports, row.forms[m].ports_doubt ? h("span", {class: "hint", title: row.forms[m].ports_doubt}, " ?") : ""] : "–")}];
}

function surveyStatus(row) {
	return row.forms.every((form) => !form || !form.reason) ? "measured" : "failed";
}

/* Throughput of both machines as points; on the line, they are equal. */
function throughputChart(rows, machines, choose) {
	const points = rows.map((row, index) => ({index, row, measured_cycles: row.forms[0] && row.forms[0].throughput_cycles, name: row.form, predicted_cycles: {other: row.forms[1] && row.forms[1].throughput_cycles}})).filter((one) => isNumber(one.measured_cycles));

	return pointChart(points, "other", (point) => choose(point.row), {x: `${machines[0].machine}: cycles`, y: `${machines[1].machine}: cycles`, what: "Throughput of"});
}

class SurveyView {
	constructor(data) {
		this.machines = [data.report, data.against].filter(Boolean);
		this.table = h("div");
		this.chart = h("div");
		this.summary = h("div", {class: "summary single"});
		this.detail = h("div", {"aria-live": "polite"}, h("p", {class: "hint"}, "Choose a row of the table."));
		this.note = h("span", {class: "hint", role: "status"});
		this.draw();
	}

	draw() {
		const several = this.machines.length > 1;
		const rows = surveyRows(this.machines);

		this.summary.replaceChildren(this.headline(rows));
		this.table.replaceChildren(dataTable({label: "Instructions", rows, search: true, onChoose: (row) => this.choose(row),
			filters: [{title: "instruction set", value: (row) => row.isa_set || "unknown"}, {title: "status", value: surveyStatus}, ...(several ? [{title: "difference", value: (row) => row.difference}] : [])],
			columns: [{key: "form", title: "form", code: true, class: "nowrap"}, {key: "isa_set", title: "set", class: "nowrap"}, ...this.machines.flatMap((machine, m) => machineColumns(machine, m, several)),
				several && {key: "difference", title: "difference", class: "nowrap", show: (row) => (row.difference === "same" ? "same" : h("span", {class: "changed-figure"}, row.difference))},
				{key: "reason", title: "not measured because", class: "soft", value: (row) => row.forms.filter(Boolean).map((form) => form.reason).find(Boolean) ?? ""}].filter(Boolean)}));
		this.chart.replaceChildren(several ? throughputChart(rows, this.machines, (row) => this.choose(row)) : this.histogram(rows));
	}

	histogram(rows) {
		const values = rows.map((row) => row.forms[0].throughput_cycles).filter(isNumber);
		const bins = histogram(values);

		return h("div", {}, columnChart(bins, {unit: "forms", every: Math.ceil(bins.length / 14), label: "Forms by throughput"}), h("p", {class: "hint chart-axis"}, "cycles of an instance among independent ones"));
	}

	headline(rows) {
		const failed = this.machines.map((machine) => machine.forms.filter((form) => form.reason).length);
		const kinds = new Map();

		for (const row of rows)
			kinds.set(row.difference, (kinds.get(row.difference) ?? 0) + 1);
		return h("div", {class: "headline"}, this.machines.map((machine, m) => h("p", {}, h("strong", {}, machine.machine), `: ${count(machine.forms.length, "form")}, ${plain(failed[m])} of them not measured; ${machine.date}`)),
			 this.machines.length > 1 ? h("p", {}, [...kinds].sort((a, b) => b[1] - a[1]).map(([name, number]) => `${name}: ${plain(number)}`).join(" · ")) : null);
	}

	choose(row) {
		this.detail.replaceChildren();
		append(this.detail, [formDetail(row, this.machines)]);
		this.detail.closest("section").scrollIntoView({block: "nearest"});
	}

	/* Compare with results that the user has in a file: JSON, or another report. */
	async open(file) {
		try {
			const {report} = readResult(await file.text());

			if (!Array.isArray(report.forms))
				throw new Error("it has no forms");
			this.machines = [this.machines[0], report];
			this.note.textContent = `${file.name}: ${count(report.forms.length, "form")}`;
			this.draw();
		} catch (error) {
			this.note.textContent = `${file.name} cannot be compared: ${error.message}`;
		}
	}

	element() {
		return h("div", {class: "characterize"}, this.summary,
			 section("Instructions", "A click on a row shows all about it.", h("div", {class: "tools"}, h("label", {class: "check"}, "Compare with a file ", h("input", {type: "file", accept: ".json,.html", onchange: (event) => event.target.files.length && this.open(event.target.files[0])})), this.note), this.table),
			 section("Instruction", null, this.detail), section("Throughput", null, this.chart));
	}
}

/* ---- one form with its experiments ---- */

/* The experiments with an `x`, as those of a survey: [{title, x: […], cycles: […]}]. */
function measuredOf(runs) {
	const groups = new Map();

	for (const run of runs)
		if (isNumber(run.cycles) && isNumber(run.x)) {
			const group = groups.get(run.title) ?? {title: run.title, x: [], cycles: []};

			group.x.push(run.x);
			group.cycles.push(run.cycles);
			groups.set(run.title, group);
		}
	return [...groups.values()];
}

/* Other experiments of the same purpose whose code has different lengths, as lines: the slope is the cost. */
function experimentGroups(runs) {
	const groups = new Map();

	for (const run of runs)
		if (isNumber(run.cycles) && !isNumber(run.x))
			groups.set(run.title, [...(groups.get(run.title) ?? []), run]);
	return [...groups].map(([title, list]) => ({title, list: list.sort((a, b) => a.instructions - b.instructions)})).filter((group) => new Set(group.list.map((run) => run.instructions)).size > 1);
}

function groupChart(group) {
	const first = group.list[0], last = group.list[group.list.length - 1];
	const slope = (last.cycles - first.cycles) / (last.instructions - first.instructions);

	return h("div", {class: "experiment"}, h("h3", {}, group.title), lineChart([{name: group.title, points: group.list.map((run) => ({x: run.instructions, y: run.cycles, label: `${count(run.instructions, "instruction")}: ${fixed(run.cycles)} cycles`}))}], {xTitle: "instr.", yTitle: "cycles", height: 220, width: 480}),
		 h("p", {class: "hint"}, `${fixed(slope)} cycles for each instruction more.`));
}

function formPage(report) {
	const cards = [["throughput", "throughput_cycles"], ["in a chain with itself", "chain_cycles"], ["on ports alone", "ports_cycles"], ["µops", "uops"]];
	const groups = experimentGroups(report.runs ?? []), measured = measuredOf(report.runs ?? []);

	return h("div", {class: "characterize"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"}, h("p", {}, h("code", {}, report.form), " on ", h("strong", {}, report.machine)),
			 h("dl", {class: "cards"}, cards.filter(([, key]) => isNumber(report[key])).map(([title, key]) => h("div", {class: "card"}, h("dt", {}, title), h("dd", {}, figure(key, report[key]), key === "uops" ? "" : h("span", {class: "hint"}, " cycles"))))),
			 report.ports ? h("p", {}, "Ports: ", h("code", {}, report.ports), report.ports_certain ? "" : ` (uncertain: ${report.ports_doubt})`) : null, h("p", {class: "hint"}, figure("experiments", report.experiments, plain(report.experiments)), " experiments"))),
		 section("Latency", null, report.latencies.length ? dataTable({label: "Latency", rows: withIndex(report.latencies), search: false, columns: [{key: "source", title: "from"}, {key: "destination", title: "to"}, {key: "least", title: "least", number: true, show: (row) => fixed(row.least), path: (row) => `latencies.${row.index}.least`}, {key: "most", title: "most", number: true, show: (row) => fixed(row.most), path: (row) => `latencies.${row.index}.most`}]}) : h("p", {}, "No chain could be built.")),
		 report.variants.length ? section("Variants", null, variantTable(report.variants)) : null,
		 measured.length ? section("Experiments", MEASURED_NOTE, measuredPlots([{machine: report.machine, form: {...report, measured}}])) : null,
		 groups.length ? section("Other experiments", "Cycles by the number of instructions in the code.", h("div", {class: "experiments"}, groups.slice(0, 60).map(groupChart))) : null,
		 (report.runs ?? []).length ? section("All experiments", null, dataTable({label: "Experiments", rows: withIndex(report.runs), search: true, columns: [{key: "title", title: "purpose"}, {key: "cycles", title: "cycles", number: true, show: (row) => fixed(row.cycles), path: (row) => `runs.${row.index}.cycles`},
			 {key: "instructions", title: "instructions", number: true, path: (row) => `runs.${row.index}.instructions`}, {key: "code", title: "code", code: true, class: "wide-code"}, {key: "reason", title: "no figure because"}]})) : null);
}

function characterizePage(data) {
	return data.report.forms ? new SurveyView(data).element() : formPage(data.report);
}
