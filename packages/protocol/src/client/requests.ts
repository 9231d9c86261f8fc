import { ParleyError } from "@parley/base";
import { maxRequestBytes, type ResponseFrame } from "../frame.ts";
import { type Answer, decodeError } from "./answer.ts";

const mostOutstanding = 1_000;

export interface Request {
	readonly method: string;
	readonly params: object;
	readonly sessionId?: string | undefined;
	/** Whether it outlives its connection: it is then sent again on the next, unchanged. */
	readonly lasting: boolean;
	/** Called once, at the moment the response is read: before any frame behind it is looked at. */
	settle(answer: Answer): void;
}

interface Outstanding {
	readonly text: string;
	readonly request: Request;
}

/** The requests that wait for an answer, in the order in which they were made. */
export class Requests {
	readonly #send: (text: string) => void;
	readonly #outstanding = new Map<string, Outstanding>();
	#count = 0;

	constructor(send: (text: string) => void) {
		this.#send = send;
	}

	/** Sends a request, or lets it wait for the next connection; returns its id. Throws when it cannot be taken. */
	add(request: Request): string {
		const id = `req-${++this.#count}`;
		const { method, params, sessionId } = request;
		const text = JSON.stringify({ type: "req", id, method, params, session_id: sessionId });
		const bytes = Buffer.byteLength(text);
		if (bytes > maxRequestBytes) {
			throw new ParleyError(`${method} has ${bytes} bytes: ${maxRequestBytes} are possible`, {
				code: "invalid_argument",
			});
		}
		if (request.lasting && this.#outstanding.size >= mostOutstanding) {
			throw new ParleyError(`${mostOutstanding} requests wait for an answer already`, {
				code: "resource_exhausted",
			});
		}
		this.#outstanding.set(id, { text, request });
		this.#send(text);
		return id;
	}

	/** Settles the request that the frame answers; an answer that nobody waits for any more is ignored. */
	answer(frame: ResponseFrame): void {
		const outstanding = frame.id === undefined ? undefined : this.#outstanding.get(frame.id);
		if (frame.id === undefined || !outstanding) return;
		this.#outstanding.delete(frame.id);
		outstanding.request.settle(
			frame.ok ? { ok: true, payload: frame.payload } : { ok: false, error: decodeError(frame.error) },
		);
	}

	/** Settles one request with an error and forgets it. */
	reject(id: string, error: ParleyError): void {
		const outstanding = this.#outstanding.get(id);
		this.#outstanding.delete(id);
		outstanding?.request.settle({ ok: false, error });
	}

	rejectAll(error: ParleyError): void {
		for (const id of [...this.#outstanding.keys()]) this.reject(id, error);
	}

	/** Forgets, without settling, what was meant for the connection that ended. */
	dropUnlasting(): void {
		for (const [id, { request }] of this.#outstanding) {
			if (!request.lasting) this.#outstanding.delete(id);
		}
	}

	sendAgain(): void {
		for (const { text, request } of this.#outstanding.values()) {
			if (request.lasting) this.#send(text);
		}
	}
}
