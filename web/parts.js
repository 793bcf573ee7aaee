/* SPDX-License-Identifier: MIT */
/* parts: a whole as one bar whose parts sum to it, with a legend; and the same small, in a table. */

const PART_COLOURS = 8;

function partClass(index) {
	return `stall-${index % PART_COLOURS}`;
}

/* Colours by value: the largest have one each, all others share the last one. */
function rankColours(values) {
	const order = values.map((_, index) => index).sort((a, b) => values[b] - values[a]);
	const colours = [];

	order.forEach((index, rank) => { colours[index] = Math.min(rank, PART_COLOURS - 1); });
	return colours;
}

const SMALL_SHARE = 0.005; /* parts below this share of the whole are folded away */

/* An entry of the legend. */
function partEntry(part, total) {
	return h("li", {class: "part-entry"},
		 h("span", {class: `swatch ${partClass(part.colour)}`}),
		 h("span", {class: "part-share"}, percent(part.value, total)),
		 h("span", {class: "part-figure"}, figure(part.key, part.value, plain(part.value))),
		 h("span", {class: "legend-text"}, h("strong", {}, part.title), part.text ? ` ${part.text}` : ""));
}

/* The parts that are too small to be seen in the bar, in one line that unfolds; null without any. */
function smallParts(small, total, unit) {
	const sum = small.reduce((before, part) => before + part.value, 0);

	return !small.length ? null : h("details", {class: "small-parts"}, h("summary", {}, `${small.length} smaller causes: ${plain(sum)} ${unit}, ${percent(sum, total)}`),
		h("ul", {class: "legend part-list"}, small.map((part) => partEntry(part, total))));
}

/* A bar of parts [{title, value, key, text}], of which those of 0 are left out, and its legend. */
function partsBar(parts, {total, unit, label}) {
	const colours = rankColours(parts.map((part) => part.value));
	const shown = parts.map((part, index) => ({...part, colour: colours[index]})).filter((part) => part.value > 0);
	const sum = parts.reduce((before, part) => before + part.value, 0);
	const small = shown.filter((part) => part.value < SMALL_SHARE * total);
	const folded = small.length < 2 ? [] : small;

	return h("div", {class: "stalls parts"},
		 h("div", {class: "stall-bar", role: "img", "aria-label": `${label}; the parts sum to ${plain(sum)} ${unit}`},
		   shown.map((part) => h("span", {class: `stall ${partClass(part.colour)}`, style: {"flex-grow": part.value}, title: `${part.title}: ${plain(part.value)} ${unit}, ${percent(part.value, total)}`}))),
		 h("ul", {class: "legend part-list"}, shown.filter((part) => !folded.includes(part)).map((part) => partEntry(part, total))),
		 smallParts(folded, total, unit),
		 h("p", {class: "sum"}, "Sum ", h("strong", {}, plain(sum)), " of ", plain(total), ` ${unit}`));
}

/* The losses of one row as a bar as wide as its share of the largest row. `colours` has that of each cause. */
function lossesCell(names, losses, most, colours = names.map((_, index) => index)) {
	const sum = losses ? losses.reduce((before, value) => before + value, 0) : 0;

	if (!sum || !most)
		return "";
	const title = names.map((name, i) => [name, losses[i]]).filter((one) => one[1] > 0).sort((a, b) => b[1] - a[1])
		.map(([name, value]) => `${percent(value, sum)} ${name}`).join(", ");
	return h("span", {class: "mini-bar", title, style: {width: `${Math.max(2, (100 * sum) / most)}%`}},
		 losses.map((value, i) => (value > 0 ? h("span", {class: partClass(colours[i]), style: {"flex-grow": value}}) : null)));
}

/* True if slots of this cause were used: they are no loss. */
function isRetiring(name) {
	return name.endsWith("retiring");
}

/* The largest causes besides retiring, in words. */
function causesText(names, losses) {
	const sum = (losses ?? []).reduce((before, value) => before + value, 0);

	return (losses ?? []).map((value, i) => [names[i], value]).filter((one) => !isRetiring(one[0]) && one[1] >= 0.05 * sum && one[1] > 0)
		.sort((a, b) => b[1] - a[1]).slice(0, 2).map(([name, value]) => `${name} ${percent(value, sum)}`).join(", ");
}
