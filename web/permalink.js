/* SPDX-License-Identifier: MIT */
/*
 * permalink: the state of the live page in its address, after "#", which browsers send to nobody:
 * JSON, deflated, in base64url.
 */

const PERMALINK_BYTES_MAX = 1 << 20; /* of the state, unpacked */

function toBase64Url(bytes) {
	let text = "";

	for (let at = 0; at < bytes.length; at += 0x8000)
		text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
	return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

function fromBase64Url(text) {
	return Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
}

async function packState(state) {
	const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));

	return toBase64Url(new Uint8Array(await new Response(stream).arrayBuffer()));
}

/* Read a stream to its end, or throw if it is longer than `most` bytes. */
async function readLimited(stream, most) {
	const reader = stream.getReader();
	const pieces = [];
	let size = 0;

	for (;;) {
		const {done, value} = await reader.read();

		if (done)
			return new Blob(pieces).text();
		size += value.length;
		if (size > most)
			throw new Error("the address holds too much");
		pieces.push(value);
	}
}

async function unpackState(text) {
	const stream = new Blob([fromBase64Url(text)]).stream().pipeThrough(new DecompressionStream("deflate-raw"));

	return JSON.parse(await readLimited(stream, PERMALINK_BYTES_MAX));
}

/* Settings that an address may have, and no others: each value is checked. */
function checkedState(given) {
	const text = (value, most) => (typeof value === "string" ? value.slice(0, most) : undefined);
	const state = {};

	if (LANGUAGES.some((language) => language.id === given.language))
		state.language = given.language;
	state.code = text(given.code, PERMALINK_BYTES_MAX);
	state.compiler = text(given.compiler, 100);
	state.flags = text(given.flags, 1000);
	if (Array.isArray(given.cores))
		state.cores = given.cores.filter((core) => typeof core === "string" && core.length < 100).slice(0, CORES_MAX);
	if (isRecord(given.settings))
		state.settings = Object.fromEntries(Object.entries(given.settings).filter(([name, value]) =>
			/^([a-z0-9_]{1,60}|port\.[A-Za-z0-9+]{1,3})$/.test(name) && (Number.isInteger(value) || value === "yes" || value === "no")).slice(0, 60));
	if (["auto", "loop", "unroll"].includes(given.mode))
		state.mode = given.mode;
	if (Number.isInteger(given.region) && given.region >= 1)
		state.region = given.region;
	if (Number.isInteger(given.shown) && given.shown >= 0)
		state.shown = given.shown;
	return Object.fromEntries(Object.entries(state).filter(([, value]) => value !== undefined));
}

/* The state in the address, or null. */
async function readPermalink() {
	const packed = new URLSearchParams(location.hash.slice(1)).get("s");

	if (!packed)
		return null;
	try {
		return checkedState(await unpackState(packed));
	} catch {
		return null;
	}
}
