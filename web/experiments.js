/* SPDX-License-Identifier: MIT */
/* experiments: the measured points that the figures of an instruction come from, with the figure as a line. */

/* What the points of a plot are, by how its name begins: what x counts, and the title of the other axis. */
const PLOT_AXES = [
	["throughput", "instances", "cycles, by instances in the code"],
	["latency", "cycles of other links", "cycles of the chain, by those of its other links"],
	["diluted", "nops", "cycles, by nops after the instruction"],
];

function plotAxes(name) {
	return PLOT_AXES.find(([start]) => name.startsWith(start)) ?? ["", "", "cycles"];
}

/* Plots of a form: for its throughput, the latency of each operand pair, and how it is decoded. */
function plotNames(forms) {
	const names = forms.flatMap((form) => (form.measured ?? []).map((one) => (one.title.startsWith("throughput") ? "throughput" : one.title)));

	return [...new Set(names)];
}

function pairOfPlot(form, name) {
	return form.latencies.find((pair) => name === `latency ${pair.source} to ${pair.destination}`);
}

/* The line that the figure of a form draws: cycles at x, and the figure in words; null without a figure. */
function plotFit(form, name) {
	const pair = pairOfPlot(form, name);

	if (name === "throughput")
		return isNumber(form.throughput_cycles) ? {at: (x) => form.throughput_cycles * x, text: `${fixed(form.throughput_cycles)} cycles each`} : null;
	return pair && isNumber(pair.most) ? {at: (x) => x + pair.most, text: `latency ${rangeText(pair)}`} : null;
}

/* The points of a machine, and the line of its figure, in one colour. */
function plotSeries({machine, form}, name, colour, several) {
	const groups = (form.measured ?? []).filter((one) => (name === "throughput" ? one.title.startsWith("throughput") : one.title === name));
	const fit = plotFit(form, name), most = Math.max(...groups.flatMap((one) => one.x));
	const prefix = several ? `${machine}: ` : "", unit = plotAxes(name)[1];
	const points = groups.flatMap((one) => one.x.map((x, i) => ({x, y: one.cycles[i], begins: true, label: `${prefix}${one.title}, ${plain(x)} ${unit}: ${fixed(one.cycles[i])} cycles`}))).filter((point) => isNumber(point.x) && isNumber(point.y));

	if (!points.length)
		return [];
	return [{name: `${prefix}measured`, style: "dots", colour, points}, fit && {name: `${prefix}${fit.text}`, style: "plain", colour, points: [0, most].map((x) => ({x, y: fit.at(x)}))}].filter(Boolean);
}

function plotChart(shown, name) {
	const series = shown.flatMap((one, index) => plotSeries(one, name, index, shown.length > 1));

	return h("div", {class: "experiment", "data-experiment": name}, h("h4", {}, name), lineChart(series, {xTitle: "", yTitle: plotAxes(name)[2], height: 240, width: 480}));
}

const MEASURED_NOTE = "Points: times that were measured. Lines: the figure that was found from them, which is the least that the points allow, since whatever else delays the code only adds time. Points without a line belong to no figure: their steps say how the instruction is decoded.";

/* The experiments on a form of one or two machines; `shown`: [{machine: its name, form}]. */
function measuredPlots(shown) {
	return h("div", {class: "experiments"}, plotNames(shown.map((one) => one.form)).map((name) => plotChart(shown, name)));
}

/* The same, below the figures of the form. */
function measuredPart(shown) {
	if (!plotNames(shown.map((one) => one.form)).length)
		return h("p", {class: "hint"}, "These results lack the form's experiments: they are of an older version, or the form could not be measured.");
	return h("div", {class: "measured"}, h("h3", {}, "Experiments"), h("p", {class: "hint"}, MEASURED_NOTE), measuredPlots(shown));
}
