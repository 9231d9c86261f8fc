import type { Clock, Ids } from "@parley/base";
import type { EventName } from "../events.ts";
import type { MethodInput, MethodName, MethodResult } from "../methods.ts";
import type { PersonCheck } from "../person-check.ts";
import type { OpenSession } from "./session-reader.ts";

/** `lost` is followed by `connecting`; nothing follows `closed`. */
export type ClientState = "connecting" | "open" | "lost" | "closed";

export interface ClientOptions {
	/** `http://HOST:PORT` of the gateway, or the whole `ws://HOST:PORT/api/ws`. */
	readonly url: string;
	readonly token?: string | undefined;
	/**
	 * The one certificate, in PEM form, that the gateway may prove itself with, whatever names stand in it. Without it
	 * the usual authorities decide, and the name must fit.
	 */
	readonly certificate?: string | undefined;
	readonly clock: Clock;
	/** Makes the idempotency keys, and the chance in the waiting times between tries. */
	readonly ids: Ids;
	/** Whether a first connection that fails is tried again, as later ones always are; true unless told. */
	readonly retryFirst?: boolean;
	/**
	 * Whether frames are wanted that are shown once and never replayed, such as a text while it is being written; true
	 * unless told; or the names of those that are. Others are left out unread, but for those of prompts and
	 * `session.deleted`.
	 */
	readonly transient?: boolean | readonly EventName[];
	/** Called for each question about a person, which only connectors receive. */
	readonly onPersonCheck?: ((check: PersonCheck) => void) | undefined;
	/** `detail` says in words for a person what happened. */
	readonly onState?: ((state: ClientState, detail: string) => void) | undefined;
}

/** Methods that `request` calls; sessions are opened with `open`, and resumed without being asked. */
export type RequestMethod = Exclude<MethodName, "open_session" | "resume">;

export interface OpenOptions {
	/** Stops the waiting; the gateway may have done it already. */
	readonly signal?: AbortSignal | undefined;
}

export interface RequestOptions extends OpenOptions {
	/** The session that is meant: needed by every method that works on one. */
	readonly sessionId?: string | undefined;
}

export type OpenParams = Omit<MethodInput<"open_session">, "join">;

/** Calls methods of the gateway. */
export interface Requester {
	/**
	 * Calls a method. A request whose answer was lost with the connection is sent again with the same idempotency key
	 * after the next one is made. Rejects with a `ParleyError` that keeps the gateway's words.
	 */
	request<Name extends RequestMethod>(
		method: Name,
		params: MethodInput<Name>,
		options?: RequestOptions,
	): Promise<MethodResult<Name>>;
}

/** Calls methods of the gateway and reads its sessions. */
export interface SessionClient extends Requester {
	/** Creates or resumes a session and reads it from `after_seq` on, or from now; `already_exists` if read here. */
	open(params: OpenParams, options?: OpenOptions): Promise<OpenSession>;
}

/** A connection to the gateway that outlives its sockets, with any number of sessions on it. */
export interface Client extends SessionClient {
	/** Closes the connection, rejects what waits with `cancelled` and ends all sessions' events. */
	close(): Promise<void>;
}
