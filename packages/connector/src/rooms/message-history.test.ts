import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, storeWith } from "@parley/base/testing";
import { type Kysely, sql } from "kysely";
import { expect, test } from "vitest";
import type { ConnectorTables } from "../store/tables.ts";
import { openSqlite } from "../testing/open-stores.ts";
import { MessageHistory } from "./message-history.ts";
import type { MessageRecord } from "./message-records.ts";

const ada = { id: "ada", name: "Ada", roles: [], guest: false, bot: false };
const record: MessageRecord = {
	id: "message:1:general:7",
	conversation: "general",
	message: "7",
	reason: "mention",
	effect: "sent",
	person: ada,
	at: 5,
};
const { id, conversation, message } = record;

async function open() {
	const store = await openSqlite();
	const clock = new ManualClock();
	let reads = 0;
	const watched = storeWith(store, {
		read: (query) => {
			reads += 1;
			return store.read(query);
		},
	});
	const start = () => MessageHistory.open(watched, clock);
	return { store, start, history: await start(), clock, reads: () => reads };
}

test("a message with a first event needs no read of the database", async () => {
	const { store, history, reads } = await open();
	await store.commit((tx) => history.write(tx, record));
	const before = reads();
	expect(await history.isOvertaken({ id, conversation, message })).toBe(false);
	expect(await history.wasStopped({ conversation, since: 0 })).toBe(false);
	expect(reads()).toBe(before);
	await store.close();
});

test("an edit that was handled before its message applies to it, also in the next process", async () => {
	const { store, history, start } = await open();
	await store.commit((tx) => history.write(tx, { ...record, id: "edited:1:general:7:9" }));
	for (const each of [history, await start()]) {
		expect(await each.isOvertaken({ id, conversation, message })).toBe(true);
		expect(await each.isOvertaken({ id, conversation, message: "8" })).toBe(false);
		expect(await each.isOvertaken({ id, conversation: "other", message })).toBe(false);
	}
	await store.close();
});

test("an edit is overtaken only by a newer edit, also in the next process", async () => {
	const { store, history, start } = await open();
	await store.commit((tx) => history.write(tx, { ...record, id: "edited:1:general:7:9", at: 9 }));
	const isOvertaken = (each: MessageHistory, editedAt: number) =>
		each.isOvertaken({ id: `edited:1:general:7:${editedAt}`, conversation, message, editedAt });
	for (const each of [history, await start()]) {
		expect(await isOvertaken(each, 8)).toBe(true);
		expect(await isOvertaken(each, 9)).toBe(false);
		expect(await isOvertaken(each, 10)).toBe(false);
	}
	await store.close();
});

test("a stop applies to earlier messages, also in the next process", async () => {
	const { store, history, start } = await open();
	const stop: MessageRecord = { ...record, effect: "nothing-to-stop" };
	await store.commit((tx) => history.write(tx, stop));
	for (const each of [history, await start()]) {
		expect(await each.wasStopped({ conversation, since: 4 })).toBe(true);
		expect(await each.wasStopped({ conversation, since: 5 })).toBe(false);
		expect(await each.wasStopped({ conversation, since: 4, by: "bob" })).toBe(false);
		expect(await each.wasStopped({ conversation: "other", since: 4 })).toBe(false);
	}
	await store.close();
});

test("a record of a lost transaction is ignored", async () => {
	const { store, history } = await open();
	const lost = store.commit(async (tx) => {
		await history.write(tx, { ...record, id: "edited:1:general:7:9", effect: "nothing-to-stop" });
		throw new Error("lost");
	});
	await expect(lost).rejects.toThrow("lost");
	expect(await history.isOvertaken({ id, conversation, message })).toBe(false);
	expect(await history.wasStopped({ conversation, since: 4 })).toBe(false);
	await store.close();
});

test("a message waits for a running stop of its conversation only", async () => {
	const { store, history } = await open();
	const cancelled = Promise.withResolvers<void>();
	const carriedOut = history.stop({ conversation, at: 5 }, async () => {
		await cancelled.promise;
		await store.commit((tx) => history.write(tx, { ...record, effect: "nothing-to-stop" }));
		return "idle";
	});
	const pending = history.wasStopped({ conversation, since: 4 });
	expect(await history.wasStopped({ conversation, since: 5 })).toBe(false);
	expect(await history.wasStopped({ conversation: "other", since: 4 })).toBe(false);
	cancelled.resolve();
	expect(await pending).toBe(true);
	expect(await carriedOut).toBe("idle");
	await store.close();
});

test("a message waits for a stop that starts while an older one is looked up, and a failed stop stops nothing", async () => {
	const { store, history } = await open();
	const older = { ...record, effect: "nothing-to-stop", at: 1 } as const;
	await store.commit((tx) => history.write(tx, older));
	const failing = Promise.withResolvers<never>();
	let answer: boolean | undefined;
	const pending = history.wasStopped({ conversation, since: 4 }).then((was) => {
		answer = was;
	});
	const refused = history.stop({ conversation, at: 6 }, () => failing.promise);
	await store.read(async () => undefined);
	await tick();
	expect(answer).toBeUndefined();
	failing.reject(new Error("the gateway is away"));
	await expect(refused).rejects.toThrow("away");
	await pending;
	expect(answer).toBe(false);
	await store.close();
});

test("records older than a week are not read", async () => {
	const { store, history, clock, reads } = await open();
	const stop = { ...record, id: "edited:1:general:7:9", effect: "nothing-to-stop" } as const;
	await store.commit((tx) => history.write(tx, stop));
	const check = async (): Promise<number> => {
		const before = reads();
		await history.isOvertaken({ id, conversation, message });
		await history.wasStopped({ conversation, since: 4 });
		return reads() - before;
	};
	const elsewhere = { ...stop, conversation: "other" };
	clock.advance(7 * 24 * 3_600_000);
	await store.commit((tx) => history.write(tx, { ...elsewhere, id: "edited:1:other:7:9" }));
	expect(await check()).toBe(2);
	clock.advance(1);
	await store.commit((tx) => history.write(tx, { ...elsewhere, id: "edited:1:other:7:10" }));
	expect(await check()).toBe(0);
	await store.close();
});

test("with more stops than fit in memory, every conversation is looked up, and none is missed", async () => {
	const { store, start, reads } = await open();
	const asks = async (count: number): Promise<[number, ...boolean[]]> => {
		await store.commit((tx) => stopEverywhere(tx, count));
		const history = await start();
		const before = reads();
		const stopped = await Promise.all(
			["room 1", "never"].map((name) => history.wasStopped({ conversation: name, since: 4 })),
		);
		return [reads() - before, ...stopped];
	};
	expect(await asks(50_000)).toEqual([1, true, false]);
	// The memory does not contain the oldest name, so each unknown name requires a query.
	expect(await asks(50_001)).toEqual([2, true, false]);
	await store.close();
});

async function stopEverywhere(tx: Kysely<ConnectorTables>, count: number): Promise<void> {
	await sql`
		with recursive n(n) as (select 1 union all select n + 1 from n where n < ${count})
		insert or ignore into heard (id, message, conversation, reason, effect, person, at, changed_at)
		select 'message:' || n, n, 'room ' || n, 'mention', 'nothing-to-stop', ${JSON.stringify(ada)}, 5, n from n
	`.execute(tx);
}
