import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type GatewaySession, ResumableSession } from "./resumable-session.ts";

const self = { user: "11", application: "22" };
const shard = { sessionId: "S", resumeURL: "wss://resume", sequence: 1, shardId: 0, shardCount: 1 };

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

async function place(stored?: GatewaySession) {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const saved: (GatewaySession | undefined)[] = [];
	const gate = { open: Promise.resolve() };
	const sessions = {
		load: async () => stored,
		save: async (session: GatewaySession | undefined) => {
			await gate.open;
			saved.push(session);
		},
	};
	const keeper = await ResumableSession.open({ sessions, clock, log });
	return { keeper, clock, log, saved, gate, written: () => saved.map((session) => session?.seq) };
}

test("a session is written at its start, then a second after events, and at once after fifty", async () => {
	const { keeper, clock, written } = await place();
	keeper.update(shard);
	keeper.began(self);
	for (let seq = 1; seq <= 40; seq++) await keeper.handed(seq, undefined);
	await settled();
	expect(written()).toEqual([1]);
	clock.advance(999);
	await settled();
	expect(written()).toEqual([1]);
	clock.advance(1);
	await settled();
	expect(written()).toEqual([1, 40]);
	for (let seq = 41; seq <= 90; seq++) await keeper.handed(seq, undefined);
	await settled();
	expect(written()).toEqual([1, 40, 90]);
	expect(clock.pending).toBe(0);
});

test("an unhandled event holds back all later ones", async () => {
	const { keeper, saved } = await place();
	keeper.update({ ...shard, sequence: 9 });
	keeper.began(self);
	const received = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
	const handed = received.map(({ promise }, index) => keeper.handed(index + 1, promise));
	received[3]?.resolve();
	received[1]?.resolve();
	await settled();
	expect(saved).toEqual([]);
	received[0]?.resolve();
	received[2]?.reject(new Error("disk full"));
	await expect(handed[2]).rejects.toThrow("disk full");
	await keeper.close();
	expect(saved.at(-1)).toEqual({ id: "S", resumeUrl: "wss://resume", seq: 2, ...self });
});

test("the next process continues with the stored session", async () => {
	const { keeper } = await place({ id: "S", resumeUrl: "wss://resume", seq: 4, ...self });
	expect(keeper.retrieve()).toEqual({ ...shard, sequence: 4 });
	expect(keeper.self).toMatchObject(self);
});

test("a session that Discord ends is deleted completely, and one that discord.js ends at its close is not", async () => {
	const { keeper, saved } = await place({ id: "old", resumeUrl: "wss://resume", seq: 4, ...self });
	const late = Promise.withResolvers<void>();
	const handed = keeper.handed(5, late.promise);
	keeper.update(null);
	await settled();
	expect(saved).toEqual([undefined]);
	expect(keeper.retrieve()).toBeNull();
	keeper.update(shard);
	keeper.began(self);
	late.resolve();
	await handed;
	await keeper.handed(1, undefined);
	keeper.end();
	keeper.update(null);
	await keeper.handed(2, undefined);
	await keeper.close();
	expect(saved.at(-1)).toMatchObject({ id: "S", seq: 2 });
	await keeper.handed(3, undefined);
	await settled();
	expect(saved.at(-1)).toMatchObject({ id: "S", seq: 2 });
});

test("during a slow write the newest state waits, and closing waits for it", async () => {
	const { keeper, gate, written } = await place();
	const { promise, resolve } = Promise.withResolvers<void>();
	gate.open = promise;
	keeper.update(shard);
	keeper.began(self);
	for (let seq = 1; seq <= 120; seq++) await keeper.handed(seq, undefined);
	const closed = keeper.close();
	expect(written()).toEqual([]);
	resolve();
	await closed;
	expect(written()).toEqual([1, 120]);
});

test("a failing store loses the session, not the connection", async () => {
	const log = new MemoryLogger();
	const broken = async (): Promise<never> => {
		throw new Error("disk full");
	};
	const sessions = { load: broken, save: broken };
	const keeper = await ResumableSession.open({ sessions, clock: new ManualClock(), log });
	expect(keeper.retrieve()).toBeNull();
	keeper.update(shard);
	keeper.began(self);
	await keeper.handed(1, undefined);
	await keeper.close();
	expect(log.records.map(({ level }) => level)).toEqual(["warn", "warn"]);
});
