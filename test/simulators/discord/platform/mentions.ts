import type { APIAllowedMentions, APIMessageTopLevelComponent } from "discord-api-types/v10";
import { may } from "./permissions.ts";
import type { ChannelRecord, Mentions, MessageRecord, UserRecord } from "./records.ts";
import type { State } from "./state.ts";

export const noMentions: Mentions = { users: [], roles: [], everyone: false };

export interface Calling {
	readonly author: UserRecord;
	readonly channel: ChannelRecord;
	/** Content and component texts of the message. */
	readonly text: string;
	/**
	 * The `allowed_mentions` of the request. If absent, all mentions are parsed, and the author of the referenced
	 * message is notified.
	 */
	readonly allowed: APIAllowedMentions | null | undefined;
	readonly repliesTo?: UserRecord | undefined;
}

/**
 * Returns the users and roles that a message notifies, and whether it notifies all members:
 * https://discord.com/developers/docs/resources/message#allowed-mentions-object
 */
export function mentionsOf(state: State, calling: Calling): Mentions {
	const { text, channel, repliesTo } = calling;
	const allowed: APIAllowedMentions = calling.allowed ?? { replied_user: true };
	const named = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, id = ""]) => id);
	const parses = (kind: string): boolean => parsed(allowed).includes(kind);
	const users = new Set(named(/<@!?(\d+)>/g).filter((id) => parses("users") || allowed.users?.includes(id)));
	if (allowed.replied_user && repliesTo) users.add(repliesTo.id);
	const all = may(state, calling.author, channel, "MentionEveryone");
	const roles = named(/<@&(\d+)>/g).filter((id) => {
		const role = channel.guild?.roles.get(id);
		return role && (all || role.mentionable) && (parses("roles") || allowed.roles?.includes(id));
	});
	return {
		users: [...users].flatMap((id) => state.users.get(id) ?? []),
		roles: [...new Set(roles)],
		everyone: all && parses("everyone") && /@(everyone|here)/.test(text),
	};
}

function parsed({ parse, users, roles }: APIAllowedMentions): readonly string[] {
	if (parse) return parse;
	return users || roles ? [] : ["users", "roles", "everyone"];
}

/**
 * Records the users, roles and `@everyone` that a message of the app would notify. Skips ephemeral messages.
 */
export function notePings(state: State, message: MessageRecord, by: "create" | "edit"): void {
	if (message.author !== state.app.user || message.onlyFor) return;
	const { users, roles, everyone } = message.mentions;
	const names = [
		...users.filter((user) => user !== state.app.user).map(({ name }) => `@${name}`),
		...roles.map((id) => `@${message.channel.guild?.roles.get(id)?.name ?? id}`),
		...(everyone ? ["@everyone"] : []),
	];
	const text = [message.content, ...textsOf(message.components)].join("\n");
	for (const who of names) state.pings.push({ messageId: message.id, who, by, text });
}

export function textsOf(components: readonly APIMessageTopLevelComponent[]): string[] {
	return components.flatMap((component) => {
		if ("content" in component) return [component.content];
		const parts = "components" in component ? component.components : [];
		return textsOf(parts as readonly APIMessageTopLevelComponent[]);
	});
}
