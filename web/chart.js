/* SPDX-License-Identifier: MIT */
/* chart: columns, as SVG. */

/* Round steps of an axis from `low` to `high`, about `wanted` of them. */
function ticks(low, high, wanted = 5) {
	const rough = (high - low || 1) / wanted;
	const power = 10 ** Math.floor(Math.log10(rough));
	const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
	const values = [];

	for (let value = Math.ceil(low / step - 1e-9) * step; value <= high + step * 1e-6; value += step)
		values.push(Math.abs(value) < step * 1e-6 ? 0 : value);
	return values;
}

/* Values [{value, label}] as points on one line, with their mean and its interval. */
function stripChart(points, {mean, half, unit}) {
	const width = 900, height = 64, left = 10, right = 10;
	const values = [...points.map((point) => point.value), mean - half, mean + half];
	const low = Math.min(...values), high = Math.max(...values);
	const room = (high - low || Math.abs(mean) * 0.01 || 1) * 0.06;
	const from = low - room, to = high + room;
	const x = (value) => left + ((width - left - right) * (value - from)) / (to - from);
	/* Figures near an end begin or end there, or else they would be cut off. */
	const placed = (at) => (at < 80 ? {x: 0, "text-anchor": "start"} : at > width - 80 ? {x: width, "text-anchor": "end"} : {x: at, "text-anchor": "middle"});

	return h("div", {class: "chart-holder"}, s("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${points.length} values around ${plain(mean)} ${unit}`},
		 ticks(from, to, 4).map((value) => [s("line", {class: "grid", x1: x(value), x2: x(value), y1: 4, y2: height - 22}), s("text", {...placed(x(value)), y: height - 5}, plain(value))]),
		 s("rect", {class: "interval", x: x(mean - half), width: Math.max(1, x(mean + half) - x(mean - half)), y: 6, height: height - 30}, s("title", {}, `${plain(mean)} ± ${plain(half)} ${unit}`)),
		 s("line", {class: "mean", x1: x(mean), x2: x(mean), y1: 4, y2: height - 22}),
		 points.map((point) => s("circle", {class: "point", cx: x(point.value), cy: (height - 18) / 2, r: 5}, s("title", {}, `${point.label}: ${plain(point.value)} ${unit}`)))));
}

/* Columns of [{label, value, hint}]; `every` n-th has its label below it. */
function columnChart(entries, {unit, every = 1, label = `Columns: ${unit}`}) {
	const width = 900, height = 220, left = 56, bottom = 24, top = 14;
	const most = Math.max(...entries.map((entry) => entry.value), 1e-9);
	const step = (width - left) / entries.length;
	const y = (value) => top + (height - top - bottom) * (1 - value / most);

	return s("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label},
		 ticks(0, most).map((value) => [s("line", {class: "grid", x1: left, x2: width, y1: y(value), y2: y(value)}),
						s("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, short(value))]),
		 s("text", {x: 0, y: top - 3}, unit),
		 entries.map((entry, i) => [
			 s("rect", {class: "column", x: left + i * step + 0.5, width: Math.max(0.5, step - 1), y: y(entry.value), height: Math.max(0, height - bottom - y(entry.value))},
			   s("title", {}, entry.hint ?? `${entry.label}: ${plain(entry.value)} ${unit}`)),
			 i % every === 0 ? s("text", {x: left + (i + 0.5) * step, y: height - 8, "text-anchor": "middle"}, entry.label) : null]));
}

/*
 * Lines [{name, points: [{x, y, label}]}] with axes from 0; `logarithmic`: of y; `xLabels`: x counts
 * them; `stairs`: a level step at each x. A series' `style` is "dots", "dashed" or "plain" (no
 * points), its `colour` the index of another one's colour; a line is broken before a point that
 * `begins`. `marks`: [{x, index, label}] are vertical lines, coloured as the series of that index.
 */
function lineChart(series, {xTitle = "", yTitle = "", xLabels = null, stairs = false, logarithmic = false, width = 900, height = 300, marks: vertical = []}) {
	const left = 62, right = 14, top = 18, bottom = 34;
	const points = series.flatMap((one) => one.points);
	const ys = points.map((point) => point.y).filter((y) => !logarithmic || y > 0);
	const xMost = xLabels ? xLabels.length : Math.max(...points.map((point) => point.x), 1e-9);
	const [low, high] = logarithmic ? [Math.min(...ys) / 1.15, Math.max(...ys) * 1.15] : [Math.min(0, ...ys), Math.max(...ys, 1e-9)];
	const scale = (y) => (logarithmic ? Math.log(Math.max(y, low) / low) / Math.log(high / low || 2) : (y - low) / (high - low || 1));
	const x = (value) => left + ((width - left - right) * value) / xMost;
	const y = (value) => height - bottom - (height - top - bottom) * scale(value);
	const marks = logarithmic ? logarithmicTicks(low, high) : ticks(low, high);
	const path = (one) => one.points.map((point, i) => (stairs ? `${i ? "L" : "M"}${x(point.x + 0.04)} ${y(point.y)}H${x(point.x + 0.96)}` : `${i && !point.begins ? "L" : "M"}${x(point.x)} ${y(point.y)}`)).join("");

	return h("div", {class: "chart-holder"}, s("svg", {class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${series.map((one) => one.name).slice(0, 8).join(", ")}: ${yTitle}`},
		marks.map((value) => [s("line", {class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value)}), s("text", {x: left - 6, y: y(value) + 4, "text-anchor": "end"}, short(value))]),
		s("text", {x: 0, y: top - 6}, yTitle),
		(xLabels ?? ticks(0, xMost, 6)).map((value, i) => s("text", {x: xLabels ? x(i + 0.5) : x(value), y: height - 12, "text-anchor": "middle"}, xLabels ? value : `${plain(value)} ${xTitle}`)),
		vertical.map((one) => s("line", {class: `knee line-${one.index % PART_COLOURS}`, x1: x(one.x), x2: x(one.x), y1: top, y2: height - bottom}, s("title", {}, one.label))),
		series.map((one, i) => s("g", {class: `line line-${(one.colour ?? i) % PART_COLOURS}${one.style ? ` line-${one.style}` : ""}`}, s("path", {d: path(one)}),
			one.style?.startsWith("plain") ? null : one.points.map((point) => s("circle", {cx: stairs ? x(point.x + 0.5) : x(point.x), cy: y(point.y), r: 3}, s("title", {}, point.label ?? `${plain(point.x)} ${xTitle}: ${plain(point.y)} ${yTitle}`)))))),
		 series.length > 1 ? h("ul", {class: "chart-legend"}, series.map((one, i) => h("li", {class: "key-box"}, h("span", {class: `swatch ${partClass(one.colour ?? i)}`}), one.name))) : null);
}

/* 1, 2 and 5 times powers of ten within a range. */
function logarithmicTicks(low, high) {
	const values = [];

	for (let power = 10 ** Math.floor(Math.log10(low)); power <= high; power *= 10)
		for (const factor of [1, 2, 5])
			if (power * factor >= low && power * factor <= high)
				values.push(power * factor);
	return values;
}
