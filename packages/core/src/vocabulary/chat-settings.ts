import type { Role } from "./principal.ts";

/** A rule of the configuration about people. It applies to a person who matches all of its fields. */
export interface PersonRule {
	readonly platform?: string;
	readonly tenant?: string;
	readonly channel?: string;
	readonly platformRole?: string;
	/** The platform's id of a user. */
	readonly user?: string;
}

/** Configuration of chat platforms. */
export interface ChatSettings {
	/** People who have access without pairing, with their role. A higher role from the operator has precedence. */
	readonly allow: readonly (PersonRule & { readonly as: Exclude<Role, "stranger"> })[];
	/** People without access. Precedes all other rules. */
	readonly deny: readonly PersonRule[];
	/** Guilds and teams that connectors may speak for, by platform. */
	readonly tenants: Readonly<Record<string, readonly string[]>>;
	/** By channel, or `PLATFORM:TENANT` for all of a guild or team. */
	readonly places: Readonly<Record<string, PlaceProfile>>;
	/** Whether a message of a person without access ends the trust in the channel. Default: true. */
	readonly endTrustOnStranger?: boolean;
	/** Whether a typed message may decide about an approval. Default: true. */
	readonly typedApprovals?: boolean;
	/** Milliseconds in which connectors make one request of the messages of a person. Default: 0. */
	readonly joinMs?: number;
	/** Welcome of connectors. Default: no posts, and no prompts. */
	readonly welcome?: {
		/** Whether connectors post it in a channel and to a person at the first contact. */
		readonly posts: boolean;
		/** Suggested requests. */
		readonly prompts: readonly string[];
	};
	/** By channel, or `PLATFORM:TENANT` for all of a guild or team. */
	readonly notices?: Readonly<Record<string, NoticeSettings>>;
}

/**
 * Ways to notify approvers. `mention`: in the conversation. `channel`: in the channels of `approveIn`. `direct`: by a direct
 * message.
 */
export const noticeWays = ["mention", "channel", "direct"] as const;
export type NoticeWay = (typeof noticeWays)[number];

/** People who are notified together. */
export interface NoticeGroup {
	/** Ids of the people. Default: the approvers of the channel, or known people with the role approver or owner. */
	readonly people?: readonly string[];
	/** Tried in this order, until one reaches a person. */
	readonly by: readonly NoticeWay[];
}

/** Notices about the approvals of a channel. */
export interface NoticeSettings {
	/** The first approver is notified at once, and one more at each escalation. */
	readonly groups: readonly NoticeGroup[];
	/** Milliseconds until the reminder of the first group. */
	readonly remindMs: number;
	/** Milliseconds until the next group is notified. */
	readonly escalateMs: number;
}

/** Settings under which no person has access. */
export const noChat: ChatSettings = { allow: [], deny: [], tenants: {}, places: {} };

/** Settings of a channel, from the configuration or the operator. Absent fields have the general value. */
export interface PlaceProfile {
	/** The agent profile of its sessions. */
	readonly agent?: string;
	/** A model's name or a tier. */
	readonly model?: string;
	/** The only tools that its sessions have. */
	readonly tools?: readonly string[];
	/** Working directory of its tools, which replaces its own workspace. Absolute path. */
	readonly root?: string;
	/** Ids of the people who may approve there. Default: all people with the role approver. */
	readonly approvers?: readonly string[];
	/** Channels whose approvers may answer its approvals, too. */
	readonly approveIn?: readonly string[];
	/** Billionths of a US dollar a day for each of its sessions. */
	readonly budget?: number;
	/** Maximum bytes of its workspace. */
	readonly quotaBytes?: number;
	/** Messages that connectors treat as messages to the agent. */
	readonly mention?: "required" | "always";
	/** Whether all people of the channel share a session, or each person has one. */
	readonly sessions?: "shared" | "person";
	/** Part of an answer that connectors show while the run works. */
	readonly live?: "off" | "text" | "tools" | "everything";
	/** Whether connectors answer a mention in the channel, or in a thread that they open for it. */
	readonly answers?: "channel" | "thread";
	/** Whether connectors show the state of a message by posts or by reactions to it. */
	readonly status?: "posts" | "reactions";
	/** Whether connectors queue a message during a run, or also offer to add it to the run. */
	readonly busy?: "queue" | "offer";
	/** Number of earlier messages of the channel that connectors read for a request; 0 also switches off threads. */
	readonly context?: number;
	/** Milliseconds before approvals expire. Default: 24 hours. */
	readonly approvalMs?: number;
}
