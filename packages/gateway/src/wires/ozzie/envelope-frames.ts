import { type Clock, ParleyError } from "@parley/base";
import { alwaysRequires } from "@parley/core";
import type { EventFrame, ResponseFrame } from "@parley/protocol";
import { frameText } from "../../transport/text-frame.ts";
import { beginning } from "../shared/beginning.ts";
import { mostArguments } from "../shared/event-json.ts";
import { jsonBytes } from "../shared/paging.ts";
import { toTime } from "../shared/time.ts";
import { encodeFailure, encodeOzzieEvent, type OzzieEvent } from "./codec.ts";
import { fitAnswer, fitEvent, fitsFrame, type Mark } from "./envelope-fit.ts";

/** Bytes of a text in JSON that leave room for it twice, with all that stands around it. */
const longestPiece = 15_500;

/**
 * Encodes for the envelope `both`, an event once for all of its clients: the flat fields, and beside them `id`,
 * `session_id`, `type`, `timestamp`, `source` and the payload once more. Where a name is in both, the flat one stands.
 */
export class EnvelopeFrames {
	readonly #clock: Clock;
	#event: OzzieEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);
	#passing = 0;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** One frame, or several for a long piece of a reply, which loses nothing that way. */
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

/** An answer for the envelope `both`, never above its limit. */
export function envelopeAnswer(frame: ResponseFrame): Buffer {
	if (!frame.ok) return frameText(JSON.stringify({ ...frame, error: beginning(frame.error, 4_000) }));
	const write = (payload: unknown): string => JSON.stringify({ ...frame, payload });
	const mark: Mark = (missing) => marked(missing, "load_messages");
	const payload = fitAnswer(frame.payload, (fitted) => fitsFrame(write(fitted)), mark);
	return frameText(payload === undefined ? JSON.stringify(tooLarge(frame.id)) : write(payload));
}

function tooLarge(id: string): ResponseFrame {
	const reason = new ParleyError("not available: the answer is larger than 32 KiB", { code: "not_found" });
	return encodeFailure(id, reason);
}

/** What is said in place of characters that a frame of this number had no room for. */
export function markOf(seq: number): Mark {
	return (missing) => marked(missing, `load_messages {"seq":${seq}}`);
}

function markFor(event: OzzieEvent): Mark {
	return event.transient ? (missing) => marked(missing, "GET /api/events") : markOf(event.seq);
}

function marked(missing: number, where: string): string {
	return ` … [${missing} more characters: ${where}]`;
}

/** The payload as Go clients can decode and answer it. */
function decodable({ event }: OzzieEvent, { payload }: EventFrame): object {
	const flat = Object(payload);
	if (event.type === "tool.started") return withObject(flat);
	const isQuestion = event.type === "prompt.requested" || event.type === "prompt.shown";
	return isQuestion && alwaysRequires(event.prompt) ? { ...flat, ...choice } : flat;
}

/** Go clients drop an event whose `arguments` are no object; existing servers put what they got as text into one. */
function withObject(call: { readonly arguments?: unknown }): object {
	const { arguments: given } = call;
	const isObject = typeof given === "object" && given !== null && !Array.isArray(given);
	return isObject ? call : { ...call, arguments: { raw: JSON.stringify(given) } };
}

/** An approval that is always required: these clients answer a `confirm` without a value, and a `select` with one. */
const choice = {
	type: "select",
	required: true,
	options: [
		{ value: "deny", label: "Deny", description: "It does not run.", disabled: false },
		{ value: "approve", label: "Approve", description: "It runs once.", disabled: false },
	],
	default: "deny",
};

function inPieces(happened: OzzieEvent): OzzieEvent[] {
	if (!happened.transient) return [happened];
	const { event } = happened;
	switch (event.type) {
		case "text.delta":
		case "thinking.delta":
			return piecesOf(event.text).map((text) => ({ ...happened, event: { ...event, text } }));
		case "arguments.delta": {
			let { offset } = event;
			return piecesOf(event.json.slice(0, Math.max(0, mostArguments - offset))).map((json) => {
				const piece = { ...happened, event: { ...event, json, offset } };
				offset += json.length;
				return piece;
			});
		}
		default:
			return [happened];
	}
}

function piecesOf(whole: string): string[] {
	const pieces: string[] = [];
	let rest = whole;
	do {
		let text = beginning(rest, longestPiece);
		while (jsonBytes(text) > longestPiece) text = beginning(text, text.length >> 1);
		rest = rest.slice(text.length);
		pieces.push(text);
	} while (rest !== "");
	return pieces;
}
