import { type Clock, ParleyError } from "@parley/base";
import { alwaysRequires } from "@parley/core";
import type { EventFrame, ResponseFrame } from "@parley/protocol";
import { ozzieErrorTexts } from "../../texts/wires/ozzie.ts";
import { frameText } from "../../transport/frame-writer.ts";
import { beginning } from "../shared/beginning.ts";
import { jsonBytes } from "../shared/paging.ts";
import { toTime } from "../shared/time.ts";
import { maxArguments } from "../shared/wire-event.ts";
import { encodeFailure, encodeOzzieEvent, type OzzieEvent } from "./codec.ts";

/**
 * Maximum number of bytes of JSON in a piece of a delta. A frame contains the text twice, in addition to the other
 * fields.
 */
const longestPiece = 15_500;

/**
 * Encodes events for the envelope `both`. Caches the last frame, because the same event is sent to many clients in
 * turn. A payload has the flat fields, `id`, `session_id`, `type`, `timestamp`, `source`, and the payload again. If
 * two fields have the same name, the flat field has precedence.
 */
export class EnvelopeFrames {
	readonly #clock: Clock;
	#event: OzzieEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);
	#passing = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Returns the bytes of one frame, or of several frames for a long delta, so that no text is lost. */
	frame(event: OzzieEvent): Buffer {
		if (event === this.#event) return this.#frame;
		this.#event = event;
		this.#frame = Buffer.concat(inPieces(event).map((piece) => frameText(this.#encode(piece))));
		return this.#frame;
	}

	#encode(happened: OzzieEvent): string {
		const frame = encodeOzzieEvent(happened);
		const outer = {
			id: happened.transient ? `passing_${++this.#passing}` : happened.id,
			session_id: happened.sessionId,
			type: frame.event,
			timestamp: toTime(happened.transient ? this.#clock.now() : happened.at),
			source: "agent",
		};
		const write = (payload: object): string => {
			return JSON.stringify({ ...frame, payload: { ...outer, payload, ...payload } });
		};
		const flat = decodable(happened, frame);
		return write(fitEvent(flat, (payload) => fitsFrame(write(Object(payload))), markFor(happened)));
	}
}

/**
 * Encodes a response frame for the envelope `both`, within the size limit. Returns an error response if the payload
 * cannot be shortened enough.
 */
export function envelopeAnswer(frame: ResponseFrame): Buffer {
	if (!frame.ok) return frameText(JSON.stringify({ ...frame, error: beginning(frame.error, 4_000) }));
	const write = (payload: unknown): string => JSON.stringify({ ...frame, payload });
	const mark: Mark = (missing) => marked(missing, "load_messages");
	const payload = fitAnswer(frame.payload, (fitted) => fitsFrame(write(fitted)), mark);
	return frameText(payload === undefined ? JSON.stringify(tooLarge(frame.id)) : write(payload));
}

function tooLarge(id: string): ResponseFrame {
	const reason = new ParleyError(ozzieErrorTexts.longResponse, { code: "not_found" });
	return encodeFailure(id, reason);
}

export function markOf(seq: number): Mark {
	return (missing) => marked(missing, `load_messages {"seq":${seq}}`);
}

function markFor(event: OzzieEvent): Mark {
	return event.transient ? (missing) => marked(missing, "GET /api/events") : markOf(event.seq);
}

function marked(missing: number, where: string): string {
	return ozzieErrorTexts.cut({ missing, place: where });
}

/** Converts a payload to a form that Go clients can decode and answer. */
function decodable({ event }: OzzieEvent, { payload }: EventFrame): object {
	const flat = Object(payload);
	if (event.type === "tool.started") return withObject(flat);
	const isQuestion = event.type === "prompt.requested" || event.type === "prompt.shown";
	return isQuestion && alwaysRequires(event.prompt) ? { ...flat, ...choice } : flat;
}

/**
 * Returns the call with an object as `arguments`, because Go clients drop an event with arguments of another type. As
 * in existing servers, arguments of another type become a text in the object.
 */
function withObject(call: { readonly arguments?: unknown }): object {
	const { arguments: given } = call;
	const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
	return isObject ? call : { ...call, arguments: { raw: JSON.stringify(given) } };
}

/**
 * Fields that show the approval of a call as a `select`, if the call always requires approval. The answer to such an
 * approval needs a value. Go clients answer a `select` with a value, but a `confirm` without a value.
 */
const choice = {
	type: "select",
	required: true,
	options: [
		{ value: "deny", label: ozzieErrorTexts.deny, description: ozzieErrorTexts.denied, disabled: false },
		{
			value: "approve",
			label: ozzieErrorTexts.approve,
			description: ozzieErrorTexts.approvedOnce,
			disabled: false,
		},
	],
	default: "deny",
};

function inPieces(happened: OzzieEvent): OzzieEvent[] {
	if (!happened.transient) return [happened];
	const { event } = happened;
	switch (event.type) {
		case "text.delta":
		case "thinking.delta":
		case "tool.progress":
			return piecesOf(event.text).map((text) => ({ ...happened, event: { ...event, text } }));
		case "arguments.delta": {
			let { offset } = event;
			return piecesOf(event.json.slice(0, Math.max(0, maxArguments - offset))).map((json) => {
				const piece = { ...happened, event: { ...event, json, offset } };
				offset += json.length;
				return piece;
			});
		}
		default:
			return [happened];
	}
}

function piecesOf(content: string): string[] {
	const pieces: string[] = [];
	let rest = content;
	do {
		let text = beginning(rest, longestPiece);
		while (jsonBytes(text) > longestPiece) text = beginning(text, text.length >> 1);
		rest = rest.slice(text.length);
		pieces.push(text);
	} while (rest !== "");
	return pieces;
}

/**
 * Maximum number of bytes of a WebSocket message that Go clients accept: coder/websocket, `defaultReadLimit` in
 * read.go.
 */
const maxFrameBytes = 32_768;
/**
 * Number of header bytes of an unmasked WebSocket frame with a payload of 126 to 65,535 bytes: RFC 6455, section 5.2.
 */
const frameHead = 4;

/** Minimum length of cut strings while other parts can be omitted, so that ids, names and paths stay complete. */
const shortest = 200;
/** Minimum length of cut strings in a response before its list is shortened. */
const shortestListed = 1_000;
/** Precision of the length of a cut, in characters. */
const near = 32;

function fitsFrame(text: string): boolean {
	if (text.length > maxFrameBytes) return false;
	return Buffer.byteLength(text) + frameHead <= maxFrameBytes;
}

export type Fits = (value: unknown) => boolean;

/**
 * Returns the payload, shortened as far as possible if it does not fit. Cuts long strings first, then replaces
 * free-form arguments, then shortens lists. Preserves the keys of the payload, and the types of all values except
 * arguments.
 */
function fitEvent(payload: object, fits: Fits, mark: Mark): object {
	if (fits(payload)) return payload;
	let min = payload;
	for (const reduced of reductions(payload, mark)) {
		const capped = capToFit(reduced, { fits, mark, shortest });
		// The cast is safe because an object stays an object when its strings are cut.
		if (capped !== undefined) return capped as object;
		min = reduced;
	}
	// Control characters take 6 bytes each in JSON, so some events also need shorter strings.
	return Object(capToFit(min, { fits, mark, shortest: 0 }) ?? min);
}

/**
 * Returns the payload, shortened if it does not fit. Cuts long strings first, then shortens the longest list and
 * counts the missing items in `more`. Returns undefined if the payload still does not fit.
 */
function fitAnswer(payload: unknown, fits: Fits, mark: Mark): unknown {
	if (fits(payload)) return payload;
	const capped = capToFit(payload, { fits, mark, shortest: shortestListed });
	if (capped !== undefined) return capped;
	const shown = capStrings(payload, shortestListed, mark);
	const [key, list] = longestList(shown);
	const first = (count: number): object => ({
		...Object(shown),
		[key]: list.slice(0, count),
		more: list.length - count,
	});
	const count = largest(0, list.length, (max) => fits(first(max)));
	if (count !== undefined) return first(count);
	return capToFit(first(0), { fits, mark, shortest });
}

function* reductions(payload: object, mark: Mark): Generator<object> {
	yield payload;
	const plain = withoutArguments(payload, mark);
	yield plain;
	for (let max = 64; max >= 1; max /= 2) yield withLists(plain, max);
	yield withLists(plain, 0);
}

/** Fields that contain the arguments of a call: the context of a prompt, and the changed prompt of a vote. */
const argumentHolders: ReadonlySet<string> = new Set(["context", "changed"]);

/**
 * Replaces the arguments of a call with a mark, because they can have so many keys that cut strings do not suffice.
 */
function withoutArguments(payload: object, mark: Mark): object {
	const short = (key: string, value: unknown): unknown => {
		if (key === "arguments") return { "…": mark(JSON.stringify(value).length).trim() };
		return argumentHolders.has(key) ? withoutArguments(Object(value), mark) : value;
	};
	return Object.fromEntries(Object.entries(payload).map(([key, value]) => [key, short(key, value)]));
}

function withLists(value: object, max: number): object {
	const shorten = (item: unknown): unknown => {
		if (Array.isArray(item)) return item.slice(0, max).map(shorten);
		return typeof item === "object" && item !== null ? withLists(item, max) : item;
	};
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shorten(item)]));
}

/**
 * Returns the value with shortened strings. The strings are cut about as little as necessary. Returns undefined if
 * the value does not fit even with strings of the shortest length.
 */
export function capToFit(
	value: unknown,
	{ fits, mark, shortest: min }: { readonly fits: Fits; readonly mark: Mark; readonly shortest: number },
): unknown {
	const max = largest(min, maxFrameBytes, (length) => fits(capStrings(value, length, mark)));
	return max === undefined ? undefined : capStrings(value, max, mark);
}

/**
 * Returns the largest number that fits, from `min` to below `max`, with the precision `near` in large ranges. Returns
 * undefined if `min` does not fit.
 */
function largest(min: number, max: number, fits: (value: number) => boolean): number | undefined {
	if (!fits(min)) return undefined;
	let [fitting, over] = [min, max];
	const exact = max - min > 1_000 ? near : 1;
	while (over - fitting > exact) {
		const middle = Math.floor((fitting + over) / 2);
		if (fits(middle)) fitting = middle;
		else over = middle;
	}
	return fitting;
}

function longestList(payload: unknown): [key: string, list: readonly unknown[]] {
	const lists = Object.entries(Object(payload)).flatMap(([key, value]): [string, unknown[]][] =>
		Array.isArray(value) ? [[key, value]] : [],
	);
	const size = ([, list]: [string, unknown[]]): number => JSON.stringify(list).length;
	return lists.sort((one, other) => size(other) - size(one))[0] ?? ["more", []];
}

export type Mark = (missing: number) => string;

/**
 * Cuts the strings of a value, at any depth, to `max` characters plus a mark. Keeps a string that the cut would not
 * shorten.
 */
export function capStrings(value: unknown, max: number, mark: Mark): unknown {
	if (typeof value === "string") return capText(value, max, mark);
	if (Array.isArray(value)) return value.map((item) => capStrings(item, max, mark));
	if (typeof value !== "object" || value === null) return value;
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, capStrings(item, max, mark)]));
}

function capText(text: string, max: number, mark: Mark): string {
	if (text.length <= max) return text;
	const beginningOfText = beginning(text, max);
	const cut = beginningOfText + mark(text.length - beginningOfText.length);
	return cut.length < text.length ? cut : text;
}
