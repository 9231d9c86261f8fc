/** Texts of notices to approvers, and reports about them. Markdown, except for reports. */
export const noticeTexts = {
	/** `code`: of the approval. `link`: Markdown of the conversation, if it has an address. */
	waiting: ({ code, link, expires, calls }: NoticeFacts): string =>
		`**${nameOf({ code, calls })}** ${calls > 1 ? "wait" : "waits"} for your decision${at(link)}.${until(expires)}`,
	reminder: ({ code, link, expires, calls }: NoticeFacts): string =>
		`**Reminder:** ${nameOf({ code, calls })} still ${calls > 1 ? "wait" : "waits"} for your decision${at(link)}.${until(expires)}`,
	escalated: ({ code, link, expires, calls }: NoticeFacts): string =>
		`**${nameOf({ code, calls })}** ${calls > 1 ? "have" : "has"} no decision yet. Please decide${at(link)}.${until(expires)}`,
	here: "here",

	/** Reports for operators, in plain text. */
	failed: ({
		way,
		people,
		reason,
	}: {
		readonly way: "mention" | "channel" | "direct" | "reply";
		readonly people: readonly string[];
		readonly reason: string;
	}): string => `${ways[way]} to ${people.join(", ") || "the approval channel"} failed: ${reason}`,
	noTarget: "no approver can be notified: approveIn names no channel of this server or workspace",
	finding: ({ count, reason }: { readonly count: number; readonly reason: string }): string =>
		`notices to approvers: ${count} did not arrive by the first configured way; the newest: ${reason}`,
	fix: "ask the approver to allow direct messages, or change chat.approvalNotices in the configuration",
};

interface NoticeFacts {
	readonly code: string;
	readonly link: string | undefined;
	readonly expires: string | undefined;
	/** Number of calls that wait together. */
	readonly calls: number;
}

const ways = {
	mention: "a mention",
	channel: "a post in the approval channel",
	direct: "a direct message",
	reply: "a reply",
};

function nameOf({ code, calls }: Pick<NoticeFacts, "code" | "calls">): string {
	return calls > 1 ? `${calls} approvals, from ${code},` : `Approval ${code}`;
}

function at(link: string | undefined): string {
	return link === undefined ? "" : ` ${link}`;
}

function until(expires: string | undefined): string {
	return expires === undefined ? "" : ` It expires ${expires}.`;
}
