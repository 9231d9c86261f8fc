/** A call of a method of Slack's Web API. The port does not retry, and does not wait for rate limits. */
export interface SlackCall {
	/** Name of the method, for example `chat.postMessage`. */
	readonly method: string;
	/** Arguments with the names in Slack's documentation. Undefined fields are not sent. */
	readonly args: Readonly<Record<string, unknown>>;
}

export type SlackAnswer =
	| { readonly type: "ok"; readonly body: Readonly<Record<string, unknown>> }
	/** `error` is Slack's error code, for example `channel_not_found`. */
	| { readonly type: "refused"; readonly error: string; readonly body: Readonly<Record<string, unknown>> }
	/** Slack did not execute the call. */
	| { readonly type: "rate-limited"; readonly retryAfterMs: number };

/** A delivery from Slack over any transport. `body` is unchecked. */
export interface SlackEnvelope {
	/**
	 * Kind of the delivery:
	 * - `event`: the outer event with its `event_id`
	 * - `command`: a slash command
	 * - `action`: a button or a choice
	 * - `view`: a submitted form
	 * - `shortcut`: a message menu
	 * - `unread`: an interaction of another kind, or a malformed one
	 */
	readonly type: "event" | "command" | "action" | "view" | "shortcut" | "unread";
	readonly body: unknown;
	/** Number of Slack's earlier attempts to deliver this envelope. */
	readonly attempt: number;
}

/** A delivery that is not an event. */
export type Interaction = SlackEnvelope & { readonly type: Exclude<SlackEnvelope["type"], "event"> };

/** Body of the acknowledgement; undefined for an acknowledgement without a body. */
export type SlackReply = Readonly<Record<string, unknown>> | undefined;

/** State of the connection. `refused` is final, because Slack would also refuse a retry. */
export type SlackLink =
	| { readonly state: "ready"; readonly account: OwnAccount }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** The bot's account in the workspace: https://docs.slack.dev/reference/methods/auth.test */
export interface OwnAccount {
	/** Id of the workspace (`T…`). It is the tenant of all the workspace's rooms. */
	readonly team: string;
	/** Id of the organisation that contains the workspace (`E…`). */
	readonly enterprise?: string;
	/** Id of the bot as a member (`U…`), as in mentions. */
	readonly user: string;
	/** Id of the bot as an author (`B…`). */
	readonly bot: string;
	/** Name of the bot, as in `@name`. */
	readonly name: string;
	/** URL of the workspace, for example `https://acme.slack.com/`. */
	readonly url: string;
}

export interface SlackApi {
	/**
	 * Calls a method, and returns the answer. Rejects if Slack sends no response, or an HTTP error other than 429.
	 * Slack may still have executed the call.
	 */
	call(call: SlackCall): Promise<SlackAnswer>;
}

/** The Web API, and the `response_url`s of interactions. */
export interface SlackResponder extends SlackApi {
	/**
	 * Posts to a `response_url`, and returns the answer. Rejects if the URL is not from Slack, or if Slack sends no
	 * response or a 5xx status.
	 */
	respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer>;
}

/** Port to Slack for the connector: Bolt and the web client, or a simulator without sockets. */
export interface SlackPort extends SlackResponder {
	/** Uploads the bytes to the URL from `files.getUploadURLExternal`. This is the second of three steps. */
	upload(url: string, bytes: Uint8Array): Promise<SlackAnswer>;
	/**
	 * Downloads a private file of up to `maximum` bytes. Rejects with a `ParleyError` with a text for people:
	 * - for a larger file
	 * - for an origin that is not allowed
	 * - if Slack does not return the file, for example because it returns its sign-in page
	 */
	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects and stays connected. A delivery is acknowledged only when `receive` has resolved. If `receive` rejects
	 * for an event, Slack redelivers the event.
	 */
	connect(handlers: {
		readonly receive: (envelope: SlackEnvelope) => Promise<SlackReply>;
		readonly link: (link: SlackLink) => void;
		/** Runs repeatedly while no events arrive on a connection that seems to work. Events may have been missed. */
		readonly silent?: () => void;
	}): Promise<void>;
	/**
	 * Accepts no further deliveries. Resolves when all accepted deliveries are acknowledged, or when it is too
	 * late to acknowledge them.
	 */
	close(): Promise<void>;
}
