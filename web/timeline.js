/* SPDX-License-Identifier: MIT */
/*
 * timeline: the simulated pipeline as a picture that zooms: a row for each issue slot, a column for
 * each cycle. From left to right of a row: fetched, waiting for a decoder, decoded; waiting in the
 * queue; renamed; waiting for operands, for a port; at work; waiting to retire; retired.
 */

const ROW_HEIGHT = 16;
const LABEL_WIDTH = 250;
const AXIS_HEIGHT = 22;
const HEIGHT_MAX = 560;
/* Name, title, hint, and how much lower than its row it is drawn. */
const STAGES = [
	["fetch", "fetch, predecode", "from the cycle in which the predecoder takes its first byte: F", 3],
	["instructions", "waits for a decoder", "predecoded, in the instruction queue", 5],
	["decode", "decode", "enters the µop queue: d out of the decoders, c of the op cache, b of the loop buffer, u of microcode", 3],
	["queue", "in the queue", "decoded, not renamed yet", 5],
	["rename", "rename", "renamed and sent to a scheduler: r", 3],
	["operands", "waits for operands", "renamed, in the scheduler", 3],
	["port", "waits for its port", "operands ready", 3],
	["execute", "executes", "dispatched to its port: L load, E compute, A store address, D store data, M merge", 1],
	["retire", "waits to retire", "done", 5],
	["retired", "retires", "in order, after all older ones: R", 3],
];
const STAGE = Object.fromEntries(STAGES.map(([name], index) => [name, index]));

const LETTERS = {compute: "E", load: "L", "store address": "A", "store data": "D", merge: "M"};
const SOURCE_LETTERS = {decoders: "d", "op cache": "c", "loop buffer": "b", microcode: "u"};

/* Stages of a slot as [stage, from, to, letter], in the order of drawing. */
function stagesOf(slot, uops) {
	const own = uops.slice(slot.first_uop, slot.first_uop + slot.uop_count);
	const done = Math.max(slot.done, slot.renamed);
	const waits = own.length ? Math.max(...own.map((uop) => uop.dispatched)) : slot.renamed;
	const fetched = slot.fetched < slot.queued ? [[STAGE.fetch, slot.fetched, Math.min(slot.predecoded + 1, slot.queued), "F"], [STAGE.instructions, slot.predecoded + 1, slot.queued]] : [];

	return [...fetched, [STAGE.decode, slot.queued, slot.queued + 1, SOURCE_LETTERS[slot.delivered_by] ?? "d"], [STAGE.queue, slot.queued + 1, slot.renamed],
		[STAGE.retire, done, Math.max(done, slot.retired)], [STAGE.operands, slot.renamed + 1, waits], [STAGE.rename, slot.renamed, slot.renamed + 1, "r"],
		...own.map((uop) => [STAGE.port, Math.max(uop.ready, slot.renamed + 1), uop.dispatched]),
		...own.map((uop) => [STAGE.execute, uop.dispatched, uop.done, LETTERS[uop.kind] ?? "E"]), [STAGE.retired, slot.retired, slot.retired + 1, "R"]];
}

class Pipeline {
	constructor(report, timeline, onSelect) {
		this.report = report;
		this.insns = report.instructions;
		this.timeline = timeline;
		this.onSelect = onSelect;
		this.rows = timeline.slots.map((slot, index) => ({slot, index, from: slot.fetched, to: Math.max(slot.retired, slot.done), stages: stagesOf(slot, timeline.uops)}));
		this.cycles = Math.max(timeline.cycles.length, ...this.rows.map((row) => row.to)) + 1;
		this.selected = -1;
		this.current = -1;
		this.scale = 0;
		this.left = 0;
		this.top = 0;
		this.canvas = h("canvas", {class: "pipeline", tabindex: 0, role: "application",
			"aria-label": "Pipeline by cycle. Arrow keys move, plus and minus zoom, J and K choose a row.",
			onwheel: (event) => this.wheel(event), onpointerdown: (event) => this.grab(event), onpointermove: (event) => this.point(event),
			onpointerup: (event) => this.drop(event), onpointerleave: hideTooltip, onkeydown: (event) => this.key(event)});
		this.holder = h("div", {class: "pipeline-holder"}, this.canvas);
		this.redraw = coalesced(() => this.draw());
		this.element = h("div", {}, this.makeTools(), this.holder, this.status = h("p", {class: "hint pipeline-status", "aria-live": "polite"}));
		new ResizeObserver(() => this.redraw()).observe(this.holder);
		addEventListener("colours", () => this.redraw());
		this.say();
	}

	makeTools() {
		const button = (text, label, act) => h("button", {type: "button", "aria-label": label, title: label, onclick: act}, text);

		return h("div", {class: "tools"},
			 button("+", "Zoom in", () => this.zoom(1.5)), button("−", "Zoom out", () => this.zoom(1 / 1.5)),
			 button("Fit", "Show all cycles", () => this.fit()), button("1:1", "Show each cycle's letter", () => this.setScale(14)),
			 h("span", {class: "stage-key"}, STAGES.map(([stage, title, hint]) => h("span", {class: "key-box", title: hint}, h("span", {class: `swatch stage-${stage}`}), title))));
	}

	say() {
		const row = this.rows[this.current];

		if (!row) {
			this.status.textContent = `${count(this.timeline.iterations, "iteration")}, ${count(this.cycles - 1, "cycle")}, from an empty pipeline on. ` +
				"Drag to move, Ctrl and scroll to zoom, click a row to see what it waited for; the keys are arrows, + and −, J and K.";
			return;
		}
		this.status.textContent = this.describe(row).map(([term, value]) => `${term} ${value}`).join(" · ");
	}

	describe(row) {
		const {slot} = row;
		const uops = this.timeline.uops.slice(slot.first_uop, slot.first_uop + slot.uop_count);
		const stop = this.timeline.cycles[Math.max(0, slot.renamed - 1)];
		const waited = uops.filter((uop) => uop.source !== null && uop.location).map((uop) => {
			const producer = this.timeline.slots[this.timeline.uops[uop.source]?.slot];

			return `${uop.location}${producer ? ` of ${this.insns[producer.instruction].text.trim().split(/\s/)[0]} (iteration ${producer.iteration})` : ""}`;
		});

		return [[`iteration ${slot.iteration}:`, this.insns[slot.instruction].text.trim()],
			...(slot.fetched < slot.queued ? [["fetched", slot.fetched], ["predecoded", slot.predecoded]] : []),
			[slot.delivered_by === "decoders" ? "decoded" : `queued by the ${slot.delivered_by}`.replace("the microcode", "microcode"), slot.queued], ["renamed", slot.renamed],
			...uops.map((uop) => [`${uop.kind}${uop.port ? ` on ${uop.port}` : ""}:`, `ready ${uop.ready}, dispatched ${uop.dispatched}, done ${uop.done}`]),
			["done", slot.done], ["retired", slot.retired], waited.length ? ["waited for", [...new Set(waited)].join(", ")] : null,
			slot.renamed > slot.queued + 1 && stop && stop.stop && stop.stop !== "queue empty" ? ["rename stopped by", stop.stop] : null].filter(Boolean);
	}

	/* The instruction of a slot, with the one that is fused to it. */
	title(slot) {
		const insn = this.insns[slot.instruction], next = this.insns[slot.instruction + 1];
		const text = insn.text.trim().replace(/\s+/g, " ");

		if (slot.inserted)
			return `(inserted before) ${text}`;
		return next && next.slots === 0 && /fused with previous/.test(next.note) ? `${text} + ${next.text.trim().split(/\s/)[0]}` : text;
	}

	/* ---- place ---- */

	get labelWidth() {
		return this.holder.clientWidth < 700 ? 90 : LABEL_WIDTH;
	}

	get height() {
		return Math.min(HEIGHT_MAX, AXIS_HEIGHT + this.rows.length * ROW_HEIGHT);
	}

	get wide() {
		return Math.max(50, this.holder.clientWidth - this.labelWidth);
	}

	clamp() {
		this.left = Math.max(0, Math.min(this.left, this.cycles - this.wide / this.scale));
		this.top = Math.max(0, Math.min(this.top, this.rows.length * ROW_HEIGHT - (this.height - AXIS_HEIGHT)));
	}

	setScale(scale, at = this.wide / 2) {
		const least = this.wide / this.cycles;
		const cycle = this.left + at / this.scale;

		this.scale = Math.max(Math.min(least, 14), Math.min(40, scale));
		this.left = cycle - at / this.scale;
		this.redraw();
	}

	zoom(factor, at) {
		this.setScale(this.scale * factor, at);
	}

	fit() {
		this.left = this.top = 0;
		this.setScale(0);
	}

	wheel(event) {
		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			this.zoom(Math.exp(-event.deltaY / 200), Math.max(0, event.offsetX - this.labelWidth));
			return;
		}
		/* Without being chosen, it lets the page scroll. */
		if (document.activeElement !== this.canvas)
			return;
		const before = [this.left, this.top];

		this.left += (event.deltaX + (event.shiftKey ? event.deltaY : 0)) / this.scale;
		this.top += event.shiftKey ? 0 : event.deltaY;
		this.clamp();
		/* At an end, the page scrolls on. */
		if (before[0] !== this.left || before[1] !== this.top)
			event.preventDefault();
		this.follow();
		this.redraw();
	}

	/* Rows come one after the other in time: scrolling down also goes right. */
	follow() {
		const first = this.rows[Math.floor(this.top / ROW_HEIGHT)];
		const last = this.rows[Math.min(this.rows.length - 1, Math.floor((this.top + this.height) / ROW_HEIGHT))];

		if (!first || !last)
			return;
		if (first.from > this.left + this.wide / this.scale || last.to < this.left)
			this.left = first.from - 2;
		this.clamp();
	}

	grab(event) {
		this.held = {x: event.clientX, y: event.clientY, left: this.left, top: this.top, moved: false};
		this.canvas.setPointerCapture(event.pointerId);
	}

	drop(event) {
		const held = this.held;

		this.held = null;
		if (held && !held.moved)
			this.choose(this.rowAt(event));
	}

	rowAt(event) {
		return event.offsetY < AXIS_HEIGHT ? -1 : Math.floor((event.offsetY - AXIS_HEIGHT + this.top) / ROW_HEIGHT);
	}

	point(event) {
		if (this.held && Math.hypot(event.clientX - this.held.x, event.clientY - this.held.y) > 3)
			this.held.moved = true;
		if (this.held && this.held.moved) {
			this.left = this.held.left - (event.clientX - this.held.x) / this.scale;
			this.top = this.held.top - (event.clientY - this.held.y);
			this.clamp();
			hideTooltip();
			this.redraw();
			return;
		}
		const row = this.rows[this.rowAt(event)];

		if (!row) {
			hideTooltip();
			return;
		}
		const cycle = Math.floor(this.left + (event.offsetX - this.labelWidth) / this.scale);
		showTooltip(event.clientX, event.clientY, event.offsetX > this.labelWidth ? h("p", {}, `cycle ${cycle}`) : null, terms(this.describe(row)));
	}

	choose(index) {
		const row = this.rows[index];

		if (!row)
			return;
		this.current = index;
		this.say();
		this.redraw();
	}

	key(event) {
		const step = 40 / this.scale;
		const acts = {ArrowLeft: () => { this.left -= step; }, ArrowRight: () => { this.left += step; }, ArrowUp: () => { this.top -= 3 * ROW_HEIGHT; this.follow(); },
			      ArrowDown: () => { this.top += 3 * ROW_HEIGHT; this.follow(); }, "+": () => this.zoom(1.5), "=": () => this.zoom(1.5), "-": () => this.zoom(1 / 1.5),
			      Home: () => { this.left = this.top = 0; }, 0: () => this.fit(), j: () => this.step(1), k: () => this.step(-1),
			      Enter: () => { if (this.rows[this.current]) this.onSelect(this.rows[this.current].slot.instruction); }};

		if (!acts[event.key] || event.ctrlKey || event.metaKey || event.altKey)
			return;
		event.preventDefault();
		acts[event.key]();
		this.clamp();
		this.redraw();
	}

	/* Choose the next row, and bring it into view. */
	step(by) {
		const next = Math.max(0, Math.min(this.rows.length - 1, this.current + by));
		const y = next * ROW_HEIGHT;

		if (y < this.top || y + ROW_HEIGHT > this.top + this.height - AXIS_HEIGHT)
			this.top = y - this.height / 3;
		this.clamp();
		this.follow();
		this.choose(next);
	}

	select(index) {
		this.selected = index;
		this.redraw();
	}

	/* ---- drawing ---- */

	draw() {
		if (!this.holder.clientWidth)
			return;
		if (!this.scale)
			this.scale = Math.max(14, this.wide / this.cycles);
		this.scale = Math.max(this.scale, Math.min(14, this.wide / this.cycles));
		this.clamp();
		const width = this.holder.clientWidth, height = this.height;
		Object.assign(this.canvas.dataset, {scale: this.scale, left: this.left, top: this.top});
		const context = sizeCanvas(this.canvas, width, height);
		const colours = {ink: colour("--ink"), faint: colour("--ink-faint"), line: colour("--line"), mark: colour("--mark"), accent: colour("--accent"), back: colour("--panel"),
				 recurrence: colour("--recurrence"), stages: STAGES.map(([stage]) => colour(`--stage-${stage}`))};

		context.clearRect(0, 0, width, height);
		context.font = `11px ${colour("--mono")}`;
		context.textBaseline = "middle";
		this.drawGrid(context, colours, width, height);
		const first = Math.floor(this.top / ROW_HEIGHT), last = Math.min(this.rows.length - 1, Math.ceil((this.top + height) / ROW_HEIGHT));
		context.save();
		context.beginPath();
		context.rect(0, AXIS_HEIGHT, width, height - AXIS_HEIGHT);
		context.clip();
		for (let i = first; i <= last; i++)
			this.drawRow(context, colours, this.rows[i], i, width);
		this.drawWait(context, colours);
		context.restore();
	}

	y(index) {
		return AXIS_HEIGHT + index * ROW_HEIGHT - this.top;
	}

	x(cycle) {
		return this.labelWidth + (cycle - this.left) * this.scale;
	}

	drawGrid(context, colours, width, height) {
		const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((step) => step * this.scale >= 42) ?? 10000;

		context.fillStyle = colours.faint;
		context.strokeStyle = colours.line;
		context.lineWidth = 1;
		context.textAlign = "left";
		context.fillText("cycle", 6, AXIS_HEIGHT / 2);
		context.textAlign = "center";
		for (let cycle = Math.ceil(this.left / every) * every; this.x(cycle) < width; cycle += every) {
			const x = Math.round(this.x(cycle)) + 0.5;

			if (x < this.labelWidth)
				continue;
			context.fillText(String(cycle), x + this.scale / 2, AXIS_HEIGHT / 2);
			context.beginPath();
			context.moveTo(x, AXIS_HEIGHT - 4);
			context.lineTo(x, height);
			context.stroke();
		}
	}

	drawRow(context, colours, row, index, width) {
		const y = this.y(index), insn = this.insns[row.slot.instruction];
		const chosen = row.slot.instruction === this.selected;

		if (chosen || index === this.current) {
			context.fillStyle = colours.mark;
			context.fillRect(0, y, width, ROW_HEIGHT);
		}
		if (row.slot.instruction === 0 && (!index || this.rows[index - 1].slot.iteration !== row.slot.iteration)) {
			context.strokeStyle = colours.faint;
			context.beginPath();
			context.moveTo(0, Math.round(y) + 0.5);
			context.lineTo(width, Math.round(y) + 0.5);
			context.stroke();
		}
		context.save();
		context.beginPath();
		context.rect(this.labelWidth, y, width, ROW_HEIGHT);
		context.clip();
		for (const [stage, from, to, letter] of row.stages)
			this.drawStage(context, colours, stage, from, to, letter, y);
		context.restore();
		context.textAlign = "left";
		context.fillStyle = insn.on_loop_carried ? colours.recurrence : colours.ink;
		context.save();
		context.beginPath();
		context.rect(0, y, this.labelWidth - 6, ROW_HEIGHT);
		context.clip();
		context.fillText(`${String(row.slot.iteration).padStart(3)} ${this.title(row.slot)}`, 4, y + ROW_HEIGHT / 2 + 1);
		context.restore();
	}

	drawStage(context, colours, stage, from, to, letter, y) {
		const left = this.x(from), right = this.x(to);
		const thin = STAGES[stage][3];

		if (to <= from || right < this.labelWidth)
			return;
		context.fillStyle = colours.stages[stage];
		context.fillRect(left, y + thin, Math.max(0.5, right - left - (this.scale > 5 ? 1 : 0)), ROW_HEIGHT - 2 * thin);
		if (!letter || this.scale < 10)
			return;
		context.fillStyle = STAGES[stage][0] === "execute" ? colours.back : colours.ink;
		context.textAlign = "center";
		for (let cycle = Math.max(from, Math.floor(this.left)); cycle < to && this.x(cycle) < this.holder.clientWidth; cycle++)
			context.fillText(letter, this.x(cycle) + this.scale / 2 - 0.5, y + ROW_HEIGHT / 2 + 1);
	}

	/* An arrow from the producer that the current row waited for, and on from that. */
	drawWait(context, colours) {
		let row = this.rows[this.current];

		context.strokeStyle = context.fillStyle = colours.recurrence;
		context.lineWidth = 1.5;
		for (let depth = 0; row && depth < 100; depth++) {
			const uops = this.timeline.uops.slice(row.slot.first_uop, row.slot.first_uop + row.slot.uop_count);
			const late = uops.filter((uop) => uop.source !== null).sort((a, b) => b.ready - a.ready)[0];
			const source = late && this.timeline.uops[late.source];

			if (!source || source.slot === row.index)
				return;
			const x = Math.max(this.labelWidth, this.x(source.done)), to = Math.max(this.labelWidth, this.x(late.dispatched));

			context.beginPath();
			context.moveTo(x, this.y(source.slot) + ROW_HEIGHT / 2);
			context.lineTo(x, this.y(row.index) + ROW_HEIGHT / 2);
			context.lineTo(to, this.y(row.index) + ROW_HEIGHT / 2);
			context.stroke();
			context.beginPath();
			context.arc(x, this.y(source.slot) + ROW_HEIGHT / 2, 2.5, 0, 7);
			context.fill();
			row = this.rows[source.slot];
		}
	}
}
