/* SPDX-License-Identifier: MIT */
/* overview: a whole flame graph as a strip above it, in which the part that is shown below is marked. */

const OVERVIEW_HEIGHT = 48;
const OVERVIEW_ROW_MOST = 6;

class Overview {
	constructor(flame) {
		this.flame = flame;
		this.canvas = h("canvas", {class: "overview", role: "img", "aria-label": "All calls; what is shown below is marked. A click zooms.", onclick: (event) => this.click(event)});
		this.element = h("div", {class: "overview-holder"}, this.canvas);
	}

	/* Left end and width of a node's frame, as shares of the whole. */
	span(node) {
		const {flame} = this;
		const all = flame.weight(flame.root) || 1;
		let begin = 0;

		for (let one = node; one.parent; one = one.parent)
			for (const sibling of one.parent.children) {
				if (sibling === one)
					break;
				begin += flame.weight(sibling);
			}
		return [begin / all, flame.weight(node) / all];
	}

	draw(look) {
		const {flame} = this;
		const width = this.element.clientWidth;

		if (!width)
			return;
		this.frames = flame.layout(width, flame.root);
		const deep = this.frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1;
		this.row = Math.min(OVERVIEW_ROW_MOST, OVERVIEW_HEIGHT / deep);
		const height = Math.ceil(this.row * deep);
		const context = sizeCanvas(this.canvas, width, height);

		context.clearRect(0, 0, width, height);
		for (const frame of this.frames) {
			context.fillStyle = flame.fill(frame, look);
			context.fillRect(frame.x, frame.depth * this.row, Math.max(0.5, frame.width - (frame.width > 3 ? 1 : 0)), Math.max(0.7, this.row - (this.row > 2 ? 0.5 : 0)));
		}
		this.mark(context, look, width, height);
	}

	/* Shade what is not shown below, and frame what is. */
	mark(context, look, width, height) {
		const [begin, share] = this.span(this.flame.zoomed);
		const left = begin * width, right = (begin + share) * width;

		Object.assign(this.canvas.dataset, {begin: begin.toFixed(4), share: share.toFixed(4)});
		if (this.flame.zoomed === this.flame.root)
			return;
		context.globalAlpha = 0.65;
		context.fillStyle = look.panel;
		context.fillRect(0, 0, left, height);
		context.fillRect(right, 0, width - right, height);
		context.globalAlpha = 1;
		context.strokeStyle = look.accent;
		context.lineWidth = 2;
		context.strokeRect(Math.max(1, left), 1, Math.max(2, Math.min(right, width - 1) - Math.max(1, left)), height - 2);
	}

	click(event) {
		const box = this.canvas.getBoundingClientRect();
		const x = event.clientX - box.left, depth = Math.floor((event.clientY - box.top) / this.row);
		const below = this.frames.filter((frame) => x >= frame.x && x < frame.x + frame.width && frame.depth <= depth);

		/* The deepest frame at this place. */
		if (below.length)
			this.flame.zoom(below.reduce((best, frame) => (frame.depth > best.depth ? frame : best)).node);
	}
}
