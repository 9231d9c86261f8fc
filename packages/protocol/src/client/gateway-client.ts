import { chanceOf, type ErrorCode, type Ids, ParleyError, parseJson } from "@parley/base/portable";
import type * as z from "zod";
import { type EventFrame, maxRequestBytes, type ResponseFrame, ServerFrame } from "../frame.ts";
import { type MethodInput, type MethodName, type MethodResult, methods } from "../methods.ts";
import { PersonCheck, personCheckName } from "../person-check.ts";
import type {
	Client,
	ClientOptions,
	ClientState,
	OpenOptions,
	OpenParams,
	RequestMethod,
	RequestOptions,
} from "./client.ts";
import { Link, type LinkObserver } from "./link.ts";
import { type OpenSession, SessionReader } from "./session-reader.ts";

/** Number of bad frames at which the client ends. A persisted frame that a session accepts resets the count. */
const maxViolations = 5;

/**
 * Limits of frames from the gateway. Higher than the limits of client frames, because a page of sessions or the
 * arguments in a prompt must fit.
 */
const jsonLimits = { maxDepth: 128, maxNodes: 1_000_000 };

/** Client of one gateway. Requests and session readers share one link. */
export class GatewayClient implements Client, LinkObserver {
	readonly #url: URL;
	readonly #ids: Ids;
	/** Prefixes of the transient frames to read. Undefined: all transient frames. */
	readonly #requested: readonly string[] | undefined;
	readonly #onPersonCheck: ClientOptions["onPersonCheck"];
	readonly #onState: (state: ClientState, detail: string) => void;
	readonly #link: Link;
	readonly #requests = new Requests((text) => this.#link.send(text));
	readonly #readers = new Map<string, SessionReader>();
	#violations = 0;
	#end: ParleyError | undefined;

	constructor(options: ClientOptions, url: URL) {
		const { token, certificate, clock, ids, retryFirst = true } = options;
		this.#url = url;
		this.#ids = ids;
		const { transient = true } = options;
		const requested = transient === true ? undefined : transient || [];
		this.#requested = requested?.map((name) => `${event}${name}"`);
		this.#onPersonCheck = options.onPersonCheck;
		this.#onState = options.onState ?? (() => {});
		this.#link = new Link({ url, token, certificate, clock, chance: () => chanceOf(ids), retryFirst }, this);
	}

	start(): void {
		this.#link.start();
	}

	request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		options: RequestOptions = {},
	): Promise<MethodResult<Name>> {
		return this.#call(method, params, options, (result) => result);
	}

	open(params: OpenParams, options: OpenOptions = {}): Promise<OpenSession> {
		return this.#call("open_session", { ...params, join: true }, options, (opened) => {
			// All frames of a new session follow the response, starting with `session.created`.
			const after = opened.status === "created" ? 0 : (params.after_seq ?? opened.last_seq);
			return this.#read(opened, after);
		});
	}

	close(): Promise<void> {
		for (const reader of [...this.#readers.values()]) reader.close();
		this.#finish(new ParleyError("the client was closed", { code: "cancelled" }));
		this.#link.stop(1000);
		return this.#link.stopped;
	}

	connecting(): void {
		this.#onState("connecting", this.#url.href);
	}

	opened(): void {
		this.#onState("open", this.#url.href);
		for (const reader of this.#readers.values()) {
			if (!reader.isBehind) this.#join(reader);
		}
		this.#requests.resend();
	}

	received(text: string): void {
		if (this.#requested && isTransient(text) && !this.#requested.some((begin) => text.startsWith(begin))) {
			this.#link.settle();
			return;
		}
		const frame = this.#decode(text);
		if (frame?.type === "res") this.#answered(frame);
		if (frame?.type === "event") this.#deliver(frame);
	}

	lost(reason: string, retryInMs: number): void {
		this.#requests.dropConnectionRequests();
		this.#onState("lost", `${reason}; retrying in ${retryInMs} ms`);
	}

	refused(error: ParleyError): void {
		this.#finish(error);
	}

	#call<Name extends MethodName, Value>(
		method: Name,
		params: MethodInput<Name>,
		{ sessionId, signal }: RequestOptions,
		use: (result: MethodResult<Name>) => Value,
	): Promise<Value> {
		return new Promise((resolve, reject) => {
			if (this.#end) throw this.#end;
			const cancelled = (): ParleyError =>
				new ParleyError(`${method} was cancelled`, { code: "cancelled", cause: signal?.reason });
			if (signal?.aborted) throw cancelled();
			const abort = (): void => this.#requests.reject(id, cancelled());
			const settle = (answer: Answer): void => {
				signal?.removeEventListener("abort", abort);
				try {
					resolve(use(decodeResult(method, answer)));
				} catch (reason) {
					reject(ParleyError.from(reason));
				}
			};
			const keyed = this.#withKey(method, params);
			const id = this.#requests.add({ method, params: keyed, sessionId, lasting: true, settle });
			signal?.addEventListener("abort", abort, { once: true });
		});
	}

	#withKey(method: MethodName, params: object): object {
		if (!("key" in methods[method].params.shape) || ("key" in params && params.key)) return params;
		return { ...params, key: this.#ids.create("key") };
	}

	#read(opened: MethodResult<"open_session">, after: number): SessionReader {
		if (this.#readers.has(opened.session_id)) {
			throw new ParleyError(`session ${opened.session_id} is already open on this client: close it first`, {
				code: "already_exists",
			});
		}
		const reader: SessionReader = new SessionReader({
			opened,
			after,
			onClose: () => this.#forget(reader),
			onCaughtUp: () => {
				if (this.#link.isOpen) this.#join(reader);
			},
		});
		this.#readers.set(reader.id, reader);
		return reader;
	}

	#join(reader: SessionReader): void {
		const after = reader.after;
		this.#requests.add({
			method: "open_session",
			params: { session_id: reader.id, after_seq: after, join: true },
			lasting: false,
			settle: (answer) => {
				try {
					const { last_seq } = decodeResult("open_session", answer);
					if (last_seq < after) throw seqWentBackwards(reader.id, after, last_seq);
				} catch (reason) {
					this.#joinFailed(reader, ParleyError.from(reason));
				}
			},
		});
	}

	#joinFailed(reader: SessionReader, error: ParleyError): void {
		if (error.code === "unavailable" || error.code === "resource_exhausted") {
			this.#link.drop(1000, "the session could not be resumed now");
		} else {
			reader.fail(error);
			this.#forget(reader);
		}
	}

	#forget(reader: SessionReader): void {
		if (this.#readers.get(reader.id) === reader) this.#readers.delete(reader.id);
	}

	#decode(text: string): ServerFrame | undefined {
		try {
			return ServerFrame.parse(parseJson(text, jsonLimits));
		} catch (cause) {
			this.#violated("sent a frame that cannot be read", cause);
			return undefined;
		}
	}

	#answered(frame: ResponseFrame): void {
		if (frame.ok) this.#link.settle();
		this.#requests.answer(frame);
	}

	#deliver(frame: EventFrame): void {
		this.#link.settle();
		if (frame.event === personCheckName) {
			const check = PersonCheck.safeParse(frame.payload);
			// If this client cannot read the check, another connection of the connector may answer it.
			if (check.success) this.#onPersonCheck?.(check.data);
			return;
		}
		const reader = frame.session_id === undefined ? undefined : this.#readers.get(frame.session_id);
		const received = reader?.receive(frame) ?? "ignored";
		if (received === "gap")
			this.#violated(`did not send the events before seq ${frame.seq} of ${frame.session_id}`);
		if (received === "full") this.#link.drop(1000, "this client reads a session too slowly");
		if (received === "kept" && !frame.transient) this.#violations = 0;
	}

	#violated(problem: string, cause?: unknown): void {
		this.#violations += 1;
		if (this.#violations < maxViolations) {
			this.#link.drop(1002, problem);
		} else {
			const message = `the gateway at ${this.#url.href} ${problem}; ${useSameVersion}`;
			this.#finish(new ParleyError(message, { code: "data_loss", cause }));
			this.#link.stop(1002);
		}
	}

	#finish(error: ParleyError): void {
		if (this.#end) return;
		this.#end = error;
		for (const reader of this.#readers.values()) reader.fail(error);
		this.#readers.clear();
		this.#requests.rejectAll(error);
		this.#onState("closed", error.message);
	}
}

const event = '{"type":"event","event":"';

/**
 * Whether the text is a transient frame that can be dropped unread, unlike prompts, `session.deleted` and checks
 * of a person. Gateways write the keys in a fixed order and escape quotes inside texts, so the start and the end
 * of the text suffice. False for a frame in another form, which is then parsed.
 */
function isTransient(text: string): boolean {
	if (!text.endsWith(',"transient":true}') || !text.startsWith(event)) return false;
	const needsAnswer = ["prompt.", personCheckName].some((name) => text.startsWith(name, event.length));
	return !needsAnswer && !text.startsWith('session.deleted"', event.length);
}

function seqWentBackwards(id: string, after: number, last: number): ParleyError {
	const message = `session ${id} ends at seq ${last}, but this client has received ${after}: the gateway's data was replaced; open the session again`;
	return new ParleyError(message, { code: "data_loss" });
}

const useSameVersion = "use the same version of Parley for the gateway and the client";

const maxOutstanding = 1_000;

export interface Request {
	readonly method: string;
	readonly params: object;
	readonly sessionId?: string | undefined;
	/** Whether the request is repeated unchanged after a reconnect. */
	readonly lasting: boolean;
	/**
	 * Receives the response when it is read, before any later frame is read. Receives the error if the request is
	 * rejected.
	 */
	settle(answer: Answer): void;
}

interface Outstanding {
	readonly text: string;
	readonly request: Request;
}

/** Requests without a response, in order. */
export class Requests {
	readonly #send: (text: string) => void;
	readonly #outstanding = new Map<string, Outstanding>();
	#count = 0;

	constructor(send: (text: string) => void) {
		this.#send = send;
	}

	/**
	 * Sends a request, or queues it for the next connection, and returns its id. Throws `invalid_argument` if the
	 * request has too many bytes, and `resource_exhausted` if the request is lasting and too many requests have no
	 * response.
	 */
	add(request: Request): string {
		const id = `req-${++this.#count}`;
		const { method, params, sessionId } = request;
		const text = JSON.stringify({ type: "req", id, method, params, session_id: sessionId });
		const bytes = Buffer.byteLength(text);
		if (bytes > maxRequestBytes) {
			throw new ParleyError(
				`cannot send ${method}: the request has ${bytes} bytes, and at most ${maxRequestBytes} are allowed; shorten the request`,
				{
					code: "invalid_argument",
				},
			);
		}
		if (request.lasting && this.#outstanding.size >= maxOutstanding) {
			throw new ParleyError(
				`cannot send ${method}: ${maxOutstanding} requests are already waiting for a response; try again later`,
				{
					code: "resource_exhausted",
				},
			);
		}
		this.#outstanding.set(id, { text, request });
		this.#send(text);
		return id;
	}

	/** Settles the request of the frame. Ignores a response without a request. */
	answer(frame: ResponseFrame): void {
		const outstanding = frame.id === undefined ? undefined : this.#outstanding.get(frame.id);
		if (frame.id === undefined || !outstanding) return;
		this.#outstanding.delete(frame.id);
		outstanding.request.settle(
			frame.ok ? { ok: true, payload: frame.payload } : { ok: false, error: decodeError(frame.error) },
		);
	}

	reject(id: string, error: ParleyError): void {
		const outstanding = this.#outstanding.get(id);
		this.#outstanding.delete(id);
		outstanding?.request.settle({ ok: false, error });
	}

	rejectAll(error: ParleyError): void {
		for (const id of [...this.#outstanding.keys()]) this.reject(id, error);
	}

	/** Removes the requests that belonged to the ended connection. Does not settle them. */
	dropConnectionRequests(): void {
		for (const [id, { request }] of this.#outstanding) {
			if (!request.lasting) this.#outstanding.delete(id);
		}
	}

	resend(): void {
		for (const { text, request } of this.#outstanding.values()) {
			if (request.lasting) this.#send(text);
		}
	}
}

type Answer =
	| { readonly ok: true; readonly payload: unknown }
	| { readonly ok: false; readonly error: ParleyError };

const codes: readonly (readonly [phrase: string, code: ErrorCode])[] = [
	["unknown method", "unimplemented"],
	["not available", "unimplemented"],
	["invalid", "invalid_argument"],
	["duplicate id", "already_exists"],
	["session not found", "not_found"],
	["task not found", "not_found"],
	["prompt not found", "not_found"],
	["session busy", "resource_exhausted"],
	["rate limited", "resource_exhausted"],
	["the store could not commit", "unavailable"],
	["forbidden", "permission_denied"],
	["draining", "unavailable"],
	["seq not available", "data_loss"],
];

/**
 * Returns the error for a failed response, with the complete text as its message. The start of the text determines the
 * code: `internal` if the start is unknown.
 */
export function decodeError(error: string): ParleyError {
	const known = codes.find(([phrase]) => error.startsWith(phrase));
	return new ParleyError(error, { code: known ? known[1] : "internal" });
}

/** Returns the result, or throws the gateway's error. Throws `internal` for a result in another form. */
export function decodeResult<Name extends MethodName>(method: Name, answer: Answer): MethodResult<Name> {
	if (!answer.ok) throw answer.error;
	// The cast is safe by the definition of `MethodResult`, which the compiler does not resolve for a type
	// parameter.
	const schema = methods[method].result as unknown as z.ZodType<MethodResult<Name>>;
	const result = schema.safeParse(answer.payload);
	if (result.success) return result.data;
	throw new ParleyError(`the gateway's answer to ${method} cannot be read: ${useSameVersion}`, {
		code: "internal",
		cause: result.error,
	});
}
