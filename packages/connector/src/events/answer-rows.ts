import { defined } from "@parley/base";
import { toRows } from "../conversation/to-rows.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform, PostFormat } from "../platform/chat-platform.ts";
import type { Room, Ticket } from "../platform/inbound-event.ts";
import { Posting } from "../platform/posting.ts";
import type { Reply } from "../rooms/handler-context.ts";

/** An inbound event is answered once: whatever it comes to counts as one event of its own. */
const seq = 1;

type Platform = PostFormat & { readonly conversation: ChatPlatform["conversation"] };

/** The posts of an answer that stands in the room, below the message that it answers. */
export function roomAnswer(
	reply: Reply,
	to: { readonly room: Room; readonly message?: string; readonly now: number },
	platform: Platform,
): PlannedRow[] {
	const { text, controls } = reply;
	const { room, message, now } = to;
	const shown = {
		type: "show" as const,
		lane: "acknowledgement" as const,
		text,
		...defined({ replyTo: message, controls }),
	};
	const conversation = platform.conversation(room);
	return toRows([shown], { time: { seq, at: now }, conversation, platform });
}

/** What a press comes to shows in the room: who pressed waits for nothing more. */
export function noAnswer({ ticket, now }: { readonly ticket: Ticket; readonly now: number }): PlannedRow {
	const { id, token, expiresAt } = ticket;
	const payload: Posting = { type: "private", body: "", expiresAt, ticket: { id, token } };
	return { seq, at: now, lane: "acknowledgement", conversation: `ticket:${id}`, payload };
}

/** The answer that only the one sees who pressed or commanded: one post, with a file where it is long. */
export function privateAnswer(
	reply: Reply,
	{ ticket, now }: { readonly ticket: Ticket; readonly now: number },
	platform: Platform,
): PlannedRow[] {
	const narrow = { dialect: platform.dialect, limits: { ...platform.limits, postsPerAnswer: 1 } };
	const { text, controls } = reply;
	const shown = {
		type: "show",
		lane: "acknowledgement",
		text,
		...defined({ controls }),
	} as const;
	const conversation = `ticket:${ticket.id}`;
	const rows = toRows([shown], { time: { seq, at: now }, conversation, platform: narrow });
	const { id, token, expiresAt } = ticket;
	return rows.flatMap((row) => {
		const post = Posting.parse(row.payload);
		if (post.type !== "post") return [];
		const { body, controls: fitted, file } = post;
		const payload: Posting = {
			type: "private",
			body,
			expiresAt,
			ticket: { id, token },
			...defined({ controls: fitted, file }),
		};
		return [{ ...row, payload }];
	});
}
