/** One request of Discord's REST API, version 10. Nothing behind this retries or waits for rate limits. */
export interface DiscordRequest {
	readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
	/** Below `/api/v10`, with its parameters filled in: `/channels/123/messages`. */
	readonly path: string;
	readonly query?: Readonly<Record<string, string>>;
	/** JSON; with files it becomes `payload_json`. */
	readonly body?: unknown;
	readonly files?: readonly { readonly name: string; readonly bytes: Uint8Array }[];
	/** False for interactions and webhooks, whose token stands in the path. */
	readonly authorized?: false;
}

/** What Discord answered, whatever it was. */
export interface DiscordResponse {
	readonly status: number;
	/** With names in lower case. */
	readonly headers: Readonly<Record<string, string>>;
	/** Parsed JSON; null where there was none. */
	readonly body: unknown;
}

/** An event of the gateway as it came: `t` names it, `d` is not checked yet. */
export interface DiscordDispatch {
	readonly t: string;
	readonly d: unknown;
}

/** What has become of the connection. `refused` is the end: a new try needs another token or other settings. */
export type DiscordLink =
	| {
			readonly state: "ready";
			readonly user: string;
			readonly application: string;
			readonly resumed: boolean;
	  }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** Discord's REST API. */
export interface DiscordRest {
	/** Rejects if there is no response: Discord may have carried out the request or not. */
	request(request: DiscordRequest): Promise<DiscordResponse>;
}

/** Discord, as the connector meets it: the real client, or the simulator without sockets. */
export interface DiscordPort extends DiscordRest {
	/** Reads bytes of the CDN. Rejects with a `ParleyError` beyond `most` bytes or from a host that is not Discord's. */
	download(url: string, most: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects, resumes where a session was kept, and stays connected. The handler is called in order, once for each
	 * event, and must not throw. What it returns resolves when the event is durably taken: the next process resumes
	 * before the first event of which that is not known.
	 */
	connect(handlers: {
		readonly dispatch: (event: DiscordDispatch) => void | Promise<void>;
		readonly link: (link: DiscordLink) => void;
	}): Promise<void>;
	/** Ends without ending Discord's session, so that the next process can resume it. */
	close(): Promise<void>;
}

/** Who we are on Discord. */
export interface OwnAccount {
	/** The id of our user. */
	readonly user: string;
	readonly application: string;
}
