/* SPDX-License-Identifier: MIT */
/* learn: a core learnt from timings: its parameters, and each experiment with what two cores make of it. */

const KNEE_POINTS_LEAST = 6, KNEE_SLOPE_LEAST = 3; /* a knee is this many times as steep as the whole */
const HOW_CLASS = {measured: "good", doubtful: "bad", "no-timing": "bad"};

function parameterValue(row, value) {
	return row.unit === "yes/no" ? (value ? "yes" : "no") : plain(value);
}

function parameterInterval(row) {
	if (row.how === "at-least")
		return `${parameterValue(row, row.least)} …`;
	if (row.how !== "measured")
		return "";
	return row.least === row.most ? parameterValue(row, row.least) : `${parameterValue(row, row.least)} … ${parameterValue(row, row.most)}`;
}

function parameterTable(report, choose) {
	const rows = report.parameters.map((row, index) => ({...row, index}));
	const shown = (key, title, hint) => ({key, title, hint, number: true, path: (row) => `parameters.${row.index}.${key}`, show: (row) => (row.unit === "yes/no" ? parameterValue(row, row[key]) : plain(row[key]))});

	return dataTable({label: "Parameters", rows, onChoose: choose, marked: (row) => row.value !== row.nearest, filters: [{title: "how", value: (row) => row.how}], columns: [
		{key: "parameter", title: "parameter", code: true}, {...shown("nearest", report.nearest, "Value of the core that learning started from"), noKey: true}, {...shown("value", report.name, "Learnt value"), noKey: true},
		{key: "interval", title: "timings allow", value: parameterInterval}, {key: "unit", title: "unit"},
		{key: "error", title: "error %", hint: "Mean relative error of the experiments' times, simulated with the learnt value", number: true, noKey: true, value: (row) => (isNumber(row.error) ? 100 * row.error : null), show: (row) => (isNumber(row.error) ? fixed(100 * row.error, 1) : "–")},
		{key: "how", title: "how", show: (row) => h("span", {class: HOW_CLASS[row.how] ?? ""}, row.how)}, {key: "experiments", title: "experiments", class: "soft"}]});
}

/* Timings of an experiment in the order of its lines: by offset of the code, then by size. */
function timingsInOrder(experiment) {
	return experiment.timings.map((one, index) => ({...one, index})).sort((a, b) => a.alignment - b.alignment || a.size - b.size);
}

/* Find the middle of the two sizes between which times rise most steeply, and far more so than on average; null if there are none. */
function knee(timings, key) {
	const list = timings.filter((one) => one.alignment === timings[0].alignment && isNumber(one[key]));
	const last = list[list.length - 1];
	let best = null;

	if (list.length < KNEE_POINTS_LEAST)
		return null;
	for (let i = 1; i < list.length; i++) {
		const slope = (list[i][key] - list[i - 1][key]) / (list[i].size - list[i - 1].size);

		if (list[i].size > list[i - 1].size && (!best || slope > best.slope))
			best = {slope, x: (list[i].size + list[i - 1].size) / 2};
	}
	return best && best.slope > KNEE_SLOPE_LEAST * (last[key] - list[0][key]) / (last.size - list[0].size) ? best.x : null;
}

function meanError(timings, key) {
	const errors = timings.filter((one) => isNumber(one[key]) && one.cycles > 0).map((one) => Math.abs(one[key] / one.cycles - 1));

	return errors.length ? errors.reduce((sum, value) => sum + value, 0) / errors.length : NaN;
}

function experimentChart(report, experiment) {
	const timings = timingsInOrder(experiment);
	const series = (name, key, style) => ({name, style, points: timings.filter((one) => isNumber(one[key])).map((one, i, all) => ({x: one.size, y: one[key], begins: i > 0 && all[i - 1].alignment !== one.alignment, label: `${name}: N = ${one.size}${one.alignment ? `, offset ${one.alignment}` : ""}: ${fixed(one[key])} cycles`}))});
	const knees = [["machine", knee(timings, "cycles"), 0], [report.name, knee(timings, "learnt"), 1]].filter((one) => one[1] !== null);
	const errors = [[report.name, meanError(timings, "learnt")], [report.nearest, meanError(timings, "nearest")]].filter((one) => isNumber(one[1]));

	return h("div", {class: "experiment", "data-experiment": experiment.name}, h("h3", {}, experiment.name), h("p", {class: "hint"}, h("code", {}, experiment.code)),
		 lineChart([series("machine", "cycles", "dots"), series(report.name, "learnt", "plain"), series(report.nearest, "nearest", "dashed")], {xTitle: "", yTitle: "cycles per iteration, by N", height: 260, width: 480, marks: knees.map(([name, x, index]) => ({x, index, label: `${name}: times rise most at N = ${plain(x)}`}))}),
		 h("p", {class: "hint"}, [errors.map(([name, value]) => `${name}: ${(100 * value).toFixed(1)} % off`).join("; "), knees.length ? `. Steepest at N = ${knees.map(([name, x]) => `${plain(x)} (${name})`).join(", ")}` : "", "."].join("")));
}

/* Charts of the experiments of a parameter, or of all; those that disagree most come first. */
class Experiments {
	constructor(report) {
		this.report = report;
		this.holder = h("div", {class: "experiments"});
		this.status = h("span", {class: "hint", "aria-live": "polite"});
		this.select = h("select", {"aria-label": "Parameter", onchange: () => this.draw()}, h("option", {value: ""}, "parameter: all"), report.parameters.map((one) => h("option", {value: one.parameter}, one.parameter)));
		this.draw();
	}

	show(parameter) {
		this.select.value = parameter;
		this.draw();
		this.select.closest("section").scrollIntoView();
	}

	draw() {
		const parameter = this.report.parameters.find((one) => one.parameter === this.select.value);
		const names = parameter ? new Set(parameter.experiments.split(/\s+/)) : null;
		const shown = this.report.experiments.filter((one) => !names || names.has(one.name)).map((one) => ({one, error: meanError(one.timings, "learnt") || 0})).sort((a, b) => b.error - a.error);

		this.holder.replaceChildren(...shown.map((entry) => experimentChart(this.report, entry.one)));
		this.status.textContent = count(shown.length, "experiment");
	}
}

function learnPage(data) {
	const report = data.report;
	const experiments = new Experiments(report);
	const cards = [["timings", "timings"], ["resumed", "of an earlier run"], ["disturbed", "disturbed by other load"], ["failed", "failed"], ["forms_checked", "instructions checked"], ["forms_agreeing", "of them agree"], ["forms_corrected", "of them corrected"], ["seconds", "seconds"]];

	return h("div", {class: "learn"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"},
			 h("p", {}, "Learnt from ", h("strong", {}, report.machine), `, starting from ${report.nearest}`, isNumber(report.distance) ? `, the nearest known core, at ${(100 * report.distance).toFixed(1)} %` : "", "."),
			 h("dl", {class: "cards"}, cards.map(([key, title]) => h("div", {class: "card"}, h("dt", {}, title), h("dd", {}, figure(key, report[key], plain(report[key])))))),
			 terms([["core", h("code", {}, report.core_file)], ["instructions", h("code", {}, report.timing_file)], ["timings", h("code", {}, report.experiments_file)]]))),
		 section("Parameters", "Marked: the learnt value is another one than the nearest core's. A click shows the parameter's experiments.", parameterTable(report, (row) => experiments.show(row.parameter))),
		 section("Experiments", "Points: times of the machine. Line: the learnt core, simulated; dashed: the core that learning started from. Vertical lines: where times rise most.", h("div", {class: "tools"}, experiments.select, experiments.status), experiments.holder));
}
