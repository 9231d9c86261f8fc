/** Texts of notices to approvers, and reports about them. Markdown, except for reports. */
export const noticeTexts = {
	waiting: (facts: NoticeFacts): string =>
		`**${nameOf(facts)}** ${facts.calls > 1 ? "are" : "is"} waiting for your decision${rest(facts)}`,
	reminder: (facts: NoticeFacts): string =>
		`**Reminder:** ${facts.calls > 1 ? nameOf(facts) : `the approval for ${facts.tool}`} ${facts.calls > 1 ? "are" : "is"} still waiting for your decision${rest(facts)}`,
	escalated: (facts: NoticeFacts): string =>
		`**${nameOf(facts)}** ${facts.calls > 1 ? "have" : "has"} no decision yet. Please decide${rest(facts)}`,
	here: "here",

	// These reports are for operators, in plain text.
	failed: ({
		way,
		people,
		reason,
	}: {
		readonly way: "mention" | "channel" | "direct" | "reply";
		readonly people: readonly string[];
		readonly reason: string;
	}): string => `${ways[way]}${people.length === 0 ? "" : ` for ${people.join(", ")}`} failed: ${reason}`,
	noTarget:
		'cannot notify an approver: no configured method reaches a person or a channel here; add the method "mention" to chat.approvalNotices, or a channel with `parley channels set --approve-in`',
	finding: ({ count, reason }: { readonly count: number; readonly reason: string }): string =>
		`the first configured method failed for ${count} ${count === 1 ? "notice" : "notices"} to approvers; most recently: ${reason}`,
	fix: "ask the approver to allow direct messages, or change chat.approvalNotices in the configuration",
};

interface NoticeFacts {
	/** Name of the tool in Markdown. */
	readonly tool: string;
	/** Text of the call in Markdown; undefined if the notice may be posted outside of the call's conversation. */
	readonly what: string | undefined;
	/** Link to the conversation in Markdown, if it has an address. */
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

function nameOf({ tool, calls }: NoticeFacts): string {
	return calls > 1 ? `${calls} approvals` : `An approval for ${tool}`;
}

function rest({ link, expires, calls, what }: NoticeFacts): string {
	const at = link === undefined ? "" : ` ${link}`;
	const until = expires === undefined ? "" : ` ${calls > 1 ? "They expire" : "It expires"} ${expires}.`;
	return `${at}.${until}${what === undefined || calls > 1 ? "" : `\n> ${what}`}`;
}
