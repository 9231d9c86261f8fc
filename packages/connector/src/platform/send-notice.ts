import { defined, type Logger } from "@parley/base";
import { noticeTexts } from "../texts/notices.ts";
import type { NoticeTarget, Posting } from "./posting.ts";
import { DeliveryError, type OutboxRow, type Receipt } from "./surface.ts";

type Post = Extract<Posting, { type: "post" }>;

/** Conversations of the platform for notices. */
export interface NoticeRooms {
	/**
	 * Resolves with the conversation of a person's direct messages. Rejects with `rejected` if the person cannot get direct
	 * messages.
	 */
	direct(row: OutboxRow, person: string): Promise<string>;
	/** Returns the conversation of another channel in the row's guild or team. */
	channel(row: OutboxRow, channel: string): string;
}

interface Target {
	readonly way: NoticeTarget["ways"][number];
	/** Resolves with a copy of the row that has the target's conversation. */
	row(): Promise<OutboxRow>;
	readonly post: Post;
}

/**
 * Sends a notice in the first way that the platform accepts. If the platform refused earlier ways,
 * `Receipt.unreached` contains its reasons, except for a notice with the way `reply`. Rejects with `rejected` if
 * the platform accepts no way.
 */
export async function sendNotice(
	row: OutboxRow,
	posting: Post & { readonly notifies: NoticeTarget },
	{
		rooms,
		create,
		log,
	}: {
		readonly rooms: NoticeRooms;
		create(row: OutboxRow, post: Post): Promise<Receipt>;
		readonly log: Logger;
	},
): Promise<Receipt> {
	const reasons: string[] = [];
	for (const target of targetsOf(row, posting, rooms)) {
		try {
			const receipt = await create(await target.row(), target.post);
			if (reasons.length === 0) return receipt;
			const unreached = reasons.join("; ");
			// Only notices about approvals are reported to operators.
			if (posting.notifies.ways.includes("reply")) return receipt;
			log.warn("an approver was notified in another way", { unreached });
			return { ...receipt, unreached };
		} catch (error) {
			const { isRefusal, message } = DeliveryError.from(error);
			if (!isRefusal) throw error;
			reasons.push(noticeTexts.failed({ way: target.way, people: posting.notifies.people, reason: message }));
		}
	}
	if (reasons.length === 0) reasons.push(noticeTexts.noTarget);
	throw new DeliveryError(reasons.join("; "), { kind: "rejected" });
}

/**
 * Searches for a notice in the conversations in which it may have been posted. Resolves with undefined if it is in
 * none of them.
 */
export async function findNotice(
	row: OutboxRow,
	posting: Post & { readonly notifies: NoticeTarget },
	{
		rooms,
		find,
	}: { readonly rooms: NoticeRooms; find(row: OutboxRow, post: Post): Promise<Receipt | undefined> },
): Promise<Receipt | undefined> {
	const { notifies } = posting;
	const ways = [...(notifies.earlierWays ?? []), ...notifies.ways];
	for (const target of targetsOf(row, { ...posting, notifies: { ...notifies, ways } }, rooms)) {
		const there = await target.row().catch((error: unknown) => {
			if (!DeliveryError.from(error).isRefusal) throw error;
			return undefined;
		});
		const found = there && (await find(there, target.post));
		if (found) return found;
	}
	return undefined;
}

function targetsOf(
	row: OutboxRow,
	{ notifies, thread, replyTo, ...post }: Post & { readonly notifies: NoticeTarget },
	rooms: NoticeRooms,
): Target[] {
	const { people, roles, ways, channels } = notifies;
	const mentioning = { mentions: people, ...defined({ mentionedRoles: roles }) };
	const direct = people.map((person): Target => {
		return {
			way: "direct",
			post,
			row: async () => ({ ...row, conversation: await rooms.direct(row, person) }),
		};
	});
	const elsewhere = channels.map((channel): Target => {
		const there = { ...row, conversation: rooms.channel(row, channel) };
		return { way: "channel", post: { ...post, ...mentioning }, row: async () => there };
	});
	const here: Target = {
		way: "mention",
		post: { ...post, ...mentioning, ...defined({ thread, replyTo }) },
		row: async () => row,
	};
	const reply: Target = {
		way: "reply",
		post: { ...post, ...defined({ thread, replyTo }) },
		row: async () => row,
	};
	const targets = { direct, channel: elsewhere, mention: [here], reply: [reply] };
	return ways.flatMap((way) => targets[way]);
}
