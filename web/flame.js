/* SPDX-License-Identifier: MIT */
/*
 * flame: a tree of calls as a flame graph, the root on top, or at the bottom if it is upward. With a second tree, of the
 * time before a change, frames are coloured by how they changed.
 */

const FRAME_HEIGHT = 19;
const FRAMES_DEEP = 400;
const FRAME_LEAST_PIXELS = 0.7;

/* A number from 0 to 1 that depends on the text only. */
function hashOf(text) {
	let hash = 2166136261;

	for (let i = 0; i < text.length; i++)
		hash = Math.imul(hash ^ text.charCodeAt(i), 16777619);
	return (hash >>> 8) / 0x1000000;
}

class FlameGraph {
	/*
	 * {stacks, before, unit, groupOf(name), describe(name), onCode(name)}: groupOf() chooses a colour,
	 * describe() adds terms to the tooltip; onChoose(name) is told of each frame that is chosen. {root, unit} is
	 * a part of the whole, with {label, upward, whole, costs(node), onEnter(name)}: a click and Enter call
	 * onEnter() instead of zooming, shares are of `whole`, and there are no tools.
	 */
	constructor(options) {
		this.options = options;
		this.isPart = Boolean(options.root);
		this.unit = options.unit ?? options.stacks.unit;
		this.root = this.whole = options.root ?? callTree(options.stacks);
		this.differential = Boolean(options.before);
		if (this.differential)
			mergeTrees(this.root, callTree(options.before));
		this.wide = "total";
		this.sortAll();
		this.zoomed = this.root;
		this.chosen = this.root;
		this.words = "";
		this.frames = [];
		this.redraw = coalesced(() => this.draw());
		this.canvas = h("canvas", {class: "flame", tabindex: 0, role: "application",
			"aria-label": options.label ?? "Flame graph. Arrow keys choose a frame, Enter zooms into it, Escape zooms out, slash searches.",
			onpointermove: (event) => this.point(event), onpointerleave: () => { this.hovered = null; hideTooltip(); this.redraw(); },
			onclick: (event) => this.click(event), ondblclick: () => this.showCode(), onkeydown: (event) => this.key(event)});
		this.holder = h("div", {class: "flame-holder scroll"}, this.canvas);
		this.status = h("div", {class: "flame-status", "aria-live": "polite"});
		this.overview = this.isPart ? null : new Overview(this);
		this.element = h("div", {class: "flame-view"}, this.isPart ? null : this.makeTools(), this.overview?.element, this.holder, this.status);
		new ResizeObserver(() => this.redraw()).observe(this.holder);
		addEventListener("colours", () => this.redraw());
		this.describe();
	}

	/* ---- what is shown ---- */

	weight(node) {
		return this.wide === "before" ? node.before : node.total;
	}

	sortAll() {
		const pending = [this.root];

		for (const node of pending) {
			node.children.sort((a, b) => this.weight(b) - this.weight(a) || (a.name < b.name ? -1 : 1));
			pending.push(...node.children);
		}
	}

	makeTools() {
		this.input = h("input", {type: "search", class: "search", placeholder: "Search functions", "aria-label": "Search functions in the flame graph",
					 oninput: () => { this.words = this.input.value.trim().toLowerCase(); this.find(); },
					 onkeydown: (event) => { if (event.key === "Enter") { event.preventDefault(); this.nextFound(event.shiftKey ? -1 : 1); } }});
		this.found = h("span", {class: "hint flame-found", "aria-live": "polite"});
		this.reset = h("button", {type: "button", class: "flame-reset", disabled: true, onclick: () => this.zoom(this.root)}, "Show all");
		const sides = h("select", {"aria-label": "Width of frames", onchange: () => { this.wide = sides.value; this.sortAll(); this.zoom(this.root); this.find(); }},
				h("option", {value: "total"}, "Width: after"), h("option", {value: "before"}, "Width: before"));

		return h("div", {class: "tools"}, this.input, this.reset, this.differential ? sides : null, this.found,
			 this.foldBox(), this.differential ? h("span", {class: "flame-key"}, h("span", {class: "key-box"}, h("span", {class: "swatch slower"}), "more than before"),
					       h("span", {class: "key-box"}, h("span", {class: "swatch same"}), "as before"), h("span", {class: "key-box"}, h("span", {class: "swatch faster"}), "less")) : this.groupKey(),
			 h("span", {class: "hint grow"}, "A click zooms into a frame, a double click shows its code."));
	}

	/* A choice to fold recursion, if there is any. */
	foldBox() {
		const folded = foldRecursion(this.whole);
		const box = h("input", {type: "checkbox", id: newId("fold"), class: "fold", onchange: () => this.setRoot(box.checked ? folded : this.whole)});

		return treeSize(folded) === treeSize(this.whole) ? null : h("label", {for: box.id, class: "check", title: "A call of a function that is on the stack already continues that function's frame"}, box, " Fold recursion");
	}

	/* Show another tree of the same calls. */
	setRoot(root) {
		this.root = root;
		this.sortAll();
		this.zoom(root);
		this.find();
		this.options.onRoot?.();
	}

	groupKey() {
		const groups = this.options.groups ?? [];

		return groups.length > 1 ? h("span", {class: "flame-key"}, groups.map((group, i) => h("span", {class: "key-box"}, h("span", {class: `swatch ${partClass(i)}`}), group))) : null;
	}

	/* Mark what is searched; a frame below another marked one is not counted twice. */
	find() {
		const wanted = this.words.split(/\s+/).filter(Boolean);
		const matches = (node) => wanted.length > 0 && node !== this.root && wanted.every((word) => node.name.toLowerCase().includes(word));
		const pending = [[this.root, false]];
		let sum = 0, frames = 0;

		this.matching = [];
		for (const [node, inside] of pending) {
			node.matches = matches(node);
			if (node.matches && !inside)
				sum += this.weight(node);
			frames += node.matches;
			if (node.matches)
				this.matching.push(node);
			for (const child of node.children)
				pending.push([child, inside || node.matches]);
		}
		this.found.textContent = wanted.length ? `${count(frames, "frame")} found, ${percent(sum, this.weight(this.root))} of the ${this.unit}` : "";
		this.matching.sort((a, b) => this.weight(b) - this.weight(a));
		this.foundAt = -1;
		this.element.dataset.found = String(sum);
		this.redraw();
	}

	/* Choose the next of the frames that were found, from the costliest on, and zoom so that it is seen. */
	nextFound(step) {
		const number = (this.matching ?? []).length;

		if (!number)
			return;
		this.foundAt = this.foundAt < 0 ? (step > 0 ? 0 : number - 1) : (this.foundAt + step + number) % number;
		const node = this.matching[this.foundAt];

		this.zoom(node.parent ?? node);
		this.choose(node);
		this.found.textContent = `frame ${plain(this.foundAt + 1)} of ${plain(number)}`;
	}

	/* ---- drawing ---- */

	/* Frames of what is below `top`, and above them the frames that lead there. */
	layout(width, top = this.zoomed) {
		const frames = [];
		const line = [];
		const whole = this.weight(top) || 1;

		for (let node = top.parent; node; node = node.parent)
			line.unshift(node);
		line.forEach((node, depth) => frames.push({node, depth, x: 0, width, above: true}));
		const place = (node, depth, x) => {
			const wide = (width * this.weight(node)) / whole;
			let at = x;

			if (wide < FRAME_LEAST_PIXELS || depth >= FRAMES_DEEP)
				return;
			frames.push({node, depth, x, width: wide});
			for (const child of node.children) {
				place(child, depth + 1, at);
				at += (width * this.weight(child)) / whole;
			}
		};
		place(top, line.length, 0);
		return frames;
	}

	fill(frame, look) {
		const node = frame.node;

		if (node.matches)
			return look.found;
		if (this.differential) {
			const most = Math.max(node.before, node.total);
			const share = most ? (node.total - node.before) / most : 0;

			if (Math.abs(share) < 0.002)
				return look.same;
			/* A change of a quarter has the full colour. */
			return this.mix(look.same, share > 0 ? look.slower : look.faster, Math.min(1, 0.15 + Math.abs(share) * 4));
		}
		if (node === this.root && !this.isPart)
			return look.same;
		return this.mix(look.panel, look.groups[this.options.groupOf(node.name) % PART_COLOURS], 0.3 + 0.22 * hashOf(node.name));
	}

	mix(from, to, share) {
		const parse = (text) => [1, 3, 5].map((at) => Number.parseInt(text.slice(at, at + 2), 16));
		const a = parse(from), b = parse(to);

		return `rgb(${a.map((value, i) => Math.round(value + (b[i] - value) * share)).join(",")})`;
	}

	draw() {
		const width = this.holder.clientWidth;

		if (!width)
			return;
		this.frames = this.layout(width);
		this.deep = this.frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1;
		const context = sizeCanvas(this.canvas, width, this.deep * FRAME_HEIGHT + 1);
		const look = this.look();

		context.clearRect(0, 0, width, this.deep * FRAME_HEIGHT + 1);
		context.font = "12px system-ui, sans-serif";
		context.textBaseline = "middle";
		for (const frame of this.frames)
			this.drawFrame(context, frame, look);
		this.canvas.dataset.frames = String(this.frames.length);
		this.canvas.dataset.zoom = this.zoomed.name;
		this.canvas.dataset.chosen = this.chosen.name;
		this.overview?.draw(look);
	}

	/* Colours of the style sheet. */
	look() {
		return {panel: colour("--panel"), ink: colour("--ink"), faint: colour("--ink-faint"), found: colour("--found"), accent: colour("--accent"), same: colour("--raised"),
			slower: colour("--slower"), faster: colour("--faster"), groups: Array.from({length: PART_COLOURS}, (_, i) => colour(`--s${i}`))};
	}

	/* The row of a depth, from the top; of a row, the depth. */
	row(depth) {
		return this.options.upward ? this.deep - 1 - depth : depth;
	}

	drawFrame(context, frame, look) {
		const y = this.row(frame.depth) * FRAME_HEIGHT;
		const wide = Math.max(0.5, frame.width - (frame.width > 3 ? 1 : 0));

		context.globalAlpha = frame.above ? 0.55 : 1;
		context.fillStyle = this.fill(frame, look);
		context.fillRect(frame.x, y, wide, FRAME_HEIGHT - 1);
		if (frame.width > 24) {
			context.fillStyle = frame.node.matches ? look.panel : look.ink;
			context.fillText(this.fit(context, frame.node.name, frame.width - 8), frame.x + 4, y + FRAME_HEIGHT / 2);
		}
		context.globalAlpha = 1;
		if (frame.node === this.chosen || frame.node === this.hovered) {
			context.strokeStyle = frame.node === this.chosen ? look.accent : look.faint;
			context.lineWidth = frame.node === this.chosen ? 2 : 1;
			context.strokeRect(frame.x + 1, y + 1, Math.max(1, wide - 2), FRAME_HEIGHT - 3);
		}
	}

	fit(context, text, width) {
		const room = Math.floor(width / 6.2);

		if (text.length <= room || context.measureText(text).width <= width)
			return text;
		let cut = text.slice(0, Math.max(0, room - 1));
		while (cut && context.measureText(`${cut}…`).width > width)
			cut = cut.slice(0, -1);
		return cut ? `${cut}…` : "";
	}

	/* ---- choosing and zooming ---- */

	frameAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const depth = this.row(Math.floor((event.clientY - box.top) / FRAME_HEIGHT));
		const x = event.clientX - box.left;

		return this.frames.find((frame) => frame.depth === depth && x >= frame.x && x < frame.x + frame.width);
	}

	costs(node) {
		const all = this.options.whole ?? this.root.total;

		if (this.options.costs)
			return [...this.options.costs(node), ...(this.options.describe ? this.options.describe(node.name) : [])];
		return [["with what it calls", `${plain(node.total)} ${this.unit}, ${percent(node.total, all)}`], ["itself", `${plain(node.self)} ${this.unit}, ${percent(node.self, all)}`],
			this.differential && ["before", `${plain(node.before)} ${this.unit}`],
			this.differential && ["change", `${signed(node.total - node.before)} ${this.unit}${node.before ? `, ${signed(node.total - node.before, (value) => percent(value, node.before))}` : ""}`],
			...(this.options.describe ? this.options.describe(node.name) : [])];
	}

	point(event) {
		const frame = this.frameAt(event);

		if (this.hovered !== (frame ? frame.node : null)) {
			this.hovered = frame ? frame.node : null;
			this.redraw();
		}
		if (frame)
			showTooltip(event.clientX, event.clientY, h("strong", {}, frame.node.name), terms(this.costs(frame.node)));
		else
			hideTooltip();
	}

	click(event) {
		const frame = this.frameAt(event);

		this.canvas.focus({preventScroll: true});
		if (frame) {
			this.chosen = frame.node;
			this.zoom(frame.node);
		}
	}

	zoom(node) {
		if (this.options.onEnter && node !== this.root) {
			this.options.onEnter(node.name);
			return;
		}
		this.zoomed = node;
		this.chosen = node;
		if (this.reset)
			this.reset.disabled = node === this.root;
		this.describe();
		this.redraw();
	}

	choose(node) {
		this.chosen = node;
		this.options.onChoose?.(node.name);
		this.describe();
		this.redraw();
	}

	/* Choose the first frame of a function, and zoom so that it is seen. */
	chooseFunction(name) {
		const pending = [this.root];
		let best = null;

		for (const node of pending) {
			if (node.name === name && (!best || node.total > best.total))
				best = node;
			pending.push(...node.children);
		}
		if (best) {
			this.zoom(this.root);
			this.choose(best);
		}
	}

	showCode() {
		if (this.options.onCode && this.chosen !== this.root)
			this.options.onCode(this.chosen.name);
	}

	describe() {
		const node = this.chosen;
		const code = this.options.onCode && this.options.hasCode(node.name);

		this.status.replaceChildren(h("strong", {}, node.name), h("span", {}, this.costs(node).filter(Boolean).filter((pair) => pair[1]).map(([term, value]) => `${term} ${value}`).join(" · ")),
					    code ? h("button", {type: "button", class: "link", onclick: () => this.showCode()}, "Show its code") : "");
	}

	key(event) {
		const siblings = this.chosen.parent ? this.chosen.parent.children : [this.chosen];
		const at = siblings.indexOf(this.chosen);
		const down = this.options.upward ? "ArrowUp" : "ArrowDown", up = this.options.upward ? "ArrowDown" : "ArrowUp";
		const to = {[down]: this.chosen.children[0], [up]: this.chosen.parent, ArrowRight: siblings[at + 1], ArrowLeft: siblings[at - 1]}[event.key];

		if (to) {
			this.choose(to);
		} else if (event.key === "Enter" || event.key === "+") {
			this.zoom(this.chosen);
		} else if (event.key === "Escape" || event.key === "0") {
			this.zoom(event.key === "0" ? this.root : this.zoomed.parent ?? this.root);
		} else if (event.key === "/" && this.input) {
			this.input.focus();
		} else if (event.key === "c") {
			this.showCode();
		} else if (!event.key.startsWith("Arrow")) {
			return;
		}
		event.preventDefault();
	}
}
