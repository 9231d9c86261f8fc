import { parseJson } from "@parley/base";
import WebSocket from "ws";
import * as z from "zod";
import { Watch } from "../watch.ts";

const Resumed = z.object({
	payload: z.object({
		sessions: z.array(z.object({ ok: z.boolean(), last_seq: z.int().optional() })).length(1),
	}),
});

/** Pattern of the sequence number, because `seq` is the last key of a persisted frame. */
const seqAtEnd = /"seq":(\d+)\}$/;

/** A client of one session that checks the sequence numbers of its frames across all its connections. */
export class StormClient {
	readonly #url: string;
	readonly #session: string;
	readonly #watch = new Watch();
	#socket: WebSocket | undefined;
	/** Sequence number of the last received frame that is persisted, or 0. */
	seq = 0;
	/** Missing and repeated sequence numbers. */
	readonly faults: string[] = [];
	/** Messages of connection errors. */
	readonly refusals: string[] = [];
	closedWith: number | undefined;

	constructor(url: string, session: string) {
		this.#url = url;
		this.#session = session;
	}

	/** Resumes after the last persisted frame. Returns whether the session was resumed. */
	async connect(): Promise<boolean> {
		const { promise, resolve } = Promise.withResolvers<boolean>();
		const socket = new WebSocket(this.#url);
		this.#socket = socket;
		this.closedWith = undefined;
		const params = { sessions: [{ session_id: this.#session, after_seq: this.seq }] };
		socket.on("open", () =>
			socket.send(JSON.stringify({ type: "req", id: "resume", method: "resume", params })),
		);
		socket.on("message", (data) => {
			const text = data.toString();
			if (!text.startsWith('{"type":"res"')) this.#receive(text);
			else resolve(Resumed.parse(parseJson(text)).payload.sessions[0]?.ok === true);
		});
		socket.on("error", (error) => this.refusals.push(error.message));
		socket.on("close", (code) => {
			if (this.#socket === socket) this.closedWith = code;
			this.#watch.notify();
			resolve(false);
		});
		return promise;
	}

	drop(): void {
		this.#socket?.terminate();
	}

	reading(on: boolean): void {
		if (on) this.#socket?.resume();
		else this.#socket?.pause();
	}

	async reaches(seq: number): Promise<void> {
		await this.#watch.until(`its client has received ${seq}`, () => this.seq >= seq);
	}

	/** Returns the close code after the gateway has closed the connection. */
	async closed(): Promise<number> {
		await this.#watch.until("the gateway closes a connection", () => this.closedWith !== undefined);
		return this.closedWith ?? 0;
	}

	#receive(text: string): void {
		const [, digits] = seqAtEnd.exec(text.slice(-40)) ?? [];
		if (digits === undefined) return;
		const seq = Number(digits);
		if (seq !== this.seq + 1) this.faults.push(`${seq} behind ${this.seq}`);
		this.seq = seq;
		this.#watch.notify();
	}
}
