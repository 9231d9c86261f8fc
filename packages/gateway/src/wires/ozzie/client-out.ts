import type { ResponseFrame } from "@parley/protocol";
import type { FrameWriter } from "../../transport/frame-writer.ts";
import { weightOf } from "../shared/event-json.ts";
import type { OzzieEvent } from "./codec.ts";
import type { Outgoing } from "./connection.ts";
import type { Envelope } from "./envelope.ts";
import type { Pace } from "./pace.ts";

/** Makes frames of one shape, whole and ready to be sent. */
export interface Encoder {
	event(event: OzzieEvent): Buffer;
	response(frame: ResponseFrame): Buffer;
}

interface ClientOutOptions {
	readonly writer: FrameWriter;
	readonly pace: Pace;
	/** One for each envelope. */
	readonly encoders: { readonly [Name in Envelope]: Encoder };
	readonly close: Outgoing["close"];
}

/** A connection's way to its WebSocket. */
export class ClientOut implements Outgoing {
	readonly close: Outgoing["close"];
	readonly #writer: FrameWriter;
	readonly #pace: Pace;
	readonly #encoders: ClientOutOptions["encoders"];
	#encoder: Encoder;

	constructor({ writer, pace, encoders, close }: ClientOutOptions) {
		this.#writer = writer;
		this.#pace = pace;
		this.#encoders = encoders;
		this.#encoder = encoders.flat;
		this.close = close;
	}

	response(frame: ResponseFrame): void {
		if (!frame.ok) this.#pace.failed();
		this.#writer.write(this.#encoder.response(frame), "required");
	}

	event(event: OzzieEvent): void {
		this.#writer.write(this.#encoder.event(event), weightOf(event));
	}

	drained(): Promise<void> {
		return this.#writer.drained();
	}

	reading(on: boolean): void {
		this.#pace.full(!on);
	}

	shape(envelope: Envelope): void {
		this.#encoder = this.#encoders[envelope];
	}
}
