import { audienceTexts } from "../texts/audience.ts";

/** A reason why the people who can read or write in a channel may have changed. */
export interface AudienceChange {
	readonly change: string;
	/** True if the bot can no longer read the channel. */
	readonly gone?: true;
	readonly deleted?: true;
}

/**
 * Changes by event about a channel, or by subtype of a message that Slack itself writes:
 * https://docs.slack.dev/reference/events
 */
export const audienceChanges: ReadonlyMap<string, AudienceChange> = new Map(
	Object.entries<AudienceChange>({
		channel_shared: { change: audienceTexts.shared },
		channel_unshared: { change: audienceTexts.unshared },
		channel_convert_to_private: { change: audienceTexts.becamePrivate },
		channel_convert_to_public: { change: audienceTexts.becamePublic },
		channel_archive: { change: audienceTexts.archived, gone: true },
		group_archive: { change: audienceTexts.archived, gone: true },
		channel_deleted: { change: audienceTexts.deleted, gone: true, deleted: true },
		group_deleted: { change: audienceTexts.deleted, gone: true, deleted: true },
		channel_left: { change: audienceTexts.removedFromChannel, gone: true },
		group_left: { change: audienceTexts.removedFromChannel, gone: true },
	}),
);

/** Events after which the cached data of a channel is outdated. */
export const channelChanges: ReadonlySet<string> = new Set(["channel_rename", "group_rename"]);

/** Events after which a channel accepts posts again. */
export const reopenings: ReadonlySet<string> = new Set(["channel_unarchive", "group_unarchive"]);
