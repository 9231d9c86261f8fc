import { defined } from "@parley/base";
import { type RenderedRow, toRows } from "../conversation/to-rows.ts";
import type { PlannedRow } from "../outbox/plan.ts";
import type { ChatPlatform, PostFormat } from "../platform/chat-platform.ts";
import type { Room, Ticket } from "../platform/inbound-event.ts";
import { type NoticeTarget, Posting } from "../platform/posting.ts";
import type { Reply } from "../rooms/handler-context.ts";

/**
 * `seq` of an answer's rows, because the rows belong to no recorded event. A caller replaces this `seq` if its
 * cursor has a different one.
 */
const seq = 1;

type Platform = PostFormat & { readonly conversation: ChatPlatform["conversation"] };

/** Returns the posts of a public answer. The first post replies to the message, if there is one. */
export function roomAnswer(
	reply: Reply,
	to: {
		readonly room: Room;
		readonly message?: string;
		readonly now: number;
		readonly notifies?: NoticeTarget;
	},
	platform: Platform,
): PlannedRow[] {
	const { text, controls, file } = reply;
	const { room, message, now, notifies } = to;
	const shown = {
		type: "show" as const,
		lane: "acknowledgement" as const,
		text,
		...defined({ replyTo: message, controls, notifies }),
	};
	const conversation = platform.conversation(room);
	const rows = toRows([shown], { time: { seq, at: now }, conversation, platform });
	return file === undefined ? rows : rows.map((row) => withFile(row, file));
}

function withFile(row: RenderedRow, file: NonNullable<Reply["file"]>): RenderedRow {
	return row.payload.type === "post" ? { ...row, payload: { ...row.payload, file } } : row;
}

/**
 * Returns the row that removes the loading indicator of a press or command, if another post shows the result.
 */
export function noAnswer({ ticket, now }: { readonly ticket: Ticket; readonly now: number }): PlannedRow {
	const { id, token, expiresAt } = ticket;
	const payload: Posting = { type: "private", body: "", expiresAt, ticket: { id, token } };
	return { seq, at: now, lane: "acknowledgement", conversation: `ticket:${id}`, payload };
}

/** Returns a private answer: one post, with a file for long text. */
export function privateAnswer(
	reply: Reply,
	{ ticket, now }: { readonly ticket: Ticket; readonly now: number },
	platform: Platform,
): PlannedRow[] {
	const narrow = { dialect: platform.dialect, limits: { ...platform.limits, postsPerAnswer: 1 } };
	const { text, controls, file: own } = reply;
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
			...defined({ controls: fitted, file: own ?? file }),
		};
		return [{ ...row, payload }];
	});
}
