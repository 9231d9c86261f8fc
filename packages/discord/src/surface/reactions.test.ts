import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { Posting } from "@parley/connector";
import { expect, test } from "vitest";
import { MemoryNames } from "../testing/memory-names.ts";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { discordSurface } from "./discord-surface.ts";
import { Tickets } from "./private-answers.ts";

type Reaction = Extract<Posting, { type: "reaction" }>;

const message = "/channels/10/messages/5";
const at = (method: string, emoji: string): string =>
	`${method} ${message}/reactions/${encodeURIComponent(emoji)}/@me`;
const refused = (status: number, code: number) => ({ status, body: { code, message: "Refused" } });
const own = (...emoji: string[]) => ({
	body: { id: "5", reactions: emoji.map((name) => ({ me: true, count: 1, emoji: { id: null, name } })) },
});
const notice = { type: "post", body: "Your message is next.", replyTo: "5" } as const;

function open() {
	const clock = new ManualClock();
	const port = new ScriptedPort();
	const log = new MemoryLogger();
	const surface = discordSurface({
		names: new MemoryNames(),
		...{ port, clock, log, tickets: new Tickets(), self: { user: "500", application: "501" } },
		cards: async () => undefined,
		ownerOf: async () => undefined,
		readFile: async () => new Uint8Array(),
	});
	const rowOf = (reaction: Partial<Reaction>, target?: string) => ({
		...({
			id: "s/1/0",
			nonce: "n",
			conversation: "10#reactions",
			lane: "progress",
			card: "status:5",
		} as const),
		...{ at: clock.now(), attempt: 1, payload: { type: "reaction", message: "5", ...reaction } },
		...(target !== undefined && { target }),
	});
	const send = async (reaction: Partial<Reaction>, target?: string) =>
		(await surface.send(rowOf(reaction, target))).remote;
	const find = async (reaction: Partial<Reaction>) => (await surface.find(rowOf(reaction)))?.remote;
	return { clock, port, log, surface, send, find };
}

test("each state replaces the previous reaction, and the end of a stopped run removes it", async () => {
	const { port, send } = open();
	const read = `GET ${message}`;
	port.answer(read, own("👀", "🎉"), own("✅"));
	expect(await send({ emoji: "⏳" })).toBe("reaction:⏳");
	expect(await send({ emoji: "👀" }, "reaction:⏳")).toBe("reaction:👀");
	expect(await send({ emoji: "✅" }, "reaction:👀")).toBe("reaction:✅");
	expect(await send({ emoji: "✅", notice }, "reaction:✅")).toBe("reaction:✅");
	expect(await send({}, "reaction:✅")).toBe("reaction:");
	expect(port.requestLines).toEqual([
		...[at("PUT", "⏳"), at("PUT", "👀"), at("DELETE", "⏳")],
		...[read, at("PUT", "✅"), at("DELETE", "👀")],
		...[read, at("DELETE", "✅")],
	]);
});

test("without the permission, the notice is posted, edited and deleted, and the operator gets the reason", async () => {
	const { clock, port, log, send } = open();
	port.answer(at("PUT", "⏳"), refused(403, 50_013));
	port.answer("POST /channels/10/messages", { body: { id: "77" } });
	expect(await send({ emoji: "⏳", notice })).toBe("77");
	port.answer("PATCH /channels/10/messages/77", { body: { id: "77" } });
	expect(await send({ emoji: "⏳", notice: { ...notice, body: "Number 2." } }, "77")).toBe("77");
	expect(port.last).toMatchObject({ content: "Number 2." });
	expect(await send({ emoji: "👀" }, "77")).toBe("reaction:");
	expect(await send({ emoji: "✅" }, "reaction:")).toBe("reaction:");
	// After the refusal, the connector adds no reactions in this channel for ten minutes.
	expect(port.requestLines.filter((each) => each.startsWith("PUT"))).toHaveLength(1);
	expect(port.requestLines).toContain("DELETE /channels/10/messages/77");
	expect(log.records).toMatchObject([{ level: "warn", message: expect.stringContaining('"Add Reactions"') }]);
	clock.advance(10 * 60_000);
	expect(await send({ emoji: "✅" }, "reaction:")).toBe("reaction:✅");
});

test("a message that no longer exists gets neither a reaction nor a notice", async () => {
	const { port, send, find } = open();
	port.answer(at("PUT", "⏳"), refused(404, 10_008));
	expect(await send({ emoji: "⏳", notice })).toBe("reaction:");
	port.answer(at("DELETE", "👀"), refused(404, 10_008));
	expect(await send({}, "reaction:👀")).toBe("reaction:");
	port.answer(`GET ${message}`, refused(404, 10_008));
	expect(await find({ emoji: "✅" })).toBeUndefined();
	expect(port.requestLines.some((each) => each.startsWith("POST"))).toBe(false);
});

test("after a loss of the database, the present reaction is found, and an earlier one is replaced", async () => {
	const { port, send, find } = open();
	port.answer(`GET ${message}`, own("✅", "🎉"), own("👀", "✅"), own("👀"), own());
	expect(await find({ emoji: "✅" })).toBe("reaction:✅");
	expect(await find({ emoji: "✅" })).toBeUndefined();
	expect(await send({ emoji: "✅" })).toBe("reaction:✅");
	expect(port.requestLines.slice(3)).toEqual([at("PUT", "✅"), at("DELETE", "👀")]);
	expect(await find({})).toBe("reaction:");
});

test("an unclear or limited request is repeated, and reactions have a rate limit of their own", async () => {
	const { port, send, surface } = open();
	port.answer(at("PUT", "👀"), new Error("reset"), {
		status: 429,
		body: { message: "slow", retry_after: 0.3 },
	});
	await expect(send({ emoji: "👀" })).rejects.toMatchObject({ kind: "unknown" });
	const limited = { kind: "rate-limited", limit: { scope: "reaction 10", retryAfterMs: 300 } };
	await expect(send({ emoji: "👀" })).rejects.toMatchObject(limited);
	const scopes = (conversation: string) => surface.scopes({ conversation, lane: "progress", edits: false });
	expect(scopes("10#reactions")).toContain("reaction 10");
	expect(scopes("10")).not.toContain("reaction 10");
});

test("the message that began a thread has its reactions in the channel of the thread", async () => {
	const { port, surface, send } = open();
	port.answer("GET /channels/5", { body: { id: "5", parent_id: "10" } });
	const row = {
		id: "s/1/0",
		nonce: "n",
		conversation: "5#reactions",
		lane: "progress",
		attempt: 1,
		at: 0,
	} as const;
	for (const emoji of ["👀", "✅"] as const) {
		await surface.send({ ...row, payload: { type: "reaction", message: "5", emoji } });
	}
	expect(port.requestLines).toEqual(["GET /channels/5", at("PUT", "👀"), `GET ${message}`, at("PUT", "✅")]);
	await send({ emoji: "👀" });
	expect(port.requestLines.at(-1)).toBe(at("PUT", "👀"));
});

test("after an interrupted change, all earlier reactions are removed", async () => {
	const { port, surface } = open();
	const row = { id: "s/1/0", nonce: "n", conversation: "10#reactions", lane: "progress", at: 0 } as const;
	const send = (emoji: "👀" | "✅", attempt: number) =>
		surface.send({
			...row,
			attempt,
			target: "reaction:⏳",
			payload: { type: "reaction", message: "5", emoji },
		});
	port.answer(at("DELETE", "⏳"), { status: 502, body: null });
	await expect(send("👀", 1)).rejects.toMatchObject({ kind: "unknown" });
	port.answer(`GET ${message}`, own("⏳", "👀"));
	await send("✅", 2);
	expect(port.requestLines.slice(-3)).toEqual([at("PUT", "✅"), at("DELETE", "⏳"), at("DELETE", "👀")]);
});
