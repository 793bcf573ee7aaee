/* SPDX-License-Identifier: MIT */
/*
 * dom: makes elements. Text only ever becomes text nodes: nothing here, nor anywhere else, reads
 * HTML out of data. Styles are set as properties, which the page's policy allows.
 */

const SVG = "http://www.w3.org/2000/svg";

/* Set attributes, listeners ("onclick") and styles ({style: {width: "3px"}}) of an element. */
function assign(element, attributes) {
	for (const [name, value] of Object.entries(attributes)) {
		if (value === undefined || value === null || value === false)
			continue;
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (name === "style")
			for (const [property, setting] of Object.entries(value))
				element.style.setProperty(property, String(setting));
		else
			element.setAttribute(name, value === true ? "" : String(value));
	}
}

function append(element, children) {
	for (const child of children.flat(Infinity))
		if (child !== undefined && child !== null && child !== false)
			element.append(child instanceof Node ? child : String(child));
	return element;
}

/* Make an element of HTML: h("p", {class: "note"}, "text", …). */
function h(tag, attributes = {}, ...children) {
	const element = document.createElement(tag);

	assign(element, attributes);
	return append(element, children);
}

/* Make an element of SVG. */
function s(tag, attributes = {}, ...children) {
	const element = document.createElementNS(SVG, tag);

	assign(element, attributes);
	return append(element, children);
}

let nextId = 0;
function newId(prefix) {
	return `${prefix}-${++nextId}`;
}

/* ---- sections, tabs, tooltips ---- */

/* A titled part of the page that can be closed. */
function section(title, note, ...children) {
	const id = newId("section");

	return h("section", {class: "part", "aria-labelledby": id},
		 h("div", {class: "part-head"}, h("h2", {id}, title), note && h("p", {class: "hint"}, note)),
		 ...children);
}

/* Tabs: [{label, note, make}]. `make` builds the panel when its tab is first shown. */
function tabs(label, entries, chosen = 0, onChange = () => {}) {
	const panels = [];
	const buttons = entries.map((entry, index) =>
		h("button", {type: "button", role: "tab", id: newId("tab"), class: "tab",
			     onclick: () => show(index), onkeydown: (event) => move(event, index)},
		  h("span", {class: "tab-label"}, entry.label), entry.note && h("span", {class: "tab-note"}, entry.note)));
	const list = h("div", {class: "tabs", role: "tablist", "aria-label": label}, buttons);
	const holder = h("div", {class: "panels"});

	function show(index) {
		if (!panels[index]) {
			panels[index] = h("div", {role: "tabpanel", id: newId("panel"), class: "panel", tabindex: -1,
						  "aria-labelledby": buttons[index].id});
			holder.append(panels[index]);
			append(panels[index], [entries[index].make()]);
			buttons[index].setAttribute("aria-controls", panels[index].id);
		}
		buttons.forEach((button, i) => {
			button.setAttribute("aria-selected", String(i === index));
			button.tabIndex = i === index ? 0 : -1;
			if (panels[i])
				panels[i].hidden = i !== index;
		});
		panels[index].dispatchEvent(new CustomEvent("shown"));
		onChange(index);
	}

	function move(event, index) {
		const last = entries.length - 1;
		const to = {ArrowRight: index === last ? 0 : index + 1, ArrowLeft: index ? index - 1 : last,
			    Home: 0, End: last}[event.key];

		if (to === undefined)
			return;
		event.preventDefault();
		show(to);
		buttons[to].focus();
	}

	queueMicrotask(() => show(Math.min(chosen, entries.length - 1)));
	return {element: h("div", {class: "tabbed"}, list, holder), show};
}

/* One box that follows the pointer. */
const tooltip = h("div", {class: "tooltip", role: "tooltip", hidden: true});

function showTooltip(x, y, ...children) {
	tooltip.replaceChildren();
	append(tooltip, children);
	tooltip.hidden = false;
	const box = tooltip.getBoundingClientRect();
	const left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8));
	const top = y + 18 + box.height > window.innerHeight ? Math.max(4, y - box.height - 10) : y + 18;

	tooltip.style.setProperty("left", `${left}px`);
	tooltip.style.setProperty("top", `${top}px`);
}

function hideTooltip() {
	tooltip.hidden = true;
}

/* A list of terms and values: [["latency", "4 cycles"], …]. */
function terms(pairs) {
	return h("dl", {class: "terms"},
		 pairs.filter((pair) => pair && pair[1] !== undefined && pair[1] !== null && pair[1] !== "")
			 .map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))));
}

/* Element that announces changes to screen readers. */
const live = h("div", {class: "unseen", "aria-live": "polite"});

function say(text) {
	live.textContent = text;
}

/* ---- colours of the style sheet, for canvases ---- */

function colour(name) {
	return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/* Make a canvas of the given size in CSS pixels sharp on this screen; return its context. */
function sizeCanvas(canvas, width, height) {
	const ratio = Math.min(3, window.devicePixelRatio || 1);

	canvas.width = Math.max(1, Math.round(width * ratio));
	canvas.height = Math.max(1, Math.round(height * ratio));
	canvas.style.setProperty("height", `${height}px`);
	const context = canvas.getContext("2d");
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	return context;
}

/* Call `draw` once before the next frame, however often it is asked for. */
function coalesced(draw) {
	let asked = false;

	return () => {
		if (asked)
			return;
		asked = true;
		requestAnimationFrame(() => {
			asked = false;
			draw();
		});
	};
}

/* ---- parts of the page that are made after its first picture ---- */

const laterParts = [];

/* Return a place that is filled with what `make` returns after the page was painted once; a long report shows its summary sooner so. */
function later(make) {
	const place = h("div");

	laterParts.push(() => place.replaceWith(make()));
	return place;
}

/* Make all parts that are still to be made. */
function makeLaterParts() {
	while (laterParts.length)
		laterParts.shift()();
}

function forgetLaterParts() {
	laterParts.length = 0;
}

/* Call `done` when the later parts are made: at once if there are none. Nobody waits for a frame of a hidden page, or for paper. */
function afterLaterParts(done) {
	const finish = () => {
		makeLaterParts();
		done();
	};

	if (!laterParts.length || document.hidden)
		finish();
	else
		requestAnimationFrame(() => setTimeout(finish));
	addEventListener("beforeprint", makeLaterParts);
}
