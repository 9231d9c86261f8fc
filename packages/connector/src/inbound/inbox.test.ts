import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openSqlite, WatchedStore } from "../testing/open-stores.ts";
import { type InboundHandler, Inbox, type InboxParts, type QueuedEvent } from "./inbox.ts";

async function surroundings() {
	const store = new WatchedStore(await openSqlite());
	const [clock, log, handled] = [new ManualClock(), new MemoryLogger(), [] as string[]];
	const handle = async ({ id }: QueuedEvent): Promise<void> => void handled.push(id);
	const parts: InboxParts = { store, clock, log, handle, chance: () => 0 };
	return { store, clock, log, handled, parts };
}

const event = (id: string, conversation = "general"): QueuedEvent => ({ id, conversation, data: { id } });

test("an event is accepted once despite redelivery and restarts", async () => {
	const { store, handled, parts } = await surroundings();
	const inbox = await Inbox.start(parts);
	expect(await inbox.accept(event("a"))).toBe(true);
	expect(await inbox.accept(event("a"))).toBe(false);
	await store.quiet();
	const next = await Inbox.start(parts);
	expect(await next.accept(event("a"))).toBe(false);
	await store.quiet();
	expect(handled).toEqual(["a"]);
});

test("a conversation is handled in order while others continue, up to the allowed number", async () => {
	const { store, handled, parts } = await surroundings();
	const gates = new Map<string, () => void>();
	const handle = ({ id }: QueuedEvent): Promise<void> => {
		handled.push(id);
		return new Promise((resolve) => gates.set(id, resolve));
	};
	const inbox = await Inbox.start({ ...parts, handle, parallel: 2 });
	for (const [id, conversation] of [
		["a1", "a"] as const,
		["a2", "a"] as const,
		["b1", "b"] as const,
		["c1", "c"] as const,
	]) {
		await inbox.accept(event(id, conversation));
	}
	await store.quiet();
	expect(handled).toEqual(["a1", "b1"]);
	gates.get("a1")?.();
	await store.quiet();
	expect(handled).toEqual(["a1", "b1", "c1"]);
	gates.get("c1")?.();
	await store.quiet();
	expect(handled).toEqual(["a1", "b1", "c1", "a2"]);
});

test("an unhandled event of an ended process is handled by the next one, with the same id", async () => {
	const { store, handled, parts } = await surroundings();
	const handle = (): Promise<void> => new Promise(() => undefined);
	const first = await Inbox.start({ ...parts, handle });
	await first.accept(event("a"));
	await first.accept(event("b"));
	await store.quiet();
	await Inbox.start(parts);
	await store.quiet();
	expect(handled).toEqual(["a", "b"]);
});

test("an event stays first in its queue for as long as the gateway is unavailable", async () => {
	const { store, clock, handled, parts } = await surroundings();
	let isAway = true;
	const handle = async ({ id }: QueuedEvent): Promise<void> => {
		if (isAway) throw new ParleyError("the gateway is away", { code: "unavailable" });
		handled.push(id);
	};
	const inbox = await Inbox.start({ ...parts, handle });
	await inbox.accept(event("a"));
	await inbox.accept(event("b"));
	for (let n = 0; n < 100; n++) {
		clock.advance(30_000);
		await store.quiet();
	}
	isAway = false;
	clock.advance(30_000);
	await store.quiet();
	expect(handled).toEqual(["a", "b"]);
});

test("an event that the handler refuses five times is dropped with its reason, and the next one continues", async () => {
	const { store, clock, log, handled, parts } = await surroundings();
	const handle = async ({ id }: QueuedEvent): Promise<void> => {
		handled.push(id);
		if (id === "bad") throw new ParleyError("it has no author", { code: "invalid_argument" });
	};
	const inbox = await Inbox.start({ ...parts, handle });
	await inbox.accept(event("bad"));
	await inbox.accept(event("good"));
	for (let n = 0; n < 5; n++) {
		await store.quiet();
		clock.advance(30_000);
	}
	expect(handled).toEqual(["bad", "bad", "bad", "bad", "bad", "good"]);
	const rows = await store.read((db) => db.selectFrom("inbound").select(["id", "state", "reason"]).execute());
	expect(rows).toEqual([
		{ id: "bad", state: "dead", reason: "it has no author" },
		{ id: "good", state: "done", reason: null },
	]);
	expect(log.records.at(-1)).toMatchObject({ level: "error", fields: { id: "bad", attempts: 5 } });
});

test("a full queue refuses an event, so that the platform redelivers it", async () => {
	const { store, parts } = await surroundings();
	const handle = (): Promise<void> => new Promise(() => undefined);
	const inbox = await Inbox.start({ ...parts, handle, capacity: 2 });
	for (const id of ["a", "b"]) await inbox.accept(event(id));
	await expect(inbox.accept(event("c"))).rejects.toMatchObject({ code: "resource_exhausted" });
	const rows = await store.read((db) => db.selectFrom("inbound").select("id").execute());
	expect(rows.map(({ id }) => id)).toEqual(["a", "b"]);
});

test("an event whose end cannot be stored is handled again, and an inbound event that cannot be stored is refused", async () => {
	const { store, clock, handled, parts } = await surroundings();
	const refuse = (): void => {
		store.refusals = 1;
	};
	const handle = async ({ id }: QueuedEvent): Promise<void> => {
		if (handled.push(id) === 1) refuse();
	};
	const inbox = await Inbox.start({ ...parts, handle });
	await inbox.accept(event("a"));
	await store.quiet();
	clock.advance(1000);
	await store.quiet();
	expect(handled).toEqual(["a", "a"]);
	refuse();
	await expect(inbox.accept(event("b"))).rejects.toThrow("the disk is full");
});

test("a stopped inbox waits for its handlers, aborts their signal, and starts no other", async () => {
	const { store, clock, handled, parts } = await surroundings();
	const handle: InboundHandler = ({ id }, { signal }) => {
		handled.push(id);
		return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
	};
	const inbox = await Inbox.start({ ...parts, handle });
	await inbox.accept(event("a"));
	await inbox.accept(event("b"));
	await store.quiet();
	await inbox.stop();
	expect(handled).toEqual(["a"]);
	expect(clock.pending).toBe(0);
});

test("more than a thousand pending events are read completely and in order", async () => {
	const { store, parts } = await surroundings();
	const gate = Promise.withResolvers<void>();
	const handled: { readonly data: unknown; readonly isRead: boolean }[] = [];
	const handle: InboundHandler = async ({ data }, { isRetry }) => {
		await gate.promise;
		handled.push({ data, isRead: isRetry });
	};
	const inbox = await Inbox.start({ ...parts, handle });
	const ids = Array.from({ length: 1002 }, (_, n) => `e${n}`);
	await Promise.all(ids.map((id) => inbox.accept(event(id))));
	gate.resolve();
	await store.quiet();
	expect(handled.map(({ data }) => data)).toEqual(ids.map((id) => ({ id })));
	expect(handled.filter(({ isRead }) => isRead).map(({ data }) => data)).toEqual([
		{ id: "e1000" },
		{ id: "e1001" },
	]);
	await inbox.stop();
});

test("an event on hold does not block other conversations, and the handler sees the events behind it", async () => {
	const { store, clock, handled, parts } = await surroundings();
	const seen: string[][] = [];
	const handle: InboundHandler = async ({ id }, { following }) => {
		handled.push(id);
		seen.push(following().map((one) => one.id));
	};
	const delayMs = ({ conversation }: QueuedEvent): number => (conversation === "quick" ? 0 : 2000);
	const inbox = await Inbox.start({ ...parts, handle, delayMs });
	await inbox.accept(event("a1", "a"));
	await inbox.accept(event("now", "quick"));
	await store.quiet();
	expect(handled).toEqual(["now"]);
	clock.advance(1000);
	await inbox.accept(event("a2", "a"));
	await inbox.accept(event("b1", "b"));
	clock.advance(1000);
	await store.quiet();
	expect(handled).toEqual(["now", "a1"]);
	expect(seen).toEqual([["a1"], ["a2", "b1"]]);
	clock.advance(1000);
	await store.quiet();
	expect(handled).toEqual(["now", "a1", "a2", "b1"]);
	await inbox.accept(event("a3", "a"));
	await inbox.stop();
	clock.advance(5000);
	await store.quiet();
	expect(handled).toHaveLength(4);
	await Inbox.start({ ...parts, handle, delayMs });
	await store.quiet();
	expect(handled.at(-1)).toBe("a3");
});
