import { parseJson, type Store } from "@parley/base";
import { type ConnectorTables, InboundEvent } from "@parley/connector";
import * as z from "zod";
import {
	addressOfConversation,
	type ConversationAddress,
	conversationOf,
} from "../vocabulary/conversation.ts";
import { messageId, readMessageId } from "../vocabulary/message-id.ts";

/** Facts about threads in the connector's database. */
export interface OwnThreads {
	/**
	 * Returns facts about a thread. `root`: the bot wrote the first message. `ours`: the bot has posted in the
	 * thread, the first message addressed the agent, or the thread has a session.
	 */
	thread(at: { readonly tenant: string; readonly channel: string; readonly ts: string }): Promise<{
		readonly ours: boolean;
		readonly root: boolean;
	}>;
	/** Returns the conversation of a message or a post, or undefined if it is unknown. */
	placeOf(message: string): Promise<ConversationAddress | undefined>;
}

const BelowCard = z.object({ thread: z.string() });

/** Maximum threads to read. Reading a thread requires a request, even if the thread has no replies. */
const maxPosts = 20;
/** Maximum rows to read. A post that was edited has several rows. */
const maxRows = 500;

/** Recorded reasons why a message is for the agent. */
const forUs: ReadonlySet<string> = new Set(["direct", "mention", "reply", "thread", "open"]);

/** Reads facts about threads from the recorded messages and posts. */
export function ownThreads(store: Store<ConnectorTables>): OwnThreads {
	return {
		async thread({ tenant, channel, ts }) {
			const root = messageId(channel, ts);
			const conversation = conversationOf({ tenant, channel, thread: root, shared: false, kind: "channel" });
			const [posted, written, session, card, record, waiting] = await store.read((db) =>
				Promise.all([
					db.selectFrom("outbox").select("id").where("remote", "=", root).limit(1).executeTakeFirst(),
					db
						.selectFrom("outbox")
						.select("id")
						.where((is) =>
							is.or([
								is("conversation", "=", conversation),
								is.and([
									is("conversation", ">=", `${conversation}#`),
									is("conversation", "<", `${conversation}$`),
								]),
							]),
						)
						.limit(1)
						.executeTakeFirst(),
					db
						.selectFrom("cursors")
						.select("session")
						.where("conversation", "=", conversation)
						.where("external_key", "is not", null)
						.limit(1)
						.executeTakeFirst(),
					db.selectFrom("cards").select("card").where("remote", "=", root).limit(1).executeTakeFirst(),
					db.selectFrom("heard").select("reason").where("id", "=", `message:${root}`).executeTakeFirst(),
					db.selectFrom("inbound").select("data").where("id", "=", `message:${root}`).executeTakeFirst(),
				]),
			);
			const isRoot = posted !== undefined || card !== undefined;
			const mentioned = record === undefined ? waiting && isForUs(waiting.data) : forUs.has(record.reason);
			return { root: isRoot, ours: isRoot || (written ?? session) !== undefined || mentioned === true };
		},
		async placeOf(message) {
			const [record, waiting, posted] = await store.read((db) =>
				Promise.all([
					db
						.selectFrom("heard")
						.select("conversation")
						.where("id", "=", `message:${message}`)
						.executeTakeFirst(),
					db
						.selectFrom("inbound")
						.select("conversation")
						.where("id", "=", `message:${message}`)
						.executeTakeFirst(),
					db
						.selectFrom("outbox")
						.select("conversation")
						.where("remote", "=", message)
						.orderBy("position")
						.executeTakeFirst(),
				]),
			);
			const found = record ?? waiting ?? posted;
			// The name of the queue for urgent events ends with `!`.
			return found && addressOfConversation(found.conversation.replace(/!$/, ""));
		},
	};
}

/**
 * Returns at most `maxPosts` threads that posts may have started, newest post first. Ignores posts without a change
 * after `since`, in milliseconds since the epoch.
 */
export async function postedThreads(
	store: Store<ConnectorTables>,
	since: number,
): Promise<readonly { readonly channel: string; readonly thread: string }[]> {
	const rows = await store.read((db) =>
		db
			.selectFrom("outbox")
			.select(["conversation", "remote", "payload"])
			.orderBy("position", "desc")
			.where("changed_at", ">", since)
			.limit(maxRows)
			.execute(),
	);
	const threads = new Map<string, { channel: string; thread: string }>();
	for (const { conversation, remote, payload } of rows) {
		const place = addressOfConversation(conversation);
		const posted = remote === null ? undefined : readMessageId(remote);
		if (posted === undefined || place === undefined || place.thread !== undefined) continue;
		// A post in a card's thread starts no thread.
		if (BelowCard.safeParse(parseJson(payload)).success) continue;
		threads.set(messageId(posted.channel, posted.ts), { channel: posted.channel, thread: posted.ts });
	}
	return [...threads.values()].slice(0, maxPosts);
}

function isForUs(data: string): boolean {
	const inbound = InboundEvent.safeParse(parseJson(data)).data;
	return inbound?.type === "message" && inbound.address.us;
}
