import type { Clock, Ids } from "@parley/base/portable";
import type { EventName } from "../events.ts";
import type { MethodInput, MethodName, MethodResult } from "../methods.ts";
import type { PersonCheck } from "../person-check.ts";
import type { OpenSession } from "./session-reader.ts";

/** `connecting` follows `lost`; `closed` is final. */
export type ClientState = "connecting" | "open" | "lost" | "closed";

export interface ClientOptions {
	/** `http://HOST:PORT` of the gateway, or the complete `ws://HOST:PORT/api/ws`. */
	readonly url: string;
	readonly token?: string | undefined;
	/**
	 * The only trusted certificate of the gateway (PEM), for any host name. Without it, the usual authorities and host name
	 * checks apply.
	 */
	readonly certificate?: string | undefined;
	readonly clock: Clock;
	/** Source of idempotency keys and of random delays. */
	readonly ids: Ids;
	/** Whether a failed first connection is retried like later ones. True by default. */
	readonly retryFirst?: boolean;
	/**
	 * Transient frames to receive: all (true, the default), none, or those with these names. Other transient frames are
	 * dropped unread, except prompts and `session.deleted`.
	 */
	readonly transient?: boolean | readonly EventName[];
	/** Called for each question about a person. Only connectors receive them. */
	readonly onPersonCheck?: ((check: PersonCheck) => void) | undefined;
	/** `detail` describes the event for people. */
	readonly onState?: ((state: ClientState, detail: string) => void) | undefined;
}

/** Methods for `request`. Sessions are opened with `open` and resumed automatically. */
export type RequestMethod = Exclude<MethodName, "open_session" | "resume">;

export interface OpenOptions {
	/** Stops waiting. The gateway may have executed the request already. */
	readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends OpenOptions {
	/** Session of the request, required by methods that work on one. */
	readonly sessionId?: string | undefined;
}

export type OpenParams = Omit<MethodInput<"open_session">, "join">;

/** Calls methods of the gateway. */
export interface Requester {
	/**
	 * Calls a method. If the connection is lost before the response, the request is sent again on the next one, with the
	 * same idempotency key. Rejects with a `ParleyError` with the gateway's message.
	 */
	request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		options?: RequestOptions,
	): Promise<MethodResult<Name>>;
}

/** Calls methods of the gateway and reads its sessions. */
export interface SessionClient extends Requester {
	/**
	 * Creates or resumes a session and reads it from `after_seq`, or from now. Rejects with `already_exists` if this client
	 * already reads it.
	 */
	open(params: OpenParams, options?: OpenOptions): Promise<OpenSession>;
}

/** A connection to the gateway that reconnects, with any number of sessions. */
export interface Client extends SessionClient {
	/** Closes the connection, rejects pending requests with `cancelled` and ends the events of all sessions. */
	close(): Promise<void>;
}
