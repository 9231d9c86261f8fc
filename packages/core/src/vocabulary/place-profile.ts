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
