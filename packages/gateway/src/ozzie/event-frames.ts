import { frameText } from "../transport/text-frame.ts";
import { encodeEvent } from "./codec.ts";
import type { WireEvent } from "./wire-event.ts";

/** What stands around the text in the deltas of one session, as long as nothing is recorded there. */
interface DeltaFrame {
	readonly seq: number;
	readonly head: string;
	readonly tail: string;
}

/** Sessions whose delta frame is remembered. */
const mostRemembered = 1_000;
const noText = '"content":""';

/** Encodes an event once for all clients: they get it one after the other, so the last one is all to remember. */
export class EventFrames {
	#event: WireEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);
	readonly #deltas = new Map<string, DeltaFrame>();

	frame(event: WireEvent): Buffer {
		if (event === this.#event) return this.#frame;
		this.#frame = frameText(this.#encode(event));
		this.#event = event;
		return this.#frame;
	}

	/** A long reply is thousands of frames that differ in their text alone. */
	#encode(event: WireEvent): string {
		const told = event.event;
		if (told.type !== "text.delta") return JSON.stringify(encodeEvent(event));
		let around = this.#deltas.get(event.sessionId);
		if (around?.seq !== event.seq) {
			around = aroundText({ ...event, transient: true, event: { ...told, text: "" } });
			if (this.#deltas.size >= mostRemembered) this.#deltas.clear();
			this.#deltas.set(event.sessionId, around);
		}
		return around.head + JSON.stringify(told.text) + around.tail;
	}
}

function aroundText(empty: Extract<WireEvent, { transient: true }>): DeltaFrame {
	const frame = JSON.stringify(encodeEvent(empty));
	const at = frame.indexOf(noText) + noText.length - 2;
	return { seq: empty.seq, head: frame.slice(0, at), tail: frame.slice(at + 2) };
}
