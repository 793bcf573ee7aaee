/* SPDX-License-Identifier: MIT */
/* format: figures as text. Elements with a figure also hold the JSON's number, in data-value. */

const GROUPS = new Intl.NumberFormat("en-US", {maximumFractionDigits: 0});
const MINUS = "−";

function isNumber(value) {
	return typeof value === "number" && Number.isFinite(value);
}

/* A number with `digits` decimals; large ones in groups of three. */
function fixed(value, digits = 2) {
	if (!isNumber(value))
		return "–";
	if (Math.abs(value) >= 100000)
		return GROUPS.format(value).replace("-", MINUS);
	return value.toFixed(digits).replace("-", MINUS);
}

/* A number as short as it is: whole ones without decimals. */
function plain(value) {
	if (!isNumber(value))
		return "–";
	if (Number.isInteger(value))
		return GROUPS.format(value).replace("-", MINUS);
	if (Math.abs(value) < 0.01)
		return value.toPrecision(2).replace("-", MINUS);
	return fixed(value);
}

/* A large number in three digits and a prefix: 1.23 M. */
function short(value) {
	if (!isNumber(value))
		return "–";
	for (const [least, prefix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
		const unit = prefix === "k" ? 1e3 : least;

		if (Math.abs(value) >= least)
			return `${(value / unit).toPrecision(3)} ${prefix}`.replace("-", MINUS);
	}
	return plain(value);
}

function percent(part, whole) {
	if (!whole || !isNumber(part))
		return "–";
	const share = (100 * part) / whole;

	return `${Math.abs(share) < 10 ? share.toFixed(1) : share.toFixed(0)} %`.replace("-", MINUS);
}

/* A change of a figure, with its sign. */
function signed(value, format = plain) {
	return value > 0 ? `+${format(value)}` : format(value);
}

function bytes(value) {
	if (!isNumber(value))
		return "–";
	for (const [unit, name] of [[1 << 30, "GiB"], [1 << 20, "MiB"], [1 << 10, "KiB"]])
		if (value >= unit)
			return `${plain(value / unit)} ${name}`;
	return `${plain(value)} B`;
}

function count(number, one, many = `${one}s`) {
	return `${plain(number)} ${number === 1 ? one : many}`;
}

/* A figure of the report: what it is named in the JSON, and its value. */
function figure(key, value, text = fixed(value), attributes = {}) {
	return h("span", {class: "figure", "data-key": key, "data-value": value, ...attributes}, text);
}

/* The last part of a path. */
function baseName(path) {
	return path ? path.slice(path.lastIndexOf("/") + 1) : "";
}

/* A key of the JSON as words: "l1_misses" → "L1 misses". */
function words(key) {
	return key.replace(/_/g, " ").replace(/\b(l[123]|tlb|cpu|isa|ipc)\b/g, (name) => name.toUpperCase());
}
