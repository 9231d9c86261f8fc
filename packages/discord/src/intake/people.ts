import { defined } from "@parley/base";
import type { Attachment, Person } from "@parley/connector";
import type { User, WireAttachment } from "./wire.ts";

/**
 * Converts a Discord user to a person of the kit. `member` has the nickname and roles in the guild. Without
 * `member`, as in direct messages, the person has neither.
 */
export function personOf(
	user: User,
	member?: {
		readonly nick?: string | null | undefined;
		readonly roles?: readonly string[] | undefined;
	} | null,
): Person {
	const name = member?.nick ?? user.global_name ?? user.username;
	return { id: user.id, name, roles: [...(member?.roles ?? [])], guest: false, bot: user.bot === true };
}

export function attachmentsOf(attachments: readonly WireAttachment[]): Attachment[] {
	return attachments.map(({ id, filename, size, content_type, url }) =>
		defined({ id, name: filename, size, url, type: content_type || undefined }),
	);
}
