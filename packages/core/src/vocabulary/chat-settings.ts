import type { Role } from "./principal.ts";

/** Configured condition for chat users. The condition matches a user if all present fields match. */
export interface PersonRule {
	readonly platform?: string;
	readonly tenant?: string;
	readonly channel?: string;
	readonly platformRole?: string;
	/** A user's id on the platform. */
	readonly user?: string;
}

export interface ChatSettings {
	/**
	 * Rules for people who have access without pairing, each with a role. If the operator also gave a person a role, the higher
	 * role applies.
	 */
	readonly allow: readonly (PersonRule & { readonly as: Exclude<Role, "stranger"> })[];
	/** Rules for people without access. They have precedence over all other rules. */
	readonly deny: readonly PersonRule[];
	/**
	 * Ids of the guilds and teams that connectors may act for, by platform. An owner's pairing or a connector's token can
	 * add further guilds and teams.
	 */
	readonly tenants: Readonly<Record<string, readonly string[]>>;
	/** Channel settings, by channel key, or by `PLATFORM:TENANT` for all channels of a guild or team. */
	readonly places: Readonly<Record<string, PlaceProfile>>;
	/** Whether a message of a person without access ends the trust in the channel. Default: true. */
	readonly endTrustOnStranger?: boolean;
	/** Whether a typed message may answer an approval. Default: true. */
	readonly typedApprovals?: boolean;
	/** Milliseconds within which connectors combine the messages of a person into one request. Default: 0. */
	readonly joinMs?: number;
	/** Settings of the welcome messages. Default: no posts and no prompts. */
	readonly welcome?: {
		/** Whether connectors post a welcome in a channel, and to a person at the first contact. */
		readonly posts: boolean;
		/** Suggested requests. */
		readonly prompts: readonly string[];
	};
	/** Notice settings, by channel key, or by `PLATFORM:TENANT` for all channels of a guild or team. */
	readonly notices?: Readonly<Record<string, NoticeSettings>>;
}

/**
 * Ways to notify approvers: a mention in the approval's channel, a post in the channels of `approveIn`, or a
 * direct message.
 */
export const noticeWays = ["mention", "channel", "direct"] as const;
export type NoticeWay = (typeof noticeWays)[number];

/** People who are notified together. */
export interface NoticeGroup {
	/**
	 * Ids of the people. Default: the `approvers` of the channel settings. Without this setting, known people with the role
	 * approver or owner.
	 */
	readonly people?: readonly string[];
	/** Ways to notify a person, in the order of attempts. The attempts end after the first way that reaches the person. */
	readonly by: readonly NoticeWay[];
}

/** Notices about the approvals of a channel. */
export interface NoticeSettings {
	/**
	 * Groups in the order of notification. The first group is notified when the approval is requested, and each further group
	 * at an escalation.
	 */
	readonly groups: readonly NoticeGroup[];
	/** Milliseconds from the request of an approval to the reminder of the first group. */
	readonly remindMs: number;
	/** Milliseconds from the reminder of the first group to the notice to the second group, and then between further groups. */
	readonly escalateMs: number;
}

/** Settings that give no access. People whom the operator gave a role still have access. */
export const noChat: ChatSettings = { allow: [], deny: [], tenants: {}, places: {} };

/** Settings of a channel, from the configuration or the operator. For an absent field, the general setting applies. */
export interface PlaceProfile {
	/** Agent profile of the channel's sessions. */
	readonly agent?: string;
	/** Name of a model, or a tier. */
	readonly model?: string;
	/** Names of the tools that the channel's sessions may use. */
	readonly tools?: readonly string[];
	/** Absolute path of the working directory. It replaces the workspace of each session. */
	readonly root?: string;
	/** Ids of the people who may approve in the channel. Default: all people with the role approver or owner. */
	readonly approvers?: readonly string[];
	/** Other channels. Their approvers may also answer the approvals of this channel. */
	readonly approveIn?: readonly string[];
	/** Daily budget for each session of the channel, in billionths of a US dollar. */
	readonly budget?: number;
	/** Maximum bytes of each session's workspace. */
	readonly quotaBytes?: number;
	/** Condition for a message to the agent: a mention (`required`), or none (`always`). */
	readonly mention?: "required" | "always";
	/**
	 * Sessions of the channel: one for all people (`shared`), or a separate session for each person (`person`).
	 */
	readonly sessions?: "shared" | "person";
	/** Part of an answer that connectors show during the run. */
	readonly live?: "off" | "text" | "tools" | "everything";
	/** Place in which connectors answer a mention: the channel, or a new thread. */
	readonly answers?: "channel" | "thread";
	/** Form in which connectors show the state of a message: posts or reactions. */
	readonly status?: "posts" | "reactions";
	/**
	 * Handling of messages that arrive during a run. With `queue`, connectors only queue the messages. With `offer`,
	 * connectors also offer to add the messages to the run.
	 */
	readonly busy?: "queue" | "offer";
	/** Maximum number of earlier channel messages that connectors read for a request. 0 also disables reading threads. */
	readonly context?: number;
	/** Milliseconds before approvals expire. Default: 24 hours. */
	readonly approvalMs?: number;
}
