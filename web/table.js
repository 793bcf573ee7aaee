/* SPDX-License-Identifier: MIT */
/*
 * table: rows that are searched, sorted and chosen. Columns: {key, title, value(row), show(row),
 * number, code, bar, hint, path(row), noKey}. `path` names the figure in the JSON, if the column's
 * key does not; noKey: the figure is not in it. show() may return an element. Only rows near the visible ones are made, so that tens of thousands open
 * at once.
 */

const ROWS_AT_ONCE = 200;

function compareValues(a, b) {
	if (a === b)
		return 0;
	/* Rows without a value are last in either order. */
	if (a === undefined || a === null || a === "")
		return NaN;
	if (b === undefined || b === null || b === "")
		return NaN;
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	return String(a).localeCompare(String(b), "en", {numeric: true});
}

function isMissing(value) {
	return value === undefined || value === null || value === "";
}

function dataTable({columns, rows, sort, label, search = rows.length > 8, filters = [], onChoose, marked, top = ROWS_AT_ONCE}) {
	const state = {key: sort ? sort.key : null, down: sort ? sort.down !== false : true, words: "", shown: top};
	const chosenFilters = filters.map(() => "");
	const largest = new Map();
	const body = h("tbody");
	const status = h("p", {class: "hint table-status", "aria-live": "polite"});
	const more = h("button", {type: "button", class: "more", onclick: () => { state.shown += 1000; fill(); }}, "Show more rows");
	const heads = columns.map((column) => {
		const button = h("button", {type: "button", title: column.hint, onclick: () => sortBy(column)}, column.title);

		return h("th", {scope: "col", class: column.number ? "number" : ""}, button);
	});
	const table = h("table", {class: "data", "aria-label": label},
			h("thead", {}, h("tr", {}, heads)), body);
	let found = rows;

	for (const column of columns)
		if (column.bar)
			largest.set(column, rows.reduce((most, row) => Math.max(most, Math.abs(valueOf(column, row) || 0)), 0));

	function valueOf(column, row) {
		return column.value ? column.value(row) : row[column.key];
	}

	function sortBy(column) {
		state.down = state.key === column.key ? !state.down : Boolean(column.number);
		state.key = column.key;
		find();
	}

	/* Text that a row is searched in. */
	function textOf(row) {
		return columns.filter((column) => !column.number)
			.map((column) => String(valueOf(column, row) ?? "")).join("\n").toLowerCase();
	}

	function order(list) {
		const column = columns.find((one) => one.key === state.key);

		if (!column)
			return list;
		const keyed = list.map((row, index) => ({row, index, value: valueOf(column, row)}));
		keyed.sort((a, b) => {
			const missing = isMissing(a.value) - isMissing(b.value);
			const by = missing || (state.down ? -1 : 1) * (compareValues(a.value, b.value) || 0);

			return by || a.index - b.index;
		});
		return keyed.map((entry) => entry.row);
	}

	function find() {
		const wanted = state.words.toLowerCase().split(/\s+/).filter(Boolean);

		found = rows.filter((row) => filters.every((filter, i) => !chosenFilters[i] || String(filter.value(row)) === chosenFilters[i]));
		if (wanted.length)
			found = found.filter((row) => {
				const text = textOf(row);

				return wanted.every((word) => text.includes(word));
			});
		found = order(found);
		state.shown = top;
		columns.forEach((column, i) => {
			if (column.key === state.key)
				heads[i].setAttribute("aria-sort", state.down ? "descending" : "ascending");
			else
				heads[i].removeAttribute("aria-sort");
		});
		fill();
	}

	function cell(column, row) {
		const value = valueOf(column, row);
		const shown = column.show ? column.show(row) : column.number ? plain(value) : value;
		const attributes = {class: [column.number && "number", column.code && "code", column.bar && "with-bar", column.class].filter(Boolean).join(" ")};

		if (column.number && isNumber(value) && !column.noKey) {
			attributes["data-key"] = column.path ? column.path(row) : column.key;
			attributes["data-value"] = value;
		}
		if (column.bar && largest.get(column))
			attributes.style = {"--share": `${(100 * Math.abs(value || 0)) / largest.get(column)}%`};
		return h("td", attributes, shown ?? "–");
	}

	function makeRow(row) {
		const element = h("tr", {}, columns.map((column) => cell(column, row)));

		if (marked && marked(row))
			element.classList.add("marked");
		if (!onChoose)
			return element;
		element.tabIndex = 0;
		element.classList.add("choosable");
		element.addEventListener("click", () => choose(element, row));
		element.addEventListener("keydown", (event) => {
			const to = {ArrowDown: element.nextElementSibling, ArrowUp: element.previousElementSibling}[event.key];

			if (event.key === "Enter" || event.key === " ") {
				event.preventDefault();
				choose(element, row);
			} else if (to) {
				event.preventDefault();
				to.focus();
			}
		});
		return element;
	}

	function choose(element, row) {
		for (const other of body.querySelectorAll(".chosen"))
			other.classList.remove("chosen");
		element.classList.add("chosen");
		onChoose(row, element);
	}

	function fill() {
		body.replaceChildren(...found.slice(0, state.shown).map(makeRow));
		more.hidden = found.length <= state.shown;
		status.textContent = found.length === rows.length ? count(rows.length, "row")
			: `${plain(found.length)} of ${count(rows.length, "row")}`;
		if (!more.hidden)
			status.textContent += `, the first ${plain(state.shown)} shown`;
	}

	const tools = h("div", {class: "tools"});
	if (search)
		tools.append(h("input", {type: "search", class: "search", placeholder: "Search", "aria-label": `Search ${label}`,
					 oninput: (event) => { state.words = event.target.value; find(); }}));
	filters.forEach((filter, i) => {
		const values = [...new Set(rows.map((row) => String(filter.value(row))))].sort();

		if (values.length > 1)
			tools.append(h("select", {"aria-label": filter.title, onchange: (event) => { chosenFilters[i] = event.target.value; find(); }},
				       h("option", {value: ""}, `${filter.title}: all`), values.map((value) => h("option", {value}, value))));
	});
	if (search || filters.length)
		tools.append(status);
	find();
	return h("div", {class: "table-block"}, tools.childNodes.length ? tools : null,
		 h("div", {class: "scroll", tabindex: 0, role: "region", "aria-label": label}, table), more);
}
