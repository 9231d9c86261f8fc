/** Markdown texts about questions from the agent and from tools, and about closed questions and approvals. */
export const questionTexts = {
	titles: { question: "Question", grant: "Trust request" },
	askers: { agent: "the agent", task: "the task" },
	asks: ({ asker }: { readonly asker: string }): string => `${asker} asks`,
	asksForSecret: ({ asker }: { readonly asker: string }): string => `${asker} asks for a secret`,
	asksForTrust: "a member requests trust for this channel",
	trustMeaning:
		"In a trusted channel, tools run without approval, except calls that always require it. An owner or the operator decides.",

	waiting: "Waiting for an answer.",
	expires: ({ at }: { readonly at: string }): string => `Expires ${at}.`,
	cut: "Some details do not fit here.",
	// `button`: label of the button that shows all details.
	showAll: ({ button }: { readonly button: string }): string =>
		`Some details do not fit here. Press **${button}**.`,
	omittedCharacters: ({ count }: { readonly count: string }): string => `… ${count} more characters`,
	valueLength: ({ count }: { readonly count: string }): string => `(${count} characters)`,
	moreNotes: ({ count }: { readonly count: number }): string =>
		`and ${count} more ${count === 1 ? "note" : "notes"}`,

	reminder: {
		open: "Open the request",
		more: ({ count }: { readonly count: number }): string =>
			`and ${count} more ${count === 1 ? "call" : "calls"}`,
		text: ({
			number,
			calls,
			expires,
		}: {
			readonly number: number;
			readonly calls: number;
			readonly expires: string | undefined;
		}): string => {
			const waiting =
				calls > 1
					? `${calls} calls are still waiting for answers`
					: "this request is still waiting for an answer";
			const who = calls > 1 ? "They expire" : "It expires";
			return `**Reminder ${number}**: ${waiting}.${expires === undefined ? "" : ` ${who} ${expires}.`}`;
		},
	},

	buttons: {
		answer: "Answer",
		answerAgain: "Answer again",
		skip: "Skip",
		enterSecret: "Enter it on a page",
		openPage: "Open the page",
	},
	choose: { one: "Choose one", any: "Choose any" },
	answerForm: { title: "Your answer", text: "Answer" },

	hints: { usual: "Default", example: "For example", pattern: "Must match" },
	options: {
		further: "Also possible",
		unavailable: "Not available",
		disabled: "not available",
		more: ({ count }: { readonly count: number }): string => `and ${count} more`,
	},
	how: {
		text: "Press **Answer**.",
		textOrReply: "Press **Answer**, or reply to this post.",
		secret: "Press **Enter it on a page**. The value never appears in this chat. Do not write it here.",
		choose: ({ several, more }: { readonly several: boolean; readonly more: boolean }): string =>
			`${several ? "Choose below" : "Choose one below"}${more ? ", or press **Answer** to write your own answer" : ""}.`,
	},
	/** Replies to a message that answers a question. */
	typed: {
		edited: "Not answered, because an edited message cannot answer a question. Send a new message.",
		approved: "✅ Approved.",
		denied: "⛔ Denied.",
		answered: "✅ Answered.",
	},

	// `unknown` and `options` are Markdown.
	unknownOption: ({
		unknown,
		options,
	}: {
		readonly unknown: readonly string[];
		readonly options: readonly string[];
	}): string => {
		const list = options.map((option, index) => `${index + 1}. ${option}`).join("\n");
		const names = unknown.map((name) => `“${name}”`).join(", ");
		const are = unknown.length === 1 ? "is not an option" : "are not options";
		return `${names} ${are}. Write the name or the number of an option. The question is still open.\n\n${list}`;
	},
	secretTyped:
		"Not answered, because a secret must not be in a chat. Delete your message, change the secret if it was real, and press **Enter it on a page**.",

	outcomes: {
		answered: "✅ **Answered**",
		skipped: "⏭️ **Skipped**",
		by: ({ answer, person }: { readonly answer: string; readonly person: string }): string =>
			`${answer} by ${person}`,
		at: ({ decision, at }: { readonly decision: string; readonly at: string }): string =>
			`${decision}, ${at}`,
		ofCalls: ({ count, numbers }: { readonly count: number; readonly numbers: string }): string =>
			`${count === 1 ? "call" : "calls"} ${numbers}`,
		people: (people: readonly string[]): string =>
			people.length < 2 ? (people[0] ?? "") : `${people.slice(0, -1).join(", ")} and ${people.at(-1)}`,
		secret: "The value is not shown.",
		empty: "The answer is empty.",
		// `result` is one of `results`.
		unanswered: ({ result, reason }: { readonly result: string; readonly reason: string }): string =>
			`⌛ **No answer**${result}: ${reason}`,
		results: {
			approval: ", so the call did not run",
			grant: ", so this request did not grant trust",
			other: "",
		},
		conversationDeleted: "the conversation was deleted",
		stoppedBy: ({ person }: { readonly person: string }): string => `${person} stopped the work`,
		/** Texts by the gateway's reason. */
		reasons: new Map([
			["expired", "the request expired"],
			["cancelled", "the work was stopped"],
			["ended", "the work has ended"],
			["", "the request is no longer needed"],
		]) as ReadonlyMap<string, string>,
	},

	replies: {
		gone: "This request is no longer waiting for an answer.",
		refused: ({ reason }: { readonly reason: string }): string => `Not accepted: ${reason}.`,
		invalid: ({ reason, isApproval }: { readonly reason: string; readonly isApproval: boolean }): string =>
			`Invalid answer: ${reason}. The ${isApproval ? "approval" : "question"} is still open.`,
		answered: ({ outcome }: { readonly outcome: string }): string => `Already answered:\n\n${outcome}`,
		closed: ({ outcome }: { readonly outcome: string }): string => `This request is closed:\n\n${outcome}`,
		page: ({ expires }: { readonly expires: string }): string =>
			`This page is only for you. It works once and expires ${expires}.`,
		noPage:
			"This gateway has no page for secrets. Ask the operator to run `parley answer`. Do not write the secret here.",
	},
};
