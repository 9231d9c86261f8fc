/** A request to Discord's REST API, version 10. The port does not retry, and does not wait for rate limits. */
export interface DiscordRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Path below `/api/v10`, for example `/channels/123/messages`. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** JSON body. With files, it is sent as `payload_json`. */
	readonly body?: unknown;
	readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
	/**
	 * Whether the bot token is sent. False for requests of interactions and webhooks, because `path` contains their
	 * token.
	 */
	readonly authorized?: false;
}

export interface DiscordResponse {
	readonly status: number;
	/** Headers with names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed JSON body, or null if the body is not JSON. */
	readonly body: unknown;
}

/** An event of Discord's gateway. `t` is its name, and `d` its unchecked data. */
export interface DiscordDispatch {
	readonly t: string;
	readonly d: unknown;
}

/** State of the connection. `refused` is final, because Discord would also refuse a retry. */
export type DiscordLink =
	| {
			readonly state: "ready";
			readonly user: string;
			readonly application: string;
			readonly resumed: boolean;
	  }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** Presence: events/gateway-events#update-presence */
export interface DiscordPresence {
	readonly since: null;
	readonly afk: false;
	readonly status: "online" | "idle" | "dnd";
	/** Activities. Type 4 is a custom status with its text in `state`. */
	readonly activities: readonly { readonly name: string; readonly type: 4; readonly state: string }[];
}

export interface DiscordRest {
	/** Sends a request. Rejects if there is no readable response; Discord may still have executed the request. */
	request(request: DiscordRequest): Promise<DiscordResponse>;
}

/** Port to Discord for the connector: the real client, or a simulator without sockets. */
export interface DiscordPort extends DiscordRest {
	/**
	 * Downloads a file of up to `maximum` bytes from Discord's CDN. Rejects with a `ParleyError` if the file is
	 * larger, if the origin of `url` is not allowed, or if Discord does not return the file.
	 */
	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects, and reconnects after a loss of the connection. Resumes the stored session if there is one. Calls
	 * `dispatch` for each event, in order. `dispatch` must not throw, and its promise resolves when the event is
	 * durable. The next process resumes before the first event that is not known to be durable.
	 */
	connect(handlers: {
		readonly dispatch: (event: DiscordDispatch) => void | Promise<void>;
		readonly link: (link: DiscordLink) => void;
	}): Promise<void>;
	/** Shows a presence in the current session. Without a connection, does nothing. */
	present(presence: DiscordPresence): void;
	/** Closes the connection. Discord keeps the session for the next process. */
	close(): Promise<void>;
}

/** Account of the bot on Discord. */
export interface OwnAccount {
	/** User id of the bot. */
	readonly user: string;
	readonly application: string;
}
