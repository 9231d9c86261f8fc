/** Markdown texts about trusted channels. */
export const trustTexts = {
	on: {
		description: "Request that tools run in this channel without approval, for a limited time",
		reason: "Reason for the request, shown to the owner or operator who decides",
		minutes: ({ usual }: { readonly usual: number }): string => `Duration in minutes; ${usual} by default`,
		tools: "Only these tools, separated by commas",
		calls: "Maximum number of calls",
		granted: "This channel is trusted. Its card shows when the trust grant expires.",
		requested: ({ length }: { readonly length: string }): string =>
			`Requested trust for ${length}. An owner or the operator must confirm it.`,
	},

	off: {
		description: "End the trust grant of this channel",
		notTrusted: "This channel is not trusted.",
		done: "Ended: tools require approval here again.",
	},

	status: {
		description: "Show whether this channel is trusted, and until when",
		until: ({ at }: { readonly at: string }): string =>
			`🔓 **This channel is trusted.** The trust grant expires ${at}.`,
		covered: ({ cover, calls }: { readonly cover: string; readonly calls: number }): string =>
			`- Covered: ${cover}; ${calls === 1 ? "1 call" : `${calls} calls`} so far`,
		// `person`: person who requests trust, if known.
		request: ({
			person = "A member",
			length,
			reason,
		}: {
			readonly person: string | undefined;
			readonly length: string;
			readonly reason: string;
		}): string =>
			`❓ ${person} requests trust for ${length}: ${reason}. An owner or the operator must confirm it.`,
		none: ({ command }: { readonly command: string }): string =>
			`🔒 This channel is not trusted. \`${command}\` requests trust.`,
	},

	card: {
		open: "🔓 **This channel is trusted**: tools run here without approval.",
		covered: ({ cover }: { readonly cover: string }): string => `- Covered: ${cover}`,
		until: ({ at }: { readonly at: string }): string => `- Expires ${at}`,
		grantedBy: ({ person, reason }: { readonly person: string; readonly reason: string }): string =>
			`- Granted by ${person}: ${reason}`,
		// `reads`: whether reads outside the working directory still require approval.
		stillRequired: ({ reads }: { readonly reads: boolean }): string =>
			`- Still requires approval: ${reads ? "reads and writes" : "writes"} outside the working directory, secrets, changes to the gateway, commands without a sandbox, and irreversible actions`,
		end: "End trust",
		ended: ({ at, reason }: { readonly at: string; readonly reason: string }): string =>
			`🔒 **This channel is no longer trusted**, ${at}: ${reason}.`,
		replaced: ({ at }: { readonly at: string }): string =>
			`🔒 **A newer trust grant replaced this grant**, ${at}.`,
		notice: ({ reason }: { readonly reason: string }): string =>
			`🔒 Tools require approval here again: ${reason}.`,
		alreadyEnded: "This trust grant had already ended.",
	},

	cover: {
		allTools: "all tools",
		tools: ({ tools, count }: { readonly tools: string; readonly count: number }): string =>
			`the ${count === 1 ? "tool" : "tools"} ${tools}`,
		classes: ({ classes, count }: { readonly classes: string; readonly count: number }): string =>
			`only the ${count === 1 ? "class" : "classes"} ${classes}`,
		allMembers: "for all members here",
		members: ({ members }: { readonly members: string }): string => `for ${members}`,
		calls: ({ maximum }: { readonly maximum: number }): string =>
			`at most ${maximum === 1 ? "1 call" : `${maximum} calls`}`,
		more: ({ count }: { readonly count: number }): string => `${count} more`,
	},

	/** Reasons for the end of trust, as text after a colon. */
	ends: {
		expired: "the trust grant expired",
		// `reason` may be empty.
		endedBy: ({ person, reason }: { readonly person: string; readonly reason: string }): string =>
			`${person} ended the trust${reason === "" ? "" : `: ${reason}`}`,
		audienceChanged: ({ change }: { readonly change: string }): string =>
			`the members or their permissions have changed: ${change}`,
		audienceUnknown: ({ change }: { readonly change: string }): string =>
			`the members or their permissions may have changed: ${change}`,
		messageDeleted: "a message was deleted before its answer was complete",
		unknownConnection:
			"the connector has no record of its last connection, so people may have joined unnoticed",
		disconnected: ({ minutes }: { readonly minutes: number }): string =>
			`the connector was disconnected for ${minutes} ${minutes === 1 ? "minute" : "minutes"}, so people may have joined unnoticed`,
	},

	operator: "the operator",
	/** Appears in the footer of an answer. */
	footer: ({ until }: { readonly until: string }): string =>
		`trusted channel; the trust grant expires ${until}`,
};
