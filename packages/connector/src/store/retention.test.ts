import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openSqlite, WatchedStore } from "../testing/open-stores.ts";
import { startRetention, sweep } from "./retention.ts";

const dayMs = 24 * 3_600_000;

test("settled rows are deleted with time, and waiting ones stay", async () => {
	const store = await openSqlite();
	const states = ["planned", "unknown", "held", "confirmed", "dead"] as const;
	const common = { conversation: "general", attempts: 0, reason: null, changed_at: 0 };
	const post = {
		...common,
		session: "s",
		seq: 1,
		lane: "final",
		card: null,
		payload: "1",
		at: 0,
		remote: null,
	};
	await store.commit(async (tx) => {
		await tx
			.insertInto("outbox")
			.values(states.map((state) => ({ ...post, id: state, state })))
			.execute();
		for (const state of ["waiting", "done", "dead"] as const) {
			await tx
				.insertInto("inbound")
				.values({ ...common, id: state, data: "1", state })
				.execute();
		}
		await tx.insertInto("cards").values({ card: "task", remote: "1", changed_at: 0 }).execute();
		const sentMessage = {
			message: "m1",
			conversation: "general",
			reason: "mention",
			effect: "sent",
			person: "{}",
		};
		await tx
			.insertInto("heard")
			.values({ ...sentMessage, id: "heard", at: 0, text: null, session: null, run: null, changed_at: 0 })
			.execute();
		for (const session of ["arrival:1", "sess_1"]) {
			const cursor = { session, conversation: "general", seq: 1, changed_at: 0 };
			await tx.insertInto("cursors").values(cursor).execute();
		}
	});
	const after = async (days: number): Promise<Record<string, string[]>> => {
		await sweep(store, days * dayMs + 1);
		return store.read(async (db) => {
			const inbound = await db.selectFrom("inbound").select("id").orderBy("position").execute();
			const outbox = await db.selectFrom("outbox").select("id").orderBy("position").execute();
			const cards = await db.selectFrom("cards").select("card as id").execute();
			return {
				inbound: inbound.map(({ id }) => id),
				outbox: outbox.map(({ id }) => id),
				cards: cards.map(({ id }) => id),
			};
		});
	};
	const remembered = async (): Promise<string[]> => {
		const messages = await store.read((db) => db.selectFrom("heard").select("id").execute());
		const cursors = await store.read((db) => db.selectFrom("cursors").select("session as id").execute());
		return [...messages, ...cursors].map(({ id }) => id);
	};
	expect(await after(2)).toEqual({ inbound: ["waiting", "done", "dead"], outbox: states, cards: ["task"] });
	expect(await remembered()).toEqual(["heard", "arrival:1", "sess_1"]);
	expect(await after(3)).toEqual({ inbound: ["waiting", "dead"], outbox: states, cards: ["task"] });
	expect(await remembered()).toEqual(["heard", "sess_1"]);
	const open = ["planned", "unknown", "held"];
	expect(await after(7)).toEqual({
		inbound: ["waiting", "dead"],
		outbox: [...open, "dead"],
		cards: ["task"],
	});
	expect(await remembered()).toEqual(["sess_1"]);
	expect(await after(30)).toEqual({ inbound: ["waiting"], outbox: open, cards: ["task"] });
	expect(await after(90)).toEqual({ inbound: ["waiting"], outbox: open, cards: [] });
});

test("a sweep that fails is logged, and the next one tries again", async () => {
	const store = new WatchedStore(await openSqlite());
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	store.refusals = 1;
	const retention = startRetention({ store, clock, log });
	await store.quiet();
	expect(log.records).toMatchObject([{ level: "warn" }]);
	clock.advance(3_600_000);
	await store.quiet();
	expect(log.records).toHaveLength(1);
	expect(clock.pending).toBe(1);
	retention.stop();
	expect(clock.pending).toBe(0);
});
