/* SPDX-License-Identifier: MIT */
/* diff: what changed from one run of a program to another. */

function changeText(figures, by) {
	return figures && isNumber(figures.before) ? `${signed(figures.change)}${figures.before ? ` (${signed(figures.change, (value) => percent(value, figures.before))})` : ""} ${by}` : null;
}

function diffHeadline(report, by) {
	const total = report.total[by];
	const core = report.core[1] ?? report.core[0];
	const half = report.half_width_cycles;
	const certain = by !== "cycles" || !isNumber(half) || half === 0 || Math.abs(total.change) > half;

	return h("div", {class: "headline"},
		 h("div", {class: "big"}, h("span", {class: total.change > 0 ? "bad" : total.change < 0 ? "good" : ""}, total.before ? signed(total.change, (value) => percent(value, total.before)) : "new"),
		   h("span", {class: "unit"}, by)),
		 h("p", {}, figure(`total.${by}.before`, total.before, plain(total.before)), " before, ", figure(`total.${by}.after`, total.after, plain(total.after)), " after: ",
		   h("strong", {}, figure(`total.${by}.change`, total.change, signed(total.change))), ` ${by}${core ? ` on ${core}` : ""}.`),
		 by === "cycles" && isNumber(half) && half > 0 ? h("p", {}, "With a confidence of 95 %, the change is within ± ", figure("half_width_cycles", half, fixed(half)), ` cycles (±${percent(half, total.before)})${certain ? "." : ", so there may be none."}`) : null,
		 by === "cycles" && half === null ? h("p", {class: "warning"}, "The samples are too small for an error estimate.") : null,
		 by === "cycles" ? h("p", {class: "hint"}, "instructions: ", figure("total.instructions.before", report.total.instructions.before, plain(report.total.instructions.before)), " before, ",
				     figure("total.instructions.after", report.total.instructions.after, plain(report.total.instructions.after)), ` after, ${changeText(report.total.instructions, "instructions")}`) : null,
		 Object.values(report.differences ?? {}).map((text) => h("p", {class: "warning"}, text)),
		 (report.not_known ?? []).some(Boolean) ? h("p", {class: "hint"}, report.not_known.map((text, i) => (text ? `Not known of the run ${i ? "after" : "before"}: ${text}.` : "")).join(" ")) : null);
}

/* Changes as bars from a middle line: more to the right, less to the left. They sum to the whole change. */
function changeBars(entries, {total, unit, label}) {
	const most = Math.max(...entries.map((entry) => Math.abs(entry.value)), 1);
	const sum = entries.reduce((before, entry) => before + entry.value, 0);

	return h("div", {class: "change-bars", role: "group", "aria-label": label},
		 h("ul", {}, entries.map((entry) => h("li", {class: "change-row"}, h("span", {class: "change-title"}, entry.title),
			 h("span", {class: "change-track"}, h("span", {class: entry.value > 0 ? "change-fill grew" : "change-fill shrank", style: {width: `${(50 * Math.abs(entry.value)) / most}%`}})),
			 h("span", {class: "bar-value"}, figure(entry.key, entry.value, signed(entry.value)))))),
		 h("p", {class: "sum"}, "Sum ", h("strong", {}, signed(sum)), sum === total ? "" : ` of ${signed(total)}`, ` ${unit}`));
}

function diffFunctions(report, by, show) {
	const rows = report.functions.map((one, index) => ({...one, index, name: (one.after ?? one.before).name, state: !one.before ? "new" : !one.after ? "gone" : one.before.name !== one.after.name ? `was ${one.before.name}` : ""}));
	const total = report.total[by].before;

	return dataTable({label: "Functions that changed", rows, onChoose: show, columns: [
		{key: "change", title: "change", number: true, bar: true, value: (row) => row[by].change, show: (row) => signed(row[by].change), path: (row) => `functions.${row.index}.${by}.change`},
		{key: "of_its", title: "of its", number: true, noKey: true, value: (row) => (row[by].before ? row[by].change / row[by].before : null), show: (row) => (row[by].before ? signed(row[by].change, (value) => percent(value, row[by].before)) : "–")},
		{key: "of_all", title: "of all", number: true, noKey: true, value: (row) => row[by].change / (total || 1), show: (row) => signed(row[by].change, (value) => percent(value, total))},
		{key: "before", title: "before", number: true, value: (row) => row[by].before, path: (row) => `functions.${row.index}.${by}.before`},
		{key: "after", title: "after", number: true, value: (row) => row[by].after, path: (row) => `functions.${row.index}.${by}.after`},
		by === "cycles" && {key: "mostly", title: "mostly", value: (row) => mainLoss(report, row)},
		{key: "name", title: "function", code: true}, {key: "state", title: "note", value: (row) => row.state},
		{key: "file", title: "file", value: (row) => baseName((row.after ?? row.before).file)}].filter(Boolean)});
}

/* The loss that makes up most of a change, if any makes up a quarter of it; retiring is none. */
function mainLoss(report, row) {
	const change = row.cycles.change;
	const losses = (row.losses_change ?? []).map((value, i) => [report.loss_names[i], value * Math.sign(change)]).filter((one) => !isRetiring(one[0])).sort((a, b) => b[1] - a[1]);

	return losses.length && losses[0][1] > Math.abs(change) / 4 ? losses[0][0] : "";
}

function blockRange(blocks) {
	const end = Math.max(...blocks.map((block) => block.offset + block.size_bytes));

	return `0x${blocks[0].offset.toString(16)}–0x${end.toString(16)}`;
}

function partText(part) {
	const runs = (blocks) => plain(blocks[0].executions);

	if (part.same_code)
		return `same code at ${blockRange(part.after)}; runs: ${runs(part.after)}${runs(part.after) === runs(part.before) ? "" : `, before ${runs(part.before)}`}`;
	if (!part.before.length)
		return `new: ${blockRange(part.after)}`;
	return part.after.length ? `${blockRange(part.before)} became ${blockRange(part.after)}` : `${blockRange(part.before)} is gone`;
}

/* The parts of a function that changed, and its code before and after. */
function diffFunction(report, row, by, sides) {
	const parts = row.parts.map((part, index) => ({...part, index}));
	const sides_ = [["Before", sides.before, row.before], ["After", sides.after, row.after]];

	return h("div", {class: "diff-function"},
		 h("h3", {}, row.name),
		 row.losses_change && by === "cycles" ? changeBars(report.loss_names.map((title, i) => ({title, value: row.losses_change[i], key: `functions.${row.index}.losses_change.${i}`})).filter((entry) => entry.value),
								   {total: row.cycles.change, unit: "cycles", label: "Change by what the cycles go to"}) : null,
		 parts.length ? dataTable({label: "Parts that changed", rows: parts, search: false, columns: [
			 {key: "change", title: "change", number: true, bar: true, value: (part) => part[by].change, show: (part) => signed(part[by].change), path: (part) => `functions.${row.index}.parts.${part.index}.${by}.change`},
			 {key: "instructions", title: "instructions", number: true, value: (part) => part.instructions.change, show: (part) => signed(part.instructions.change), path: (part) => `functions.${row.index}.parts.${part.index}.instructions.change`},
			 {key: "what", title: "part", code: true, value: partText}]}) : null,
		 h("div", {class: "two diff-code"}, sides_.map(([title, code, side]) => {
			 const shown = code && side && code.showName(side.name);

			 return h("div", {}, h("h3", {}, title), shown ? code.element : h("p", {class: "hint"}, side ? "Its code is not in the report: it costs too little, or the result has none." : "It did not run, or does not exist."));
		 })));
}

function diffPage(data) {
	const report = data.report;
	const by = report.by === "instructions" || !report.total.cycles ? "instructions" : "cycles";
	const make = (annotation, side) => (annotation && annotation.functions.length ? new AnnotatedCode({annotation, sources: data.sources, unit: by === "cycles" ? "cycles" : "runs", whole: report.total[by][side], keyed: false}) : null);
	const sides = {before: make(data.annotation_before, "before"), after: make(data.annotation, "after")};
	const detail = h("div", {class: "diff-detail"}, h("p", {class: "hint"}, "Choose a function in the table."));
	const detailSection = section("What changed in a function", null, detail);
	const show = (row, jump = true) => {
		detail.replaceChildren(diffFunction(report, row, by, sides));
		if (jump)
			detailSection.scrollIntoView({block: "start", behavior: "smooth"});
	};
	const functions = report.functions.map((one, index) => ({...one, index, name: (one.after ?? one.before).name}));
	const showName = (name) => {
		const row = functions.find((one) => one.name === name || (one.before && one.before.name === name));

		if (row)
			show(row);
		else
			say("This function did not change");
	};
	const flame = data.stacks && data.stacks_before ? new FlameGraph({stacks: data.stacks, before: data.stacks_before, groupOf: () => 0,
		hasCode: (name) => functions.some((one) => one.name === name), onCode: showName}) : null;
	const losses = report.total.losses_change;

	if (functions.length)
		show(functions[0], false);
	return h("div", {class: "trace diff"},
		 h("div", {class: "summary"}, diffHeadline(report, by), losses && by === "cycles" ? changeBars(report.loss_names.map((title, i) => ({title, value: losses[i], key: `total.losses_change.${i}`})),
			 {total: report.total.cycles.change, unit: "cycles", label: "Change by what the cycles go to"}) : null),
		 section("Functions", "Those that changed, the largest change first. A click shows what changed in one.", functions.length ? diffFunctions(report, by, show) : h("p", {}, "No function changed.")),
		 flame ? section("Flame graph", "Calls after the change (or before it), coloured by how much their cycles changed.", flame.element) : null,
		 functions.length ? detailSection : null);
}
