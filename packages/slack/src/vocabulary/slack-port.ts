/** One call of a method of Slack's Web API. Nothing behind this retries or waits for rate limits. */
export interface SlackCall {
	/** `chat.postMessage`. */
	readonly method: string;
	/** As its documentation names them; what is not there is left out. */
	readonly args: Readonly<Record<string, unknown>>;
}

/** What Slack answered. */
export type SlackAnswer =
	| { readonly type: "ok"; readonly body: Readonly<Record<string, unknown>> }
	/** `error` is Slack's own word for it, such as `channel_not_found`. */
	| { readonly type: "refused"; readonly error: string; readonly body: Readonly<Record<string, unknown>> }
	/** Nothing was done. */
	| { readonly type: "rate-limited"; readonly retryAfterMs: number };

/** Something that Slack sends, by whichever transport; `body` is not checked yet. */
export interface SlackEnvelope {
	/**
	 * `event`: the outer event with its `event_id`. `command`: of `/parley`. `action`: a button or a menu. `view`: a form
	 * that was sent. `shortcut`: from the menu of a message. `unread`: an interaction of another kind, or malformed.
	 */
	readonly type: "event" | "command" | "action" | "view" | "shortcut" | "unread";
	readonly body: unknown;
	/** How often Slack has tried before; 0 the first time. */
	readonly attempt: number;
}

/** Something that Slack sends when a member uses a command, a button, a form or a menu. */
export type Interaction = SlackEnvelope & { readonly type: Exclude<SlackEnvelope["type"], "event"> };

/** What is sent back with the acknowledgement: to most, nothing. */
export type SlackReply = Readonly<Record<string, unknown>> | undefined;

/** What has become of the connection. `refused` is the end: a new try needs other tokens or settings. */
export type SlackLink =
	| { readonly state: "ready"; readonly account: OwnAccount }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** Who we are in the workspace: https://docs.slack.dev/reference/methods/auth.test. */
export interface OwnAccount {
	/** The workspace (`T…`), which is the tenant of all its rooms. */
	readonly team: string;
	/** The organisation that the workspace belongs to (`E…`). */
	readonly enterprise?: string;
	/** The bot as a member (`U…`), by whom it is mentioned. */
	readonly user: string;
	/** The bot as an author (`B…`). */
	readonly bot: string;
	/** Of `@name`. */
	readonly name: string;
	/** Where the workspace is read: `https://acme.slack.com/`. */
	readonly url: string;
}

/** The methods of Slack's Web API. */
export interface SlackApi {
	/** Rejects if no answer came, or one with a status of 5xx: Slack may have done what was asked, or not. */
	call(call: SlackCall): Promise<SlackAnswer>;
}

/** The Web API and the addresses that Slack gives for answers to one interaction. */
export interface SlackResponder extends SlackApi {
	/** Posts to a `response_url`. Rejects as `call` does. */
	respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer>;
}

/** Slack, as the connector meets it: bolt and the web client, or the simulator without sockets. */
export interface SlackPort extends SlackResponder {
	/** The second of the three steps of an upload: the bytes to where `files.getUploadURLExternal` says. */
	upload(url: string, bytes: Uint8Array): Promise<SlackAnswer>;
	/**
	 * Reads a private file, up to `most` bytes. Rejects with a `ParleyError` that people may read: beyond that, from a host
	 * that is not Slack's, and for the page that Slack shows instead to those who may not read it.
	 */
	download(url: string, most: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects, and stays connected. `take` resolves when what came is durable or answered, and only then is Slack told
	 * that it has arrived; where it rejects, Slack sends it again.
	 */
	connect(handlers: {
		readonly take: (envelope: SlackEnvelope) => Promise<SlackReply>;
		readonly link: (link: SlackLink) => void;
		/** Nothing comes, although the connection looks well: something may have been missed. Told again as long as that lasts. */
		readonly silent?: () => void;
	}): Promise<void>;
	/** Takes nothing more, and resolves when what was taken is acknowledged. */
	close(): Promise<void>;
}
