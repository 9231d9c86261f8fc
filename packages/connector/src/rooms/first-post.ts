import { type Clock, delay, ParleyError, type Store } from "@parley/base";
import { toRows } from "../conversation/to-rows.ts";
import type { RenderOperation } from "../conversation/vocabulary/render-operation.ts";
import type { Outbox } from "../outbox/outbox.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { Room } from "../platform/inbound-event.ts";
import type { ConnectorTables } from "../store/tables.ts";

interface FirstPostParts {
	readonly store: Store<ConnectorTables>;
	readonly outbox: Outbox;
	readonly platform: ChatPlatform;
	readonly clock: Clock;
	/** Signal that aborts when the connector stops. */
	readonly signal: AbortSignal;
}

/** The post that begins a thread. */
export interface FirstPost {
	/** Room of the post, without a thread. */
	readonly channel: Room;
	readonly card: string;
	/** Cursor of the post's rows. A repeated request must have the same cursor. */
	readonly cursor: string;
	readonly text: string;
}

/** Time in milliseconds between lookups of the post. */
const pollMs = 100;
/** Maximum number of lookups. */
const maxPolls = 30;

/**
 * Creates the first post of a thread once, and resolves with the id of the post. If the post was given up or waits
 * for a decision, removes it and resolves with undefined. Rejects with `unavailable` if the post does not appear
 * within 3 s.
 */
export async function postFirst(parts: FirstPostParts, post: FirstPost): Promise<string | undefined> {
	const { outbox, clock, signal } = parts;
	const { card, text } = post;
	const planned = await outbox.cursor(post.cursor);
	if (planned > 1) return undefined;
	if (planned === 0) {
		await plan(parts, post, { seq: 1, operation: { type: "show", lane: "milestone", card, text } });
	}
	for (let poll = 0; poll < maxPolls; poll++) {
		const message = await outbox.posted(card);
		if (message !== undefined) return message;
		if (await isRefused(parts, card)) {
			await removeFirst(parts, post);
			return undefined;
		}
		await delay(clock, pollMs, signal);
	}
	throw new ParleyError("cannot open a thread: its first message is not posted yet; try again later", {
		code: "unavailable",
	});
}

export function removeFirst(
	parts: Omit<FirstPostParts, "signal">,
	post: Omit<FirstPost, "text">,
): Promise<void> {
	return plan(parts, post, { seq: 2, operation: { type: "delete", lane: "milestone", card: post.card } });
}

/** Whether the post of a card was given up, or waits for a decision of the operator. */
async function isRefused({ store }: FirstPostParts, card: string): Promise<boolean> {
	const row = await store.read((db) =>
		db
			.selectFrom("outbox")
			.select("id")
			.where("card", "=", card)
			.where("state", "in", ["dead", "held"])
			.executeTakeFirst(),
	);
	return row !== undefined;
}

async function plan(
	{ outbox, platform, clock }: Omit<FirstPostParts, "signal">,
	{ channel, cursor }: Omit<FirstPost, "text">,
	{ seq, operation }: { readonly seq: number; readonly operation: RenderOperation },
): Promise<void> {
	const conversation = platform.conversation(channel);
	const rows = toRows([operation], { time: { seq, at: clock.now() }, conversation, platform });
	await outbox.plan({ conversation, cursor: { session: cursor, seq }, rows });
}
