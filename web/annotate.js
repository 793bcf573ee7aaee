/* SPDX-License-Identifier: MIT */
/* annotate: a function's source and assembly with what each line and instruction cost. */

/* The cost of an instruction: cycles, or how often it ran if no core was simulated. */
function insnCost(insn) {
	return insn.cycles ?? insn.executions;
}

class AnnotatedCode {
	/*
	 * {annotation, sources, unit, whole}: `whole` is the cost of the program. With {lossNames, blocks}, the profile's
	 * blocks, their lost cycles can be chosen as columns.
	 */
	constructor({annotation, sources, unit, whole, keyed = true, lossNames = [], blocks = []}) {
		this.functions = annotation.functions;
		this.leftOut = annotation.left_out;
		this.sources = new Map((sources ?? []).map((source) => [source.file, source.lines]));
		this.unit = unit;
		this.whole = whole;
		this.keyed = keyed;
		this.blocks = new Map();
		for (const block of blocks.filter((one) => one.losses))
			this.blocks.set(block.address, [...(this.blocks.get(block.address) ?? []), block.losses]);
		this.columns = this.blocks.size ? new LossColumns(lossNames, [], () => this.show(this.functions.indexOf(this.shown))) : null;
		this.select = h("select", {class: "function-choice", "aria-label": "Function", onchange: () => this.show(Number(this.select.value))},
				this.functions.map((one, i) => h("option", {value: i}, `${percent(this.costOf(one), whole)}  ${one.name}`)));
		this.holder = h("div", {class: "annotated"});
		this.element = h("div", {class: "annotate-view", onkeydown: (event) => this.key(event)},
				 h("div", {class: "tools"}, this.select,
				   h("button", {type: "button", class: "hottest", onclick: () => this.hottest()}, "Next hottest"),
				   h("span", {class: "hint grow"}, this.leftOut ? `${count(this.leftOut, "function")} that cost less ${this.leftOut === 1 ? "is" : "are"} left out. ` : "", "A click on a line or an instruction marks what belongs to it; H goes to the next hottest.")),
				 this.columns?.element, this.holder);
	}

	/* Show the first function unless another is shown; return the element. */
	open() {
		if (!this.shown && this.functions.length)
			this.show(0);
		return this.element;
	}

	costOf(one) {
		return one.instructions.reduce((sum, insn) => sum + insnCost(insn), 0);
	}

	has(name) {
		return this.functions.some((one) => one.name === name);
	}

	/* Show a function by its index in the report; false if it has no code here. */
	showFunction(index) {
		const at = this.functions.findIndex((one) => one.function === index);

		if (at >= 0)
			this.show(at);
		return at >= 0;
	}

	showName(name) {
		const at = this.functions.findIndex((one) => one.name === name);

		if (at >= 0)
			this.show(at);
		return at >= 0;
	}

	show(index) {
		const one = this.functions[index];

		this.shown = one;
		this.select.value = String(index);
		this.total = this.costOf(one);
		this.most = one.instructions.reduce((most, insn) => Math.max(most, insnCost(insn)), 1);
		this.ranking = one.instructions.map((_, i) => i).sort((a, b) => insnCost(one.instructions[b]) - insnCost(one.instructions[a]));
		this.visited = 0;
		this.columns?.offer(usedLosses(this.columns.names, one.instructions.flatMap((insn) => this.lossesAt(insn))));
		this.rows = this.makeRows(one);
		this.lines = new Map();
		const source = this.makeSource(one);
		const assembly = h("div", {class: "scroll annotated-pane", tabindex: 0, role: "region", "aria-label": "Assembly of the function"},
			h("table", {class: "annotated-table", "aria-label": `Instructions of ${one.name}`},
			  h("thead", {}, h("tr", {}, h("th", {scope: "col", class: "number", title: `Part of the function's ${this.unit}`}, "%"), h("th", {scope: "col", class: "number"}, this.unit),
					   h("th", {scope: "col", class: "number", title: "Executions"}, "runs"),
					   (this.columns?.chosen ?? []).map((index) => h("th", {scope: "col", class: "number loss-column", title: "Cycles of the block that begins here, by this cause"}, this.columns.names[index])),
					   h("th", {scope: "col", class: "number"}, "offset"), h("th", {scope: "col"}, "instruction"), h("th", {scope: "col", class: "number"}, "line"))),
			  h("tbody", {}, this.rows)));

		this.pane = assembly;
		this.holder.replaceChildren(h("p", {class: "function-name"}, h("strong", {}, one.name), `  ${plain(this.total)} ${this.unit}, ${percent(this.total, this.whole)} of all`),
					    h("div", {class: source ? "code-panes both" : "code-panes"}, source, assembly));
		this.element.dataset.function = one.name;
	}

	/* Lost cycles of the blocks that begin at an instruction. */
	lossesAt(insn) {
		return insn.begins_block ? this.blocks.get(insn.address) ?? [] : [];
	}

	/* Cells of the chosen causes: the sum of a block stands at its first instruction, darker the more it is. */
	lossCells(insn) {
		const lists = this.lossesAt(insn);

		return (this.columns?.chosen ?? []).map((index) => {
			const cycles = lists.reduce((sum, losses) => sum + losses[index], 0);

			return h("td", {class: "number share", "data-loss": lists.length ? this.columns.names[index] : null, "data-value": lists.length ? cycles : null, style: {"--share": `${(100 * cycles) / this.total}%`}}, cycles ? plain(cycles) : "");
		});
	}

	makeRows(one) {
		const byAddress = new Map(one.instructions.map((insn, i) => [insn.address, i]));
		let end = null;

		this.jumps = jumpColumn(one.instructions, byAddress);
		return one.instructions.map((insn, index) => {
			const cost = insnCost(insn);
			const share = this.total ? cost / this.total : 0;
			const key = this.keyed ? `${this.functions.indexOf(one)}.instructions.${index}` : null;
			const gap = end !== null && insn.offset > end;

			end = insn.offset + insn.length;
			return h("tr", {class: ["annotated-insn", insn.begins_block && "block-start", gap && "gap"].filter(Boolean).join(" "), "data-index": index, tabindex: -1,
				onclick: () => this.mark(insn.file, insn.line, index)},
				 h("td", {class: "number share", style: {"--share": `${(100 * cost) / this.most}%`}}, share >= 0.0005 ? (100 * share).toFixed(share >= 0.1 ? 1 : 2) : ""),
				 h("td", {class: "number", "data-annotation": key, "data-value": insn.cycles}, insn.cycles === undefined ? "" : plain(insn.cycles)),
				 h("td", {class: "number soft"}, plain(insn.executions)), this.lossCells(insn), h("td", {class: "number place"}, insn.offset.toString(16)),
				 h("td", {class: "asm", style: {"--jumps": `${this.jumps.width}px`}}, this.jumps.cells[index], h("code", {}, asmText(insn.text)), this.jump(insn, byAddress)), h("td", {class: "number place"}, insn.line ?? ""));
		});
	}

	/* A button that goes where a branch inside the function leads. */
	jump(insn, byAddress) {
		const index = branchTarget(insn, byAddress);

		return index === undefined ? null : h("button", {type: "button", class: "link jump", "aria-label": `Go to offset ${this.shown.instructions[index].offset.toString(16)}`,
			onclick: (event) => { event.stopPropagation(); this.goTo(index); }}, this.shown.instructions[index].offset <= insn.offset ? "↑" : "↓");
	}

	/* The source lines of the function, those with cycles and what is near them. */
	makeSource(one) {
		const costs = new Map();

		for (const insn of one.instructions)
			if (insn.file && this.sources.has(insn.file)) {
				const lines = costs.get(insn.file) ?? new Map();

				lines.set(insn.line, (lines.get(insn.line) ?? 0) + insnCost(insn));
				costs.set(insn.file, lines);
			}
		if (!costs.size)
			return null;
		const most = Math.max(...[...costs.values()].flatMap((lines) => [...lines.values()]), 1);
		const lists = [...costs].map(([file, lines]) => {
			const text = this.sources.get(file);
			const near = new Set([...lines.keys()].flatMap((line) => Array.from({length: 7}, (_, i) => line - 3 + i)));
			const numbers = Object.keys(text).map(Number).filter((line) => near.has(line)).sort((a, b) => a - b);
			let before = 0;

			return [h("p", {class: "file-name", title: file}, baseName(file)), h("ol", {class: "source"}, numbers.map((line) => {
				const cost = lines.get(line);
				const gap = before && line > before + 1;
				const contents = [h("span", {class: "line-lost"}, cost ? h("span", {class: "line-bar", style: {width: `${(100 * cost) / most}%`}}) : null,
						    h("span", {class: "line-figure"}, cost ? percent(cost, this.total) : "")),
						  h("span", {class: "line-number"}, line), h("code", {}, text[line].replace(/\t/g, "    "))];
				const row = lines.has(line) ? h("button", {type: "button", class: "source-line has", "aria-pressed": "false", title: `${plain(cost)} ${this.unit}`, onclick: () => this.mark(file, line)}, contents)
					: h("div", {class: "source-line"}, contents);

				before = line;
				this.lines.set(`${file}:${line}`, row);
				return h("li", {class: gap ? "gap" : ""}, row);
			}))];
		});
		return h("div", {class: "source-pane scroll", tabindex: 0, role: "region", "aria-label": "Source of the function"}, lists);
	}

	/* Mark a source line and its instructions. */
	mark(file, line, index = -1) {
		let first = -1;

		this.jumps.mark(index);
		for (const row of this.lines.values())
			if (row.hasAttribute("aria-pressed"))
				row.setAttribute("aria-pressed", "false");
		this.rows.forEach((row, i) => {
			const insn = this.shown.instructions[i];
			const same = Boolean(file) && insn.file === file && insn.line === line;

			row.classList.toggle("marked", same);
			row.classList.toggle("chosen", i === index);
			if (same && first < 0)
				first = i;
		});
		const button = this.lines.get(`${file}:${line}`);
		if (button && button.hasAttribute("aria-pressed")) {
			button.setAttribute("aria-pressed", "true");
			if (index >= 0)
				scrollInside(button);
		}
		if (index < 0 && first >= 0)
			scrollInside(this.rows[first]);
	}

	goTo(index) {
		const insn = this.shown.instructions[index];

		this.mark(insn.file, insn.line, index);
		scrollInside(this.rows[index]);
		this.rows[index].focus({preventScroll: true});
	}

	goToOffset(offset) {
		const index = this.shown.instructions.findIndex((insn) => insn.offset >= offset);

		if (index >= 0)
			this.goTo(index);
	}

	goToLine(file, line) {
		this.mark(file, line);
	}

	hottest() {
		if (this.shown)
			this.goTo(this.ranking[this.visited++ % this.ranking.length]);
	}

	key(event) {
		if ((event.key === "h" || event.key === "H") && !event.ctrlKey && event.target !== this.select) {
			event.preventDefault();
			this.hottest();
		}
	}
}

/* Scroll the nearest pane that scrolls, and not the page, so that the element is in its middle. */
function scrollInside(element) {
	const pane = element.closest(".scroll");

	if (pane)
		pane.scrollTop += element.getBoundingClientRect().top - pane.getBoundingClientRect().top - pane.clientHeight / 2;
}
