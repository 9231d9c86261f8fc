import type { Clock, Ids } from "@parley/base/portable";
import type { EventName } from "../events.ts";
import type { MethodInput, MethodName, MethodResult } from "../methods.ts";
import type { PersonCheck } from "../person-check.ts";
import type { OpenSession } from "./session-reader.ts";

/** State of the connection. `connecting` is the first state and also follows `lost`. `closed` is final. */
export type ClientState = "connecting" | "open" | "lost" | "closed";

export interface ClientOptions {
	/** `http://HOST:PORT` of the gateway, or the complete `ws://HOST:PORT/api/ws`. With TLS, `https` or `wss`. */
	readonly url: string;
	readonly token?: string | undefined;
	/**
	 * The only trusted certificate of the gateway (PEM), for any host name. Without `certificate`, the system's
	 * authorities and host name checks apply.
	 */
	readonly certificate?: string | undefined;
	readonly clock: Clock;
	/** Source of idempotency keys and random delays. */
	readonly ids: Ids;
	/**
	 * Whether a failed first connection is retried. Later connections are retried unless the gateway refuses one.
	 * Default: true.
	 */
	readonly retryFirst?: boolean;
	/**
	 * Transient frames to receive: all (true, the default), none (false), or the frames with the listed names. Other
	 * transient frames are dropped unread, except prompts, `session.deleted` and `person.check`.
	 */
	readonly transient?: boolean | readonly EventName[];
	/** Receives each `person.check` frame. The gateway sends these frames only to connectors. */
	readonly onPersonCheck?: ((check: PersonCheck) => void) | undefined;
	/** Receives each change of the connection's state. `detail` is a human-readable description of the change. */
	readonly onState?: ((state: ClientState, detail: string) => void) | undefined;
}

/** Methods for `request`. `open` opens sessions, and the client resumes them automatically. */
export type RequestMethod = Exclude<MethodName, "open_session" | "resume">;

export interface OpenOptions {
	/** Stops the wait for the response. The gateway may have executed the request already. */
	readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends OpenOptions {
	/**
	 * Session of the request. Methods that work on a session require `sessionId`, unless a parameter names the session.
	 */
	readonly sessionId?: string | undefined;
}

export type OpenParams = Omit<MethodInput<"open_session">, "join">;

/** Calls methods of the gateway. */
export interface Requester {
	/**
	 * Calls a method. If the connection is lost before the response, sends the same request again on the next
	 * connection. Rejects with a `ParleyError`: for example the gateway's error, `cancelled` if the signal aborts, or
	 * the reason why the client ended.
	 */
	request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		options?: RequestOptions,
	): Promise<MethodResult<Name>>;
}

/** Calls methods of the gateway and reads sessions. */
export interface SessionClient extends Requester {
	/**
	 * Creates or resumes a session, and reads its events after `after_seq`. Without `after_seq`, reads only new events.
	 * Rejects as `request` does. Also rejects with `already_exists` if the client already reads the session.
	 */
	open(params: OpenParams, options?: OpenOptions): Promise<OpenSession>;
}

/** A reconnecting connection to the gateway for any number of sessions. */
export interface Client extends SessionClient {
	/**
	 * Closes the connection, rejects pending requests with `cancelled` and ends the events of all sessions.
	 * Resolves when the connection is closed.
	 */
	close(): Promise<void>;
}
