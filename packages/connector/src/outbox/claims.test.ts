import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import { openSqlite } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import type { PlannedRow } from "./plan.ts";

/** Places that a test may let fail, or wait. */
class Places implements Failpoints {
	readonly #next = new Map<string, () => Promise<void> | void>();

	reach(name: string): Promise<void> | void {
		const next = this.#next.get(name);
		this.#next.delete(name);
		return next?.();
	}

	/** What is done when the place is reached next. */
	once(name: string, work: () => Promise<void> | void): void {
		this.#next.set(name, work);
	}

	/** Holds who reaches the place next, until the function is called that is returned. */
	hold(name: string): (error?: Error) => void {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		this.once(name, () => promise);
		return (error) => (error ? reject(error) : resolve());
	}
}

async function office(): Promise<{ readonly office: PostOffice; readonly places: Places }> {
	const places = new Places();
	return { office: await PostOffice.open(() => openSqlite(places), places), places };
}

/** One row for each of so many conversations. */
function everywhere(count: number): Partial<PlannedRow>[] {
	return Array.from({ length: count }, (_, n) => ({ payload: n, conversation: `room ${n}` }));
}

const disk = new Error("the disk is full");

test("what a lost transaction has claimed is sent by the next one, once", async () => {
	const { office: desk, places } = await office();
	const row = { seq: 1, at: desk.clock.now(), lane: "final", payload: "one" } as const;
	const plan = { conversation: "general", cursor: { session: "sess_1", seq: 1 }, rows: [row] };
	places.once("store.commit", () => {
		throw disk;
	});
	await expect(desk.outbox.plan(plan)).rejects.toThrow("could not commit");
	await desk.store.quiet();
	expect(desk.surface.asked).toEqual([]);
	await desk.outbox.plan(plan);
	await desk.store.quiet();
	expect(desk.surface.asked).toEqual(['send "one"']);
});

test("what found no room beside the claims of a lost transaction is sent when that is lost", async () => {
	const { office: desk, places } = await office();
	const limit = { scope: "slow", retryAfterMs: 1000 };
	desk.surface.script.push(() => {
		throw new DeliveryError("too much", { kind: "rate-limited", limit });
	});
	await desk.tell([{ payload: "late", conversation: "slow" }]);
	const fail = places.hold("store.commit");
	const lost = desk.tell(everywhere(32));
	const refused = expect(lost).rejects.toThrow("could not commit");
	// The claims are made, and the transaction waits for the disk.
	for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
	desk.clock.advance(1000);
	expect(desk.shown).toEqual([]);
	fail(disk);
	await refused;
	await desk.store.quiet();
	expect(desk.shown).toEqual(["late"]);
});

test("no more is claimed at once than may be on its way, and what was left out has its turn", async () => {
	const { office: desk } = await office();
	const slow = Promise.withResolvers<undefined>();
	for (let n = 0; n < 32; n++) desk.surface.script.push(() => slow.promise);
	await desk.tell(everywhere(40));
	expect(desk.surface.asked).toHaveLength(32);
	slow.resolve(undefined);
	await desk.store.quiet();
	expect(desk.shown).toHaveLength(40);
});

test("a post that is not settled yet is not claimed a second time", async () => {
	const { office: desk, places } = await office();
	desk.surface.script.push(() => {
		throw new DeliveryError("too much", { kind: "rate-limited" });
	});
	const settle = places.hold("outbox.settled");
	await desk.tell([{ payload: 1 }]);
	desk.clock.advance(1000);
	await desk.tell([{ payload: 2 }]);
	expect(desk.surface.asked).toEqual(["send 1"]);
	settle();
	await desk.store.quiet();
	expect(desk.surface.asked).toEqual(["send 1", "send 1", "send 2"]);
});

test("what is planned after the stop is left to the next process", async () => {
	const { office: desk } = await office();
	await desk.outbox.stop();
	await desk.tell([{ payload: 1 }]);
	expect(desk.surface.asked).toEqual([]);
	await desk.restart();
	expect(desk.surface.asked).toEqual(["send 1"]);
});

test("a claimed post whose request this process could not make is looked up by the next one, and not sent again by this", async () => {
	const { office: desk, places } = await office();
	places.once("outbox.claimed", () => {
		throw new Error("no memory");
	});
	await desk.tell([{ payload: 1 }]);
	let claims = 0;
	const count = (): void => {
		claims += 1;
		places.once("outbox.claim", count);
	};
	places.once("outbox.claim", count);
	desk.clock.advance(60_000);
	for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
	await desk.outbox.stop();
	expect(claims).toBe(0);
	await desk.restart();
	expect(desk.surface.asked).toEqual(["find sess_1/1/0"]);
});

test("an edit that waits while its card is being posted is known as one when it is", async () => {
	const { office: desk } = await office();
	const slow = Promise.withResolvers<undefined>();
	desk.surface.script.push(
		() => slow.promise,
		() => {
			throw new DeliveryError("502", { kind: "unknown" });
		},
	);
	await desk.tell([{ lane: "milestone", card: "task", payload: 0 }]);
	await desk.tell([{ lane: "milestone", card: "task", payload: 1 }]);
	slow.resolve(undefined);
	await desk.store.quiet();
	await desk.pass(15_000);
	// It may be made twice: nobody needs to look.
	expect(desk.surface.asked).toEqual(["send 0", "edit 1", "edit 1"]);
});
