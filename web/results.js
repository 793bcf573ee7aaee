/* SPDX-License-Identifier: MIT */
/* results: any result as cards, tables and lists, by the shape of its JSON. */

function isRecord(value) {
	return value !== null && typeof value === "object" && !Array.isArray(value);
}

/* Columns for rows of records: their keys, numbers to the right. */
function columnsOf(rows, keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]) {
	return keys.filter((key) => rows.some((row) => row[key] !== null && row[key] !== undefined && typeof row[key] !== "object"))
		.map((key) => ({key, title: words(key), number: rows.every((row) => row[key] === null || row[key] === undefined || typeof row[key] === "number"),
				show: typeof rows.find((row) => row[key] !== null && row[key] !== undefined)[key] === "boolean" ? (row) => (row[key] ? "yes" : "no") : undefined}));
}

/* Contents of one key of a result. */
function anyPart(key, value) {
	if (Array.isArray(value) && value.length && value.every(isRecord))
		return section(words(key), null, dataTable({label: words(key), rows: value, columns: columnsOf(value)}));
	if (Array.isArray(value))
		return value.length ? section(words(key), null, h("ul", {class: "notes"}, value.map((one) => h("li", {}, typeof one === "object" ? JSON.stringify(one) : one)))) : null;
	return section(words(key), null, terms(Object.entries(value).filter(([, one]) => one === null || typeof one !== "object").map(([name, one]) => [words(name), isNumber(one) ? plain(one) : String(one)])),
		       Object.entries(value).filter(([, one]) => one !== null && typeof one === "object").map(([name, one]) => anyPart(name, one)));
}

function anyPage(data) {
	const entries = Object.entries(data.report ?? {});
	const simple = entries.filter(([, value]) => value !== null && typeof value !== "object");

	return h("div", {}, section("Result", null, terms(simple.map(([key, value]) => [words(key), isNumber(value) ? figure(key, value, plain(value)) : String(value)]))),
		 entries.filter(([, value]) => value !== null && typeof value === "object").map(([key, value]) => anyPart(key, value)));
}

/* Views by a key that only their results have, for JSON that does not name its command. */
const KEY_KINDS = {streams: "deps", blocks: "predict", findings: "diagnose", forms: "characterize", form: "characterize", benchmarks: "evaluate", experiments: "learn", functions: "predict"};

/* Name the view of a result that was saved as JSON; "any" if none fits. */
function resultKind(report) {
	const named = /^takt[ -]([a-z]+)[ -]\d+$/.exec(report.schema ?? report.format ?? "");
	const kind = named && {trust: "validate"}[named[1]] || named?.[1] || KEY_KINDS[Object.keys(KEY_KINDS).find((key) => key in report)];

	if (kind)
		return kind;
	return regionsOf(report)[0]?.cycles_per_iteration !== undefined ? "analyze" : "any";
}

/* Read a saved result, JSON or a report; throw if it is neither. Nothing in it is executed. */
function readResult(text) {
	/* In a report no tag is inside the data, and only the data is read. */
	const inReport = /<script type="application\/json" id="data">([^<]*)<\/script>/.exec(text);

	return inReport ? JSON.parse(inReport[1]) : {report: JSON.parse(text)};
}
