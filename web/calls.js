/* SPDX-License-Identifier: MIT */
/* calls: of one function, who calls it and what it calls, with what they cost, over all stacks of a flame graph: as lists, and as two flame graphs. */

const CALLS_SHOWN = 30;

/* Sums over the tree: the function's cost with all that it calls, and its callers and callees by name. */
function callsOf(root, name) {
	const callers = new Map(), callees = new Map();
	const add = (map, key, value) => map.set(key, (map.get(key) ?? 0) + value);
	let total = 0, self = 0;
	const pending = [[root, false]];

	while (pending.length) {
		const [node, inside] = pending.pop();
		const own = node.name === name;

		if (own) {
			self += node.self;
			/* The outermost call has the cost of recursive calls, too. */
			if (!inside)
				total += node.total;
			if (!inside && node.parent)
				add(callers, node.parent.name, node.total);
			for (const child of node.children)
				if (child.name !== name)
					add(callees, child.name, child.total);
		}
		for (const child of node.children)
			pending.push([child, inside || own]);
	}
	const sorted = (map) => [...map].map(([other, value]) => ({name: other, value})).filter((one) => one.value > 0).sort((a, b) => b.value - a.value);

	return {total, self, callers: sorted(callers), callees: sorted(callees)};
}

class CallsView {
	/* {flame, unit}: the flame graph with all stacks, and the unit of its costs. */
	constructor({flame, unit}) {
		const root = flame.whole;

		this.flame = flame;
		this.root = root;
		this.unit = unit;
		this.graphs = h("div", {class: "sandwich"});
		this.title = h("p", {class: "calls-title", "aria-live": "polite"});
		this.lists = h("div", {class: "two"});
		this.element = h("div", {class: "calls-view"}, this.title, this.graphs, this.lists);
		const heaviest = root.children.reduce((best, node) => (best && best.total >= node.total ? best : node), null);

		if (heaviest)
			this.show(heaviest.name);
	}

	show(name) {
		if (name === this.name || name === "all")
			return;
		const {total, self, callers, callees} = callsOf(this.root, name);

		this.name = name;
		this.title.replaceChildren();
		append(this.title, [h("code", {}, name), `: ${plain(total)} ${this.unit} with what it calls, ${percent(total, this.root.total)} of all; ${plain(self)} itself.`]);
		this.total = total;
		this.drawGraphs();
		this.lists.replaceChildren(this.list("Direct callers", "callers", callers, total), this.list("Direct callees", "callees", callees, total));
	}

	/* Draw the callers above the function, which is the root of both graphs, and what it calls below it; with recursion folded if the flame graph has it so. */
	drawGraphs() {
		const {name, total} = this;
		const share = (value) => `${plain(value)} ${this.unit}, ${percent(value, total)} of the function's`;
		const {groupOf, describe} = this.flame.options;
		const common = {groupOf, describe, unit: this.unit, whole: this.root.total, onEnter: (other) => this.show(other)};
		const callers = new FlameGraph({...common, root: callersTree(this.flame.root, name), upward: true, costs: (node) => [[node.parent ? "calls it for" : "costs", share(node.total)]],
			label: `Flame graph of the callers of ${name}. Arrow keys choose a frame, Enter goes to its function.`});
		const callees = new FlameGraph({...common, root: calleesTree(this.flame.root, name), costs: (node) => [["with what it calls", share(node.total)], ["itself", share(node.self)]],
			label: `Flame graph of what ${name} calls. Arrow keys choose a frame, Enter goes to its function.`});

		callers.element.dataset.sandwich = "callers";
		callees.element.dataset.sandwich = "callees";
		/* Frames near the function matter most: the upper graph begins at its lower end. */
		new ResizeObserver(() => { callers.holder.scrollTop = callers.holder.scrollHeight; }).observe(callers.canvas);
		this.graphs.replaceChildren(h("h3", {}, "Callers"), callers.element, h("h3", {}, "Callees"), callees.element);
	}

	list(title, kind, entries, whole) {
		const row = (entry) => h("li", {class: "bar-row calls-row"}, entry.name === "all" ? h("span", {class: "bar-title"}, "(the begin)") : h("button", {type: "button", class: "link bar-title", onclick: () => this.show(entry.name)}, entry.name),
					 h("span", {class: "bar-track"}, h("span", {class: "bar-fill", style: {width: `${Math.min(100, (100 * entry.value) / (whole || 1))}%`}})), h("span", {class: "bar-value"}, plain(entry.value)), h("span", {class: "bar-note"}, percent(entry.value, whole)));

		return h("div", {}, h("h3", {}, title), entries.length ? h("ul", {class: "bars", "data-calls": kind}, entries.slice(0, CALLS_SHOWN).map(row)) : h("p", {class: "hint"}, "none"),
			 entries.length > CALLS_SHOWN ? h("p", {class: "hint"}, `and ${plain(entries.length - CALLS_SHOWN)} more`) : null);
	}
}
