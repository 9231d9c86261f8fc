/** One request of Discord's REST API, version 10. The port does not retry or wait for rate limits. */
export interface DiscordRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Below `/api/v10`, with its parameters filled in: `/channels/123/messages`. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** JSON; with files it becomes `payload_json`. */
	readonly body?: unknown;
	readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
	/** False for interactions and webhooks, which have their token in the path. */
	readonly authorized?: false;
}

export interface DiscordResponse {
	readonly status: number;
	/** Names are in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed JSON, or null if the body is not JSON. */
	readonly body: unknown;
}

/** Event of the gateway: `t` is its name, `d` its data, which is not checked yet. */
export interface DiscordDispatch {
	readonly t: string;
	readonly d: unknown;
}

/** State of the connection. `refused` is final: a new attempt needs another token or other settings. */
export type DiscordLink =
	| {
			readonly state: "ready";
			readonly user: string;
			readonly application: string;
			readonly resumed: boolean;
	  }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** events/gateway-events#update-presence */
export interface DiscordPresence {
	readonly since: null;
	readonly afk: false;
	readonly status: "online" | "idle" | "dnd";
	/** `type` 4: a custom status, with its text as `state`. */
	readonly activities: readonly { readonly name: string; readonly type: 4; readonly state: string }[];
}

export interface DiscordRest {
	/** Rejects if there is no response: Discord may have carried out the request or not. */
	request(request: DiscordRequest): Promise<DiscordResponse>;
}

/** Discord for the connector: the real client, or the simulator without sockets. */
export interface DiscordPort extends DiscordRest {
	/** Reads a file of the CDN. Rejects with a `ParleyError` beyond `maximum` bytes, and for hosts of others. */
	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects, resumes the stored session if there is one, and stays connected. Calls `dispatch` once for each event, in
	 * order; it must not throw. Its promise resolves when the event is durable. The next process resumes before the first
	 * event that is not known to be durable.
	 */
	connect(handlers: {
		readonly dispatch: (event: DiscordDispatch) => void | Promise<void>;
		readonly link: (link: DiscordLink) => void;
	}): Promise<void>;
	/** Shows a presence in the present session. Without a connection, it is dropped. */
	present(presence: DiscordPresence): void;
	/** Closes the connection, and keeps the session at Discord for the next process. */
	close(): Promise<void>;
}

/** Account of the bot at Discord. */
export interface OwnAccount {
	/** User id of the bot. */
	readonly user: string;
	readonly application: string;
}
