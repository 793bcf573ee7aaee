/* SPDX-License-Identifier: MIT */
/* analyze: one region: its cycles, what they are lost to, its code with dependences, its pipeline. */

const FLAG = /^(flags?|nzcv|[coszpa]f|eflags)$/i;

/* The kind of place through which a value goes. */
function kindOf(location) {
	if (location === "memory")
		return "memory";
	return FLAG.test(location) ? "flag" : "register";
}

/* ---- the summary ---- */

function headline(report) {
	const simulated = isNumber(report.simulated);

	return h("div", {class: "headline"},
		 h("div", {class: "big"}, figure("cycles_per_iteration", report.cycles_per_iteration),
		   h("span", {class: "unit"}, "cycles per iteration")),
		 h("p", {}, simulated ? "Simulated" : "Largest bound", " on ", h("strong", {title: report.arch_title}, report.arch),
		   ` (${report.arch_title}), limited by `, h("strong", {class: "limit"}, report.limit), "."),
		 h("p", {class: "hint"}, [`${report.instructions.length} instructions`,
			report.mode === "loop" ? "a loop" : "copies follow each other",
			`at offset ${report.alignment} of a 64-byte line`,
			report.period ? (report.period === 1 ? "all iterations alike" : `repeats every ${report.period} iterations`) : null,
			report.unroll_factor !== 1 ? `${plain(report.unroll_factor)} source iterations per execution` : null,
			`figures ${Object.keys(report.origins ?? {}).join(", ")}`].filter(Boolean).join(" · ")),
		 report.arch_doubt && h("p", {class: "warning"}, report.arch_doubt));
}

function busiestPort(report) {
	const pseudo = new Set(report.pseudo_ports);
	const ports = Object.entries(report.port_pressure).filter(([name, cycles]) => cycles > 0 && !(pseudo.has(name) && false));

	return ports.reduce((best, entry) => (!best || entry[1] > best[1] ? entry : best), null);
}

/* Bars of the simulated cycles and of each bound. */
function boundsChart(report) {
	const bounds = report.bounds;
	const busiest = busiestPort(report);
	const entries = [
		["simulated", "Simulated", report.simulated, report.period === 1 ? "all iterations alike" : "", "simulated"],
		["bounds.ports", "Ports", bounds.ports, busiest ? `busiest ${busiest[0]}; ${fixed(bounds.ports_fixed)} if split equally` : "", ""],
		["bounds.issue", "Issue", bounds.issue, report.issue ? `${report.issue.slots} slots at ${report.issue.width} per cycle` : "", ""],
		["bounds.front_end", "Front end", bounds.front_end, bounds.front_end_part, ""],
		["bounds.loop_carried", "Loop-carried", bounds.loop_carried,
		 report.loop_carried.length ? `through ${report.loop_carried[0].location}` : "no recurrence", ""],
		["bounds.critical_path", "Critical path", bounds.critical_path, "one execution alone; no limit", "aside"],
	].filter((entry) => isNumber(entry[2]));
	const most = Math.max(...entries.map((entry) => entry[2]), 1e-9);

	return h("div", {class: "bars", role: "list"}, entries.map(([key, title, value, note, mark]) =>
		h("div", {class: `bar-row ${mark}`, role: "listitem"},
		  h("span", {class: "bar-title"}, title),
		  h("span", {class: "bar-track"}, h("span", {class: "bar-fill", style: {width: `${(100 * value) / most}%`}})),
		  h("span", {class: "bar-value"}, figure(key, value)),
		  h("span", {class: "bar-note"}, note))));
}

/* ---- a loop that ends ---- */

/* With --trips: the whole execution and its parts, and the loop with the code around it. */
function executionTables(report) {
	const run = report.execution;
	const row = (key, value, text) => h("tr", {}, h("td", {class: "number"}, figure(`execution.${key}`, value)), h("td", {}, text));
	const place = (loop, index) => (loop.depth === 0 ? `a call of ${loop.name}`
		: index === 0 ? "an iteration of the loop" : `an iteration of ${loop.name}, ${plain(loop.iterations)} iterations (${loop.trips})`);

	if (!run)
		return null;
	return h("div", {class: "execution"},
		 h("p", {}, `With ${count(run.iterations, "iteration")} each time that the loop is entered (${run.trips}), cycles:`),
		 isNumber(run.cycles) ? h("table", {}, h("tbody", {},
			row("endless", run.endless, "iterations of the endless loop"),
			row("fill", run.fill, "to fill and drain the pipeline"),
			row("exit", run.exit, "until code after the mispredicted exit executes"),
			row("cycles", run.cycles, `the whole execution: ${fixed(run.cycles_per_iteration)} per iteration`))) : null,
		 run.around.length ? [h("p", {}, "With the code around it, branches predicted, cycles:"),
			h("table", {}, h("tbody", {}, run.around.map((loop, i) => row(`around.${i}.cycles`, loop.cycles, place(loop, i)))))] : null);
}

/* ---- stalls ---- */

const STALL_COLOURS = 8;

function waitTitle(wait) {
	return wait.port ? `${wait.cause} ${wait.port}` : wait.cause;
}

/* One bar that sums to the simulated cycles, and its legend, whose entries mark instructions. */
function stallsBar(report, view) {
	const total = report.simulated;
	const waits = report.waits ?? [];

	if (!waits.length || !isNumber(total))
		return null;
	const names = (wait) => wait.instructions.slice(0, 3).map((index) => view.name(index)).join(", ") +
		(wait.instructions.length > 3 ? ` and ${wait.instructions.length - 3} more` : "");
	const parts = waits.map((wait, i) => h("span", {class: `stall stall-${i % STALL_COLOURS}`, style: {"flex-grow": wait.cycles},
		title: `${waitTitle(wait)}: ${fixed(wait.cycles)} cycles`}));

	return h("div", {class: "stalls"},
		 h("div", {class: "stall-bar", role: "img", "aria-label": `Cycles by stall cause; they sum to ${fixed(total)}`}, parts),
		 h("ul", {class: "legend"}, waits.map((wait, i) => {
			 const button = h("button", {type: "button", class: "legend-entry", "aria-pressed": "false",
				 onclick: () => view.mark(wait.instructions, button)},
				 h("span", {class: `swatch stall-${i % STALL_COLOURS}`}),
				 h("span", {class: "legend-figure"}, figure(`waits.${i}.cycles`, wait.cycles), " ", h("small", {}, percent(wait.cycles, total))),
				 h("span", {class: "legend-text"}, h("strong", {}, waitTitle(wait)), wait.instructions.length ? ` at ${names(wait)}` : ""));
			 return h("li", {}, button);
		 })),
		 h("p", {class: "sum"}, "Sum ", h("strong", {}, fixed(waits.reduce((sum, wait) => sum + wait.cycles, 0))),
		   " of ", fixed(total), " cycles"));
}

/* ---- advice ---- */

/* Changes of the code that were made and simulated. */
function changeList(report, view) {
	const before = report.cycles_per_block;
	const changes = (report.changes ?? []).map((change, index) => ({...change, index, gain: before - change.cycles}))
		.filter((change) => change.gain > 0.005 * before);
	const row = (change) => {
		const button = h("button", {type: "button", class: "advice change", "aria-pressed": "false",
			onclick: () => view.mark(change.instructions, button)},
			h("span", {class: "advice-track"}, h("span", {class: "advice-fill", style: {width: `${(100 * change.cycles) / before}%`}})),
			h("span", {class: "advice-figure"}, figure(`changes.${change.index}.cycles`, change.cycles), " ",
			  h("small", {}, `${MINUS}${percent(change.gain, before)}`)),
			h("span", {class: "advice-text"}, h("strong", {}, `Code: ${change.what}`), h("span", {class: "advice-what"}, change.how)));
		return h("li", {}, button);
	};

	return changes.length ? h("ul", {class: "advices"}, changes.map(row)) : null;
}

function adviceList(report, view) {
	const before = report.cycles_per_block;
	const entries = (report.relaxations ?? []).map((entry, index) => ({...entry, index, gain: before - entry.cycles}));
	const helps = entries.filter((entry) => entry.gain > 0.005 * before);
	const others = entries.filter((entry) => entry.gain <= 0.005 * before);
	const row = (entry) => {
		const button = h("button", {type: "button", class: "advice", "aria-pressed": "false",
			onclick: () => view.mark(entry.instructions, button)},
			h("span", {class: "advice-track"}, h("span", {class: "advice-fill", style: {width: `${(100 * entry.cycles) / before}%`}})),
			h("span", {class: "advice-figure"}, figure(`relaxations.${entry.index}.cycles`, entry.cycles), " ",
			  h("small", {}, entry.gain > 0 ? `${MINUS}${percent(entry.gain, before)}` : "±0")),
			h("span", {class: "advice-text"}, h("strong", {}, `With ${entry.what}`),
			  entry.advice ? h("span", {class: "advice-what"}, entry.advice) : null));
		return h("li", {}, button);
	};

	const changes = changeList(report, view);

	if (!entries.length && !changes)
		return null;
	return [changes, helps.length ? h("ul", {class: "advices"}, helps.map(row))
		: h("p", {}, changes ? "No change of the core that was tried would help by itself." : "Nothing of what was tried would help by itself."),
		others.length ? h("details", {}, h("summary", {}, `${count(others.length, "change")} that would not help`),
				  h("ul", {class: "advices"}, others.map(row))) : null,
		report.relaxations_complete ? null
			: h("p", {class: "hint"}, "The most promising were tried; --sensitivity tries all. Gains do not add up.")];
}

/* ---- the code ---- */

/* Places of dependences beside the rows: each in the innermost lane that is free. */
function placeArrows(edges) {
	const lanes = [];

	return edges.map((edge, index) => ({...edge, index, low: Math.min(edge.from, edge.to), high: Math.max(edge.from, edge.to)}))
		.sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low)
		.map((edge) => {
			let lane = lanes.findIndex((taken) => taken.every((other) => other.high < edge.low || other.low > edge.high));

			if (lane < 0)
				lane = lanes.push([]) - 1;
			lanes[lane].push(edge);
			return {...edge, lane};
		});
}

const LANE = 8;
const LANES_MAX = 9;

function arrowPath(edge, left, y) {
	const x = left - 8 - Math.min(edge.lane, LANES_MAX) * LANE;
	const from = y(edge.from) + 4, to = y(edge.to) - 4;
	const down = to >= from;
	const r = Math.min(5, Math.abs(to - from) / 2);
	const bend = down ? r : -r;

	return `M${left} ${from} H${x + r} Q${x} ${from} ${x} ${from + bend} V${to - bend} Q${x} ${to} ${x + r} ${to} H${left - 3}`;
}

/* All operands that need a result, through memory too, without those listed twice. */
function edgesOf(report) {
	const edges = (report.dependences ?? []).map((edge) => ({...edge, kind: kindOf(edge.location)}));
	const known = new Set(edges.filter((edge) => edge.kind === "memory").map((edge) => `${edge.from} ${edge.to} ${edge.iterations}`));

	for (const edge of report.memory_dependences ?? [])
		if (!known.has(`${edge.from} ${edge.to} ${edge.iterations}`))
			edges.push({...edge, location: "memory", kind: "memory"});
	return edges;
}

function describeEdge(edge, view) {
	const apart = edge.iterations === 0 ? "" : edge.iterations === 1 ? ", of the iteration before" : `, of ${edge.iterations} iterations before`;

	return `${edge.location}${apart}, ${plain(edge.latency)} cycles`;
}

class CodeView {
	constructor(report, sources, figures, onSelect) {
		this.report = report;
		this.figures = figures?.instructions ?? [];
		this.insns = report.instructions;
		this.edges = edgesOf(report);
		this.onSelect = onSelect;
		this.selected = -1;
		this.showAll = false;
		this.pressed = null;
		this.lost = this.findLosses();
		this.makeTable();
		this.source = makeSource(report, sources, (line, file) => this.markLine(line, file));
		this.detail = h("div", {class: "detail", "aria-live": "polite"});
		this.element = h("div", {class: "code-view"}, this.makeTools(),
				 h("div", {class: this.source ? "code-panes both" : "code-panes"}, this.source && this.source.element, this.pane), this.detail);
		this.describe();
		new ResizeObserver(coalesced(() => this.drawArrows())).observe(this.pane);
	}

	name(index) {
		const insn = this.insns[index];

		return insn ? `${insn.text.trim().split(/\s/)[0]} (${index})` : String(index);
	}

	/* Cycles lost to each instruction, by cause. */
	findLosses() {
		const lost = this.insns.map(() => []);

		(this.report.waits ?? []).forEach((wait, colourIndex) => wait.instructions.forEach((index, i) => {
			if (lost[index])
				lost[index].push({wait, cycles: wait.instruction_cycles[i], colourIndex});
		}));
		return lost;
	}

	makeTools() {
		const all = h("input", {type: "checkbox", id: newId("all"), onchange: () => { this.showAll = all.checked; this.drawArrows(); }});

		return h("div", {class: "tools"},
			 h("label", {for: all.id, class: "check"}, all, " All dependences"),
			 h("span", {class: "arrow-key"},
			   h("span", {class: "key recurrence"}, "recurrence"), h("span", {class: "key path"}, "critical path"),
			   h("span", {class: "key register"}, "register"), h("span", {class: "key flag"}, "flag"), h("span", {class: "key memory"}, "memory"),
			   h("span", {class: "key carried"}, "from an earlier iteration")),
			 h("span", {class: "hint grow"}, "Choose an instruction by a click, or with ↑ and ↓, for its operands and losses."));
	}

	makeTable() {
		const report = this.report;
		const most = Math.max(...this.insns.map((insn) => insn.simulated ?? 0), 1e-9);
		this.ports = Object.keys(report.port_pressure).filter((port) => report.port_pressure[port] > 0);
		const hottest = Math.max(...this.insns.flatMap((insn) => Object.values(insn.port_pressure)), 1e-9);
		const busiest = Math.max(...this.ports.map((port) => report.port_pressure[port]), 1e-9);
		const lanes = Math.min(LANES_MAX, Math.max(2, ...placeArrows(this.edges).map((edge) => edge.lane + 1)));
		this.gutterWidth = 20 + lanes * LANE;
		const head = h("tr", {},
			       h("th", {scope: "col", class: "number", title: "Simulated cycles lost to the instruction, by cause"}, "lost"),
			       h("th", {scope: "col", class: "gutter", style: {width: `${this.gutterWidth}px`, "min-width": `${this.gutterWidth}px`}}, h("span", {class: "unseen"}, "dependences")),
			       h("th", {scope: "col"}, "instruction"),
			       this.ports.map((port) => h("th", {scope: "col", class: "port", title: `Cycles that an instruction keeps ${port} busy`}, port)),
			       h("th", {scope: "col", class: "number", title: "µops on ports"}, "µops"),
			       h("th", {scope: "col", class: "number", title: "Issue slots"}, "slots"),
			       h("th", {scope: "col", class: "number", title: "Largest latency of operands that occur, in cycles"}, "lat"),
			       h("th", {scope: "col", class: "number", title: "Part of the worst loop-carried dependence, in cycles"}, "LCD"),
			       h("th", {scope: "col", class: "number", title: "Part of the critical path, in cycles"}, "CP"),
			       h("th", {scope: "col", class: "number", title: "Source line; else address"}, "line"));
		this.rows = this.insns.map((insn, index) => this.makeRow(insn, index, most, hottest));
		const sum = h("tr", {class: "sum-row"},
			      h("td", {class: "number"}, isNumber(report.simulated) ? fixed(report.simulated) : ""), h("td", {class: "gutter"}),
			      h("th", {scope: "row"}, "sum per execution"),
			      this.ports.map((port) => h("td", {class: "port", "data-key": `port_pressure.${port}`, "data-value": report.port_pressure[port],
				      style: {"--heat-share": `${(100 * report.port_pressure[port]) / busiest}%`}}, h("span", {class: "heat"}, fixed(report.port_pressure[port])))),
			      h("td", {class: "number"}, plain(this.insns.reduce((n, insn) => n + insn.uops, 0))),
			      h("td", {class: "number"}, plain(report.issue ? report.issue.slots : null)), h("td"), h("td", {class: "number"}, plain(report.bounds.loop_carried)),
			      h("td", {class: "number"}, plain(report.bounds.critical_path)), h("td"));
		this.svg = s("svg", {class: "arrows", "aria-hidden": "true"});
		this.table = h("table", {class: "code-table", "aria-label": "Instructions"}, h("thead", {}, head), h("tbody", {}, this.rows), h("tfoot", {}, sum));
		this.pane = h("div", {class: "scroll asm-pane", tabindex: 0, role: "region", "aria-label": "Assembly"},
			      h("div", {class: "asm-holder"}, this.table, this.svg));
	}

	makeRow(insn, index, most, hottest) {
		const lost = this.lost[index];
		const marks = [insn.on_loop_carried && "recurrence", insn.on_critical_path && "critical"].filter(Boolean).join(" ");

		return h("tr", {class: `insn ${marks}`, tabindex: index ? -1 : 0, "data-index": index, "aria-selected": "false",
				onclick: () => this.select(index), onkeydown: (event) => this.move(event, index),
				onmouseenter: () => this.hover(index), onmouseleave: () => this.hover(-1)},
			 h("td", {class: "number lost", "data-key": `instructions.${index}.simulated`, "data-value": insn.simulated,
				  title: lost.map((entry) => `${fixed(entry.cycles)} ${waitTitle(entry.wait)}`).join("\n") || null},
			   h("span", {class: "lost-bar"}, lost.map((entry) => h("span", {class: `stall-${entry.colourIndex % STALL_COLOURS}`,
				   style: {width: `${(100 * entry.cycles) / most}%`}}))),
			   h("span", {class: "lost-figure"}, insn.simulated ? fixed(insn.simulated) : "")),
			 h("td", {class: "gutter"}),
			 h("td", {class: "asm"}, h("code", {}, asmText(insn.text)),
			   insn.unknown ? h("span", {class: "badge bad", title: "The core has no row for this form: the default of its class is used"}, "?") : null,
			   ["inferred", "estimated"].includes(insn.origin) ? h("span", {class: "badge", title: `Figures ${insn.origin}`}, "~") : null,
			   insn.note ? h("span", {class: "badge"}, insn.note) : null),
			 this.ports.map((port) => {
				 const cycles = insn.port_pressure[port];

				 return cycles ? h("td", {class: "port", "data-key": `instructions.${index}.port_pressure.${port}`, "data-value": cycles,
							  style: {"--heat-share": `${(100 * cycles) / hottest}%`}}, h("span", {class: "heat"}, fixed(cycles)))
					 : h("td", {class: "port"});
			 }),
			 h("td", {class: "number"}, insn.uops || ""), h("td", {class: "number"}, insn.slots || ""), h("td", {class: "number"}, insn.latency ? plain(insn.latency) : ""),
			 h("td", {class: "number lcd"}, insn.loop_carried ? plain(insn.loop_carried) : ""), h("td", {class: "number"}, insn.critical_path ? plain(insn.critical_path) : ""),
			 h("td", {class: "number place"}, insn.line ?? insn.address));
	}

	/* ---- choosing ---- */

	move(event, index) {
		const to = {ArrowDown: index + 1, ArrowUp: index - 1, j: index + 1, k: index - 1, Home: 0, End: this.rows.length - 1}[event.key];

		if (event.key === "Escape")
			this.select(-1);
		else if (event.key === "Enter" || event.key === " ")
			this.select(index);
		else if (to !== undefined && this.rows[to]) {
			this.select(to);
			this.rows[to].focus();
		} else if (to === undefined)
			return;
		event.preventDefault();
	}

	select(index, quiet = false) {
		this.selected = this.selected === index ? -1 : index;
		this.rows.forEach((row, i) => {
			row.setAttribute("aria-selected", String(i === this.selected));
			row.tabIndex = i === Math.max(this.selected, 0) ? 0 : -1;
		});
		if (this.source)
			this.source.show(this.insns[this.selected]);
		this.describe();
		this.drawArrows();
		if (!quiet)
			this.onSelect(this.selected);
	}

	hover(index) {
		if (this.source && this.selected < 0)
			this.source.show(this.insns[index], false);
	}

	/* Mark instructions that a stall or an advice names; again: mark none. */
	mark(indices, button) {
		const again = this.pressed === button;

		if (this.pressed)
			this.pressed.setAttribute("aria-pressed", "false");
		this.pressed = again ? null : button;
		if (this.pressed)
			button.setAttribute("aria-pressed", "true");
		this.rows.forEach((row, i) => row.classList.toggle("marked", !again && indices.includes(i)));
		if (!again && indices.length) {
			this.rows[indices[0]].scrollIntoView({block: "nearest", behavior: "smooth"});
			say(`${count(indices.length, "instruction")} marked`);
		}
	}

	markLine(line, file) {
		const indices = this.insns.flatMap((insn, i) => (insn.line === line && insn.file === file ? [i] : []));

		this.mark(indices, this.source.button(file, line));
	}

	/* ---- what is chosen, in words ---- */

	describe() {
		const insn = this.insns[this.selected];

		if (!insn) {
			this.detail.replaceChildren();
			this.detail.hidden = true;
			return;
		}
		const edgeList = (edges, end) => edges.length ? h("ul", {}, edges.map((edge) => h("li", {},
			h("button", {type: "button", class: `link dep ${edge.kind}`, onclick: () => { const to = edge[end]; this.select(to); this.rows[to].focus(); }},
			  this.insns[edge[end]].text.trim()), ` ${describeEdge(edge, this)}`))) : h("p", {class: "hint"}, "none in the block");
		const ports = Object.entries(insn.port_pressure).map(([port, cycles]) => `${port} ${fixed(cycles)}`).join(", ");
		const lost = this.lost[this.selected];
		const index = this.selected;

		this.detail.hidden = false;
		this.detail.replaceChildren(
			h("div", {class: "detail-head"}, h("code", {}, asmText(insn.text)), h("button", {type: "button", class: "close", "aria-label": "Close", onclick: () => this.select(-1)}, "×")),
			h("div", {class: "detail-columns"},
			  terms([["form", insn.form], ["address", `${insn.address}, ${count(insn.length, "byte")}`], ["place", insn.line ? `${baseName(insn.file)}:${insn.line}` : null],
				 ["latency", `${plain(insn.latency)} cycles`], ["µops, slots", `${insn.uops}, ${insn.slots}`], ["ports", ports], ["figures", insn.origin], ["note", insn.note]]),
			  h("div", {}, h("h3", {}, "Cycles lost"), lost.length ? h("ul", {class: "plain"}, lost.map((entry) => h("li", {}, h("span", {class: `swatch stall-${entry.colourIndex % STALL_COLOURS}`}), ` ${fixed(entry.cycles)} ${waitTitle(entry.wait)}`)))
				  : h("p", {class: "hint"}, "none")),
			  h("div", {}, h("h3", {}, "Waits for"), edgeList(this.edges.filter((edge) => edge.to === index), "from")),
			  h("div", {}, h("h3", {}, "Is waited for by"), edgeList(this.edges.filter((edge) => edge.from === index), "to"))),
			this.figures[index] ? modelRow(insn, this.figures[index], this.report) : "");
	}

	/* ---- arrows ---- */

	shownEdges() {
		if (this.selected >= 0)
			return this.edges.filter((edge) => edge.from === this.selected || edge.to === this.selected);
		if (this.showAll)
			return this.edges;
		const recurrences = this.edges.filter((edge) => edge.on_loop_carried);

		return recurrences.length ? recurrences : this.edges.filter((edge) => edge.on_critical_path);
	}

	drawArrows() {
		const gutter = this.rows[0].querySelector(".gutter");
		const left = gutter.offsetLeft + this.gutterWidth;
		const y = (index) => this.rows[index].offsetTop + this.rows[index].offsetHeight / 2;

		if (!gutter.offsetParent)
			return;
		this.svg.setAttribute("width", left + 4);
		this.svg.setAttribute("height", this.table.offsetHeight);
		this.svg.replaceChildren(...placeArrows(this.shownEdges()).flatMap((edge) => {
			const classes = ["arrow", edge.kind, edge.on_loop_carried ? "recurrence" : edge.on_critical_path ? "path" : "", edge.iterations ? "carried" : ""].join(" ");
			const tip = y(edge.to) - 4;

			return [s("path", {class: classes, d: arrowPath(edge, left, y)}, s("title", {}, describeEdge(edge, this))),
				s("path", {class: `${classes} tip`, d: `M${left + 1} ${tip} l-6 -3.5 v7 z`})];
		}));
	}
}

/* The figures of the core's model for an instruction by itself: ports of each µop, latencies by operand, source. */
function modelRow(insn, row, report) {
	const uops = row.uops.map((uop) => `${uop.count} × ${uop.ports.join(" or ")}`).join(", ");
	const pairs = row.latencies.filter((one) => one.from !== "mxcsr");

	return h("details", {class: "model-row", open: true}, h("summary", {}, `The model of ${report.arch} for ${insn.form}`),
		 h("div", {class: "detail-columns"},
		   terms([["found", row.found], ["µops on ports", uops || "none"], ["slots", String(row.slots)], ["throughput", `${fixed(row.throughput_cycles)} cycles, ${row.throughput_is_measured ? "measured" : "by ports and slots"}`], ["source", row.source || row.origin]]),
		   pairs.length ? dataTable({label: "Latencies by operand", rows: pairs, search: false, columns: [{key: "from", title: "from"}, {key: "to", title: "to"}, {key: "cycles", title: "cycles", number: true, noKey: true}]})
			   : h("p", {class: "hint"}, "No latencies: it reads or writes nothing that is waited for.")));
}

/* Assembly with its mnemonic, registers, numbers and comments told apart. */
function asmText(text) {
	const trimmed = text.trim().replace(/\s+/g, " ");
	const comment = trimmed.search(/\s[#;]|\/\//);
	const code = comment < 0 ? trimmed : trimmed.slice(0, comment);
	const space = code.indexOf(" ");

	if (space < 0)
		return [h("b", {class: "mnemonic"}, code), comment < 0 ? null : h("span", {class: "comment"}, trimmed.slice(comment))];
	const operands = code.slice(space).split(/((?:0x[0-9a-f]+|\$?-?\b\d+\b)|%?\b(?:[re]?[abcd]x|[abcd][lh]|[re]?[sd]il?|[re]?[sb]pl?|r\d+[dwb]?|[xyz]mm\d+|k[0-7]|[xwvqdshbzp]\d+(?:\.\w+)?|[xw]zr|sp)\b)/i);
	return [h("b", {class: "mnemonic"}, code.slice(0, space)),
		operands.map((part, i) => (i % 2 ? h("span", {class: /^(\$|-|0x|\d)/i.test(part) ? "constant" : "operand"}, part) : part)),
		comment < 0 ? null : h("span", {class: "comment"}, trimmed.slice(comment))];
}

/* ---- source ---- */

/* The source lines of a region beside its code; null if there are none besides the code itself. */
function makeSource(report, sources, onChoose) {
	const files = new Map();
	const lost = new Map();

	for (const insn of report.instructions) {
		const key = `${insn.file}:${insn.line}`;

		lost.set(key, (lost.get(key) ?? 0) + (insn.simulated ?? 0));
		if (insn.line && insn.file)
			files.set(insn.file, [...(files.get(insn.file) ?? []), insn.line]);
	}
	const shown = (sources ?? []).filter((source) => files.has(source.file) && !/\.(s|asm)$/i.test(source.file));
	if (!shown.length)
		return null;
	const most = Math.max(...lost.values(), 1e-9);
	const rows = new Map();
	const lists = shown.map((source) => {
		const used = files.get(source.file);
		const near = new Set(used.flatMap((line) => Array.from({length: 9}, (_, i) => line - 4 + i)));
		const numbers = Object.keys(source.lines).map(Number).filter((line) => near.has(line)).sort((a, b) => a - b);
		let before = 0;

		return [h("p", {class: "file-name", title: source.file}, baseName(source.file)), h("ol", {class: "source"}, numbers.map((line) => {
			const key = `${source.file}:${line}`;
			const has = lost.has(key);
			const gap = before && line > before + 1;
			const cycles = lost.get(key);
			const contents = [h("span", {class: "line-lost"}, has && cycles ? h("span", {class: "line-bar", style: {width: `${(100 * cycles) / most}%`}}) : null,
					    h("span", {class: "line-figure"}, has && cycles ? fixed(cycles) : "")),
					  h("span", {class: "line-number"}, line), h("code", {}, source.lines[line].replace(/\t/g, "    "))];
			const row = has ? h("button", {type: "button", class: "source-line has", "aria-pressed": "false", onclick: () => onChoose(line, source.file)}, contents)
				: h("div", {class: "source-line"}, contents);

			before = line;
			rows.set(key, row);
			return h("li", {class: gap ? "gap" : ""}, row);
		}))];
	});
	const element = h("div", {class: "source-pane scroll", tabindex: 0, role: "region", "aria-label": "Source"}, lists);

	return {
		element,
		button: (file, line) => rows.get(`${file}:${line}`),
		show(insn, scroll = true) {
			for (const row of rows.values())
				row.classList.remove("current");
			const row = insn && rows.get(`${insn.file}:${insn.line}`);
			if (!row)
				return;
			row.classList.add("current");
			if (scroll)
				element.scrollTop = Math.max(0, row.offsetTop - element.clientHeight / 2);
		},
	};
}

/* ---- smaller parts ---- */

function recurrences(report, view) {
	const list = report.loop_carried ?? [];

	if (!list.length)
		return null;
	return h("ul", {class: "plain recurrences"}, list.map((chain, i) => {
		const button = h("button", {type: "button", class: "legend-entry", "aria-pressed": "false", onclick: () => view.mark(chain.instructions, button)},
			h("span", {class: "swatch recurrence-swatch"}), h("span", {class: "legend-figure"}, figure(`loop_carried.${i}.cycles_per_iteration`, chain.cycles_per_iteration)),
			h("span", {class: "legend-text"}, h("strong", {}, `through ${chain.location}`), chain.iterations === 1 ? "" : ` over ${chain.iterations} iterations`, ": ",
			  chain.instructions.map((index, k) => `${view.name(index)} ${plain(chain.latencies[k])}`).join(" → ")));
		return h("li", {}, button);
	}), report.loop_carried_truncated ? h("li", {class: "hint"}, "There are more such recurrences.") : null);
}

function sentences(report) {
	const notes = [...(report.bottlenecks ?? []), ...(report.notes ?? [])];

	return notes.length ? h("ul", {class: "notes"}, notes.map((note) => h("li", {}, note))) : null;
}

/* Cycles at each offset in a line, if the analysis has them. */
function alignments(report) {
	const cycles = report.cycles_by_alignment;

	return cycles ? section("Cycles by alignment", "Simulated, with the block at each offset of a 64-byte line.",
				columnChart(cycles.map((value, offset) => ({label: String(offset), value})), {unit: "cycles", every: 8, from: 0})) : null;
}

function analyzeRegion(report, timeline, sources, selection, figures) {
	let pipeline = null;
	const view = new CodeView(report, sources, figures, (index) => {
		selection.onSelect(index);
		if (pipeline)
			pipeline.select(index);
	});
	const stalls = stallsBar(report, view), advice = adviceList(report, view);
	const chains = recurrences(report, view);

	if (timeline)
		pipeline = new Pipeline(report, timeline, (index) => view.select(index));
	const element = h("div", {class: "analysis"},
			  h("div", {class: "summary"}, headline(report), boundsChart(report), executionTables(report)),
			  h("div", {class: "two"}, stalls && section("Where the cycles go", "Each simulated cycle by its cause. Choose one to mark its instructions.", stalls),
			    advice && section("What would help", "The simulation with one thing better at a time.", advice)),
			  section("Code", null, view.element),
			  chains && section("Recurrences", "Chains of dependences that close over iterations.", chains),
			  pipeline && section("Pipeline", null, pipeline.element),
			  pipeline && section("Buffers", "What is in flight in each cycle of these iterations.", buffersPart(timeline, figures)),
			  alignments(report),
			  section("Notes", null, sentences(report) ?? h("p", {}, "none")));

	element.addEventListener("draw", () => { view.drawArrows(); if (pipeline) pipeline.draw(); });
	if (selection.insn >= 0 && report.instructions[selection.insn])
		view.select(selection.insn, true);
	return element;
}

/* ---- several regions ---- */

/* The regions of a report, whatever holds them: one, a list, or the same for several cores. */
function regionsOf(report) {
	if (Array.isArray(report))
		return report.flatMap(regionsOf);
	for (const key of ["regions", "cores", "analyses"])
		if (Array.isArray(report[key]))
			return report[key].flatMap(regionsOf);
	return [report];
}

/* The limit of each core, for a table that compares them. */
function boundColumns() {
	const bound = (key, title) => ({key: `bounds.${key}`, title, number: true, value: (row) => row.bounds?.[key],
		show: (row) => fixed(row.bounds?.[key]), hint: "A bound by itself, in cycles per execution of the block"});

	return [bound("ports", "ports"), bound("issue", "issue"), bound("front_end", "front end"), bound("loop_carried", "loop-carried"),
		{key: "stall", title: "most lost to", value: (row) => (row.waits?.length ? waitTitle(row.waits[0]) : "")}];
}

function listOfRegions(regions, show) {
	const several = new Set(regions.map((region) => region.arch)).size > 1;

	return dataTable({label: "Regions", rows: regions, onChoose: show && ((row) => show(regions.indexOf(row))), columns: [
		{key: "region", title: "region", code: true},
		several && {key: "arch", title: "core"},
		{key: "cycles_per_iteration", title: "cycles", number: true, bar: true, show: (row) => fixed(row.cycles_per_iteration), hint: "Cycles per iteration"},
		{key: "count", title: "instructions", number: true, value: (row) => row.instruction_count ?? row.instructions?.length},
		{key: "line", title: "line", number: true, value: (row) => row.line ?? row.instructions?.[0]?.line},
		{key: "limit", title: "limited by"},
		...(several ? boundColumns() : []),
	].filter(Boolean)});
}

function analyzePage(data) {
	const regions = regionsOf(data.report);
	const place = readPlace();

	if (!regions.length || !regions[0].instructions)
		return section("Regions", "Loops and marked regions of the code, in its order.", listOfRegions(regions));
	const cores = new Set(regions.map((region) => region.arch)).size > 1;
	const make = (index) => () => analyzeRegion(regions[index], (data.timelines ?? [])[index], data.sources, {
		insn: place.region === index ? place.insn : -1, onSelect: (insn) => writePlace({region: index, insn})}, (data.figures ?? [])[index]);

	if (regions.length === 1)
		return make(0)();
	const overview = {label: "All", note: count(regions.length, ...(cores ? ["analysis", "analyses"] : ["region"])), make: () => h("div", {}, listOfRegions(regions, (index) => { all.show(index + 1); window.scrollTo(0, 0); }))};
	const all = tabs("Regions", [overview, ...regions.map((region, index) => ({
		label: cores ? `${region.arch} ${region.region}` : region.region, note: `${fixed(region.cycles_per_iteration)} cycles`, make: make(index)}))],
		place.region + 1, (tab) => {
			if (tab && tab - 1 !== readPlace().region)
				writePlace({region: tab - 1, insn: -1});
			requestAnimationFrame(() => all.element.querySelectorAll(".analysis").forEach((element) => element.dispatchEvent(new Event("draw"))));
		});

	return all.element;
}
