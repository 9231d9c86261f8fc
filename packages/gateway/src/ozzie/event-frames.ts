import type { SessionEvent } from "@parley/core";
import { frameText } from "../transport/text-frame.ts";
import { encodeEvent } from "./codec.ts";

/** Encodes an event once for all clients: they get it one after the other, so the last one is all to remember. */
export class EventFrames {
	#event: SessionEvent | undefined;
	#frame: Buffer = Buffer.alloc(0);

	frame(event: SessionEvent): Buffer {
		if (event === this.#event) return this.#frame;
		this.#frame = frameText(JSON.stringify(encodeEvent(event)));
		this.#event = event;
		return this.#frame;
	}
}
