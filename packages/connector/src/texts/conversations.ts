/** Markdown texts about the conversations of a channel. */
export const conversationTexts = {
	/** Name of a thread for a message without a text, or for a copy without a title. */
	thread: "Conversation",
	titleOption: "Title of the conversation",
	untitled: "untitled",
	none: "This channel has no conversation yet. Write to me to start one.",
	messages: ({ count }: { readonly count: number }): string =>
		`${count} ${count === 1 ? "message" : "messages"}`,

	create: {
		description: "Start a new conversation here; you can return to the old one",
		// `name`: a space and the title; may be empty.
		done: ({ name, back }: { readonly name: string; readonly back: string }): string =>
			`Started a new conversation${name}. \`${back}\` returns to an older conversation.`,
	},

	switch: {
		description: "Switch to another conversation of this channel",
		session: "Title of the conversation, or its number in the list",
		unknown: ({ name, list }: { readonly name: string; readonly list: string }): string =>
			`No conversation here has the title or number “${name}”. \`${list}\` shows all.`,
		ambiguous: ({ name, list }: { readonly name: string; readonly list: string }): string =>
			`More than one conversation here has the title “${name}”. Use the number that \`${list}\` shows.`,
		done: ({ name }: { readonly name: string }): string => `Switched to **${name}**.`,
		current: " · current",
	},

	list: {
		description: "List the conversations of this channel",
		more: ({ count }: { readonly count: number }): string =>
			`and ${count} older ${count === 1 ? "conversation" : "conversations"}`,
	},

	rename: {
		description: "Rename the current conversation of this channel",
		done: ({ title }: { readonly title: string }): string => `Renamed to **${title}**.`,
	},

	fork: {
		description: "Continue a copy of this conversation, for example to try another way",
		at: "Number of your last message in the copy; -1 leaves out your last message",
		/** Begins the thread of the copy. */
		beginning: ({ title }: { readonly title: string }): string =>
			`🔀 **${title}** continues here as a copy. Reply in this thread.`,
		// `link`: link to the thread, in Markdown.
		inThread: ({ link }: { readonly link: string }): string => `The copy continues in ${link}.`,
		thread: "its own thread",
		// `back`: command that returns to the original conversation.
		here: ({ title, back }: { readonly title: string; readonly back: string }): string =>
			`Your messages now go to the copy **${title}**. \`${back}\` returns to the original.`,
		noSpace:
			"Not copied, because there is no space for this conversation's files. Ask the operator to delete old conversations.",
		occupied: "Not copied, because another conversation has started in the new thread. Try again.",
		place:
			"Write the number of the last message to copy, for example 3, or -1 to leave out your last message.",
	},

	compact: {
		description: "Summarise a conversation of this channel to save tokens",
		started: "Summarising the conversation…",
		busy: "I am still working here. Try again when I have finished.",
		// `before`, `after`: numbers of tokens as text.
		compacted: ({ before, after }: { readonly before: string; readonly after: string }): string =>
			`I now work from a summary of the conversation: ${before} → ${after} tokens.`,
		unchanged: "There is nothing to summarise in this conversation.",
		cancelled: "Stopped. The conversation was not summarised.",
		failed: ({ error }: { readonly error: string }): string =>
			`The conversation was not summarised: ${error}.`,
	},

	info: {
		description: "Show the current conversation of this channel",
		messages: ({ count, last }: { readonly count: number; readonly last: string }): string =>
			`${count} ${count === 1 ? "message" : "messages"}, the last ${last}`,
		// `model`: undefined for the default model of the gateway.
		model: ({ model }: { readonly model: string | undefined }): string =>
			`Model: ${model === undefined ? "the gateway's default" : `\`${model}\``}`,
	},

	/** Background commands of the agent. `command` is code, and `at` is a time such as “5 minutes ago”. */
	background: {
		description: "Show the background commands of this conversation, or stop one",
		stop: "Number of the command to stop",
		running: "In the background:",
		ended: "Ended:",
		none: "No background commands are running in this conversation.",
		started: ({ at }: { readonly at: string }): string => `started ${at}`,
		ends: {
			exited: ({ code, at }: { readonly code: number | undefined; readonly at: string }): string =>
				code === undefined ? `ended ${at} by a signal` : `ended ${at} with exit code ${code}`,
			stopped: ({ at }: { readonly at: string }): string => `stopped ${at}`,
			timed_out: ({ at }: { readonly at: string }): string => `stopped ${at} at its time limit`,
			gateway: ({ at }: { readonly at: string }): string => `ended ${at}, because the gateway restarted`,
			failed: ({ at }: { readonly at: string }): string => `failed to start ${at}`,
		},
		stopped: ({ command }: { readonly command: string }): string => `Stopped ${command}.`,
		over: ({ command }: { readonly command: string }): string => `${command} had already ended.`,
		unknown: ({ number, list }: { readonly number: number; readonly list: string }): string =>
			`There is no background command ${number} here. \`${list}\` shows all.`,
	},

	/**
	 * Texts of commands that a person sends in a channel, and that act on conversations in the channel's threads.
	 * `title`: Markdown, with a link if the conversation has an address.
	 */
	below: {
		which: {
			stop: "I am working in several conversations. Choose the conversation to stop:",
			info: "Choose a conversation:",
			usage: "Choose a conversation to see its usage:",
			compact: "Choose the conversation to summarise:",
			model: ({ model }: { readonly model: string }): string =>
				`Choose the conversation for the model **${model}**, or use this command in its thread:`,
		},
		threads: "Conversations in threads:",
		ofChannel: ({ title }: { readonly title: string }): string => `${title} (this channel)`,
		working: "working",
		more: ({ count }: { readonly count: number }): string => `and ${count} more`,
		// `command`: a command in its text form.
		inThread: ({ command }: { readonly command: string }): string =>
			`This channel has no conversation of its own. Write \`${command}\` in the thread of a conversation.`,
		gone: "This conversation is no longer current, or you cannot see it. Choose another conversation.",
		stopped: ({ title }: { readonly title: string }): string => `Stopped: ${title}`,
		idle: ({ title }: { readonly title: string }): string => `I am no longer working on ${title}.`,
		modelChosen: ({ model, title }: { readonly model: string; readonly title: string }): string =>
			`Model chosen for ${title}: \`${model}\`. It applies from the next message.`,
	},

	renamed: ({ title }: { readonly title: string }): string => `This conversation was renamed to “${title}”.`,
	/** Text on the cards of a deleted conversation. */
	cardDeleted: "This conversation was deleted.",
	deleted: "This conversation was deleted. Your next message starts a new one.",
	mayNotOpen: "you do not have permission to start conversations here: ask the operator for access",
	mayNotCopy: "only members can copy a conversation: ask the operator for the role member",
	noSuch:
		"cannot switch to this conversation, because it does not belong to this channel: choose a conversation from the list",
};
