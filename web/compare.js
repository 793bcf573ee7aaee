/* SPDX-License-Identifier: MIT */
/* compare: the same code on several cores, a column for each. */

const COMPARED = [
	["cycles_per_iteration", "Cycles per iteration", (report) => report.cycles_per_iteration],
	["bounds.ports", "Ports", (report) => report.bounds.ports],
	["bounds.issue", "Issue", (report) => report.bounds.issue],
	["bounds.front_end", "Front end", (report) => report.bounds.front_end],
	["bounds.loop_carried", "Loop-carried", (report) => report.bounds.loop_carried],
	["bounds.critical_path", "Critical path", (report) => report.bounds.critical_path],
];

/* One figure, with that of the core as it is before it, if that is another. */
function comparedFigure(key, index, value, before) {
	const shown = figure(`regions.${index}.${key}`, value);

	if (!isNumber(before) || Math.abs(before - value) < 0.005)
		return shown;
	return [h("span", {class: "before"}, fixed(before)), " → ", h("span", {class: value < before ? "better" : "worse"}, shown)];
}

/* Rows of other predictors' cycles, a row for each tool; a core that it does not know has its reason. */
function peerRows(answer, peers, measured) {
	const predictions = peers?.predictions ?? [];

	return [...new Set(predictions.map((one) => one.tool))].map((tool) => h("tr", {class: "peer-row", "data-peer": tool},
		h("th", {scope: "row", title: predictions.find((one) => one.tool === tool).method}, `${tool}, for comparison`),
		answer.regions.map((report) => {
			const found = predictions.find((one) => one.tool === tool && one.core === report.arch);

			return h("td", {class: found && !isNumber(found.cycles) ? "peer-reason" : "number", title: found?.method}, !found ? "–" : isNumber(found.cycles) ? fixed(found.cycles) : found.reason);
		}), measured && h("td", {}, "")));
}

/*
 * `answer` has regions, one for each core; `baseline` is the same without settings, or null;
 * `measured` has the measurement of this machine, or is null; `peers` has other predictors' answer, or is null.
 */
function compareTable(answer, baseline, measured, peers, shown, onShow) {
	const regions = answer.regions;
	const best = Math.min(...regions.map((report) => report.cycles_per_iteration));
	const before = (report) => (baseline?.regions ?? []).find((other) => other.arch === report.arch);
	const header = h("tr", {}, h("th", {scope: "col"}, h("span", {class: "unseen"}, "figure")),
			 regions.map((report, i) => h("th", {scope: "col", class: i === shown ? "core shown" : "core"},
				 h("button", {type: "button", title: report.arch_title, "aria-pressed": String(i === shown), "data-core": report.arch, onclick: () => onShow(i)}, report.arch))),
			 measured && h("th", {scope: "col", class: "core"}, "measured here"),
			 (answer.failures ?? []).map((failure) => h("th", {scope: "col", class: "core"}, failure.core)));
	const peerTools = new Set((peers?.predictions ?? []).map((one) => one.tool)).size;
	/* Bounds of one core alone are shown below. */
	const compared = regions.length > 1 || baseline ? COMPARED : COMPARED.slice(0, 1);
	const rows = compared.map(([key, title, value], row) => h("tr", {class: row ? "" : "headline-row"}, h("th", {scope: "row"}, title),
		regions.map((report, i) => {
			const old = before(report);

			return h("td", {class: row || report.cycles_per_iteration > best + 0.005 || regions.length === 1 ? "number" : "number best"}, comparedFigure(key, i, value(report), old && value(old)));
		}),
		measured && h("td", {class: "number"}, row ? "" : measured),
		(answer.failures ?? []).map((failure) => (row ? null : h("td", {class: "failure", rowspan: compared.length + 2 + peerTools}, failure.message.trim())))));
	const peersShown = peerRows(answer, peers, measured);
	const limit = h("tr", {}, h("th", {scope: "row"}, "Limited by"), regions.map((report) => h("td", {}, report.limit)), measured && h("td", {}, ""));
	const first = h("tr", {}, h("th", {scope: "row"}, "Most cycles lost to"), regions.map((report) => {
		const wait = (report.waits ?? [])[0];

		return h("td", {}, wait ? `${wait.cause}${wait.port ? ` ${wait.port}` : ""}, ${percent(wait.cycles, report.simulated)}` : "–");
	}), measured && h("td", {}, ""));

	return h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": "Cores side by side"}, h("table", {class: "compare"}, h("thead", {}, header), h("tbody", {}, rows.slice(0, 1), peersShown, rows.slice(1), limit, first)));
}
