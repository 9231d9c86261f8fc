import { defined, definedItems } from "@parley/base";
import type { Person, ReadMessage } from "@parley/connector";
import { momentOf } from "../vocabulary/snowflake.ts";
import { attachmentsOf, personOf } from "./people.ts";
import { BesideMessage, type Message, type ReadableMessage, Snapshot } from "./wire.ts";

/** Types of messages that contain text from people or apps: resources/message#message-object-message-types */
const written: ReadonlySet<number> = new Set([0, 19, 20, 23]);
/**
 * Type of the first message in a thread that was opened from a message. `referenced_message` is the message from
 * which the thread was opened.
 */
const threadStarter = 21;

/** Returns the text of a message with names instead of mentions. */
type ReadText = (message: ReadableMessage) => string;

interface Reading {
	/** User id of the bot. */
	readonly user: string;
	readonly text: ReadText;
}

/**
 * Converts a message of a channel to a `ReadMessage`. Returns undefined for a system message, an empty message, and
 * invalid data.
 */
export function readBeside(
	data: unknown,
	relation: ReadMessage["relation"],
	reading: Reading,
): ReadMessage | undefined {
	const message = BesideMessage.safeParse(data).data;
	if (message === undefined) return undefined;
	if (message.type === threadStarter) return readBeside(message.referenced_message, relation, reading);
	const { id, type, author, webhook_id: webhook, edited_timestamp: edited, embeds } = message;
	if (!written.has(type)) return undefined;
	const forwarded = (message.message_snapshots ?? []).map(({ message: snapshot }) => snapshot);
	const shown = embeds.flatMap(({ title, description }) => definedItems([title, description]));
	const texts = [reading.text(message), ...shown, ...forwarded.map(reading.text)];
	const text = texts.filter((part) => part !== "").join("\n");
	const attachments = [message, ...forwarded].flatMap((one) => attachmentsOf(one.attachments));
	if (text === "" && attachments.length === 0) return undefined;
	const person = personOf(author);
	return {
		id,
		relation,
		author: { ...person, bot: person.bot || Boolean(webhook) },
		ours: author.id === reading.user,
		at: momentOf(id),
		text,
		attachments,
		...defined({ editedAt: edited ? Date.parse(edited) : undefined }),
	};
}

/** Author of a forwarded message, because Discord does not report the real one. */
const unknownAuthor: Person = { id: "unknown", name: "unknown", roles: [], guest: true, bot: false };

/** Returns the messages that a message contains: the message that it replies to, or the messages that it forwards. */
export function referencedBy(message: Message, reading: Reading): ReadMessage[] {
	const { message_reference: reference, referenced_message: replied, message_snapshots: snapshots } = message;
	if ((reference?.type ?? 0) === 0) {
		const read = replied && readBeside(replied, "reply", reading);
		return read ? [read] : [];
	}
	return (snapshots ?? []).flatMap((data, index) => {
		const snapshot = Snapshot.safeParse(data).data?.message;
		if (snapshot === undefined) return [];
		const { timestamp, edited_timestamp: edited } = snapshot;
		return [
			{
				id: `${reference?.message_id ?? message.id}-${index}`,
				relation: "forward" as const,
				author: unknownAuthor,
				ours: false,
				at: Date.parse(timestamp),
				text: reading.text(snapshot),
				attachments: attachmentsOf(snapshot.attachments),
				...defined({ editedAt: edited ? Date.parse(edited) : undefined }),
			},
		];
	});
}
