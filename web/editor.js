/* SPDX-License-Identifier: MIT */
/*
 * editor: a plain text field with line numbers, marks of errors at their columns, and what each line
 * costs. The browser's own field brings undo, selection, input methods and screen readers.
 */

const LINE_PIXELS = 20;
const TAB_COLUMNS = 4;
const LINES_NUMBERED_MAX = 20000;

/* The column on the screen, from 0, of a column in the text, from 1. */
function visualColumn(line, column) {
	let at = 0;

	for (let i = 0; i < column - 1; i++)
		at += line[i] === "\t" ? TAB_COLUMNS - (at % TAB_COLUMNS) : 1;
	return at;
}

/* Messages "code:LINE:COLUMN: error: TEXT" with what follows each: excerpt, caret, notes. */
function readMessages(text) {
	const messages = [];

	for (const line of text.split("\n")) {
		const found = /^(?:\S*\/)?(?:code(?:\.c|\.cpp)?|<[^>]*>):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$/.exec(line);
		const general = /^(?:takt: )?(fatal error|error|warning): (.*)$/.exec(line);

		if (found)
			messages.push({line: Number(found[1]), column: Number(found[2] ?? 0), kind: found[3].replace("fatal ", ""), text: found[4], more: []});
		else if (general)
			messages.push({line: 0, column: 0, kind: general[1].replace("fatal ", ""), text: general[2], more: []});
		else if (line && messages.length)
			messages[messages.length - 1].more.push(line);
		else if (line)
			messages.push({line: 0, column: 0, kind: "note", text: line, more: []});
	}
	return messages;
}

class Editor {
	constructor(onInput) {
		this.numbers = h("div", {class: "editor-numbers", "aria-hidden": "true"});
		this.marks = h("div", {class: "editor-marks", "aria-hidden": "true"});
		this.field = h("textarea", {class: "editor-field", id: "code", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off",
			"aria-label": "Code", "aria-describedby": "problems",
			oninput: () => { this.clear(); this.number(); onInput(); },
			onscroll: () => this.follow(), onkeydown: (event) => this.key(event)});
		this.problems = h("div", {class: "problems", id: "problems", role: "status"});
		this.element = h("div", {class: "editor"}, h("div", {class: "editor-gutter"}, this.numbers), h("div", {class: "editor-holder"}, h("div", {class: "editor-under"}, this.marks), this.field));
		this.lines = 0;
		this.escaped = false;
	}

	get text() {
		return this.field.value;
	}

	set text(value) {
		this.field.value = value;
		this.clear();
		this.number();
	}

	/* Tab indents; after Escape it leaves the field, so that nobody is caught in it. */
	key(event) {
		if (event.key === "Escape") {
			this.escaped = true;
			return;
		}
		if (event.key !== "Tab" || event.shiftKey || event.ctrlKey || event.altKey || this.escaped) {
			this.escaped = this.escaped && event.key === "Shift";
			return;
		}
		event.preventDefault();
		document.execCommand("insertText", false, "\t");
	}

	number() {
		const count = Math.min(LINES_NUMBERED_MAX, this.text.split("\n").length);

		while (this.lines < count)
			this.numbers.append(h("div", {class: "editor-number"}, h("span", {class: "editor-cost"}), h("span", {class: "editor-line"}, String(++this.lines))));
		while (this.lines > count) {
			this.numbers.lastChild.remove();
			this.lines--;
		}
		this.follow();
	}

	follow() {
		this.numbers.style.setProperty("transform", `translateY(${-this.field.scrollTop}px)`);
		this.marks.style.setProperty("transform", `translate(${-this.field.scrollLeft}px, ${-this.field.scrollTop}px)`);
	}

	/* Remove what belongs to the code as it was. */
	clear() {
		this.marks.replaceChildren();
		for (const number of this.numbers.querySelectorAll(".has-error, .has-warning, .in-region, .chosen-line"))
			number.className = "editor-number";
		for (const cost of this.numbers.querySelectorAll(".editor-cost.filled")) {
			cost.className = "editor-cost";
			cost.textContent = "";
			cost.removeAttribute("title");
		}
	}

	/* Show what lines cost: [[line, cycles], …]; those of the region without cycles have 0. */
	showCosts(costs) {
		const most = Math.max(...costs.map(([, cycles]) => cycles), 1e-9);

		for (const [line, cycles] of costs) {
			const number = this.numbers.children[line - 1];

			if (!number)
				continue;
			number.classList.add("in-region");
			if (cycles < 0.005)
				continue;
			number.firstChild.textContent = fixed(cycles);
			number.firstChild.title = `${fixed(cycles)} cycles lost in this line`;
			number.firstChild.classList.add("filled");
			number.firstChild.style.setProperty("--heat-share", `${(100 * cycles) / most}%`);
		}
	}

	markLine(line) {
		for (const number of this.numbers.querySelectorAll(".chosen-line"))
			number.classList.remove("chosen-line");
		const number = this.numbers.children[line - 1];
		if (!number)
			return;
		number.classList.add("chosen-line");
		const top = (line - 1) * LINE_PIXELS;
		if (top < this.field.scrollTop || top > this.field.scrollTop + this.field.clientHeight - LINE_PIXELS)
			this.field.scrollTop = Math.max(0, top - this.field.clientHeight / 2);
	}

	go(line, column) {
		const lines = this.text.split("\n");
		const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
		const at = before + Math.max(0, column - 1);

		this.field.focus();
		this.field.setSelectionRange(at, at);
		this.field.scrollTop = Math.max(0, (line - 3) * LINE_PIXELS);
	}

	/* Underline a message at its column, and mark its line. */
	mark(message, lines) {
		const number = this.numbers.children[message.line - 1];
		const line = lines[message.line - 1];

		if (!number || line === undefined || message.kind === "note")
			return;
		number.classList.add(message.kind === "warning" ? "has-warning" : "has-error");
		const caret = message.more.find((one) => /^\s*\|?\s*[\^~]/.test(one) || /^[\s|]*\^~*$/.test(one));
		const width = caret ? (caret.match(/[\^~]+/) ?? ["^"])[0].length : 1;
		const from = message.column ? visualColumn(line, message.column) : visualColumn(line, line.length - line.trimStart().length + 1);
		const to = message.column ? visualColumn(line, message.column + width) : visualColumn(line, line.length + 1);
		this.marks.append(h("div", {class: `squiggle ${message.kind}`, style: {top: `${(message.line - 1) * LINE_PIXELS}px`, left: `${from}ch`, width: `${Math.max(1, to - from)}ch`}}));
	}

	showMessages(text) {
		const messages = readMessages(text ?? "");
		const lines = this.text.split("\n");

		messages.forEach((message) => this.mark(message, lines));
		this.problems.replaceChildren();
		append(this.problems, messages.slice(0, 50).map((message) => {
			const head = [h("strong", {class: message.kind}, message.kind), message.line ? ` line ${message.line}${message.column ? `, column ${message.column}` : ""}: ` : ": ", message.text];

			return h("div", {class: `problem ${message.kind}`},
				 message.line ? h("button", {type: "button", class: "problem-head", onclick: () => this.go(message.line, message.column)}, head) : h("p", {class: "problem-head"}, head),
				 message.more.length ? h("pre", {class: "problem-more"}, message.more.join("\n")) : null);
		}));
		return messages;
	}
}
