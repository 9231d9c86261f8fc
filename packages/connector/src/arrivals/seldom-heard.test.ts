import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openSqlite } from "../testing/open-stores.ts";
import type { Heard } from "./heard.ts";
import { SeldomHeard } from "./seldom-heard.ts";

const ada = { id: "ada", name: "Ada", roles: [], guest: false, bot: false };
const heard: Heard = {
	...{ id: "message:1:general:7", conversation: "general", message: "7", reason: "mention", effect: "sent" },
	...{ person: ada, at: 5 },
};
const { id, conversation, message } = heard;

async function open() {
	const store = await openSqlite();
	const clock = new ManualClock();
	let reads = 0;
	const watched = {
		engine: store.engine,
		commit: store.commit.bind(store),
		health: () => store.health(),
		close: () => store.close(),
		read: ((query) => {
			reads += 1;
			return store.read(query);
		}) satisfies typeof store.read,
	};
	const start = () => SeldomHeard.open(watched, clock);
	return { store, start, seldom: await start(), clock, reads: () => reads };
}

test("of what is said for the first time the database is asked nothing", async () => {
	const { store, seldom, reads } = await open();
	await store.commit((tx) => seldom.write(tx, heard));
	const before = reads();
	expect(await seldom.isOvertaken({ id, conversation, message })).toBe(false);
	expect(await seldom.wasStopped({ conversation, since: 0 })).toBe(false);
	expect(reads()).toBe(before);
	await store.close();
});

test("an edit that was heard before its message has overtaken it, also in the next process", async () => {
	const { store, seldom, start } = await open();
	await store.commit((tx) => seldom.write(tx, { ...heard, id: "edited:1:general:7:9" }));
	for (const each of [seldom, await start()]) {
		expect(await each.isOvertaken({ id, conversation, message })).toBe(true);
		expect(await each.isOvertaken({ id, conversation, message: "8" })).toBe(false);
		expect(await each.isOvertaken({ id, conversation: "other", message })).toBe(false);
	}
	await store.close();
});

test("a stop counts for what was said before it, also in the next process", async () => {
	const { store, seldom, start } = await open();
	const stop: Heard = { ...heard, effect: "nothing-to-stop" };
	await store.commit((tx) => seldom.write(tx, stop));
	for (const each of [seldom, await start()]) {
		expect(await each.wasStopped({ conversation, since: 4 })).toBe(true);
		expect(await each.wasStopped({ conversation, since: 5 })).toBe(false);
		expect(await each.wasStopped({ conversation, since: 4, by: "bob" })).toBe(false);
		expect(await each.wasStopped({ conversation: "other", since: 4 })).toBe(false);
	}
	await store.close();
});

test("where the transaction of what was heard is lost, nothing was heard", async () => {
	const { store, seldom } = await open();
	const lost = store.commit(async (tx) => {
		await seldom.write(tx, { ...heard, id: "edited:1:general:7:9", effect: "nothing-to-stop" });
		throw new Error("lost");
	});
	await expect(lost).rejects.toThrow("lost");
	expect(await seldom.isOvertaken({ id, conversation, message })).toBe(false);
	expect(await seldom.wasStopped({ conversation, since: 4 })).toBe(false);
	await store.close();
});
