import { ParleyError } from "@parley/base";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { composeSurface, type UploadBytes, type UploadReader } from "./compose-surface.ts";
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

function open(
	create: (read: UploadBytes) => Promise<Receipt>,
	readFile: UploadReader = async () => new Uint8Array(),
): { readonly surface: Surface; readonly called: string[] } {
	const called: string[] = [];
	const call = (name: string, remote = "1") => {
		called.push(name);
		return Promise.resolve({ remote });
	};
	const surface = composeSurface(
		{
			cards: async () => undefined,
			readFile,
			clock: new ManualClock(),
			log: new MemoryLogger(),
		},
		1,
		({ cards, read }) => ({
			post: {
				create: () => create(read),
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

test("a post waits for a file that cannot be read yet, but not for a file that is too large", async () => {
	const reading = (code: "unavailable" | "resource_exhausted") => {
		const { surface } = open(
			async (read) => ({ remote: `${await read({ fileId: "file_1", name: "a.txt" })}` }),
			() => Promise.reject(new ParleyError("not read", { code })),
		);
		return surface.send(row);
	};
	await expect(reading("unavailable")).rejects.toMatchObject({
		message: "cannot read the file a.txt yet: not read",
		kind: "rate-limited",
	});
	await expect(reading("resource_exhausted")).resolves.toEqual({ remote: "undefined" });
});
