import type { AnyBlock, HomeView, MessageMetadata, ModalView } from "@slack/types";
import type { StateCause } from "../../chat/post-states.ts";

export interface TeamRecord {
	readonly id: string;
	readonly name: string;
	/** The variable part of an address such as `https://acme.slack.com/`. */
	readonly domain: string;
	readonly enterpriseId?: string;
}

export interface UserRecord {
	readonly id: string;
	readonly handle: string;
	name: string;
	readonly team: TeamRecord;
	readonly isBot: boolean;
	readonly botId?: string;
	readonly appId?: string;
	/** True for every guest: https://docs.slack.dev/reference/objects/user-object */
	isRestricted: boolean;
	/** True only for a single-channel guest. */
	isUltraRestricted: boolean;
	isAdmin: boolean;
	isOwner: boolean;
	deleted: boolean;
	readonly locale: string;
}

export type ChannelKind = "channel" | "group" | "im" | "mpim";

export interface ChannelRecord {
	readonly id: string;
	/** Kind of the channel. `channel` is a public channel, and `group` is a private channel. */
	readonly kind: ChannelKind;
	name: string;
	readonly createdAt: number;
	readonly creator: UserRecord;
	readonly members: Set<UserRecord>;
	/** Messages, oldest first, including ephemeral and deleted messages. */
	readonly messages: MessageRecord[];
	topic: string;
	archived: boolean;
	deleted: boolean;
	/** Other teams that share the channel: https://docs.slack.dev/apis/slack-connect */
	readonly sharedWith: Set<TeamRecord>;
	/** Teams that were invited, but have not accepted yet. */
	readonly sharePending: Set<TeamRecord>;
}

export interface FileRecord {
	readonly id: string;
	readonly name: string;
	title: string;
	readonly type: string;
	readonly createdAt: number;
	readonly owner: UserRecord;
	/** Content of the file. Undefined until the bytes are uploaded. */
	bytes?: Uint8Array;
	readonly size: number;
	readonly altText?: string;
	/** Language of a snippet, for example `typescript`. Clients show the text of a snippet in the channel. */
	readonly snippet?: string;
	complete: boolean;
	deleted: boolean;
	readonly shares: MessageRecord[];
}

export interface Version {
	readonly text: string;
	readonly blocks: readonly AnyBlock[];
}

export interface MessageState extends Version {
	readonly at: number;
	readonly by: StateCause;
}

/** Stream of a growing message: https://docs.slack.dev/reference/methods/chat.startStream */
export interface StreamRecord {
	/** `timeline` shows a card for each task, and `plan` one block with all tasks. */
	readonly mode: "timeline" | "plan";
	readonly startedAt: number;
	/**
	 * State of the stream, a value of `streaming_state` in @slack/types. `errored`: the stream lasted too long.
	 */
	state: "in_progress" | "completed" | "errored";
	/** Whether the app stopped the stream, or updated the message after Slack had ended the stream. */
	isFinished: boolean;
}

export interface MessageRecord {
	readonly ts: string;
	readonly channel: ChannelRecord;
	readonly author: UserRecord;
	readonly createdAt: number;
	/** Subtype of the message, for example `bot_message` or `channel_join`. */
	readonly subtype?: string;
	readonly username?: string;
	/** Text in mrkdwn with escaped entities. */
	text: string;
	blocks: readonly AnyBlock[];
	/** The text and blocks after each change, oldest first. */
	readonly states: MessageState[];
	readonly stream?: StreamRecord;
	/**
	 * Attachments that the app added, or that Slack added for a forwarded message:
	 * https://docs.slack.dev/reference/objects/message-object
	 */
	readonly attachments: readonly object[];
	previews: readonly { readonly url: string; readonly title: string }[];
	files: readonly FileRecord[];
	/** For a reply, the timestamp of the thread's first message. Otherwise undefined. */
	readonly threadTs?: string;
	broadcast: boolean;
	edited?: { readonly user: UserRecord; readonly ts: string };
	/** Number of changes, including changes without the note "edited". */
	changes: number;
	deleted: boolean;
	/** True for a deleted first message of a thread that had replies. */
	tombstone: boolean;
	metadata?: MessageMetadata;
	/** Reactions by the name of the emoji, in the order in which the emoji were added. */
	readonly reactions: Map<string, Set<UserRecord>>;
	/** The only user, besides the app, who sees the message. */
	readonly onlyFor?: UserRecord;
	readonly answers?: InteractionRecord;
}

export interface ViewRecord {
	readonly id: string;
	readonly user: UserRecord;
	readonly opener: InteractionRecord;
	/** Content of the view. Undefined after the view was closed. */
	view?: ModalView;
	hash: string;
	errors: Readonly<Record<string, string>>;
}

export type InteractionState =
	| "waiting"
	| "acknowledged"
	/** The app did not acknowledge the interaction in time, or the delivery failed. Clients show a warning. */
	| "failed";

export interface InteractionRecord {
	readonly id: string;
	readonly kind: "command" | "press" | "form" | "shortcut";
	readonly user: UserRecord;
	/** Channel of the action. Undefined for a form and a press in the Home tab. */
	readonly channel?: ChannelRecord;
	readonly threadTs?: string;
	/** Message with the pressed element, or the message of a shortcut. */
	readonly message?: MessageRecord;
	/** The message at the time of the press, if it has changed since then. */
	readonly pressedOn?: Version;
	readonly view?: ViewRecord;
	readonly home?: HomeRecord;
	readonly createdAt: number;
	readonly triggerId: string;
	triggerUsed: boolean;
	/** Response URL. Undefined for a form and a press in the Home tab. */
	readonly responseUrl?: string;
	responses: number;
	state: InteractionState;
	opened?: ViewRecord;
	readonly answers: MessageRecord[];
	closed: boolean;
}

/** Status of the app in one thread: https://docs.slack.dev/ai/agent-sessions */
export interface StatusRecord {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
	/** Status text. Empty without a status. */
	status: string;
	at: number;
	/** Time at which the status disappears. Undefined for the status of a session. */
	until?: number;
}

export type SessionStatus = "active" | "processing" | "suspended" | "closed";

/** The app's session in one thread: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
export interface SessionRecord {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
	status: SessionStatus;
	title: string;
}

export interface PromptsRecord {
	readonly title: string;
	readonly prompts: readonly Prompt[];
}

export interface Prompt {
	readonly title: string;
	readonly message: string;
}

/** The app's Home tab for one user: https://docs.slack.dev/surfaces/app-home */
export interface HomeRecord {
	readonly id: string;
	readonly user: UserRecord;
	view: HomeView;
	hash: string;
}

/** A mention that would have sent notifications. */
export interface Ping {
	/** Message id of the form `CHANNEL-TS`. */
	readonly messageId: string;
	readonly who: string;
	readonly by: "create" | "edit";
	/** Text of the message at the time of the mention. */
	readonly text: string;
}
