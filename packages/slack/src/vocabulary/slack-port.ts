/** One call of a method of Slack's Web API, without retries or waits for rate limits. */
export interface SlackCall {
	/** `chat.postMessage`. */
	readonly method: string;
	/** Named as in Slack's documentation. Absent fields are omitted. */
	readonly args: Readonly<Record<string, unknown>>;
}

export type SlackAnswer =
	| { readonly type: "ok"; readonly body: Readonly<Record<string, unknown>> }
	/** `error` is Slack's own code, for example `channel_not_found`. */
	| { readonly type: "refused"; readonly error: string; readonly body: Readonly<Record<string, unknown>> }
	/** The call was not carried out. */
	| { readonly type: "rate-limited"; readonly retryAfterMs: number };

/** A delivery of Slack from any transport. `body` is not checked. */
export interface SlackEnvelope {
	/**
	 * `event`: the outer event with its `event_id`. `command`: of `/parley`. `action`: a button or a menu. `view`: a
	 * submitted form. `shortcut`: from the menu of a message. `unread`: an interaction of another kind, or malformed.
	 */
	readonly type: "event" | "command" | "action" | "view" | "shortcut" | "unread";
	readonly body: unknown;
	/** Number of earlier tries of Slack. */
	readonly attempt: number;
}

/** A delivery for a command, a button, a form or a menu. */
export type Interaction = SlackEnvelope & { readonly type: Exclude<SlackEnvelope["type"], "event"> };

/** Body of the acknowledgement, usually empty. */
export type SlackReply = Readonly<Record<string, unknown>> | undefined;

/** State of the connection. `refused` is final: a retry needs other tokens or settings. */
export type SlackLink =
	| { readonly state: "ready"; readonly account: OwnAccount }
	| { readonly state: "lost"; readonly detail: string }
	| { readonly state: "refused"; readonly detail: string };

/** The bot's account in the workspace: https://docs.slack.dev/reference/methods/auth.test */
export interface OwnAccount {
	/** The workspace (`T…`), which is the tenant of all its rooms. */
	readonly team: string;
	/** The organization of the workspace (`E…`). */
	readonly enterprise?: string;
	/** The bot as a member (`U…`), used in mentions. */
	readonly user: string;
	/** The bot as an author (`B…`). */
	readonly bot: string;
	/** Name in `@name`. */
	readonly name: string;
	/** Address of the workspace: `https://acme.slack.com/`. */
	readonly url: string;
}

export interface SlackApi {
	/** Rejects without a response, or with a status of 5xx: Slack may have carried out the call. */
	call(call: SlackCall): Promise<SlackAnswer>;
}

/** The Web API and the addresses that Slack gives for answers to one interaction. */
export interface SlackResponder extends SlackApi {
	/** Posts to a `response_url`. Rejects like `call`. */
	respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer>;
}

/** Slack for the connector: Bolt and the web client, or the simulator without sockets. */
export interface SlackPort extends SlackResponder {
	/** Uploads the bytes to the address from `files.getUploadURLExternal`: the second of three steps. */
	upload(url: string, bytes: Uint8Array): Promise<SlackAnswer>;
	/**
	 * Reads a private file, up to `maximum` bytes. Rejects with a `ParleyError` for people: for a larger file, for a host
	 * other than Slack's, and for the sign-in page that Slack returns without access.
	 */
	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array>;
	/**
	 * Connects and stays connected. `take` resolves when a delivery is stored or answered, and only then it is
	 * acknowledged. If `take` rejects, Slack redelivers it.
	 */
	connect(handlers: {
		readonly receive: (envelope: SlackEnvelope) => Promise<SlackReply>;
		readonly link: (link: SlackLink) => void;
		/** Called repeatedly while nothing arrives on a connection that looks healthy. Events may have been missed. */
		readonly silent?: () => void;
	}): Promise<void>;
	/** Stops taking deliveries, and resolves when all taken ones are acknowledged. */
	close(): Promise<void>;
}
