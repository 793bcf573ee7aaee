/* SPDX-License-Identifier: MIT */
/* course: how a program goes on: for successive parts of its run, instructions per cycle and what the cycles go to. */

const COURSE_LARGEST = PART_COLOURS - 1; /* causes with a colour of their own; all others share one */

/* Causes by their cycles, the largest first, with the colours that they have in the summary. */
function courseCauses(report) {
	const colours = rankColours(report.losses);
	const causes = report.loss_names.map((name, index) => ({name, index, cycles: report.losses[index], colour: colours[index]}));

	return causes.filter((one) => one.cycles > 0).sort((a, b) => b.cycles - a.cycles);
}

/* Cycles at which each interval begins, and the end. */
function courseStarts(intervals) {
	const starts = [0];

	for (const one of intervals)
		starts.push(starts[starts.length - 1] + one.cycles);
	return starts;
}

class Course {
	constructor(report, intervals) {
		this.report = report;
		this.intervals = intervals;
		this.starts = courseStarts(this.intervals);
		this.causes = courseCauses(report);
		this.chosen = -1;
		this.status = h("p", {class: "course-status", "aria-live": "polite"}, "Choose an interval with the pointer or with ← and →.");
		this.mark = s("rect", {class: "course-mark", y: 0, width: 0, height: 0});
		this.chart = this.makeChart();
		this.element = h("div", {class: "course"}, this.chart, this.legend(), this.status);
	}

	x(cycles) {
		return this.left + ((this.width - this.left - 4) * cycles) / (this.starts[this.starts.length - 1] || 1);
	}

	/* The upper part has instructions per cycle, the lower one the shares of the causes. */
	makeChart() {
		Object.assign(this, {width: 1000, left: 70, top: 22, middle: 110, low: 130, bottom: 262});
		const rates = this.intervals.map((one) => (one.cycles ? one.instructions / one.cycles : 0));
		const most = Math.max(...rates, 1e-9);
		const y = (rate) => this.middle - ((this.middle - this.top) * rate) / most;
		const stairs = rates.map((rate, i) => `${i ? "L" : "M"}${this.x(this.starts[i]).toFixed(1)} ${y(rate).toFixed(1)}H${this.x(this.starts[i + 1]).toFixed(1)}`).join("");
		const chart = s("svg", {class: "chart course-chart", viewBox: `0 0 ${this.width} ${this.bottom + 26}`, tabindex: 0, role: "application", "aria-label": `Course of the run in ${count(this.intervals.length, "interval")}: instructions per cycle, and what cycles go to`,
					onkeydown: (event) => this.key(event), onclick: (event) => this.choose(this.at(event)), onpointermove: (event) => this.choose(this.at(event))},
				ticks(0, most, 4).map((value) => [s("line", {class: "grid", x1: this.left, x2: this.width, y1: y(value), y2: y(value)}), s("text", {x: this.left - 6, y: y(value) + 4, "text-anchor": "end"}, plain(value))]),
				s("text", {x: 0, y: this.top - 5}, "instructions per cycle"), s("path", {class: "course-rate", d: stairs}), this.shares(),
				[0, 50, 100].map((value) => s("text", {x: this.left - 6, y: this.bottom - ((this.bottom - this.low) * value) / 100 + 4, "text-anchor": "end"}, `${value} %`)),
				ticks(0, this.starts[this.starts.length - 1], 6).map((value) => s("text", {x: this.x(value), y: this.bottom + 18, "text-anchor": "middle"}, short(value))), this.mark);

		return chart;
	}

	/* One path for each colour: the area between the causes before it and itself, in steps. */
	shares() {
		const height = this.bottom - this.low;
		const below = this.intervals.map(() => 0);

		return this.causes.map((cause) => {
			let path = "";

			this.intervals.forEach((one, i) => {
				const share = one.cycles ? one.losses[cause.index] / one.cycles : 0;
				const from = below[i], to = Math.min(1, from + share);

				below[i] = to;
				if (share > 0.001)
					path += `M${this.x(this.starts[i]).toFixed(1)} ${(this.bottom - height * from).toFixed(1)}V${(this.bottom - height * to).toFixed(1)}H${this.x(this.starts[i + 1]).toFixed(1)}V${(this.bottom - height * from).toFixed(1)}Z`;
			});
			return path && s("path", {class: `course-share share-${cause.colour}`, d: path}, s("title", {}, cause.name));
		});
	}

	legend() {
		const shown = this.causes.slice(0, COURSE_LARGEST);

		return h("ul", {class: "chart-legend"}, shown.map((cause) => h("li", {class: "key-box"}, h("span", {class: `swatch ${partClass(cause.colour)}`}), cause.name)),
			 this.causes.length > shown.length ? h("li", {class: "key-box"}, h("span", {class: `swatch ${partClass(COURSE_LARGEST)}`}), "others") : null);
	}

	/* The interval under the pointer; -1: none. */
	at(event) {
		const box = this.chart.getBoundingClientRect();
		const cycles = (((event.clientX - box.left) * this.width) / box.width - this.left) * (this.starts[this.starts.length - 1] / (this.width - this.left - 4));

		return cycles < 0 ? -1 : this.starts.findIndex((start, i) => i < this.intervals.length && cycles >= start && cycles < this.starts[i + 1]);
	}

	choose(index) {
		if (index < 0 || index === this.chosen || index >= this.intervals.length)
			return;
		const one = this.intervals[index];
		const from = this.starts[index];

		this.chosen = index;
		for (const [name, value] of [["x", this.x(from)], ["y", this.top - 6], ["width", Math.max(1.5, this.x(from + one.cycles) - this.x(from))], ["height", this.bottom - this.top + 6]])
			this.mark.setAttribute(name, value);
		this.status.replaceChildren();
		append(this.status, [`Interval ${index + 1} of ${this.intervals.length}, from cycle ${short(from)}: `, h("strong", {}, plain(one.instructions)), " instructions in ", h("strong", {}, plain(one.cycles)),
			` cycles${one.cycles ? `, ${(one.instructions / one.cycles).toFixed(2)} per cycle` : ""}. ${causesText(this.report.loss_names, one.losses)}`]);
	}

	key(event) {
		const last = this.intervals.length - 1;
		const to = {ArrowRight: Math.min(last, this.chosen + 1), ArrowLeft: Math.max(0, this.chosen - 1), Home: 0, End: last}[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		this.choose(to);
	}
}

function coursePart(data) {
	const {report} = data;
	const intervals = data.course?.intervals ?? [];

	if (intervals.length < 2)
		return null;
	const note = [`Successive ${count(intervals.length, "interval")} of ${plain(intervals[0].instructions)} instructions each; the axis has cycles.`, report.threads.length > 1 && "Threads are one after the other, in pieces, as they ran.", report.sample && "Each is estimated from what was simulated in it."].filter(Boolean).join(" ");

	return section("Over time", note, new Course(report, intervals).element);
}
