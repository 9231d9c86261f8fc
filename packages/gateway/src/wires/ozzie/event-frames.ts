import { frameText } from "../../transport/text-frame.ts";
import { encodeOzzieEvent, type OzzieEvent } from "./codec.ts";

/** What stands around the text in the deltas of one session, as long as nothing is recorded there. */
interface DeltaFrame {
	readonly seq: number;
	readonly runId: string;
	readonly head: string;
	readonly tail: string;
}

/** Sessions whose delta frames are remembered. */
const mostRemembered = 1_000;
const noText = '"content":""';

type DeltaEvent = Extract<OzzieEvent["event"], { readonly type: "text.delta" | "thinking.delta" }>;

/** Encodes an event once for all clients: they get it one after the other, so the last one is all to remember. */
export class EventFrames {
	#event: OzzieEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);
	readonly #deltas = {
		"text.delta": new Map<string, DeltaFrame>(),
		"thinking.delta": new Map<string, DeltaFrame>(),
	};

	frame(event: OzzieEvent): Buffer {
		if (event === this.#event) return this.#frame;
		this.#frame = frameText(this.#encode(event));
		this.#event = event;
		return this.#frame;
	}

	/** A long reply is thousands of frames that differ in their text alone. */
	#encode(event: OzzieEvent): string {
		const told = event.event;
		if (told.type !== "text.delta" && told.type !== "thinking.delta")
			return JSON.stringify(encodeOzzieEvent(event));
		const deltas = this.#deltas[told.type];
		let around = deltas.get(event.sessionId);
		if (around?.seq !== event.seq || around.runId !== told.runId) {
			around = aroundText(event, told);
			if (deltas.size >= mostRemembered) deltas.clear();
			deltas.set(event.sessionId, around);
		}
		return around.head + JSON.stringify(told.text) + around.tail;
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
