import type { Draft } from "./check.ts";
import type { Found } from "./find-post.ts";
import type { Post } from "./posts.ts";

/** Whether a message that is read back can be what was made of a draft. */
export function looksLike(message: Found, { marker, replyTo }: Post, { content, files }: Draft): boolean {
	// A card has been edited since, but never its marker.
	if (marker !== undefined) return message.content.includes(marker);
	const { attachments, message_reference: reference } = message;
	return (
		shown(message.content) === shown(content) &&
		// What it answers may have been deleted before it came: then it answers nothing.
		(reference?.message_id ?? replyTo) === replyTo &&
		attachments.length === files.length &&
		files.every(({ name }, index) => isNamed(attachments[index]?.filename ?? "", name))
	);
}

/** Without what nobody sees, which Discord may leave out or write in another way. */
function shown(text: string): string {
	return text
		.normalize()
		.replace(/\p{Cf}|\uFE0F/gu, "")
		.replace(/\s+/g, " ")
		.trim();
}

/**
 * Discord writes names anew: signs are left out, blanks become underscores, and what has only letters of other scripts
 * gets another name (discord/discord-api-docs #7754, #6945).
 */
function isNamed(filename: string, name: string): boolean {
	return letters(filename) === letters(name) || /\P{ASCII}/u.test(name);
}

function letters(name: string): string {
	return name.normalize("NFKD").replace(/[^a-zA-Z0-9]/g, "");
}
