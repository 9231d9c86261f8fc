import type { FileRecord, MessageRecord } from "../platform/records.ts";
import type { State } from "../platform/state.ts";

/** Returns the shape of a file: https://docs.slack.dev/reference/objects/file-object */
export function fileShape(state: State, file: FileRecord): Record<string, unknown> {
	const { id, name, title, type, owner, size, snippet } = file;
	const kind = snippet ?? extensionOf(name);
	const created = Math.floor(file.createdAt / 1000);
	const url = fileUrl(state, file);
	const at = file.shares.filter(({ deleted }) => !deleted);
	const inKind = (...kinds: readonly string[]): string[] =>
		at.filter(({ channel }) => kinds.includes(channel.kind)).map(({ channel }) => channel.id);
	return {
		...{ id, created, timestamp: created, name, title, mimetype: type, filetype: kind },
		...{ pretty_type: kind.toUpperCase(), user: owner.id, user_team: owner.team.id, size },
		...{
			editable: snippet !== undefined,
			mode: snippet === undefined ? "hosted" : "snippet",
			is_external: false,
			external_type: "",
			is_public: false,
		},
		...{ public_url_shared: false, display_as_bot: false, username: "", file_access: "visible" },
		...{ url_private: url, url_private_download: `${url}?download=1`, permalink: `${url}#permalink` },
		...{ channels: inKind("channel"), groups: inKind("group", "mpim"), ims: inKind("im") },
		...(file.altText !== undefined && { alt_txt: file.altText }),
		...{ has_rich_preview: false, media_display_type: "unknown", permalink_public: url, is_starred: false },
	};
}

/** Returns the channels in which the file is shared: https://docs.slack.dev/reference/methods/files.info */
export function sharesShape({ shares }: FileRecord): Record<string, unknown> {
	const by = (isPublic: boolean): Record<string, object[]> => {
		const found: Record<string, object[]> = {};
		for (const message of shares) {
			if ((message.channel.kind === "channel") !== isPublic || message.deleted) continue;
			found[message.channel.id] = [...(found[message.channel.id] ?? []), shareShape(message)];
		}
		return found;
	};
	return { public: by(true), private: by(false) };
}

function shareShape({ ts, threadTs, channel, author }: MessageRecord): object {
	return {
		...{ reply_users: [], reply_users_count: 0, reply_count: 0, ts },
		...(threadTs !== undefined && { thread_ts: threadTs }),
		...{ channel_name: channel.name, team_id: author.team.id, share_user_id: author.id },
	};
}

/**
 * Returns the shape of another team's file in a shared channel:
 * https://docs.slack.dev/apis/slack-connect/using-slack-connect-methods-and-events#files
 */
export function guardedFileShape({ id, createdAt, owner }: FileRecord): Record<string, unknown> {
	const created = Math.floor(createdAt / 1000);
	return {
		id,
		created,
		timestamp: created,
		mode: "file_access",
		file_access: "check_file_info",
		user: owner.id,
	};
}

function fileUrl(state: State, { id, name, owner }: FileRecord): string {
	return `${state.hosts.files}/files-pri/${owner.team.id}-${id}/${encodeURIComponent(name.toLowerCase())}`;
}

function extensionOf(name: string): string {
	const [, extension = "binary"] = /\.(\w+)$/.exec(name) ?? [];
	return extension.toLowerCase();
}
