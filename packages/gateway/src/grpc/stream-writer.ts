import { status } from "@grpc/grpc-js";
import type { Clock, Timer } from "@parley/base";
import { grpcTexts } from "../texts/grpc.ts";
import type { Holder, OutgoingAccount } from "../transport/outgoing-account.ts";
import { type ReaderBudget, readerBudget, readerPatienceMs } from "../transport/reader-budget.ts";

/** Number of bytes in grpc-js above which further messages wait in the writer. */
const callShare = 64 * 1024;

export interface CallStatus {
	readonly code?: status | null;
	readonly details?: string | null;
}

interface SendingCall {
	readonly cancelled: boolean;
	write(message: Buffer, sent: () => void): boolean;
	end(): unknown;
	emit(event: "error", failure: CallStatus): boolean;
}

export interface StreamWriterOptions<Message> {
	/** A call that sends encoded messages unchanged. */
	readonly call: SendingCall;
	readonly encode: (message: Message) => Buffer;
	/** Whether a slow client does not need the message. */
	readonly mayDrop: (message: Message) => boolean;
	readonly clock: Clock;
	readonly account: OutgoingAccount;
	readonly budget?: ReaderBudget;
	/** Reports each dropped message. */
	readonly onDropped?: () => void;
	/** Reports once that the stream ends because its client reads too slowly. */
	readonly onOverflow: () => void;
}

/**
 * Writes the messages of one stream in order, and limits the bytes and the messages that wait for a slow client. Above
 * the budget, messages that `mayDrop` selects are dropped. A stream that stays above the budget for 5 s, or reaches
 * twice the budget, ends with RESOURCE_EXHAUSTED, and its waiting messages are dropped.
 */
export class StreamWriter<Message> implements Holder {
	readonly #options: StreamWriterOptions<Message>;
	readonly #budget: ReaderBudget;
	/** Encoded messages that grpc-js does not have yet. */
	#waiting: Buffer[] = [];
	#waitingBytes = 0;
	/** Number of bytes that wait in grpc-js. */
	#sendingBytes = 0;
	#deadline: Timer | undefined;
	#phase: "open" | "ending" | "over" = "open";

	constructor(options: StreamWriterOptions<Message>) {
		this.#options = options;
		this.#budget = options.budget ?? readerBudget;
	}

	write(message: Message): void {
		const { call, encode, mayDrop, onDropped } = this.#options;
		if (this.#phase !== "open" || call.cancelled) return;
		if (this.#isOver() && mayDrop(message)) {
			onDropped?.();
			return;
		}
		const bytes = encode(message);
		this.#waiting.push(bytes);
		this.#waitingBytes += bytes.length;
		this.#send();
		if (this.#isOver()) this.#warn();
	}

	/** Ends the stream with a status. Drops waiting messages. */
	fail(failure: CallStatus): void {
		if (this.#phase === "over") return;
		this.close();
		this.#options.call.emit("error", failure);
	}

	/** Ends the stream with OK after all messages. */
	end(): void {
		if (this.#phase !== "open") return;
		this.#phase = "ending";
		this.#send();
	}

	/** Drops all waiting messages, because the stream is closed or ends with a status. */
	close(): void {
		this.#phase = "over";
		this.#waiting = [];
		this.#waitingBytes = 0;
		this.#deadline?.cancel();
		this.#deadline = undefined;
		this.#options.account.set(this, 0);
	}

	giveUp(): void {
		this.#overflow();
	}

	#send(): void {
		const { call } = this.#options;
		if (call.cancelled) return;
		let sent = 0;
		for (const message of this.#waiting) {
			if (this.#sendingBytes >= callShare) break;
			sent += 1;
			this.#waitingBytes -= message.length;
			this.#sendingBytes += message.length;
			call.write(message, () => this.#left(message.length));
		}
		this.#waiting.splice(0, sent);
		this.#count();
		if (this.#phase !== "ending" || this.#waiting.length > 0) return;
		this.#phase = "over";
		call.end();
	}

	#left(bytes: number): void {
		this.#sendingBytes -= bytes;
		if (this.#phase === "over") return;
		this.#send();
		if (this.#deadline === undefined || this.#isOver()) return;
		this.#deadline.cancel();
		this.#deadline = undefined;
	}

	/**
	 * Reports the waiting bytes to the account. Reports 0 while no message waits in the writer, because the bytes in
	 * grpc-js are limited.
	 */
	#count(): void {
		const bytes = this.#waiting.length === 0 ? 0 : this.#waitingBytes + this.#sendingBytes;
		if (this.#phase !== "over") this.#options.account.set(this, bytes);
	}

	#isOver(times = 1): boolean {
		const { frames, bytes } = this.#budget;
		return this.#waiting.length >= times * frames || this.#waitingBytes + this.#sendingBytes >= times * bytes;
	}

	#warn(): void {
		if (this.#isOver(2)) {
			this.#overflow();
			return;
		}
		this.#deadline ??= this.#options.clock.after(readerPatienceMs, () => {
			this.#deadline = undefined;
			if (this.#isOver()) this.#overflow();
		});
	}

	#overflow(): void {
		if (this.#phase === "over") return;
		this.fail({
			code: status.RESOURCE_EXHAUSTED,
			details: grpcTexts.slowReader,
		});
		this.#options.onOverflow();
	}
}
