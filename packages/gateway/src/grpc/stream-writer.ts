import { status } from "@grpc/grpc-js";

/** Messages that wait for a client that reads slowly: then deltas are left out, and at twice as many the stream ends. */
const mostWaiting = 10_000;

interface CallStatus {
	readonly code?: status | null;
	readonly details?: string | null;
}

/** The part of a streaming call that sends. */
interface SendingCall<Message> {
	readonly cancelled: boolean;
	write(message: Message, sent: () => void): boolean;
	end(): unknown;
	emit(event: "error", failure: CallStatus): boolean;
}

/** Writes messages of a stream in order, and bounds how many wait for a client that reads slowly. */
export class StreamWriter<Message> {
	readonly #call: SendingCall<Message>;
	readonly #mayDrop: (message: Message) => boolean;
	readonly #tooSlow: () => void;
	#waiting = 0;
	#isOver = false;

	/**
	 * `mayDrop` returns true for messages that a slow client can do without. `tooSlow` is called if
	 * the stream ends because its client reads too slowly.
	 */
	constructor(call: SendingCall<Message>, mayDrop: (message: Message) => boolean, tooSlow: () => void) {
		this.#call = call;
		this.#mayDrop = mayDrop;
		this.#tooSlow = tooSlow;
	}

	write(message: Message): void {
		if (this.#isOver || this.#call.cancelled) return;
		if (this.#waiting >= mostWaiting && this.#mayDrop(message)) return;
		if (this.#waiting >= 2 * mostWaiting) {
			this.fail({
				code: status.RESOURCE_EXHAUSTED,
				details: "the client reads too slowly; its session goes on",
			});
			this.#tooSlow();
			return;
		}
		this.#waiting += 1;
		this.#call.write(message, () => {
			this.#waiting -= 1;
		});
	}

	/** Ends the stream with a status. */
	fail(failure: CallStatus): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#call.emit("error", failure);
	}

	/** Ends the stream with OK behind what was written. */
	end(): void {
		if (this.#isOver) return;
		this.#isOver = true;
		this.#call.end();
	}
}
