/** A change of the people who can read or write in a channel. */
export interface AudienceChange {
	readonly change: string;
	/** The bot can no longer read the channel. */
	readonly gone?: true;
	readonly deleted?: true;
}

/** Events about a channel, and subtypes of Slack's own messages: https://docs.slack.dev/reference/events */
export const audienceChanges: ReadonlyMap<string, AudienceChange> = new Map(
	Object.entries<AudienceChange>({
		channel_shared: { change: "the channel is shared with another organisation" },
		channel_unshared: { change: "the channel is shared with one organisation less" },
		channel_convert_to_private: { change: "the channel was made private" },
		channel_convert_to_public: { change: "the channel was made public" },
		channel_archive: { change: "the channel was archived", gone: true },
		group_archive: { change: "the channel was archived", gone: true },
		channel_deleted: { change: "the channel was deleted", gone: true, deleted: true },
		group_deleted: { change: "the channel was deleted", gone: true, deleted: true },
		channel_left: { change: "I was removed from the channel", gone: true },
		group_left: { change: "I was removed from the channel", gone: true },
	}),
);

/** Events after which the cached data of a channel is outdated. */
export const channelChanges: ReadonlySet<string> = new Set([
	...["channel_rename", "group_rename", "channel_unarchive", "group_unarchive"],
]);
