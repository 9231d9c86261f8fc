/** Changes of the people who can read or write in a channel, as the end of a sentence after a colon. */
export const audienceTexts = {
	shared: "the channel is shared with another organisation",
	unshared: "the channel is no longer shared with an organisation",
	becamePrivate: "the channel became private",
	becamePublic: "the channel became public",
	archived: "the channel was archived",
	deleted: "the channel was deleted",
	removedFromChannel: "I was removed from the channel",
	guestJoined: "a guest joined",
	replaced: "Slack gave the channel a new id",
} as const;
