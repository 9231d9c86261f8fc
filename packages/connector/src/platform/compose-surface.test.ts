import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { composeSurface } from "./compose-surface.ts";
import { DeliveryError, type OutboxRow, type Receipt, type Surface } from "./surface.ts";

const row: OutboxRow = {
	id: "s/1/0",
	nonce: "n".repeat(24),
	conversation: "general",
	lane: "final",
	payload: { type: "post", body: "hello" },
	at: 0,
	attempt: 1,
};

function open(create: () => Promise<Receipt>): { readonly surface: Surface; readonly called: string[] } {
	const called: string[] = [];
	const call = (name: string, remote = "1") => {
		called.push(name);
		return Promise.resolve({ remote });
	};
	const surface = composeSurface(
		{
			cards: async () => undefined,
			readFile: async () => new Uint8Array(),
			clock: new ManualClock(),
			log: new MemoryLogger(),
		},
		1,
		({ cards }) => ({
			post: {
				create,
				edit: (_row, _post, target) => call("edit", target),
				remove: (_row, target) => call("remove", target),
				find: () => call("find post"),
			},
			notices: {
				direct: async (_row, person) => {
					if (person === "closed")
						throw new DeliveryError("direct messages are closed", { kind: "rejected" });
					return `dm/${person}`;
				},
				channel: (_row, channel) => `channel/${channel}`,
			},
			thread: {
				send: async (thread, { card }) => ({ remote: await cards.require(thread, card) }),
				find: () => call("find thread"),
			},
			private: { send: () => call("answer"), find: () => call("find answer") },
			typing: async () => undefined,
			scopes: () => ["general", "create"],
			dedupeWindowMs: () => 0,
		}),
	);
	return { surface, called };
}

function limited(scope: string): Promise<unknown> {
	const { surface } = open(async () => {
		throw new DeliveryError("wait", { kind: "rate-limited", limit: { scope, retryAfterMs: 5 } });
	});
	return surface.send(row);
}

test("a limit that the row counts towards stays unchanged, and any other limit belongs to its conversation", async () => {
	await expect(limited("create")).rejects.toMatchObject({ limit: { scope: "create", retryAfterMs: 5 } });
	await expect(limited("read")).rejects.toMatchObject({
		message: "wait",
		kind: "rate-limited",
		limit: { scope: "general", retryAfterMs: 5 },
	});
});

test("all other text passes unchanged", async () => {
	expect(await open(async () => ({ remote: "1" })).surface.send(row)).toEqual({ remote: "1" });
	const failing = open(() => Promise.reject(new Error("no"))).surface.send(row);
	await expect(failing).rejects.toThrow("no");
});

test("each type of post has its request, and a row with a target is an edit", async () => {
	const { surface, called } = open(async () => ({ remote: "1" }));
	const ticket = { type: "private", body: "", expiresAt: 1, ticket: { id: "t", token: "u" } };
	expect(await surface.send({ ...row, target: "7" })).toEqual({ remote: "7" });
	await surface.send({ ...row, payload: ticket });
	await surface.find(row);
	await surface.find({ ...row, payload: { type: "thread", card: "c", name: "n" } });
	await surface.find({ ...row, payload: ticket });
	expect(called).toEqual(["edit", "answer", "find post", "find thread", "find answer"]);
	await expect(surface.send({ ...row, payload: { type: "x" } })).rejects.toMatchObject({ kind: "rejected" });
});

test("a thread waits for its card while the row is recent, and is abandoned afterwards", async () => {
	const { surface } = open(async () => ({ remote: "1" }));
	const payload = { type: "thread", card: "c", name: "n" };
	const at = new ManualClock().now();
	await expect(surface.send({ ...row, at, payload })).rejects.toMatchObject({ kind: "rate-limited" });
	await expect(surface.send({ ...row, at: at - 60_000, payload })).rejects.toMatchObject({ kind: "gone" });
});
