import type { ParleyError } from "@parley/base";
import type { Client, EventFrame, EventName, EventPayloads, OpenSession } from "@parley/protocol";

export class FakeSession implements OpenSession {
	readonly id: string;
	readonly status: OpenSession["status"];
	readonly lastSeq: number;
	readonly #frames: EventFrame[] = [];
	#wake = Promise.withResolvers<void>();
	#isClosed = false;
	#error: ParleyError | undefined;

	constructor(id: string, status: OpenSession["status"] = "created", lastSeq = 0) {
		this.id = id;
		this.status = status;
		this.lastSeq = lastSeq;
	}

	get isClosed(): boolean {
		return this.#isClosed;
	}

	happens<Name extends EventName>(event: Name, payload: EventPayloads[Name]): void {
		this.#frames.push({ type: "event", event, session_id: this.id, payload, seq: 1 });
		this.#wake.resolve();
	}

	/** Makes the session fail, so that it cannot be continued. */
	fails(error: ParleyError): void {
		this.#error = error;
		this.#wake.resolve();
	}

	async *events(): AsyncGenerator<EventFrame, void> {
		while (!this.#isClosed) {
			const frame = this.#frames.shift();
			if (frame) yield frame;
			else if (this.#error) throw this.#error;
			else {
				this.#wake = Promise.withResolvers();
				await this.#wake.promise;
			}
		}
	}

	close(): void {
		this.#isClosed = true;
		this.#wake.resolve();
	}
}

/** A recorded request, which the test answers or refuses. */
export interface FakeRequest {
	readonly method: string;
	readonly params: unknown;
	readonly sessionId: string | undefined;
	answer(result: unknown): void;
	refuse(error: ParleyError): void;
}

/** A client that records its requests for the test. */
export class FakeClient implements Client {
	readonly requests: FakeRequest[] = [];

	request: Client["request"] = (method, params, options) => this.#ask(method, params, options?.sessionId);

	open: Client["open"] = (params) => this.#ask("open_session", params, undefined);

	last(method: string): FakeRequest {
		const request = this.requests.at(-1);
		if (request?.method !== method) throw new Error(`the last request is ${request?.method ?? "none"}`);
		return request;
	}

	async close(): Promise<void> {
		await Promise.resolve();
	}

	#ask(method: string, params: unknown, sessionId: string | undefined): Promise<never> {
		const { promise, resolve, reject } = Promise.withResolvers<never>();
		// The cast is safe for every answer that the tests of this package give.
		const answer = (result: unknown): void => resolve(result as never);
		this.requests.push({ method, params, sessionId, answer, refuse: reject });
		return promise;
	}
}
