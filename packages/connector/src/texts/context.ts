/** Markdown texts about messages that are read for a request. */
export const contextTexts = {
	/** Text for the agent if a person only forwards a message or replies to one, and writes no request. */
	onlyReference: "Look at the message that I refer to.",

	why: {
		// `authors`: names, with the number of messages if an author wrote several.
		read: ({
			messages,
			authors,
			times,
		}: {
			readonly messages: number;
			readonly authors: string;
			readonly times: string;
		}): string =>
			`I also read ${messages === 1 ? "1 message" : `${messages} messages`}: ${authors}; ${times}.`,
		author: ({ name, messages }: { readonly name: string; readonly messages: number }): string =>
			messages === 1 ? name : `${name} (${messages})`,
		me: "me",
		notMember: " (not a member)",
		at: ({ from, to }: { readonly from: string; readonly to: string }): string =>
			from === to ? `from ${from}` : `from ${from} to ${to}`,
		files: ({ files }: { readonly files: string }): string => `Files of these messages: ${files}`,
		more: ({ others }: { readonly others: number }): string =>
			others === 1 ? "1 more person" : `${others} more people`,
		hasOlder: "I left out older messages.",
		unavailable: "I could not read the earlier messages.",
		notAllowed:
			"I did not read the earlier messages, because the author of this message does not have permission to read them.",
	},
};
