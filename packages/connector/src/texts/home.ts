/** Markdown texts of the home page of the app. */
export const homeTexts = {
	running: {
		title: "**Running**",
		none: "No work is running.",
		/** Heading of the list of conversations. Each conversation in the list has a button. */
		stop: "**Running** · press a button to stop its conversation",
		task: ({ task, state }: { readonly task: string; readonly state: string }): string =>
			`- ${task} · ${state}`,
	},
	waiting: {
		title: "**Waiting for you**",
		none: "No requests are waiting for you.",
		// `place`: Markdown that names the conversation, with a link if it has an address.
		question: ({ place, question }: { readonly place: string; readonly question: string }): string =>
			`- ${place}: ${question}`,
		more: ({ count, command }: { readonly count: number; readonly command: string }): string =>
			`${count} more. To see them, use \`${command}\` in their channels.`,
	},
	schedules: {
		title: "**Your schedules**",
		none: ({ command }: { readonly command: string }): string => `None. \`${command}\` adds one.`,
		line: ({
			title,
			when,
			next,
		}: {
			readonly title: string;
			readonly when: string;
			readonly next: string;
		}): string => `- **${title}**: ${when}${next}`,
	},
	trust: {
		title: "**Trusted channels**",
		none: "None of your channels is trusted.",
		line: ({ channel, until }: { readonly channel: string; readonly until: string }): string =>
			`- ${channel}: the trust grant expires ${until}.`,
		channel: "Channel",
	},
	suggested: {
		title: "**Start with a request**",
		/** Begins the conversation. `prompt` is Markdown in one line. */
		beginning: ({ prompt }: { readonly prompt: string }): string =>
			`> ${prompt}\n\nYou chose this request on the home page.`,
		// `request`: the request, with a link to its conversation if it has an address.
		started: ({ request }: { readonly request: string }): string =>
			`Started in our direct messages: ${request}`,
		changed:
			"This request is no longer suggested. Choose another request on the home page, or write your own here.",
		notPosted: "I could not start this request. Send it here as a message instead.",
	},
	help: ({
		task,
		schedule,
		help,
	}: {
		readonly task: string;
		readonly schedule: string;
		readonly help: string;
	}): string =>
		`**Help**\n\`${task}\` starts a task, \`${schedule}\` adds a schedule, and \`${help}\` lists all commands.`,
	more: ({ count }: { readonly count: number }): string => `- and ${count} more`,
	cut: "… more entries do not fit here",
	gone: "You can no longer see this conversation.",
};
