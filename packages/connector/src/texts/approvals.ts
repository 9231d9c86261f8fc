/** Markdown texts about approvals: the list, the cards, and the replies to their buttons. */
export const approvalTexts = {
	list: {
		description: "List the open approvals that you can answer here, including those of other channels",
		from: "Number of the first approval to show; 1 by default",
		more: ({
			count,
			isLeast,
			command,
		}: {
			readonly count: number;
			readonly isLeast: boolean;
			readonly command: string;
		}): string => `${isLeast ? "At least " : ""}${count} more: \`${command}\``,
		none: "There are no open approvals that you can answer here.",
		noMore: ({ number, command }: { readonly number: number; readonly command: string }): string =>
			`The list has no open approval with the number ${number}. \`${command}\` shows the list from the start.`,
		requested: ({
			person,
			channel,
			about,
			at,
		}: {
			readonly person: string;
			readonly channel: string;
			readonly about: string;
			readonly at: string;
		}): string => `Requested by ${person} ${channel}${about}, ${at}.`,
		here: "here",
		// `link`: link to the channel, if the channel belongs to the same server or workspace and has an address.
		inChannel: ({
			platform,
			link,
		}: {
			readonly platform: string;
			readonly link?: string | undefined;
		}): string =>
			link === undefined ? `in another channel of ${platform}` : `in [another channel](${link})`,
		unnamed: "a person",
		inConversation: ({ title }: { readonly title: string }): string => `, in “${title}”`,
		closed: "This approval is closed, or you cannot answer it here. See its card.",
		counted: ({ needed }: { readonly needed: number }): string =>
			`Your approval is recorded. The call needs ${needed} approvals in total.`,
		// `command`: command that shows the list again.
		changed: ({ command }: { readonly command: string }): string =>
			`Not approved, because this call has changed since this list was shown. Use \`${command}\` to see the changed call.`,
	},

	buttons: {
		approve: "Approve",
		approveOnce: "Approve once",
		approveSession: "For this conversation",
		edit: "Edit and approve",
		editAgain: "Edit again",
		deny: "Deny",
		showAll: "Show all",
		details: "Details",
		// These labels contain the number of a call, or of an approval in a list.
		approveOne: ({ number }: { readonly number: number }): string => `Approve ${number}`,
		showOne: ({ number }: { readonly number: number }): string => `Show ${number} in full`,
		approveOneSession: ({ number }: { readonly number: number }): string =>
			`Approve ${number} for this conversation`,
		editOne: ({ number }: { readonly number: number }): string => `Edit ${number}`,
		denyOne: ({ number }: { readonly number: number }): string => `Deny ${number}`,
		approveAll: "Approve all",
		chooseCall: "Choose a call",
		denyAll: "Deny all",
	},
	editForm: {
		title: "Edit and approve",
		all: "Arguments (JSON)",
		json: ({ name }: { readonly name: string }): string => `${name} (JSON)`,
		// `name`, `text`: visible text in one line.
		noJson: ({ name, text }: { readonly name: string; readonly text: string }): string =>
			`Not approved, because \`${name}\` is not JSON: “${text}”. Write a number, \`true\`, \`"text"\`, a list or an object.`,
		// `text`: visible text in one line.
		noObject: ({ text }: { readonly text: string }): string =>
			`Not approved, because the arguments are not a JSON object: “${text}”. Write an object, for example \`{"path": "notes.txt"}\`.`,
		tooSlow: "The form did not open. Please press the button again.",
		notEditable: "This call cannot be edited here. Approve it, or deny it with a reason.",
	},
	denyForm: { title: "Deny", allTitle: "Deny all", reason: "Reason (the agent reads it)" },

	card: {
		title: "Approval",
		wants: ({ asker, tool }: { readonly asker: string; readonly tool: string }): string =>
			`${asker} wants to use ${tool}`,
		calls: ({ count, asker }: { readonly count: number; readonly asker: string }): string =>
			`${asker} wants to make ${count} calls`,
		repeated: "**asked again**",
		risk: ({ risk }: { readonly risk: string }): string =>
			risk === "high" ? "**Risk: high.**" : `Risk: ${risk}.`,
		critical:
			"**Risk: critical.** Only the operator can approve this, with `parley answer` or in `parley chat`. You can deny it here.",
		onlyOperator: "**Risk: critical.** Only the operator can approve this, with `parley answer`.",
		votes: ({
			given,
			needed,
			people,
			editor,
		}: {
			readonly given: number;
			readonly needed: number;
			readonly people: readonly string[];
			/** Person who changed the arguments; undefined if they are unchanged. */
			readonly editor?: string | undefined;
		}): string => {
			const count = `**${given} of ${needed} approvals**`;
			const edited = editor === undefined ? "" : ` · arguments changed by ${editor}`;
			return people.length === 0
				? `${count} by different people${edited}`
				: `${count}: ${people.join(", ")}${edited}`;
		},
		moreWarnings: ({ count }: { readonly count: number }): string =>
			`**${count} more ${count === 1 ? "warning" : "warnings"}** in Details`,
		// `cut`: the card shows only a part of the call.
		foot: ({ cut, expires }: { readonly cut: boolean; readonly expires: string | undefined }): string => {
			const more = cut ? "**Not complete here:** press Details" : "More in Details";
			return expires === undefined ? `${more}.` : `${more}. Expires ${expires}.`;
		},
		counted: ({ given, needed }: { readonly given: number; readonly needed: number }): string =>
			`**${given} of ${needed} approvals**`,
		riskOfRow: ({ risk }: { readonly risk: "high" | "low" }): string =>
			risk === "high" ? "**risk: high**" : "risk: low",
		waitingCritical: "🔒 **only the operator**: `parley answer`",
		moreDecisions: ({ count }: { readonly count: number }): string =>
			`… ${count} more ${count === 1 ? "decision" : "decisions"} in Details`,
		moreCalls: ({ count }: { readonly count: number }): string => `… ${count} more in Details`,
		alsoIn: ({
			platforms,
			several,
			onlyDeny,
		}: {
			readonly platforms: string;
			readonly several: boolean;
			readonly onlyDeny: boolean;
		}): string =>
			`Approvers in ${several ? "channels" : "a channel"} on ${platforms} can also ${onlyDeny ? "deny" : "answer"} this request with the \`approvals\` command.`,
	},

	/** Texts of the post that replaces a refused card. */
	plain: {
		refused: "I could not post the full card here.",
		reply: "Reply to this post with **approve** or **deny**.",
		replyAnswer: "Reply to this post with your answer.",
		approver: ({ command }: { readonly command: string }): string =>
			`An approver can answer with ${command}.`,
		operator: "The operator can answer with `parley answer`.",
	},

	/** Results of the buttons for all calls of a card. */
	all: {
		/** Text above the complete calls. Only the person who pressed the button sees it. */
		review: "The post shortens some of these calls. Read them here in full, then decide.",
		callClosed: "This call is no longer waiting for a decision.",
		done: { approve: "✅ **Approved:**", deny: "⛔ **Denied:**" },
		left: { approve: "**Not approved:**", deny: "**Not denied:**" },
		counted: ({ needed }: { readonly needed: number }): string =>
			`your approval is recorded, but the call needs ${needed} approvals`,
		closed: "These calls are no longer waiting for a decision.",
		changed:
			"The calls are not approved, because a call has changed since this post was shown. Press **Details** on the card again.",
		unseen: "the post did not show all of this call. Press **Details**",
		critical: "only the operator can approve it, with `parley answer`",
		changeable: "its arguments can still change, so approve this call separately",
		notShown: "this post no longer shows this call",
		answered: ({ outcome }: { readonly outcome: string }): string => `already answered: ${outcome}`,
		notWaiting: "this call is no longer waiting for a decision",
		unknown: "the gateway no longer has this call",
	},

	outcomes: {
		denied: "⛔ **Denied**",
		approved: "✅ **Approved**",
		approvedOnce: "✅ **Approved once**",
		approvedSession: "✅ **Approved for this conversation**",
		withChanges: ({ editor }: { readonly editor: string | undefined }): string =>
			editor === undefined ? ", with changed arguments," : `, with arguments that ${editor} changed,`,
		changedArguments: "Approved arguments:",
	},

	/** Answer to a press on a post that shows an earlier form of the call. */
	changed:
		"Not approved, because this call has changed since this post was shown. Press **Details** on its card again.",
	/** Help for a reply that was not accepted as a decision. */
	typed: {
		unclear: ({ allowSession }: { readonly allowSession: boolean }): string =>
			`Not decided. Reply **approve**${allowSession ? ", **approve for this conversation**" : ""}, **deny** or **deny: your reason**, or press a button.`,
		/** Reply to a message that answers a trust request or a critical call. */
		onlyButtons:
			"Not decided, because this request cannot be answered by message. Press a button of the request.",
		// `command`: command that lists the calls with buttons.
		severalCalls: ({ calls, command }: { readonly calls: number; readonly command: string }): string =>
			`Not decided, because this post shows ${calls} calls. Press the buttons of the post, or use \`${command}\`.`,
	},
};
