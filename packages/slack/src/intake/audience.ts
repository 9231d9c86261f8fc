/** What an event means for who may read or write in its channel. */
export interface AudienceChange {
	readonly change: string;
	/** We can read it no more. */
	readonly gone?: true;
	readonly deleted?: true;
}

/** Events about a channel, and subtypes of messages that Slack writes itself: https://docs.slack.dev/reference/events */
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

/** After these what is known of the channel is asked for anew. */
export const channelChanges: ReadonlySet<string> = new Set([
	...["channel_rename", "group_rename", "channel_unarchive", "group_unarchive"],
]);
