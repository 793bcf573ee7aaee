/* SPDX-License-Identifier: MIT */
/*
 * live: the page of `takt serve`. Code is sent as it is typed; an answer that is no longer wanted is
 * given up, which ends the work on it.
 */

const WAIT_MILLISECONDS = 40; /* after a key, before code is sent */
const WAIT_COMPILE_MILLISECONDS = 350;
const LINK_MILLISECONDS = 400;
const FILE_BYTES_MAX = 16 << 20;

/* By this, main.js knows that the page is no report. */
function isLivePage() {
	return true;
}

/* Ask the server; the answer as an object, or one with an error. */
async function ask(kind, pairs, body, signal) {
	const address = `${location.pathname}${kind}?${new URLSearchParams(pairs)}`;
	let response;

	try {
		response = await fetch(address, {method: body === undefined ? "GET" : "POST", body, signal, credentials: "omit", redirect: "error"});
	} catch (error) {
		if (error.name === "AbortError")
			throw error;
		return {error: "error: takt serve does not answer: is it still running?"};
	}
	try {
		return await response.json();
	} catch (error) {
		if (error.name === "AbortError")
			throw error;
		return {error: `error: the server refused this (status ${response.status})`};
	}
}

/* Guess the language of code by its file's name, or else by what is in it. */
function guessLanguage(name, text, before) {
	if (/\.(cc|cpp|cxx|hpp|C)$/.test(name))
		return "c++";
	if (/\.(c|h)$/.test(name))
		return "c";
	if (/^[\s0-9a-f]+$/i.test(text) && !/\n\s*\n\s*[g-z]/i.test(text))
		return "hex";
	if (/\b(fmla|ldp|stp|ldr|cbnz)\b/.test(text))
		return "aarch64";
	if (/\b(addi|fld|vsetvli|bnez)\b/.test(text))
		return "riscv";
	if (/%[a-z]{2,}\d*\b/.test(text))
		return "att";
	return /\b[re]?[abcd]x\b|\b[xyz]mm\d/.test(text) ? "intel" : before;
}

class Live {
	constructor(server) {
		this.server = server;
		this.state = {language: EXAMPLES[0].language, code: EXAMPLES[0].code, cores: [], settings: {}, compiler: "", flags: "", mode: "auto", region: 1, shown: 0};
		this.known = {cores: [], compilers: []};
		this.object = null;   /* {name, bytes}: a file instead of the editor's text */
		this.answer = null;
		this.baseline = null; /* the answer without settings */
		this.measured = null;
		this.peers = null;    /* cycles of other predictors, if they were asked */
		this.held = false;    /* source code that came with the address waits for the user */
		this.insn = -1;
		this.editor = new Editor(() => { this.held = false; this.state.region = 1; this.changed(this.language.compiles ? WAIT_COMPILE_MILLISECONDS : WAIT_MILLISECONDS); });
		this.sliders = new Sliders(this.state.settings, () => { this.state.settings = this.sliders.settings; this.changed(WAIT_MILLISECONDS); });
	}

	get language() {
		return LANGUAGES.find((language) => language.id === this.state.language);
	}

	/* ---- the page ---- */

	make() {
		this.exampleSelect = h("select", {id: "example", "aria-label": "Example", onchange: () => this.takeExample(Number(this.exampleSelect.value))},
			h("option", {value: "-1"}, "Examples …"), EXAMPLES.map((example, i) => h("option", {value: i}, example.title)));
		this.languageSelect = h("select", {id: "language", "aria-label": "Language", onchange: () => this.setLanguage(this.languageSelect.value)},
			LANGUAGES.map((language) => h("option", {value: language.id}, language.title)));
		this.modeSelect = h("select", {id: "mode", "aria-label": "Mode", onchange: () => { this.state.mode = this.modeSelect.value; this.changed(0); }},
			[["auto", "Loop or not: as the code says"], ["loop", "A loop"], ["unroll", "Copies, no loop"]].map(([value, title]) => h("option", {value}, title)));
		this.compilerSelect = h("select", {id: "compiler", "aria-label": "Compiler", onchange: () => { this.state.compiler = this.compilerSelect.value; this.fitCores(); this.changed(0); }});
		this.flagsField = h("input", {type: "text", id: "flags", spellcheck: "false", "aria-label": "Flags of the compiler", placeholder: "flags, such as -O3 -march=native",
			oninput: () => { this.state.flags = this.flagsField.value; this.changed(WAIT_COMPILE_MILLISECONDS); }});
		this.compileTools = h("div", {class: "compile-tools"}, this.compilerSelect, this.flagsField);
		this.regionSelect = h("select", {id: "region", "aria-label": "Region", onchange: () => { this.state.region = Number(this.regionSelect.value); this.changed(0); }});
		this.coreList = h("div", {class: "core-list"});
		this.coreTitle = h("summary", {id: "cores"}, "Cores");
		this.corePicker = h("details", {class: "core-picker"}, this.coreTitle, this.coreList);
		this.status = h("span", {class: "live-status", role: "status"});
		this.measureButton = h("button", {type: "button", id: "measure", disabled: !this.server.can_measure,
			title: this.server.can_measure ? "Run this region in the sandbox on this machine" : "Start takt serve with --measure to run code on this machine",
			onclick: () => this.measure()}, "Measure here");
		this.peersBox = h("input", {type: "checkbox", id: "peers", onchange: () => this.askPeers()});
		this.peersChoice = h("label", {for: "peers", class: "check", hidden: true}, this.peersBox, " Other predictors");
		this.objectNote = h("div", {class: "object-note", hidden: true});
		this.results = h("div", {class: "results", id: "results"});
		const file = h("input", {type: "file", class: "unseen", tabindex: -1, "aria-hidden": "true", onchange: () => { if (file.files[0]) this.takeFile(file.files[0]); file.value = ""; }});
		const openButton = h("button", {type: "button", onclick: () => file.click()}, "Open file …");
		const linkButton = h("button", {type: "button", class: "copy", id: "link", onclick: () => this.copyLink(linkButton)}, "Copy link");

		document.addEventListener("click", (event) => { if (!this.corePicker.contains(event.target)) this.corePicker.open = false; });
		document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.corePicker.open = false; });
		return [
			h("header", {class: "top"},
			  h("div", {class: "name"}, h("h1", {}, h("span", {class: "logo"}, "takt"), " serve")),
			  h("div", {class: "actions"}, this.exampleSelect, openButton, file, linkButton, schemeButton())),
			h("main", {class: "live"},
			  h("section", {class: "live-left", "aria-label": "Code"},
			    h("div", {class: "tools"}, this.languageSelect, this.compileTools),
			    this.objectNote, this.editor.element, this.editor.problems),
			  h("section", {class: "live-right", "aria-label": "Results"},
			    h("div", {class: "tools"}, this.corePicker, this.regionSelect, this.modeSelect, this.measureButton, this.peersChoice, this.status),
			    this.sliders.element, this.results)),
			h("div", {class: "drop-hint", hidden: true}, "Drop an object file, code, or a result saved by takt"),
			h("footer", {}, `takt ${this.server.version}. Code stays on this machine.`), live, tooltip];
	}

	/* ---- choices ---- */

	takeExample(index) {
		const example = EXAMPLES[index];

		this.exampleSelect.value = "-1";
		if (!example)
			return;
		this.object = null;
		this.held = false;
		Object.assign(this.state, {code: example.code, region: 1, shown: 0, mode: "auto", flags: example.flags ?? this.state.flags});
		this.setLanguage(example.language);
		say(`Example: ${example.title}`);
	}

	setLanguage(id) {
		this.state.language = id;
		this.fitCores();
		this.show();
		this.changed(0);
	}

	compilers() {
		return this.known.compilers.filter((compiler) => compiler.language === this.language.id);
	}

	/* The cores that may execute the code, as far as the language tells. */
	fittingCores() {
		const compiler = this.compilers().find((one) => one.name === this.state.compiler);
		const isa = this.object ? null : this.language.compiles ? (compiler ? compiler.isa : null) : this.language.isa;
		const fits = (core) => !isa || core.isa.startsWith(isa) || core.isa.startsWith(`llvm:${isa}`);

		return this.known.cores.filter(fits);
	}

	fitCores() {
		const choices = this.compilers();

		if (this.language.compiles && !choices.some((one) => one.name === this.state.compiler))
			this.state.compiler = choices.length ? choices[0].name : "";
		const fitting = this.fittingCores().map((core) => core.name);
		this.state.cores = this.state.cores.filter((core) => fitting.includes(core));
		if (!this.state.cores.length && fitting.length)
			this.state.cores = [fitting.includes(this.known.host) ? this.known.host : fitting[fitting.length - 1]];
		this.showCores();
		this.loadParameters();
	}

	toggleCore(name, chosen) {
		this.state.cores = this.state.cores.filter((core) => core !== name);
		if (chosen)
			this.state.cores.push(name);
		this.showCoreTitle();
		this.loadParameters();
		this.changed(0);
	}

	showCoreTitle() {
		this.coreTitle.textContent = this.state.cores.length > 3 ? `${this.state.cores.length} cores` : this.state.cores.join(", ") || "No core";
	}

	showCores() {
		this.coreList.replaceChildren();
		append(this.coreList, this.fittingCores().map((core) => {
			const box = h("input", {type: "checkbox", id: `core-${core.name}`, "data-core-choice": core.name, onchange: () => this.toggleCore(core.name, box.checked)});

			box.checked = this.state.cores.includes(core.name);
			return h("label", {for: box.id, class: "core-choice"}, box, h("strong", {}, core.name), h("span", {class: "hint"}, core.name === this.known.host ? `${core.title} (this machine)` : core.title));
		}));
		this.showCoreTitle();
	}

	async loadParameters() {
		const core = this.state.cores[this.state.shown] ?? this.state.cores[0];

		if (!core || core === this.parametersOf)
			return;
		this.parametersOf = core;
		const answer = await ask("parameters", {core});
		if (answer.parameters && this.parametersOf === core)
			this.sliders.setParameters(answer.parameters);
	}

	/* Show the state in all controls. */
	show() {
		const compilers = this.compilers();

		this.languageSelect.value = this.state.language;
		this.modeSelect.value = this.state.mode;
		if (this.editor.text !== this.state.code)
			this.editor.text = this.state.code;
		this.compileTools.hidden = !this.language.compiles || Boolean(this.object);
		this.compilerSelect.replaceChildren(...compilers.map((one) => h("option", {value: one.name}, one.name)));
		this.compilerSelect.value = this.state.compiler;
		this.flagsField.value = this.state.flags;
		this.objectNote.hidden = !this.object;
		this.editor.element.hidden = Boolean(this.object);
		this.languageSelect.disabled = Boolean(this.object);
		if (this.object)
			this.objectNote.replaceChildren(h("p", {}, h("strong", {}, this.object.name), ` (${bytes(this.object.bytes.size)}) is analyzed instead of text.`),
							h("button", {type: "button", id: "back", onclick: () => { this.object = null; this.fitCores(); this.show(); this.changed(0); }}, "Back to the editor"));
	}

	/* ---- asking ---- */

	/* Ask anew after a while, and give up what was asked before. */
	changed(milliseconds) {
		this.state.code = this.editor.text;
		this.controller?.abort();
		clearTimeout(this.timer);
		clearTimeout(this.linkTimer);
		this.linkTimer = setTimeout(() => this.writeLink(), LINK_MILLISECONDS);
		this.saved = null;
		this.timer = setTimeout(() => this.refresh(), milliseconds);
	}

	pairs(settings) {
		const pairs = Object.entries(this.object || this.language.compiles ? {} : this.language.query);

		if (!this.object && this.language.compiles)
			pairs.push(["compiler", this.state.compiler], ["flags", this.state.flags]);
		pairs.push(["mode", this.state.mode], ["region", String(this.state.region)]);
		pairs.push(...this.state.cores.map((core) => ["core", core]), ...Object.entries(settings).map(([name, value]) => ["set", `${name}=${value}`]));
		return pairs;
	}

	/* The answer for the core as it is, which stays while only settings change. */
	async askBaseline(body, signal) {
		const pairs = this.pairs({});
		const key = JSON.stringify(pairs) + (this.object ? this.object.name : this.state.code);

		if (this.baselineKey !== key) {
			this.baseline = await ask("analyze", [...pairs, ["sensitivity", "none"]], body, signal);
			this.baselineKey = key;
		}
		return this.baseline;
	}

	async refresh() {
		const controller = new AbortController();
		const begin = performance.now();
		const changes = Object.keys(this.state.settings).length > 0;
		const body = this.object ? this.object.bytes : new Blob([this.state.code]);

		this.controller = controller;
		if (this.language.compiles && !this.object && (this.held || !this.server.can_compile || !this.state.compiler)) {
			this.refuseToCompile();
			return;
		}
		if (!this.object && !this.state.code.trim()) {
			this.showAnswer({error: ""}, null);
			this.status.textContent = "The code is empty.";
			return;
		}
		document.documentElement.setAttribute("data-asking", "");
		try {
			const [answer, baseline] = await Promise.all([ask("analyze", this.pairs(this.state.settings), body, controller.signal),
				changes ? this.askBaseline(body, controller.signal) : null]);

			if (this.controller !== controller)
				return;
			this.measured = this.peers = null;
			this.showAnswer(answer, baseline);
			this.askPeers(controller.signal).catch(() => {});
			const took = performance.now() - begin;
			this.status.textContent = `${took.toFixed(0)} ms`;
			this.status.title = "From sending the code until the results are shown";
			document.documentElement.setAttribute("data-took", took.toFixed(1));
		} catch (error) {
			if (error.name !== "AbortError")
				throw error;
			return;
		}
		document.documentElement.removeAttribute("data-asking");
	}

	/* Say why source code is not compiled, and let the user decide if it came with the address. */
	refuseToCompile() {
		const held = this.held && this.server.can_compile && this.state.compiler;

		this.answer = null;
		this.editor.showMessages("");
		this.results.replaceChildren(h("div", {class: "part"},
			h("p", {}, held ? "This source code came with the address. It is compiled only if you say so." : this.server.can_compile ? `There is no compiler for ${this.language.title} on this machine.` : "Compiling is turned off."),
			held && h("button", {type: "button", id: "compile", onclick: () => { this.held = false; this.changed(0); }}, "Compile it") || ""));
		this.status.textContent = "";
		document.documentElement.removeAttribute("data-asking");
	}

	async measure() {
		if (!this.answer?.regions?.length)
			return;
		const answer = this.answer;
		const mode = answer.regions[0].mode === "loop" ? "loop" : "unroll";

		this.measureButton.disabled = true;
		this.measureButton.textContent = "Measuring …";
		const result = await ask("measure", {hex: answer.bytes, mode}, "");
		this.measureButton.disabled = false;
		this.measureButton.textContent = "Measure here";
		if (this.answer !== answer)
			return;
		const row = result.measurements?.[0];
		this.measured = row ? [isNumber(row.cycles) ? figure("measured.cycles", row.cycles) : "–",
				       h("div", {class: "hint"}, row.status === "ok" ? `spread ${percent(row.spread, 1)}; ${result.cpu}` : `${row.status}${row.reason ? `: ${row.reason}` : ""}`)]
			: h("span", {class: "failure"}, (result.error ?? "no answer").trim());
		this.showAnswer(this.answer, this.shownBaseline);
	}

	/* Ask other predictors for the region that is shown, if the user wants it; the figures come when they come. */
	async askPeers(signal = this.controller?.signal) {
		const answer = this.answer;

		if (!answer?.regions?.length)
			return;
		if (!this.peersBox.checked) {
			this.peers = null;
		} else {
			const peers = await ask("predict", [["hex", answer.bytes], ...answer.regions.map((report) => ["core", report.arch])], "", signal);

			if (this.answer !== answer || !this.peersBox.checked)
				return;
			this.peers = peers;
		}
		this.showTable();
	}

	/* ---- results ---- */

	showAnswer(answer, baseline) {
		const isText = !this.object;

		this.answer = answer;
		this.shownBaseline = baseline;
		this.editor.clear();
		const text = [answer.compiler_messages, answer.error, answer.messages].filter(Boolean).join("\n");
		const shownText = isText ? text : "";
		this.editor.showMessages(shownText);
		this.results.classList.toggle("stale", Boolean(answer.error !== undefined && this.results.childElementCount));
		if (answer.error !== undefined) {
			if (!isText)
				this.results.replaceChildren(h("pre", {class: "part failure"}, text));
			return;
		}
		this.showRegions(answer);
		if (!answer.regions.length) {
			this.results.replaceChildren(h("div", {class: "part"}, (answer.failures ?? []).map((failure) => h("div", {}, h("h2", {}, failure.core), h("pre", {class: "failure"}, failure.message)))));
			return;
		}
		this.state.shown = Math.min(this.state.shown, answer.regions.length - 1);
		this.showCore(isText);
	}

	showCore(isText) {
		const answer = this.answer;
		const report = answer.regions[this.state.shown];
		this.pick = (index) => { this.state.shown = index; this.insn = -1; this.editor.clear(); this.showCore(isText); this.loadParameters(); this.writeLink(); };
		this.table = h("div");
		this.showTable();
		const analysis = analyzeRegion(report, answer.timelines[this.state.shown], answer.sources, {insn: this.insn, onSelect: (insn) => this.selectInsn(report, insn, isText)}, (answer.figures ?? [])[this.state.shown]);

		this.results.classList.remove("stale");
		this.results.replaceChildren(
			h("section", {class: "part", "aria-label": "Cores side by side"}, this.table,
			  h("div", {class: "tools"}, h("span", {class: "hint grow"}, answer.regions.length > 1 ? "A click on a core shows it below." : "Choose more cores above to compare them."),
			    copyButton("text", () => answer.texts[this.state.shown]), copyButton("JSON", () => JSON.stringify(report, null, 2)))),
			analysis);
		if (isText)
			this.showCosts(report);
		analysis.dispatchEvent(new Event("draw"));
	}

	/* Show the cores side by side, with what measurement and other predictors say. */
	showTable() {
		this.table?.replaceChildren(compareTable(this.answer, this.shownBaseline, this.measured, this.peers, this.state.shown, this.pick),
			this.peers?.error ? h("p", {class: "failure"}, this.peers.error.trim()) : this.peers ? h("p", {class: "hint peers-note"}, this.peerNote()) : "");
	}

	peerNote() {
		const methods = new Map(this.peers.predictions.map((one) => [one.tool, one.method]));
		const changed = Object.keys(this.state.settings).length ? " They do not know the parameters set above." : "";

		return methods.size ? `Other predictors, with models of their own: ${[...methods].map(([tool, method]) => `${tool}: ${method}`).join("; ")}.${changed}` : "No other predictor knows these cores.";
	}

	/* Show the cycles lost in each line of the editor. */
	showCosts(report) {
		const costs = new Map();

		for (const insn of report.instructions)
			if (insn.line)
				costs.set(insn.line, (costs.get(insn.line) ?? 0) + (insn.simulated ?? 0));
		this.editor.showCosts([...costs]);
	}

	selectInsn(report, insn, isText) {
		this.insn = insn;
		if (isText && report.instructions[insn]?.line)
			this.editor.markLine(report.instructions[insn].line);
	}

	showRegions(answer) {
		this.regionSelect.replaceChildren(...answer.region_names.map((name, i) => h("option", {value: i + 1}, answer.region_names.length > 1 ? `${i + 1}: ${name}` : name)));
		if (answer.region_count > answer.region_names.length)
			this.regionSelect.append(h("option", {disabled: true}, `and ${answer.region_count - answer.region_names.length} more`));
		this.regionSelect.value = String(answer.region);
		this.regionSelect.disabled = answer.region_names.length < 2;
	}

	/* ---- the address ---- */

	async link() {
		const state = {...this.state, code: this.object ? "" : this.state.code};

		return `#s=${await packState(state)}`;
	}

	async writeLink() {
		this.written = await this.link();
		history.replaceState(null, "", this.written);
	}

	/* Copy the page's address, which holds the whole state after "#". */
	async copyLink(button) {
		await this.writeLink();
		const done = await copy(location.href);

		button.textContent = done ? "Copied" : "Not copied";
		setTimeout(() => { button.textContent = "Copy link"; }, 1500);
	}

	async readAddress() {
		const given = await readPermalink();

		if (!given)
			return false;
		Object.assign(this.state, {settings: {}, region: 1, shown: 0, mode: "auto"}, given);
		this.sliders.settings = this.state.settings;
		this.object = null;
		this.held = Boolean(this.language.compiles);
		return true;
	}

	/* ---- files ---- */

	async takeFile(file) {
		if (file.size > FILE_BYTES_MAX) {
			this.editor.showMessages(`error: '${file.name}' has more than 16 MiB`);
			return;
		}
		const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
		this.held = false;
		if (start[0] === 0x7f && start[1] === 0x45) {
			this.object = {name: file.name, bytes: file};
			this.state.region = 1;
			this.fitCores();
			this.show();
			this.changed(0);
			return;
		}
		const text = await file.text();
		if (/^\s*[{[]/.test(text) || /^\s*<!doctype html/i.test(text))
			this.showSaved(file.name, text);
		else
			this.takeText(file.name, text);
	}

	takeText(name, text) {
		this.object = null;
		this.state.code = text;
		this.state.region = 1;
		this.setLanguage(guessLanguage(name, text, this.state.language));
	}

	/* Show a result that was saved as JSON or as a report; nothing in it is executed. */
	showSaved(name, text) {
		let data;

		try {
			data = readResult(text);
		} catch {
			this.editor.showMessages(`error: '${name}' is no result of takt`);
			return;
		}
		const kind = data.kind ?? resultKind(data.report ?? {});
		this.controller?.abort();
		clearTimeout(this.timer);
		let view;
		try {
			view = (VIEWS[kind] ?? anyPage)(data);
			makeLaterParts();
		} catch {
			forgetLaterParts();
			view = anyPage(data);
		}
		this.status.textContent = "";
		this.results.classList.remove("stale");
		this.results.replaceChildren(h("div", {class: "part saved"}, h("p", {}, "Saved result: ", h("strong", {}, name)),
						h("button", {type: "button", id: "close-saved", onclick: () => this.changed(0)}, "Back to the editor's code")), view);
	}

	watchDrops() {
		const hint = document.querySelector(".drop-hint");
		let depth = 0;

		addEventListener("dragenter", (event) => { event.preventDefault(); depth++; hint.hidden = false; });
		addEventListener("dragleave", () => { depth = Math.max(0, depth - 1); hint.hidden = depth === 0; });
		addEventListener("dragover", (event) => event.preventDefault());
		addEventListener("drop", (event) => {
			event.preventDefault();
			depth = 0;
			hint.hidden = true;
			if (event.dataTransfer.files[0])
				this.takeFile(event.dataTransfer.files[0]);
		});
	}

	/* ---- the start ---- */

	async start() {
		append(document.getElementById("page"), this.make());
		this.watchDrops();
		await this.readAddress();
		const known = await ask("cores", {});
		this.known = {cores: known.cores ?? [], compilers: known.compilers ?? [], host: known.host};
		this.peersChoice.hidden = !this.server.can_compile || !known.predictors?.length;
		this.peersChoice.title = `Ask ${(known.predictors ?? []).join(" and ")} for the same code`;
		if (!this.server.can_compile)
			this.known.compilers = [];
		for (const option of [...this.languageSelect.options])
			if (LANGUAGES.find((language) => language.id === option.value).compiles && !this.known.compilers.some((one) => one.language === option.value))
				option.disabled = true;
		if (known.error)
			this.editor.showMessages(known.error);
		this.begin();
		addEventListener("hashchange", async () => {
			if (location.hash !== this.written && await this.readAddress())
				this.begin();
		});
	}

	begin() {
		this.fitCores();
		this.show();
		this.refresh();
		document.documentElement.setAttribute("data-ready", "");
	}
}

document.title = "takt serve";
new Live(readData()).start();
