/* SPDX-License-Identifier: MIT */
/* columns: causes of lost cycles that the user chooses as columns of a table. */

class LossColumns {
	/* `names` has all causes; those of `used` (indices) can be chosen. onChange() is told of each choice. */
	constructor(names, used, onChange) {
		this.names = names;
		this.chosen = [];
		this.onChange = onChange;
		this.list = h("div", {class: "column-list"});
		this.element = h("details", {class: "column-picker"}, h("summary", {}, "More columns: what the cycles go to"), this.list);
		this.offer(used);
	}

	/* Let these causes be chosen; those chosen before stay so. The same ones are left alone, with the focus on them. */
	offer(used) {
		if (this.offered === used.join())
			return;
		this.offered = used.join();
		this.list.replaceChildren(...used.map((index) => {
			const box = h("input", {type: "checkbox", id: newId("column"), "data-cause": this.names[index], onchange: () => this.choose(index, box.checked)});

			box.checked = this.chosen.includes(index);
			return h("label", {for: box.id, class: "check"}, box, ` ${this.names[index]}`);
		}));
	}

	choose(index, isChosen) {
		this.chosen = this.chosen.filter((other) => other !== index);
		if (isChosen)
			this.chosen.push(index);
		this.onChange();
	}
}

/* Causes with cycles in any of these losses, the largest sum first. */
function usedLosses(names, lists) {
	return names.map((_, index) => ({index, cycles: lists.reduce((sum, losses) => sum + (losses?.[index] ?? 0), 0)})).filter((one) => one.cycles > 0)
		.sort((a, b) => b.cycles - a.cycles).map((one) => one.index);
}
