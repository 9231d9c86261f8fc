/** Markdown texts about the notes of the agent. */
export const noteTexts = {
	list: {
		description: "Show the agent's notes about you, this channel and all members",
		query: "Words to search for",
		none: "I have no notes here.",
		noMatch: "No note contains any of these words.",
		hidden: ({ command }: { readonly command: string }): string =>
			`Notes about you are not shown in this channel. \`${command}\` shows them to you alone.`,
		howToDelete: ({ command }: { readonly command: string }): string =>
			`\`${command} NUMBER\` deletes a note, and \`${command} me\` deletes all notes about you or by you.`,
		scopes: { user: "about you", channel: "this channel", everyone: "all members" },
	},

	forget: {
		description: "Delete a note of the agent, or all notes about you or by you",
		note: 'Number of a note in the list, or "me" for all notes about you or by you',
		done: "Deleted.",
		allDone: ({ count }: { readonly count: number }): string =>
			`Deleted ${count} ${count === 1 ? "note" : "notes"} about you or by you.`,
	},
};
