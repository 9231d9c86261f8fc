import { setImmediate as tick } from "node:timers/promises";
import type { Store } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { type InboundHandler, Inbox, type QueuedEvent } from "../inbound/inbox.ts";
import type { Plan } from "../outbox/plan.ts";
import { openSqlite, WatchedStore } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import { BatchingStore } from "./batching-store.ts";
import type { ConnectorTables } from "./tables.ts";

/** A store that is so busy after `gather` that its commits wait until `pass`. */
class BusyStore {
	readonly #clock = new ManualClock();
	readonly store: BatchingStore<ConnectorTables>;
	transactions = 0;

	static async open(): Promise<BusyStore> {
		const reach = (name: string): void => {
			if (name === "store.commit") busyStore.transactions += 1;
		};
		const busyStore: BusyStore = new BusyStore(await openSqlite({ reach }));
		return busyStore;
	}

	private constructor(store: Store<ConnectorTables>) {
		this.store = new BatchingStore(store, this.#clock);
	}

	async gather(): Promise<void> {
		for (let n = 0; n < 9; n++) {
			this.#clock.advance(1);
			const commit = this.store.commit(async () => undefined);
			await tick();
			this.#clock.advance(this.#clock.pending > 0 ? 20 : 0);
			await commit;
		}
	}

	/** Runs all waiting commands, and the commands that they cause. */
	async pass(): Promise<void> {
		for (let still = 0; still < 8; still++) {
			await tick();
			if (this.#clock.pending > 0) still = 0;
			this.#clock.advance(20);
		}
	}
}

function plan(session: string, seq: number, payload: string): Plan {
	const row = { seq, at: Date.UTC(2026, 0, 1), lane: "final", payload } as const;
	return { conversation: "general", cursor: { session, seq }, rows: [row] };
}

test.each([0, 1, 2])(
	"a refused plan at index %i of a shared commit rejects and undoes no other",
	async (place) => {
		const busyStore = await BusyStore.open();
		const office = await PostOffice.open(async () => busyStore.store);
		const { outbox, surface } = office;
		await outbox.plan(plan("bad", 5, "before"));
		await office.store.quiet();
		await busyStore.gather();
		const counted = busyStore.transactions;
		const good = ["first", "second"].map((name) => plan(name, 1, name));
		const all = good.toSpliced(place, 0, plan("bad", 3, "never")).map((each) => outbox.plan(each));
		const results = Promise.allSettled(all);
		await tick();
		expect(busyStore.transactions).toBe(counted);
		await busyStore.pass();
		const states = (await results).map(({ status }) => status);
		expect(states).toEqual(["fulfilled", "fulfilled"].toSpliced(place, 0, "rejected"));
		await expect(all[place]).rejects.toMatchObject({ code: "failed_precondition" });
		expect(surface.calls).toEqual(['send "before"', 'send "first"', 'send "second"']);
		expect(await outbox.cursor("bad")).toBe(5);
		const again = Promise.all(good.map((each) => outbox.plan(each)));
		const next = outbox.plan(plan("bad", 6, "after"));
		await busyStore.pass();
		await Promise.all([again, next]);
		expect(office.shown).toEqual(["before", "first", "second", "after"]);
		const restarted = office.restart();
		await busyStore.pass();
		await restarted;
		expect(surface.calls).toHaveLength(4);
	},
);

test("a plan whose second part fails is retried together with later plans of its conversation", async () => {
	const busyStore = await BusyStore.open();
	const office = await PostOffice.open(async () => busyStore.store);
	await busyStore.gather();
	let runs = 0;
	const failing = async (): Promise<void> => {
		runs += 1;
		throw new Error("the other half failed");
	};
	const refused = expect(office.outbox.plan(plan("a", 1, "one"), failing)).rejects.toThrow("the other half");
	const good = office.outbox.plan(plan("b", 1, "two"));
	await busyStore.pass();
	await Promise.all([refused, good]);
	expect(runs).toBe(2);
	const again = office.outbox.plan(plan("a", 1, "one"));
	await busyStore.pass();
	await again;
	expect(office.shown).toEqual(["two", "one"]);
});

async function inboxOn(store: Store<ConnectorTables>, handle: InboundHandler) {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	return { clock, inbox: await Inbox.start({ store, clock, log, handle, chance: () => 0 }) };
}

const states = (store: Store<ConnectorTables>) =>
	store.read((db) => db.selectFrom("inbound").select(["id", "state"]).orderBy("position").execute());

test("only an invalid inbound event of a shared commit is refused, and a duplicate stays one", async () => {
	const busyStore = await BusyStore.open();
	await busyStore.gather();
	const received: string[] = [];
	const { inbox } = await inboxOn(busyStore.store, async ({ id }) => void received.push(id));
	const event = (id: string, data: unknown = { id }): QueuedEvent => ({ id, conversation: "general", data });
	const stored = Promise.allSettled(
		// `undefined` has no JSON form, so this event is refused.
		[event("a"), { ...event("bad"), data: undefined }, event("b"), event("a"), event("c")].map((each) =>
			inbox.accept(each),
		),
	);
	await busyStore.pass();
	expect((await stored).map((one) => (one.status === "fulfilled" ? one.value : one.status))).toEqual([
		true,
		"rejected",
		true,
		false,
		true,
	]);
	await busyStore.pass();
	expect(received).toEqual(["a", "b", "c"]);
	expect(await states(busyStore.store)).toEqual(["a", "b", "c"].map((id) => ({ id, state: "done" })));
});

test("only a refused handler of a shared commit is called again", async () => {
	const busyStore = await BusyStore.open();
	await busyStore.gather();
	const store = new WatchedStore(busyStore.store);
	const calls: string[] = [];
	const runs: string[] = [];
	const { inbox, clock } = await inboxOn(store, async ({ id }, { settle }) => {
		const isRefused = id === "b" && !calls.includes("b");
		calls.push(id);
		await store.commit(async (tx) => {
			runs.push(id);
			await tx.insertInto("cards").values({ card: id, remote: "post", changed_at: 0 }).execute();
			await settle(tx);
			if (isRefused) throw new Error("not yet");
		});
	});
	const stored = ["a", "b", "c"].map((id) => inbox.accept({ id, conversation: id, data: {} }));
	await busyStore.pass();
	expect(await Promise.all(stored)).toEqual([true, true, true]);
	expect(calls).toEqual(["a", "b", "c"]);
	clock.advance(1000);
	await busyStore.pass();
	expect(calls).toEqual(["a", "b", "c", "b"]);
	expect(runs).toEqual(["a", "b", "a", "b", "c", "b"]);
	const cards = await store.read((db) => db.selectFrom("cards").select("card").orderBy("card").execute());
	expect(cards.map(({ card }) => card)).toEqual(["a", "b", "c"]);
	expect(await states(store)).toEqual(["a", "b", "c"].map((id) => ({ id, state: "done" })));
});
