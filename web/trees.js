/* SPDX-License-Identifier: MIT */
/* trees: the calls of a program as a tree: of all stacks, with recursion folded, of one function's callers and callees. */

/* A node without costs. */
function treeNode(name, parent) {
	return {name, self: 0, total: 0, before: 0, selfBefore: 0, parent, children: [], byName: new Map()};
}

/* The child of this name, which is made if there is none. */
function treeChild(parent, name) {
	let child = parent.byName.get(name);

	if (!child) {
		child = treeNode(name, parent);
		parent.byName.set(name, child);
		parent.children.push(child);
	}
	return child;
}

/* The tree of JSON's stacks: nodes with their own and their total cost, and children, largest first. */
function callTree(stacks) {
	const nodes = stacks.parents.map((parent, i) => ({name: i ? stacks.names[stacks.functions[i]] : "all", self: stacks.costs[i], total: stacks.costs[i], before: 0, selfBefore: 0, parent: null, children: []}));

	/* A caller precedes those it calls. */
	for (let i = nodes.length - 1; i > 0; i--)
		nodes[stacks.parents[i]].total += nodes[i].total;
	for (let i = 1; i < nodes.length; i++)
		if (nodes[i].total > 0) {
			nodes[i].parent = nodes[stacks.parents[i]];
			nodes[i].parent.children.push(nodes[i]);
		}
	return nodes[0];
}

/* Put the costs of the tree before a change into the one after it, and add what is gone. */
function mergeTrees(after, before) {
	const pairs = [[after, before]];

	for (const [node, old] of pairs) {
		/* Functions of several files may have the same name: the n-th one is the n-th one before. */
		const byName = new Map();

		for (const child of node.children)
			byName.set(child.name, [...(byName.get(child.name) ?? []), child]);
		node.before = old.total;
		node.selfBefore = old.self;
		for (const child of old.children) {
			let same = (byName.get(child.name) ?? []).shift();

			if (!same) {
				same = {name: child.name, self: 0, total: 0, before: 0, selfBefore: 0, parent: node, children: []};
				node.children.push(same);
			}
			pairs.push([same, child]);
		}
	}
	return after;
}

/* The number of nodes. */
function treeSize(root) {
	const pending = [root];

	for (const node of pending)
		pending.push(...node.children);
	return pending.length;
}

/* Add the costs of one node to those of another. */
function addCosts(into, node) {
	into.total += node.total;
	into.before += node.before;
	into.self += node.self;
	into.selfBefore += node.selfBefore;
}

/* The nearest node of this name on the way to the root, the node itself included; null: none. */
function nearestOf(name, node) {
	while (node && node.name !== name)
		node = node.parent;
	return node;
}

/*
 * The tree in which a call of a function that is on the stack already continues that function's frame: its own cost
 * and what it calls are added there. Costs of each function itself, and their sum, stay the same.
 */
function foldRecursion(root) {
	const folded = treeNode(root.name, null);
	const pending = [[root, folded]];

	addCosts(folded, root);
	for (const [node, into] of pending)
		for (const child of node.children) {
			const outer = nearestOf(child.name, into);
			const target = outer && outer !== folded ? outer : treeChild(into, child.name);

			if (target === outer) {
				target.self += child.self;
				target.selfBefore += child.selfBefore;
				/* The functions between have no part in it any more. */
				for (let between = into; between !== outer; between = between.parent) {
					between.total -= child.total;
					between.before -= child.before;
				}
			} else {
				addCosts(target, child);
			}
			pending.push([child, target]);
		}
	return folded;
}

/* The nodes of a function that no other call of it encloses. */
function outermostCalls(root, name) {
	const found = [];
	const pending = [root];

	while (pending.length) {
		const node = pending.pop();

		if (node.name === name && node !== root)
			found.push(node);
		else
			pending.push(...node.children);
	}
	return found;
}

/* The calls of a function, over all stacks, as a tree whose root is the function. */
function calleesTree(root, name) {
	const tree = treeNode(name, null);
	const pending = outermostCalls(root, name).map((node) => [node, tree]);

	for (const [node, into] of pending) {
		addCosts(into, node);
		for (const child of node.children)
			pending.push([child, treeChild(into, child.name)]);
	}
	return tree;
}

/* Who calls a function, over all stacks: the root is the function, its children call it. Each total is what the function costs there. */
function callersTree(root, name) {
	const tree = treeNode(name, null);

	for (const node of outermostCalls(root, name)) {
		let into = tree;

		tree.total += node.total;
		for (let caller = node.parent; caller && caller !== root; caller = caller.parent) {
			into = treeChild(into, caller.name);
			into.total += node.total;
		}
	}
	return tree;
}
