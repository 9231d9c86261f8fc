import { type Cache, type Clock, createCache } from "@parley/base";
import { frameText } from "../../transport/frame-writer.ts";
import { encodeOzzieEvent, type OzzieEvent } from "./codec.ts";

/**
 * JSON around the text of a delta. This JSON is the same for all deltas of one run until the next recorded event of
 * the session.
 */
interface DeltaFrame {
	readonly seq: number;
	readonly runId: string;
	readonly head: string;
	readonly tail: string;
}

/** Maximum number of sessions whose delta JSON is cached. */
const maxCached = 1_000;
const noText = '"content":""';

type DeltaEvent = Extract<OzzieEvent["event"], { readonly type: "text.delta" | "thinking.delta" }>;

/**
 * Encodes events for the envelope `flat`. Caches the last frame, because the same event is sent to many clients in
 * turn.
 */
export class EventFrames {
	#event: OzzieEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);
	readonly #deltas: { readonly [Type in DeltaEvent["type"]]: Cache<string, DeltaFrame> };

	constructor(clock: Clock) {
		this.#deltas = {
			"text.delta": createCache({ max: maxCached, clock }),
			"thinking.delta": createCache({ max: maxCached, clock }),
		};
	}

	frame(event: OzzieEvent): Buffer {
		if (event === this.#event) return this.#frame;
		this.#frame = frameText(this.#encode(event));
		this.#event = event;
		return this.#frame;
	}

	#encode(event: OzzieEvent): string {
		const delta = event.event;
		if (delta.type !== "text.delta" && delta.type !== "thinking.delta")
			return JSON.stringify(encodeOzzieEvent(event));
		// Thousands of deltas of a reply differ only in their text, so the JSON around the text is reused.
		const deltas = this.#deltas[delta.type];
		let around = deltas.get(event.sessionId);
		if (around?.seq !== event.seq || around.runId !== delta.runId) {
			around = aroundText(event, delta);
			deltas.set(event.sessionId, around);
		}
		return around.head + JSON.stringify(delta.text) + around.tail;
	}
}

function aroundText({ sessionId, seq }: OzzieEvent, delta: DeltaEvent): DeltaFrame {
	const { runId } = delta;
	const frame = JSON.stringify(
		encodeOzzieEvent({ transient: true, sessionId, seq, event: { ...delta, text: "" } }),
	);
	const at = frame.indexOf(noText) + noText.length - 2;
	return { seq, runId, head: frame.slice(0, at), tail: frame.slice(at + 2) };
}
