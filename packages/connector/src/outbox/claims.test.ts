import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { DeliveryError } from "../platform/surface.ts";
import { openSqlite } from "../testing/open-stores.ts";
import { PostOffice } from "../testing/post-office.ts";
import type { PlannedRow } from "./plan.ts";

class Places implements Failpoints {
	readonly #next = new Map<string, () => Promise<void> | void>();

	reach(name: string): Promise<void> | void {
		const next = this.#next.get(name);
		this.#next.delete(name);
		return next?.();
	}

	once(name: string, work: () => Promise<void> | void): void {
		this.#next.set(name, work);
	}

	block(name: string): (error?: Error) => void {
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		this.once(name, () => promise);
		return (error) => (error ? reject(error) : resolve());
	}
}

async function office(): Promise<{ readonly office: PostOffice; readonly places: Places }> {
	const places = new Places();
	return { office: await PostOffice.open(() => openSqlite(places), places), places };
}

function everywhere(count: number): Partial<PlannedRow>[] {
	return Array.from({ length: count }, (_, n) => ({ payload: n, conversation: `room ${n}` }));
}

const disk = new Error("the disk is full");

test("rows claimed by a lost transaction are sent by the next one, once", async () => {
	const { office: context, places } = await office();
	const row = { seq: 1, at: context.clock.now(), lane: "final", payload: "one" } as const;
	const plan = { conversation: "general", cursor: { session: "sess_1", seq: 1 }, rows: [row] };
	places.once("store.commit", () => {
		throw disk;
	});
	await expect(context.outbox.plan(plan)).rejects.toThrow("could not commit");
	await context.store.quiet();
	expect(context.surface.calls).toEqual([]);
	await context.outbox.plan(plan);
	await context.store.quiet();
	expect(context.surface.calls).toEqual(['send "one"']);
});

test("a row without capacity beside the claims of a lost transaction is sent later", async () => {
	const { office: context, places } = await office();
	const limit = { scope: "slow", retryAfterMs: 1000 };
	context.surface.script.push(() => {
		throw new DeliveryError("too much", { kind: "rate-limited", limit });
	});
	await context.plan([{ payload: "late", conversation: "slow" }]);
	const fail = places.block("store.commit");
	const lost = context.plan(everywhere(32));
	const refused = expect(lost).rejects.toThrow("could not commit");
	// The rows are claimed, but their transaction is not committed.
	for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
	context.clock.advance(1000);
	expect(context.shown).toEqual([]);
	fail(disk);
	await refused;
	await context.store.quiet();
	expect(context.shown).toEqual(["late"]);
});

test("only as many rows are claimed as can be in flight, and other rows are claimed later", async () => {
	const { office: context } = await office();
	const slow = Promise.withResolvers<undefined>();
	for (let n = 0; n < 32; n++) context.surface.script.push(() => slow.promise);
	await context.plan(everywhere(40));
	expect(context.surface.calls).toHaveLength(32);
	slow.resolve(undefined);
	await context.store.quiet();
	expect(context.shown).toHaveLength(40);
});

test("a post without a result is not claimed a second time", async () => {
	const { office: context, places } = await office();
	context.surface.script.push(() => {
		throw new DeliveryError("too much", { kind: "rate-limited" });
	});
	const settle = places.block("outbox.settled");
	await context.plan([{ payload: 1 }]);
	context.clock.advance(1000);
	await context.plan([{ payload: 2 }]);
	expect(context.surface.calls).toEqual(["send 1"]);
	settle();
	await context.store.quiet();
	expect(context.surface.calls).toEqual(["send 1", "send 1", "send 2"]);
});

test("the next process sends a row that was planned after the stop", async () => {
	const { office: context } = await office();
	await context.outbox.stop();
	await context.plan([{ payload: 1 }]);
	expect(context.surface.calls).toEqual([]);
	await context.restart();
	expect(context.surface.calls).toEqual(["send 1"]);
});

test("the next process looks up a claimed post without a request, and this process does not send it again", async () => {
	const { office: context, places } = await office();
	places.once("outbox.claimed", () => {
		throw new Error("no memory");
	});
	await context.plan([{ payload: 1 }]);
	let claims = 0;
	const count = (): void => {
		claims += 1;
		places.once("outbox.claim", count);
	};
	places.once("outbox.claim", count);
	context.clock.advance(60_000);
	for (let n = 0; n < 20; n++) await new Promise((resolve) => setImmediate(resolve));
	await context.outbox.stop();
	expect(claims).toBe(0);
	await context.restart();
	expect(context.surface.calls).toEqual(["find sess_1/1/0"]);
});

test("an edit that waits for the post of its card is recognised as an edit", async () => {
	const { office: context } = await office();
	const slow = Promise.withResolvers<undefined>();
	context.surface.script.push(
		() => slow.promise,
		() => {
			throw new DeliveryError("502", { kind: "unknown" });
		},
	);
	await context.plan([{ lane: "milestone", card: "task", payload: 0 }]);
	await context.plan([{ lane: "milestone", card: "task", payload: 1 }]);
	slow.resolve(undefined);
	await context.store.quiet();
	await context.pass(15_000);
	// An edit may be repeated without a lookup.
	expect(context.surface.calls).toEqual(["send 0", "edit 1", "edit 1"]);
});
