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
	 * The only trusted certificate of the gateway (PEM), for any host name. Without it, the system's authorities and host
	 * name checks apply.
	 */
	readonly certificate?: string | undefined;
	readonly clock: Clock;
	/** Source of idempotency keys and of random delays. */
	readonly ids: Ids;
	/** Whether a failed first connection is retried, as later connections are. Default: true. */
	readonly retryFirst?: boolean;
	/**
	 * Transient frames to receive: all (true, the default), none, or the frames with these names. Other transient frames
	 * are dropped unread, except prompts, `session.deleted` and checks of a person.
	 */
	readonly transient?: boolean | readonly EventName[];
	/** Receives each check of a person. Only connectors receive these checks. */
	readonly onPersonCheck?: ((check: PersonCheck) => void) | undefined;
	/** Receives each change of the state. `detail` is a human-readable description of the change. */
	readonly onState?: ((state: ClientState, detail: string) => void) | undefined;
}

/** Methods for `request`. `open` opens sessions, and the client resumes them automatically. */
export type RequestMethod = Exclude<MethodName, "open_session" | "resume">;

export interface OpenOptions {
	/** Stops the wait for the response. The gateway may have executed the request already. */
	readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends OpenOptions {
	/** Session of the request. Methods that work on a session require it, unless a parameter names the session. */
	readonly sessionId?: string | undefined;
}

export type OpenParams = Omit<MethodInput<"open_session">, "join">;

/** Calls methods of the gateway. */
export interface Requester {
	/**
	 * Calls a method. If the connection is lost before the response, sends the same request again on the next connection.
	 * Rejects with a `ParleyError`: for example the gateway's error, `cancelled` after an abort, or the reason why the
	 * client ended.
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
	 * Creates or resumes a session. Reads its events after `after_seq`, or new events only. Rejects as `request` does, and
	 * with `already_exists` if this client already reads the session.
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
