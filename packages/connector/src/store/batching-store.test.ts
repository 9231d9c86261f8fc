import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openSqlite } from "../testing/open-stores.ts";
import { BatchingStore } from "./batching-store.ts";

async function open() {
	let transactions = 0;
	const clock = new ManualClock();
	const count = (name: string): void => {
		if (name === "store.commit") transactions += 1;
	};
	const store = new BatchingStore(await openSqlite({ reach: count }), clock);
	const done: number[] = [];
	const commit = async (n: number): Promise<void> => {
		await store.commit(async () => undefined);
		done.push(n);
	};
	const submitCommands = async (count: number, ms: number): Promise<void> => {
		for (let n = 0; n < count; n++) {
			clock.advance(ms);
			await commit(n);
		}
	};
	return { clock, store, done, commit, submitCommands, transactions: () => transactions };
}

test("a single commit does not wait, and many commits at long intervals do not wait", async () => {
	const { done, submitCommands, clock } = await open();
	await submitCommands(40, 20);
	expect(done).toHaveLength(40);
	expect(clock.pending).toBe(0);
});

test("frequent commits wait twenty milliseconds for each other, and keep their order", async () => {
	const { done, submitCommands, commit, clock, transactions } = await open();
	await submitCommands(8, 1);
	const before = transactions();
	clock.advance(1);
	const first = commit(100);
	clock.advance(19);
	const all = [first, commit(101), commit(102)];
	expect(done).toHaveLength(8);
	clock.advance(1);
	await Promise.all(all);
	expect(done.slice(8)).toEqual([100, 101, 102]);
	expect(transactions() - before).toBe(1);
});

test("a failing command rejects alone, and waiting commands are committed at the close", async () => {
	const { done, submitCommands, commit, clock, store } = await open();
	await submitCommands(8, 1);
	clock.advance(1);
	const refused = expect(
		store.commit(async () => {
			throw new Error("no");
		}),
	).rejects.toThrow("no");
	const stored = commit(100);
	await store.close();
	await Promise.all([refused, stored]);
	expect(done.at(-1)).toBe(100);
	await expect(store.commit(async () => undefined)).rejects.toMatchObject({ code: "unavailable" });
});

test("a failed commit rolls back no other commit of its transaction, and the order stays", async () => {
	const { done, submitCommands, commit, clock, store, transactions } = await open();
	await submitCommands(8, 1);
	const before = transactions();
	clock.advance(1);
	const runs: string[] = [];
	const add = (name: string) => async () => {
		runs.push(name);
		if (name === "bad") throw new Error("no");
	};
	const first = store.commit(add("first"));
	const refused = expect(store.commit(add("bad"))).rejects.toThrow("no");
	const last = store.commit(add("last"));
	clock.advance(20);
	const later = commit(100);
	await Promise.all([first, refused, last]);
	expect(done).toHaveLength(8);
	clock.advance(20);
	await later;
	expect(runs).toEqual(["first", "bad", "first", "bad", "last"]);
	expect(transactions() - before).toBe(2);
});

test("if a shared transaction is lost, each of its commits rejects", async () => {
	const clock = new ManualClock();
	let isBroken = false;
	const reach = (): void => {
		if (isBroken) throw new Error("the disk is gone");
	};
	const store = new BatchingStore(await openSqlite({ reach }), clock);
	for (let n = 0; n < 8; n++) {
		clock.advance(1);
		await store.commit(async () => undefined);
	}
	clock.advance(1);
	isBroken = true;
	const both = [1, 2].map((n) =>
		expect(store.commit(async () => n)).rejects.toMatchObject({ code: "unavailable" }),
	);
	clock.advance(20);
	await Promise.all(both);
	isBroken = false;
	await store.close();
});

test.each([false, true])(
	"a close during a shared transaction ends after all pending commits, also after a refused one: %s",
	async (isRefused) => {
		const clock = new ManualClock();
		const [reached, blocked] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		const store = new BatchingStore(await openSqlite(), clock);
		for (let n = 0; n < 8; n++) {
			clock.advance(1);
			await store.commit(async () => undefined);
		}
		clock.advance(1);
		const ends: string[] = [];
		const commit = (name: string, command: () => Promise<void>): Promise<void> =>
			store.commit(command).then(
				() => void ends.push(name),
				() => void ends.push(`${name} refused`),
			);
		const slow = async (): Promise<void> => {
			reached.resolve();
			await blocked.promise;
			if (isRefused) throw new Error("no");
		};
		const all = [commit("slow", slow), commit("beside", async () => undefined)];
		clock.advance(20);
		await reached.promise;
		all.push(commit("later", async () => undefined));
		const closed = store.close().then(() => void ends.push("closed"));
		await expect(store.commit(async () => undefined)).rejects.toMatchObject({ code: "unavailable" });
		blocked.resolve();
		await Promise.all([...all, closed]);
		expect(ends).toEqual([isRefused ? "slow refused" : "slow", "beside", "later", "closed"]);
		expect(clock.pending).toBe(0);
	},
);
