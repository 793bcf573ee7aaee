/* SPDX-License-Identifier: MIT */
/* predict: cycles of many blocks: their distribution on each core, and a table of all. */

function quantile(sorted, share) {
	const at = share * (sorted.length - 1);
	const low = Math.floor(at);

	return sorted.length ? sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]) : NaN;
}

/* Bins of equal width up to the 99th percentile; the last one has all above. */
function histogram(values, bins = 40) {
	const sorted = [...values].sort((a, b) => a - b);
	const most = Math.max(quantile(sorted, 0.99), sorted[0] ?? 0, 1e-9);
	const steps = ticks(0, most, bins);
	const width = steps.length > 1 ? steps[1] - steps[0] : most;
	const counts = new Array(Math.max(1, Math.ceil(most / width + 1e-9) + 1)).fill(0);

	for (const value of values)
		counts[Math.min(counts.length - 1, Math.floor(value / width + 1e-9))]++;
	return counts.map((value, i) => ({value, label: plain(Number((i * width).toPrecision(6))), hint: `${plain(Number((i * width).toPrecision(6)))} ${i === counts.length - 1 ? "cycles and more" : `to ${plain(Number(((i + 1) * width).toPrecision(6)))} cycles`}: ${count(value, "block")}`}));
}

function distribution(core, values, missing) {
	const sorted = [...values].sort((a, b) => a - b);
	const bins = histogram(values);

	return section(core, `${count(values.length, "block")}${missing ? `; ${count(missing, "more block")} without a prediction` : ""}`, values.length ? [
		h("dl", {class: "cards"}, [["least", sorted[0]], ["10th percentile", quantile(sorted, 0.1)], ["median", quantile(sorted, 0.5)], ["90th percentile", quantile(sorted, 0.9)], ["most", sorted[sorted.length - 1]]]
			.map(([title, value]) => h("div", {class: "card"}, h("dt", {}, title), h("dd", {}, fixed(value), h("span", {class: "hint"}, " cycles"))))),
		columnChart(bins, {unit: "blocks", every: Math.ceil(bins.length / 14), label: `Distribution of the cycles of blocks on ${core}`}), h("p", {class: "hint chart-axis"}, "cycles per execution")] : h("p", {}, "No block has a prediction."));
}

function predictPage(data) {
	const {cores, blocks} = data.report;
	const rows = blocks.map((block, index) => ({...block, index}));

	return h("div", {class: "predict"},
		 h("div", {class: cores.length > 1 ? "two" : ""}, cores.map((core, c) => {
			 const values = blocks.map((block) => block.cycles[c]).filter(isNumber);

			 return distribution(core, values, blocks.length - values.length);
		 })),
		 section("Blocks", null, dataTable({label: "Blocks", rows, search: true, columns: [
			 {key: "number", title: "#", number: true, noKey: true, value: (row) => row.index + 1},
			 ...cores.map((core, c) => ({key: `core${c}`, title: core, number: true, bar: true, hint: "Cycles per execution", value: (row) => row.cycles[c], show: (row) => fixed(row.cycles[c]), path: (row) => `blocks.${row.index}.cycles.${c}`})),
			 {key: "bytes", title: "bytes", number: true, noKey: true, value: (row) => row.hex.length / 2},
			 {key: "hex", title: "block", code: true}]})));
}
