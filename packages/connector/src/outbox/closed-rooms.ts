import { type Clock, ParleyError, parseJson, type Store } from "@parley/base";
import type { Kysely } from "kysely";
import { Posting } from "../platform/posting.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { Dialect } from "../text/dialect.ts";
import { postTexts } from "../texts/posts.ts";
import { closedNote } from "./closed-note.ts";
import type { OpenRow } from "./open-row.ts";
import type { OpenRows } from "./open-rows.ts";
import { readCard } from "./statements.ts";
import { staleMs } from "./verdict.ts";

type Tx = Kysely<ConnectorTables>;

/** Suffix of the conversation to which the copies belong, so that held rows of the room do not block the copies. */
const closedSuffix = "#closed";

/** Whether a row is held because its thread or channel is closed. `reason` is the reason of the row. */
export function isClosed(reason: string | null): reason is string {
	return reason?.startsWith(postTexts.closedStart) === true;
}

interface ClosedRoomsParts {
	readonly store: Store<ConnectorTables>;
	readonly open: OpenRows;
	readonly dialect: Dialect;
	readonly clock: Clock;
}

/**
 * Handles the rows for closed threads and channels. Edits wait until the room is open again. Recent answers
 * with `elsewhere` are copied to direct messages.
 */
export class ClosedRooms {
	readonly #parts: ClosedRoomsParts;

	constructor(parts: ClosedRoomsParts) {
		this.#parts = parts;
	}

	/** Plans copies of a new answer after the platform refused one of its rows. A second call plans no further copies. */
	async copy({ id, conversation }: OpenRow): Promise<void> {
		const { open, dialect, clock } = this.#parts;
		const now = clock.now();
		await open.change(`${conversation}${closedSuffix}`, (tx) => planCopies(tx, id, { dialect, now }));
	}

	/**
	 * Holds the planned rows that follow the held row in the same event and conversation. `reason` is stored with
	 * each row.
	 */
	async pauseRest({ id, conversation }: OpenRow, reason: string): Promise<void> {
		const { open, clock } = this.#parts;
		await open.change(conversation, async (tx) => {
			const { session, seq, position } = await readRow(tx, id);
			await tx
				.updateTable("outbox")
				.set({ state: "held", reason, changed_at: clock.now() })
				.where("session", "=", session)
				.where("seq", "=", seq)
				.where("conversation", "=", conversation)
				.where("position", ">", position)
				.where("state", "=", "planned")
				.execute();
		});
	}

	/** Releases the rows as `releaseClosed` does, and reads the rows of their conversations again. */
	async release(room: string | undefined): Promise<void> {
		const { store, open, clock } = this.#parts;
		const released = await store.commit((tx) => releaseClosed(tx, clock.now(), room));
		for (const conversation of released) await open.change(conversation, async () => undefined);
	}
}

async function readRow(tx: Tx, id: string) {
	const row = await tx
		.selectFrom("outbox")
		.select(["session", "seq", "conversation", "position", "at"])
		.where("id", "=", id)
		.executeTakeFirst();
	if (row === undefined)
		throw new ParleyError(`cannot read row ${id} of the outbox: the row no longer exists`, {
			code: "internal",
		});
	return row;
}

/**
 * Plans direct messages to the person in `elsewhere`: an explanation, and copies of the answer's unposted rows,
 * starting with the row `id`. Plans nothing if the row has no `elsewhere`, or if the answer is older than
 * `staleMs`.
 */
async function planCopies(
	tx: Tx,
	id: string,
	{ dialect, now }: { readonly dialect: Dialect; readonly now: number },
): Promise<void> {
	const { session, seq, conversation, position, at } = await readRow(tx, id);
	// An old copy would only wait for a decision. It may also have been posted already, and its row may have been
	// deleted.
	if (now - at > staleMs) return;
	const rows = await tx
		.selectFrom("outbox")
		.select(["id", "lane", "payload"])
		.where("session", "=", session)
		.where("seq", "=", seq)
		.where("conversation", "=", conversation)
		.where("position", ">=", position)
		.where("state", "!=", "confirmed")
		.orderBy("position")
		.execute();
	const copied = rows.flatMap((row) => {
		const { data } = Posting.safeParse(parseJson(row.payload));
		return data?.type === "post" && data.elsewhere ? [{ ...row, post: data, elsewhere: data.elsewhere }] : [];
	});
	const [first] = copied;
	if (first?.id !== id) return;
	const { person, link } = first.elsewhere;
	const to = { type: "post", notifies: { people: [person], ways: ["direct"], channels: [] } } as const;
	const copies = copied.map(({ id: of, lane, post: { body, file, upload, snippets, plain } }) => ({
		id: `${of}/closed`,
		lane,
		payload: { ...to, body, file, upload, snippets, plain },
	}));
	const body = closedNote(link, dialect);
	const above = { id: `${session}/${seq}/closed`, lane: first.lane, payload: { ...to, body } };
	const shared = { session, seq, conversation: `${conversation}${closedSuffix}`, at, changed_at: now };
	// A connector with another database may have posted the copies. The platform is then searched for them, starting at the
	// time of the answer.
	const state = (await isReplayed(tx, session, seq)) ? "unknown" : "planned";
	for (const { payload, ...row } of [above, ...copies]) {
		const values = { ...shared, ...row, payload: JSON.stringify(payload), state, attempts: 0 } as const;
		await tx
			.insertInto("outbox")
			.values({ ...values, card: null, sent_at: null, reason: null, remote: null })
			.onConflict((conflict) => conflict.column("id").doNothing())
			.execute();
	}
}

async function isReplayed(tx: Tx, session: string, seq: number): Promise<boolean> {
	const cursor = await tx
		.selectFrom("cursors")
		.select("replayed_to")
		.where("session", "=", session)
		.executeTakeFirst();
	return seq <= (cursor?.replayed_to ?? 0);
}

/**
 * Releases rows that were held because their thread or channel was closed. `room` is the conversation of the room
 * that is open again: only rows in this room are released. Without `room`, such rows of all rooms are released.
 * Returns the conversations of the released rows.
 */
export async function releaseClosed(tx: Tx, now: number, room?: string): Promise<readonly string[]> {
	const waiting = await tx
		.selectFrom("outbox")
		.select(["id", "conversation", "payload"])
		.where("state", "=", "held")
		.where("reason", "like", `${postTexts.closedStart}%`)
		.execute();
	const conversations = new Set<string>();
	for (const { id, conversation, payload } of waiting) {
		if (room !== undefined && !isIn(conversation, room) && !(await isInThread(tx, payload, room))) continue;
		await tx
			.updateTable("outbox")
			.set({ state: "planned", reason: null, changed_at: now })
			.where("id", "=", id)
			.execute();
		conversations.add(conversation);
	}
	return [...conversations];
}

function isIn(conversation: string, room: string): boolean {
	// `/` begins a thread of the room, and `#` a separate order within the room.
	return conversation === room || conversation.startsWith(`${room}#`) || conversation.startsWith(`${room}/`);
}

/** Whether the post of a row is in the thread of a card, and `room` is this thread. */
async function isInThread(tx: Tx, payload: string, room: string): Promise<boolean> {
	const { data } = Posting.safeParse(parseJson(payload));
	const card = data?.type === "post" ? data.thread : undefined;
	return card !== undefined && (await readCard(tx, card)) === room;
}
