/* SPDX-License-Identifier: MIT */
/* paths: functions predicted from the paths through their loops: calls, and a tree of loops. */

const TRIPS = {code: "the code decides", given: "given by options", assumed: "assumed"};

/* Functions in their order: each with its results on the cores, [{result, index}]. */
function pathFunctions(results) {
	const functions = [];

	results.forEach((result, index) => {
		const last = functions[functions.length - 1];

		if (last && last[0].result.function === result.function && !last.some((one) => one.result.arch === result.arch))
			last.push({result, index});
		else
			functions.push([{result, index}]);
	});
	return functions;
}

/* Cycles of a loop in a call: of all its iterations. */
function cyclesOfCall(loop) {
	return isNumber(loop.cycles) ? loop.cycles * loop.entries * (loop.depth ? loop.iterations : 1) : null;
}

/* Columns of the cores: cycles, and the loop's share of a call as a bar. */
function pathColumns(cores) {
	const path = (core, key) => (row) => `functions.${core.index}.loops.${row.index}.${key}`;

	return cores.flatMap((core) => {
		const of = (row) => core.result.loops[row.index] ?? {};

		return [{key: `cycles-${core.result.arch}`, title: `${core.result.arch}: cycles`, number: true, hint: "Cycles of an iteration with its inner loops, or of a call", value: (row) => of(row).cycles, show: (row) => fixed(of(row).cycles), path: path(core, "cycles")},
			{key: `share-${core.result.arch}`, title: "of a call", number: true, noKey: true, bar: true, hint: "Share of the call's cycles, inner loops included", value: (row) => cyclesOfCall(of(row)), show: (row) => percent(cyclesOfCall(of(row)), core.result.loops[0].cycles)}];
	});
}

function pathsOfFunction(cores) {
	const rows = cores[0].result.loops.map((loop, index) => ({...loop, index}));
	const path = (key) => (row) => `functions.${cores[0].index}.loops.${row.index}.${key}`;
	const incomplete = cores.filter((core) => !core.result.complete).map((core) => core.result.arch);

	return section(cores[0].result.function, `${count(rows.length - 1, "loop")}. Inner loops stand below what is around them.`,
		       h("dl", {class: "cards"}, cores.map((core) => h("div", {class: "card"}, h("dt", {}, `a call on ${core.result.arch}`),
			       h("dd", {}, isNumber(core.result.loops[0].cycles) ? [figure(`functions.${core.index}.loops.0.cycles`, core.result.loops[0].cycles), h("span", {class: "hint"}, " cycles")] : "–")))),
		       incomplete.length ? h("p", {class: "warning"}, `On ${incomplete.join(", ")}, a call was not followed to its end, which is too far: it has no cycles. --trips limits iterations.`) : null,
		       dataTable({label: `Loops of ${cores[0].result.function}`, rows, columns: [
			       {key: "name", title: "loop", code: true, show: (row) => h("span", {class: "path-name", style: {"--depth": row.depth}}, row.depth ? row.name : `${row.name}: a call`)},
			       {key: "line", title: "line", number: true, path: path("line")}, ...pathColumns(cores),
			       {key: "entries", title: "entries", number: true, hint: "How often a call enters it", path: path("entries")},
			       {key: "iterations", title: "iterations", number: true, hint: "Iterations for each time that it is entered, on average", path: path("iterations")},
			       {key: "trips", title: "iterations from", value: (row) => TRIPS[row.trips] ?? row.trips},
			       {key: "paths", title: "paths", number: true, hint: "Paths through it that were simulated", path: path("paths")},
			       {key: "address", title: "address", code: true}]}));
}

function pathsPage(data) {
	return h("div", {class: "paths"}, pathFunctions(data.report.functions).map(pathsOfFunction));
}
