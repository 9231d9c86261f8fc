import type { Role } from "./principal.ts";

/** One rule of the configuration about people: it concerns whom all that it names fits. */
export interface PersonRule {
	readonly platform?: string;
	readonly tenant?: string;
	readonly channel?: string;
	/** The platform's id of a role. */
	readonly platformRole?: string;
	/** The platform's id of a user. */
	readonly user?: string;
}

/** What the configuration says of chat platforms. */
export interface ChatSettings {
	/** Who is let in without pairing, and as what. A person's own role counts where it is higher. */
	readonly allow: readonly (PersonRule & { readonly as: Exclude<Role, "stranger"> })[];
	/** Who is kept out, whatever else is said of them. */
	readonly deny: readonly PersonRule[];
	/** Guilds and teams that connectors may speak for, by platform. */
	readonly tenants: Readonly<Record<string, readonly string[]>>;
	/** By channel, or `PLATFORM:TENANT` for all of a guild or team. */
	readonly places: Readonly<Record<string, PlaceProfile>>;
	/** Whether a channel is trusted no more as soon as somebody speaks there whom nobody has let in; so unless told. */
	readonly endTrustOnStranger?: boolean;
}

/** Nobody is let in. */
export const noChat: ChatSettings = { allow: [], deny: [], tenants: {}, places: {} };

/** How a channel works, as the configuration or the operator said. What is absent is as everywhere. */
export interface PlaceProfile {
	/** The agent profile of its sessions. */
	readonly agent?: string;
	/** A model's name or a tier. */
	readonly model?: string;
	/** The only tools that its sessions have. */
	readonly tools?: readonly string[];
	/** Where its tools work instead of a workspace of its own; an absolute path. */
	readonly root?: string;
	/** Ids of the people who may approve there; whoever has the role approver where absent. */
	readonly approvers?: readonly string[];
	/** Channels whose approvers may answer its approvals, too. */
	readonly approveIn?: readonly string[];
	/** Billionths of a US dollar a day for each of its sessions. */
	readonly budget?: number;
	/** Bytes that its workspace may hold. */
	readonly quotaBytes?: number;
	/** When connectors take a message for one to the agent. */
	readonly mention?: "required" | "always";
	/** Whose the conversation is that connectors open there: all people's, or each has one of their own. */
	readonly sessions?: "shared" | "person";
	/** How long approvals wait there, in milliseconds; 24 hours where absent. */
	readonly approvalMs?: number;
}
