/** Markdown texts about messages to the agent, presses and errors in general. */
export const messageTexts = {
	greeting: "Hello! Write your request in the same message as my name. `!help` lists the commands.",
	edited: "I accepted this message before you edited it.",
	notHandled:
		"I could not handle your message because of an error on my side. Please send it again later. The operator can find the reason in the log.",
	notDone:
		"Your request failed because of an error on my side. Please try again later. The operator can find the reason in the log.",
	oldButton: "This button no longer works. Please send your request again.",

	why: {
		description: "Show how the agent handled a message, and why",
		message: "Link or id of the message; your last message by default",
		unknown: "I have no record of that message. I delete records after seven days. Choose a newer message.",
		text: ({
			at,
			reason,
			effect,
		}: {
			readonly at: string;
			readonly reason: string;
			readonly effect: string;
		}): string => `${at}: ${reason}; ${effect}.`,
		askThere: "To see its tool calls, use this command in the channel of the message.",
		states: {
			queued: "It is in the queue.",
			active: "I am working on it.",
			ended: "The run has ended.",
		},
		stopped: "The run was stopped.",
		// `by`: undefined if no person decided.
		call: ({
			tool,
			decision,
			by,
			reason,
		}: {
			readonly tool: string;
			readonly decision: string;
			readonly by: string | undefined;
			readonly reason: string;
		}): string => `- \`${tool}\` was ${decision}${by === undefined ? "" : ` by ${by}`}: ${reason}`,
		models: ({ models }: { readonly models: string }): string => `Model: ${models}`,
		error: ({ error }: { readonly error: string }): string => `The run failed: ${error}`,
		files: ({ files }: { readonly files: string }): string => `Files: ${files}`,
	},

	/** Reasons for or against handling a message. */
	reasons: {
		bot: "a bot wrote the message, and I do not answer bots",
		direct: "the message is a direct message",
		mention: "the message mentions me",
		reply: "the message replies to one of my posts",
		others: "the message mentions another person",
		thread: "the message is in one of my threads",
		open: "the message is in a channel in which I also answer messages without a mention",
		unaddressed: "the message does not mention me",
	},

	effects: {
		none: "I ignored it",
		sent: "I accepted it as a request",
		edited:
			"it was edited after I had accepted it. To send the edited text, press the button below the message",
		answered: "it answered a question",
		replied: "it was a reply to a task",
		stopped: "it stopped my work",
		"nothing-to-stop": "it asked me to stop, but I was not working",
		command: "it was a command",
		"too-late": "it was edited after I had handled it, so I ignored the edit",
		greeted: "it contained only my name",
		refused: "I refused it",
		withdrawn: "it was stopped or deleted before I accepted it",
	},
};

/** Texts about files in messages and posts. */
export const fileTexts = {
	notSent: ({ files }: { readonly files: string }): string => `I could not read these files:\n\n${files}`,
	messageTooLong: ({ bytes, maximum }: { readonly bytes: number; readonly maximum: number }): string =>
		`the message has ${bytes} bytes, more than the maximum of ${maximum}: send it as a file, or in parts`,
	attached: ({ names }: { readonly names: string }): string => `Attached: ${names}`,
	// This text is a note for the agent.
	missing: ({ files }: { readonly files: string }): string => `[Missing files: ${files}]`,
	tooMany: ({ name, maximum }: { readonly name: string; readonly maximum: number }): string =>
		`\`${name}\`: a message can have at most ${maximum} files, so send this file in another message`,
	tooLarge: ({ maximum }: { readonly maximum: string }): string =>
		`the file is larger than ${maximum}: attach a smaller file`,
	incomplete: ({ bytes, size }: { readonly bytes: number; readonly size: number }): string =>
		`only ${bytes} of ${size} bytes of the file arrived: attach the file again`,
	// `maximum`: limit of the platform, if known.
	tooLargeToPost: ({
		name,
		size,
		platform,
		maximum,
	}: {
		readonly name: string;
		readonly size: string;
		readonly platform: string;
		readonly maximum: string | undefined;
	}): string =>
		`The file ${name} (${size}) is too large for ${platform}${maximum === undefined ? "" : ` (maximum ${maximum})`}. Ask the operator for it, or ask me to split it.`,
};
