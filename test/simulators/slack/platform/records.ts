import type { AnyBlock, HomeView, MessageMetadata, ModalView } from "@slack/types";
import type { StateCause } from "../../chat/post-states.ts";

export interface TeamRecord {
	readonly id: string;
	readonly name: string;
	/** Part of `https://acme.slack.com/`. */
	readonly domain: string;
	readonly enterpriseId?: string;
}

export interface UserRecord {
	readonly id: string;
	/** Handle after `@`. */
	readonly handle: string;
	/** Name as people see it. */
	name: string;
	readonly team: TeamRecord;
	readonly isBot: boolean;
	readonly botId?: string;
	/** App of a bot. */
	readonly appId?: string;
	/** A guest of several channels: https://slack.com/help/articles/202518103 */
	isRestricted: boolean;
	/** A guest of one channel. */
	isUltraRestricted: boolean;
	isAdmin: boolean;
	isOwner: boolean;
	deleted: boolean;
	readonly locale: string;
}

export type ChannelKind = "channel" | "group" | "im" | "mpim";

export interface ChannelRecord {
	readonly id: string;
	/** `channel`: public; `group`: private. */
	readonly kind: ChannelKind;
	name: string;
	readonly createdAt: number;
	readonly creator: UserRecord;
	readonly members: Set<UserRecord>;
	/** Messages in order, including ephemeral and deleted ones. */
	readonly messages: MessageRecord[];
	topic: string;
	archived: boolean;
	deleted: boolean;
	/** Other teams of the channel: https://docs.slack.dev/apis/slack-connect */
	readonly sharedWith: Set<TeamRecord>;
	/** Invited teams. */
	readonly sharePending: Set<TeamRecord>;
}

export interface FileRecord {
	readonly id: string;
	readonly name: string;
	title: string;
	readonly type: string;
	readonly createdAt: number;
	readonly owner: UserRecord;
	/** Undefined until it is uploaded. */
	bytes?: Uint8Array;
	readonly size: number;
	readonly altText?: string;
	/** Language of a snippet: text that people read in the channel, such as `typescript`. */
	readonly snippet?: string;
	/** True if the upload was completed. */
	complete: boolean;
	deleted: boolean;
	/** Messages that share the file. */
	readonly shares: MessageRecord[];
}

/** Message content as a client shows it. */
export interface Version {
	readonly text: string;
	readonly blocks: readonly AnyBlock[];
}

/** Content of a message after a change. */
export interface MessageState extends Version {
	readonly at: number;
	readonly by: StateCause;
}

/** A message that grows: https://docs.slack.dev/reference/methods/chat.startStream */
export interface StreamRecord {
	/** `timeline`: a card for each task. `plan`: one block with all tasks. */
	readonly mode: "timeline" | "plan";
	readonly startedAt: number;
	/** `errored`: it lasted too long. The words are those of `streaming_state` in @slack/types. */
	state: "in_progress" | "completed" | "errored";
	/** Whether the app ended it, or gave the message its final text otherwise. */
	isFinished: boolean;
}

export interface MessageRecord {
	readonly ts: string;
	readonly channel: ChannelRecord;
	readonly author: UserRecord;
	readonly createdAt: number;
	/** `bot_message`, `channel_join`, … */
	readonly subtype?: string;
	/** The name above the message, if it differs from the author's. */
	readonly username?: string;
	/** Text in mrkdwn with entities. */
	text: string;
	blocks: readonly AnyBlock[];
	/** The content after each change, oldest first; the last one is the present content. */
	readonly states: MessageState[];
	readonly stream?: StreamRecord;
	/**
	 * Attachments of an app, or of Slack for a forwarded message: https://docs.slack.dev/reference/objects/message-object
	 */
	readonly attachments: readonly object[];
	/** Link previews. */
	previews: readonly { readonly url: string; readonly title: string }[];
	files: readonly FileRecord[];
	/** Timestamp of the first message of its thread. Undefined for the first message itself. */
	readonly threadTs?: string;
	/** True if a reply is also shown in the channel. */
	broadcast: boolean;
	/** Author and time of the edit. */
	edited?: { readonly user: UserRecord; readonly ts: string };
	/** Changed without a visible "edited". */
	changes: number;
	deleted: boolean;
	/** Deleted, but its thread still exists. */
	tombstone: boolean;
	metadata?: MessageMetadata;
	/** Reactions by the name of the emoji, in the order of the first reactions. */
	readonly reactions: Map<string, Set<UserRecord>>;
	/** The only person who sees it, besides the app. */
	readonly onlyFor?: UserRecord;
	/** Interaction that it answers, by a response URL or an acknowledgement. */
	readonly answers?: InteractionRecord;
}

export interface ViewRecord {
	readonly id: string;
	readonly user: UserRecord;
	/** The interaction that opened it. */
	readonly opener: InteractionRecord;
	/** Undefined if no person sees it. */
	view?: ModalView;
	hash: string;
	errors: Readonly<Record<string, string>>;
}

/** State of a press, a command, a form or a shortcut. */
export type InteractionState =
	/** No acknowledgement yet. */
	| "waiting"
	| "acknowledged"
	/** Three seconds passed, or no app was connected: people see a warning. */
	| "failed";

export interface InteractionRecord {
	readonly id: string;
	readonly kind: "command" | "press" | "form" | "shortcut";
	readonly user: UserRecord;
	/** Undefined for a global shortcut and a form. */
	readonly channel?: ChannelRecord;
	/** Thread of the action. */
	readonly threadTs?: string;
	/** Message with the pressed element, or the message of a shortcut. */
	readonly message?: MessageRecord;
	/** Version of the message at the time of the press, if it differs. */
	readonly pressedOn?: Version;
	/** View of a form or of an element in one. */
	readonly view?: ViewRecord;
	/** Home tab with the pressed element. */
	readonly home?: HomeRecord;
	readonly createdAt: number;
	readonly triggerId: string;
	triggerUsed: boolean;
	/** Undefined for a form. */
	readonly responseUrl?: string;
	responses: number;
	state: InteractionState;
	/** The view that it opened. */
	opened?: ViewRecord;
	/** Messages that answer it. */
	readonly answers: MessageRecord[];
	/** True if the app accepted the form. */
	closed: boolean;
}

/** Status of the app in a thread: https://docs.slack.dev/ai/agent-sessions */
export interface StatusRecord {
	readonly channel: ChannelRecord;
	readonly threadTs: string;
	/** Status text. Empty for no status. */
	status: string;
	at: number;
	/** Time at which it disappears. */
	until?: number;
}

export type SessionStatus = "active" | "processing" | "suspended" | "closed";

/** Work of the app in a thread: https://docs.slack.dev/reference/methods/agents.sessions.setStatus */
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

/** The Home tab of the app for one person: https://docs.slack.dev/surfaces/app-home */
export interface HomeRecord {
	readonly id: string;
	readonly user: UserRecord;
	view: HomeView;
	hash: string;
}

/** A user who would have been notified by a mention. */
export interface Ping {
	/** `CHANNEL-TS`. */
	readonly messageId: string;
	readonly who: string;
	readonly by: "create" | "edit";
	/** Text of the message at that time. */
	readonly text: string;
}
