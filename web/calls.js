/* SPDX-License-Identifier: MIT */
/* calls: of one function, who calls it and whom it calls, with what they cost, over all stacks of a flame graph. */

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
			/* What a recursive call costs is in the outermost call. */
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
	/* {root, unit}: the tree of a flame graph (callTree()), and the unit of its costs. */
	constructor({root, unit}) {
		this.root = root;
		this.unit = unit;
		this.title = h("p", {class: "calls-title", "aria-live": "polite"});
		this.lists = h("div", {class: "two"});
		this.element = h("div", {class: "calls-view"}, this.title, this.lists);
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
		this.lists.replaceChildren(this.list("Callers", "callers", callers, total), this.list("Callees", "callees", callees, total));
	}

	list(title, kind, entries, whole) {
		const row = (entry) => h("li", {class: "bar-row calls-row"}, entry.name === "all" ? h("span", {class: "bar-title"}, "(the begin)") : h("button", {type: "button", class: "link bar-title", onclick: () => this.show(entry.name)}, entry.name),
					 h("span", {class: "bar-track"}, h("span", {class: "bar-fill", style: {width: `${Math.min(100, (100 * entry.value) / (whole || 1))}%`}})), h("span", {class: "bar-value"}, plain(entry.value)), h("span", {class: "bar-note"}, percent(entry.value, whole)));

		return h("div", {}, h("h3", {}, title), entries.length ? h("ul", {class: "bars", "data-calls": kind}, entries.slice(0, CALLS_SHOWN).map(row)) : h("p", {class: "hint"}, "none"),
			 entries.length > CALLS_SHOWN ? h("p", {class: "hint"}, `and ${plain(entries.length - CALLS_SHOWN)} more`) : null);
	}
}
