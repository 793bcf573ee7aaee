/* SPDX-License-Identifier: MIT */
/* main: reads the data, chooses the view, and makes what all pages have. */

/* ---- the place in the page, kept in its address: #region=2&instruction=5 ---- */

function readPlace() {
	const values = new URLSearchParams(location.hash.slice(1));
	const number = (key) => {
		const value = Number.parseInt(values.get(key) ?? "", 10);

		return Number.isInteger(value) && value >= 1 ? value - 1 : -1;
	};

	return {region: number("region"), insn: number("instruction")};
}

function writePlace(place) {
	const parts = [place.region >= 0 && `region=${place.region + 1}`, place.insn >= 0 && `instruction=${place.insn + 1}`].filter(Boolean);

	try {
		history.replaceState(null, "", `#${parts.join("&")}`);
	} catch {
		/* Some browsers refuse that for files on disk; the page works without. */
	}
}

/* ---- colours ---- */

const SCHEMES = ["system", "light", "dark"];
const darkSystem = matchMedia("(prefers-color-scheme: dark)");

function applyScheme(scheme) {
	if (scheme === "system")
		scheme = darkSystem.matches ? "dark" : "light";
	document.documentElement.setAttribute("data-scheme", scheme);
	dispatchEvent(new Event("colours"));
}

function schemeButton() {
	let at = 0;
	const text = () => `Colours: ${SCHEMES[at]}`;
	const apply = () => applyScheme(SCHEMES[at]);
	const button = h("button", {type: "button", class: "scheme", onclick: () => {
		at = (at + 1) % SCHEMES.length;
		apply();
		button.textContent = text();
	}}, text());

	apply();
	darkSystem.addEventListener("change", apply);
	return button;
}

/* ---- copying ---- */

async function copy(text) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		/* A file on disk may have no clipboard of its own; the old way needs a chosen text. */
	}
	const area = h("textarea", {class: "unseen", "aria-hidden": "true"});

	area.value = text;
	document.body.append(area);
	area.select();
	const done = document.execCommand("copy");
	area.remove();
	return done;
}

function copyButton(title, text) {
	const button = h("button", {type: "button", class: "copy", "data-copy": title, onclick: async () => {
		const done = await copy(text());

		button.textContent = done ? "Copied" : "Not copied";
		say(done ? `${title} copied` : `${title} could not be copied`);
		setTimeout(() => { button.textContent = `Copy ${title}`; }, 1500);
	}}, `Copy ${title}`);

	return button;
}

/* ---- the page ---- */

const VIEWS = {analyze: analyzePage, trace: tracePage, diff: diffPage, deps: depsPage, predict: (data) => (data.report.functions ? pathsPage(data) : predictPage(data)), count: countPage, diagnose: diagnosePage, bench: benchPage, validate: validatePage, evaluate: evaluatePage, learn: learnPage, characterize: characterizePage};

function titleOf(data) {
	const report = data.report ?? {};

	return [`takt ${data.kind}`, report.region, report.arch].filter((part) => typeof part === "string").join(" · ");
}

function readData() {
	return JSON.parse(document.getElementById("data").textContent);
}

function start() {
	const holder = document.getElementById("page");
	let data;

	try {
		data = readData();
	} catch (error) {
		append(holder, [h("p", {class: "warning"}, `The data of this report cannot be read: ${error.message}. The file may be incomplete.`)]);
		return;
	}
	document.title = titleOf(data);
	const view = VIEWS[data.kind] ?? anyPage;
	append(holder, [
		h("header", {class: "top"},
		  h("div", {class: "name"}, h("h1", {}, h("span", {class: "logo"}, "takt"), ` ${data.kind}`), data.command && h("code", {class: "command", title: data.command}, data.command)),
		  h("div", {class: "actions"}, data.text && copyButton("text", () => data.text), copyButton("JSON", () => JSON.stringify(data.report, null, 2)),
		    data.command && copyButton("command", () => data.command), schemeButton())),
		h("main", {}, view(data)),
		h("footer", {}, `takt ${data.version}. This file is complete: it loads nothing.`), live, tooltip]);
	afterLaterParts(() => document.documentElement.setAttribute("data-ready", ""));
}

/* The live page has this file too, but starts by itself (live.js). */
if (typeof isLivePage === "undefined") {
	/* Only an address that somebody enters or follows changes so: writePlace() does not cause it. */
	addEventListener("hashchange", () => location.reload());
	start();
}
