/* SPDX-License-Identifier: MIT */
/* deps: loads that read what stores wrote, and the addresses of a region's accesses. */

class DepsCode {
	constructor(region) {
		this.edges = region.memory_dependences.map((edge) => ({...edge, kind: "memory"}));
		const lanes = Math.min(LANES_MAX, Math.max(2, ...placeArrows(this.edges).map((edge) => edge.lane + 1)));

		this.gutterWidth = 20 + lanes * LANE;
		this.rows = region.instructions.map((insn, index) => h("tr", {class: "insn", "data-index": index},
			h("td", {class: "number place"}, index), h("td", {class: "gutter", style: {"min-width": `${this.gutterWidth}px`}}), h("td", {class: "asm"}, h("code", {}, asmText(insn.text))), h("td", {class: "number place"}, insn.line ?? "")));
		this.svg = s("svg", {class: "arrows", "aria-hidden": "true"});
		this.table = h("table", {class: "code-table", "aria-label": "Instructions"}, h("thead", {}, h("tr", {}, h("th", {scope: "col", class: "number"}, "#"), h("th", {scope: "col", class: "gutter"}, h("span", {class: "unseen"}, "dependences")),
			h("th", {scope: "col"}, "instruction"), h("th", {scope: "col", class: "number"}, "line"))), h("tbody", {}, this.rows));
		this.element = h("div", {class: "scroll asm-pane", tabindex: 0, role: "region", "aria-label": "Assembly"}, h("div", {class: "asm-holder"}, this.table, this.svg));
		new ResizeObserver(coalesced(() => this.draw())).observe(this.element);
	}

	draw() {
		const gutter = this.rows.length ? this.rows[0].children[1] : null;

		if (!gutter || !gutter.offsetParent)
			return;
		const left = gutter.offsetLeft + gutter.offsetWidth;
		const y = (index) => this.rows[index].offsetTop + this.rows[index].offsetHeight / 2;
		this.svg.setAttribute("width", left + 4);
		this.svg.setAttribute("height", this.table.offsetHeight);
		this.svg.replaceChildren(...placeArrows(this.edges).flatMap((edge) => {
			const classes = `arrow memory${edge.iterations ? " carried" : ""}`;
			const tip = y(edge.to) - 4;

			return [s("path", {class: classes, d: arrowPath(edge, left, y)}), s("path", {class: `${classes} tip`, d: `M${left + 1} ${tip} l-6 -3.5 v7 z`})];
		}));
	}

	mark(indices) {
		this.rows.forEach((row, i) => row.classList.toggle("marked", indices.includes(i)));
		if (indices.length)
			scrollInside(this.rows[indices[0]]);
	}
}

function depsRegion(region) {
	const code = new DepsCode(region);
	const path = (list, key) => (row) => `${list}.${row.index}.${key}`;
	const pair = (row) => code.mark([row.from, row.to]);
	const dependences = withIndex(region.memory_dependences);
	const insn = (index) => region.instructions[index].text.trim();

	return h("div", {class: "deps"},
		 section("Dependences through memory", "Loads that read what a store before them wrote. A click marks both.", dependences.length ? dataTable({label: "Dependences through memory", rows: dependences, onChoose: pair, columns: [
			 {key: "from", title: "store", number: true, path: path("memory_dependences", "from")}, {key: "store", title: "", code: true, value: (row) => insn(row.from)}, {key: "from_address", title: "writes", code: true},
			 {key: "to", title: "load", number: true, path: path("memory_dependences", "to")}, {key: "load", title: "", code: true, value: (row) => insn(row.to)}, {key: "to_address", title: "reads", code: true},
			 {key: "iterations", title: "iterations apart", number: true, path: path("memory_dependences", "iterations")}, {key: "overlap", title: "overlap"},
			 {key: "latency", title: "cycles", number: true, bar: true, path: path("memory_dependences", "latency")}].map((column) => ({...column, title: column.title || "instruction"}))}) : h("p", {}, "No load reads what a store of the region wrote, as far as addresses are known.")),
		 region.page_aliases.length ? section("Page aliases", "Loads that wait for a store to another page, since the lower twelve bits of their addresses are the same.", dataTable({label: "Page aliases", rows: region.page_aliases, onChoose: pair, columns: columnsOf(region.page_aliases).map((column) => ({...column, noKey: true}))})) : null,
		 section("Code", null, code.element),
		 section("Streams", "How the address of each access moves from iteration to iteration.", region.streams.length ? dataTable({label: "Streams", rows: withIndex(region.streams), onChoose: (row) => code.mark([row.instruction]), columns: [
			 {key: "instruction", title: "#", number: true, path: path("streams", "instruction")}, {key: "text", title: "instruction", code: true, value: (row) => insn(row.instruction)}, {key: "address", title: "address", code: true},
			 {key: "kind", title: "access", value: (row) => [row.loads && "load", row.stores && "store"].filter(Boolean).join(", ")}, {key: "size", title: "bytes", number: true, path: path("streams", "size")},
			 {key: "stride", title: "stride", number: true, value: (row) => (row.known ? row.stride : null), path: path("streams", "stride")}, {key: "alignment", title: "alignment", number: true, path: path("streams", "alignment")}]}) : h("p", {}, "The region accesses no memory.")));
}

function depsPage(data) {
	const regions = regionsOf(data.report);

	if (regions.length === 1)
		return h("div", {}, h("p", {class: "deps-head"}, h("strong", {}, regions[0].region), ` on ${regions[0].arch}`), depsRegion(regions[0]));
	return tabs("Regions", regions.map((region) => ({label: region.region, note: count(region.memory_dependences.length, "dependence"), make: () => depsRegion(region)}))).element;
}
