/* SPDX-License-Identifier: MIT */
/* sliders: what if the core had other parameters. */

/* Parameters with a slider from the start; any other can be added. */
const COMMON_PARAMETERS = ["rob_entries", "scheduler_entries", "issue_width", "retire_width", "decode_width", "load_queue_entries",
	"store_queue_entries", "queue_entries", "load_latency_int", "load_latency_vector", "store_forward_cycles"];

/* True for the number of a core's ports or units of a kind; each has a slider from the start. */
function isPort(parameter) {
	return parameter.name.startsWith("port.");
}

/* The range of a slider around a core's own value. */
function sliderRange(parameter) {
	if (isPort(parameter))
		return {least: parameter.unit === "ports" ? 0 : 1, most: 4};

	const least = /entries|width/.test(parameter.name) ? 1 : 0;
	const most = /entries/.test(parameter.name) ? Math.min(1024, Math.max(64, parameter.value * 4)) : /width/.test(parameter.name) ? Math.min(64, Math.max(8, parameter.value * 3)) : Math.max(16, parameter.value * 4);

	return {least: Math.min(least, parameter.value), most};
}

class Sliders {
	constructor(settings, onChange) {
		this.settings = settings; /* {name: value}; empty: the core as it is */
		this.onChange = onChange;
		this.parameters = new Map();
		this.rows = h("div", {class: "slider-rows"});
		this.more = h("select", {class: "slider-more", "aria-label": "Another parameter", onchange: () => { this.extra.add(this.more.value); this.more.value = ""; this.show(); }});
		this.reset = h("button", {type: "button", class: "slider-reset", onclick: () => { this.settings = {}; this.show(); this.onChange(); }}, "Back to the core as it is");
		this.extra = new Set();
		this.title = h("summary", {}, "What if the core were another?");
		this.element = h("details", {class: "sliders"}, this.title, this.rows, h("div", {class: "tools"}, this.more, this.reset));
	}

	/* Take the parameters of a core: an array of {name, value, unit, help}. */
	setParameters(list) {
		this.parameters = new Map(list.map((parameter) => [parameter.name, parameter]));
		this.show();
	}

	set(name, value) {
		const own = this.parameters.get(name);

		if (own && (own.unit === "yes/no" ? (own.value ? "yes" : "no") : own.value) === value)
			delete this.settings[name];
		else
			this.settings[name] = value;
		this.title.textContent = this.summary();
		this.reset.disabled = !Object.keys(this.settings).length;
		this.onChange();
	}

	summary() {
		const count = Object.keys(this.settings).length;

		return count ? `What if: ${Object.entries(this.settings).map(([name, value]) => `${name} ${value}`).join(", ")}` : "What if the core were another?";
	}

	row(parameter) {
		const {name, unit, help} = parameter;
		const set = this.settings[name];
		const id = `set-${name}`;

		if (unit === "yes/no") {
			const box = h("input", {type: "checkbox", id, "data-setting": name, onchange: () => this.set(name, box.checked ? "yes" : "no")});

			box.checked = set ? set === "yes" : Boolean(parameter.value);
			return h("div", {class: "slider-row"}, h("label", {for: id, title: help}, name), box, h("span", {class: "hint"}, help));
		}
		const {least, most} = sliderRange(parameter);
		const value = isNumber(set) ? set : parameter.value;
		const shown = h("output", {for: id}, String(value));
		const range = h("input", {type: "range", id, min: least, max: Math.max(most, value), value, "data-setting": name, title: help,
			oninput: () => { shown.textContent = range.value; row.classList.toggle("changed", Number(range.value) !== parameter.value); this.set(name, Number(range.value)); }});
		const row = h("div", {class: value === parameter.value ? "slider-row" : "slider-row changed"},
			      h("label", {for: id, title: help}, name), range, shown, h("span", {class: "hint"}, `${unit}; ${parameter.value} in the core`));

		return row;
	}

	show() {
		const wanted = [...new Set([...COMMON_PARAMETERS, ...[...this.parameters.values()].filter(isPort).map((parameter) => parameter.name), ...this.extra, ...Object.keys(this.settings)])].filter((name) => this.parameters.has(name));
		const others = [...this.parameters.keys()].filter((name) => !wanted.includes(name));

		this.rows.replaceChildren();
		append(this.rows, wanted.map((name) => this.row(this.parameters.get(name))));
		this.more.replaceChildren(h("option", {value: ""}, "Another parameter …"), ...others.map((name) => h("option", {value: name, title: this.parameters.get(name).help}, name)));
		this.title.textContent = this.summary();
		this.reset.disabled = !Object.keys(this.settings).length;
	}
}
