import { parseJson, type Store } from "@parley/base";
import { Arrival, type ConnectorTables } from "@parley/connector";
import { conversationOf, type Place, placeOf } from "./conversation.ts";
import { messageId } from "./message-id.ts";

/** What the connector's database knows of threads. */
export interface OwnThreads {
	/** Whether we have written in a thread, and its first message; and whether that one spoke to us. */
	thread(at: { readonly tenant: string; readonly channel: string; readonly ts: string }): Promise<{
		readonly ours: boolean;
		readonly root: boolean;
	}>;
	/** Where a message was said or posted; undefined where that is not known. */
	placeOf(message: string): Promise<Place | undefined>;
}

/** The reasons of the kit for which a message is one for us. */
const forUs: ReadonlySet<string> = new Set(["direct", "mention", "reply", "thread", "open"]);

/** Reads what was heard and posted. */
export function ownThreads(store: Store<ConnectorTables>): OwnThreads {
	return {
		async thread({ tenant, channel, ts }) {
			const root = messageId(channel, ts);
			const conversation = conversationOf({ tenant, channel, thread: root, shared: false, kind: "channel" });
			const [posted, written, card, heard, waiting] = await store.read((db) =>
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
					db.selectFrom("cards").select("card").where("remote", "=", root).limit(1).executeTakeFirst(),
					db.selectFrom("heard").select("reason").where("id", "=", `message:${root}`).executeTakeFirst(),
					db.selectFrom("inbound").select("data").where("id", "=", `message:${root}`).executeTakeFirst(),
				]),
			);
			const isRoot = posted !== undefined || card !== undefined;
			const spoke = heard === undefined ? waiting && speaksToUs(waiting.data) : forUs.has(heard.reason);
			return { root: isRoot, ours: isRoot || written !== undefined || spoke === true };
		},
		async placeOf(message) {
			const [heard, waiting, posted] = await store.read((db) =>
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
			const found = heard ?? waiting ?? posted;
			// What hurries stands in a line of its own.
			return found && placeOf(found.conversation.replace(/!$/, ""));
		},
	};
}

function speaksToUs(data: string): boolean {
	const arrival = Arrival.safeParse(parseJson(data)).data;
	return arrival?.type === "message" && arrival.address.us;
}
