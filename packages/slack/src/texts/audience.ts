/**
 * Reasons why the people who can read or write in a channel may have changed. Each one completes a sentence after a colon,
 * without a period.
 */
export const audienceTexts = {
	shared: "the channel is shared with another organisation",
	unshared: "the channel is no longer shared with an organisation",
	becamePrivate: "the channel became private",
	becamePublic: "the channel became public",
	archived: "the channel was archived",
	deleted: "the channel was deleted",
	removedFromChannel: "I was removed from the channel",
	guestJoined: "a guest joined",
	replaced: "another channel replaced this channel",
} as const;
