/* SPDX-License-Identifier: MIT */
/* jumps: the branches inside a function as arrows beside its instructions. */

const JUMP_LANES = 8, JUMP_LANE_PIXELS = 6;
const JUMP_CELLS_MOST = 20000; /* pieces of arrows in one function, so that long functions are shown quickly */

/* The index of the instruction that a branch of the function leads to; undefined: none of them. */
function branchTarget(insn, byAddress) {
	const target = /^(?:j|loop|b|cb|tb)\S*\s.*(0x[0-9a-f]+)$/i.exec(insn.text);

	return target ? byAddress.get(target[1]) : undefined;
}

/*
 * Branches as [{from, to, first, last, lane}]: two in one lane do not overlap, and short ones are nearer to the code. Those that
 * find no lane are left out.
 */
function jumpArrows(instructions, byAddress) {
	const lanes = Array.from({length: JUMP_LANES}, () => []);
	const jumps = instructions.map((insn, from) => ({from, to: branchTarget(insn, byAddress)})).filter((one) => one.to !== undefined && one.to !== one.from)
		.map((one) => ({...one, first: Math.min(one.from, one.to), last: Math.max(one.from, one.to)})).sort((a, b) => a.last - a.first - (b.last - b.first) || a.first - b.first);
	let cells = 0;

	return jumps.filter((jump) => {
		cells += jump.last - jump.first + 1;
		jump.lane = cells > JUMP_CELLS_MOST ? -1 : lanes.findIndex((lane) => lane.every((other) => other.last < jump.first || other.first > jump.last));
		if (jump.lane >= 0)
			lanes[jump.lane].push(jump);
		return jump.lane >= 0;
	});
}

/* The pieces of an arrow in each of its rows are put into `cells`, by the row's index. */
function drawJump(jump, index, cells) {
	const way = jump.to < jump.from ? "jump-back" : "jump-forth";
	const at = `${JUMP_LANE_PIXELS * (jump.lane + 1)}px`;

	for (let row = jump.first; row <= jump.last; row++) {
		const part = row === jump.first ? "jump-first" : row === jump.last ? "jump-last" : "jump-through";

		cells[row].push(h("span", {class: `jump-line ${part} ${way}`, "data-jump": index, style: {"--at": at}}));
	}
	for (const row of [jump.from, jump.to])
		cells[row].push(h("span", {class: `jump-side ${way}${row === jump.to ? " jump-head" : ""}`, "data-jump": index, style: {"--at": at}}));
}

/* The arrows of a function: {cells: pieces by row, width: what they need, mark(row)}. */
function jumpColumn(instructions, byAddress) {
	const jumps = jumpArrows(instructions, byAddress);
	const cells = instructions.map(() => []);
	const width = jumps.length ? JUMP_LANE_PIXELS * (Math.max(...jumps.map((jump) => jump.lane)) + 1) + 12 : 0;

	jumps.forEach((jump, index) => drawJump(jump, index, cells));
	return {cells, width, mark: (chosen) => cells.forEach((list) => list.forEach((piece) => {
		const jump = jumps[Number(piece.dataset.jump)];

		piece.classList.toggle("of-chosen", jump.from === chosen || jump.to === chosen);
	}))};
}
