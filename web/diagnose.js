/* SPDX-License-Identifier: MIT */
/* diagnose: the patterns of a program with their evidence, and where its cycles go. */

/* An evidence's value beside its threshold: how far it is above or below. */
function evidenceRow(evidence, path) {
	const limits = ["from", "to"].filter((key) => isNumber(evidence[key]));
	const most = Math.max(Math.abs(evidence.value ?? 0), ...limits.map((key) => Math.abs(evidence[key])), 1e-12) * 1.05;

	return h("tr", {}, h("th", {scope: "row"}, evidence.what), h("td", {class: "number"}, isNumber(evidence.value) ? figure(`${path}.value`, evidence.value, plainer(evidence.value)) : "–", evidence.unit ? ` ${evidence.unit}` : ""),
		 h("td", {class: "evidence-cell"}, h("span", {class: "evidence-track"}, isNumber(evidence.value) ? h("span", {class: "evidence-fill", style: {width: `${(100 * Math.abs(evidence.value)) / most}%`}}) : null,
			limits.map((key) => h("span", {class: "evidence-limit", style: {left: `${(100 * Math.abs(evidence[key])) / most}%`}})))),
		 h("td", {}, limits.map((key) => `${key === "from" ? "at least" : "at most"} ${plainer(evidence[key])}`).join(", ")), h("td", {class: "soft"}, evidence.origin), h("td", {class: "soft"}, evidence.events));
}

/* A figure with four significant digits. */
function plainer(value) {
	return Number.isInteger(value) || Math.abs(value) >= 1000 ? plain(value) : String(Number(value.toPrecision(4))).replace("-", MINUS);
}

function findingPart(finding, index) {
	return h("section", {class: "part finding", "aria-labelledby": `finding-${index}`},
		 h("div", {class: "part-head"}, h("h2", {id: `finding-${index}`}, finding.title), h("span", {class: finding.holds ? "badge bad" : "badge"}, finding.holds ? "found" : "not certain"),
		   isNumber(finding.share) ? h("span", {class: "hint"}, "at ", h("strong", {}, percent(finding.share, 1)), " of the cycles") : null),
		 finding.place ? h("p", {class: "finding-place"}, finding.place) : null,
		 isNumber(finding.share) ? h("div", {class: "bar-track wide"}, h("span", {class: "bar-fill", style: {width: `${100 * Math.min(1, finding.share)}%`}})) : null,
		 finding.evidence.length ? h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": `Evidence of ${finding.title}`}, h("table", {class: "evidence"}, h("thead", {}, h("tr", {}, ["evidence", "value", "", "threshold", "origin", "events"].map((title, i) => h("th", {scope: "col", class: i === 1 ? "number" : ""}, title || h("span", {class: "unseen"}, "bar"))))),
			 h("tbody", {}, finding.evidence.map((evidence, i) => evidenceRow(evidence, `findings.${index}.evidence.${i}`))))) : null,
		 (finding.details ?? []).length ? h("ul", {class: "notes"}, finding.details.map((text) => h("li", {}, text))) : null,
		 finding.suggestion ? h("p", {class: "suggestion"}, h("strong", {}, "What may help: "), finding.suggestion, ".") : null);
}

function diagnosePlaces(report) {
	const places = (report.places ?? []).filter((place) => isRecord(place.losses));

	if (!places.length)
		return null;
	const names = Object.keys(places[0].losses);
	const most = Math.max(...places.map((place) => place.cycles), 1);
	return section("Places", "Where the cycles go.", dataTable({label: "Places", rows: withIndex(places), columns: [
		{key: "cycles", title: "cycles", number: true, path: (row) => `places.${row.index}.cycles`}, {key: "share", title: "%", number: true, noKey: true, show: (row) => percent(row.share, 1)},
		{key: "losses", title: "what they go to", value: (row) => causesText(names, Object.values(row.losses)), class: "losses-cell",
		 show: (row) => h("span", {class: "losses-line"}, h("span", {class: "mini-track"}, lossesCell(names, Object.values(row.losses), most)), h("span", {class: "hint"}, causesText(names, Object.values(row.losses))))},
		{key: "instructions", title: "instructions", number: true, path: (row) => `places.${row.index}.instructions`}, {key: "place", title: "place", code: true}]}));
}

function diagnosePage(data) {
	const report = data.report;
	const held = report.findings.filter((finding) => finding.holds).length;

	return h("div", {class: "diagnose"},
		 h("div", {class: "summary single"}, h("div", {class: "headline"}, h("div", {class: "big"}, held, h("span", {class: "unit"}, held === 1 ? "pattern found" : "patterns found")),
			   h("p", {}, h("strong", {}, report.program), isNumber(report.cycles) ? [": ", figure("cycles", report.cycles, plain(report.cycles)), ` cycles${report.core ? ` on ${report.core}` : ""}, `] : ": ", figure("instructions", report.instructions, plain(report.instructions)), ` instructions, ${count(report.threads, "thread")}.`),
			   report.killed ? h("p", {class: "warning"}, `The program was ${report.killed}.`) : null)),
		 report.findings.map(findingPart),
		 diagnosePlaces(report),
		 section("All patterns", "What was looked for, and what this cannot see.", dataTable({label: "All patterns", rows: report.patterns, columns: [{key: "pattern", title: "pattern"}, {key: "verdict", title: "verdict"}, {key: "unseen", title: "not seen"}]})),
		 (report.runs ?? []).length ? section("Runs", null, dataTable({label: "Runs", rows: report.runs, columns: columnsOf(report.runs).map((column) => ({...column, noKey: true}))})) : null,
		 (report.notes ?? []).length ? section("Notes", null, h("ul", {class: "notes"}, report.notes.map((note) => h("li", {}, note)))) : null);
}
