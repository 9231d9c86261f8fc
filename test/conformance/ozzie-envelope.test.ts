import { writeFile } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect } from "vitest";
import * as z from "zod";
import { OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { ask, GoClient, valueless } from "./go-client.ts";
import { verifiesOn } from "./verifies.ts";

const limit = 32_768;
const family = "👨‍👩‍👧‍👦";

const Opened = z.object({ session_id: z.string() });
const Messages = z.array(
	z.object({ role: z.string(), content: z.string(), ts: z.string(), seq: z.int(), next: z.int().optional() }),
);

function dial(gateway: TestGateway): Promise<GoClient> {
	return GoClient.dial(`${gateway.url}/api/ws?envelope=both`);
}

async function open(client: GoClient, params: object = {}): Promise<string> {
	return Opened.parse(await client.call("open_session", params)).session_id;
}

async function readCompleteFrame(client: GoClient, seq: number): Promise<string> {
	let [content, offset] = ["", 0 as number | undefined];
	while (offset !== undefined) {
		const [page] = Messages.parse(await client.call("load_messages", { seq, offset }));
		if (!page) throw new Error(`nothing is said in ${seq}`);
		content += page.content;
		offset = page.next;
	}
	return content;
}

/** Returns the `seq` in the note of a shortened text. */
function placeIn(text: string): number {
	const [, seq] = / … \[\d+ more characters: load_messages \{"seq":(\d+)\}\]$/.exec(text) ?? [];
	if (seq === undefined) throw new Error(`nothing is missing in ${text.slice(-100)}`);
	return Number(seq);
}

verifiesOn("ozzie", ["envelope.both"], "the command `ask` of Go clients works unchanged", async () => {
	await using gateway = await TestGateway.start();
	await using client = await dial(gateway);
	const session = await open(client, { root_dir: gateway.path("work") });
	expect(session).toMatch(/^sess_[a-zA-Z0-9_-]+$/);
	expect(await ask(client, "say: hello", valueless(true))).toEqual({
		...{ printed: "[offline] hello\n", error: "", prompts: [], calls: [] },
	});
	expect(await ask(client, "run: echo hi", valueless(true))).toEqual({
		...{ printed: "[offline] run_command returned:\nhi\n", error: "", prompts: ["Allow run echo hi?"] },
		calls: ["started", "completed"],
	});
	expect((await ask(client, "run: echo hi", valueless(false))).printed).toMatch(
		/^\[offline\] run_command failed:\ndenied/,
	);
	await expect(client.call("accept_all_tools")).resolves.toEqual({ status: "accepted" });
	expect((await ask(client, "run: echo hi", valueless(true))).prompts).toEqual([]);
});

verifiesOn("ozzie", ["envelope.both"], "other clients of the session get the document's frames", async () => {
	await using gateway = await TestGateway.start();
	await using client = await dial(gateway);
	const session = await open(client);
	// This client rejects frames with unknown keys in the envelope. The assertion below checks the payload.
	await using flat = await OzzieClient.connect(gateway.url);
	await flat.open({ session_id: session });
	await flat.arrived();
	await ask(client, "say: hello", valueless(true));
	const { payload } = await flat.event("assistant.message");
	expect(Object.keys(payload).sort()).toEqual(["content", "context", "error", "run_id"]);
});

verifiesOn("ozzie", ["envelope.unknown"], "an unknown envelope is refused", async () => {
	await using gateway = await TestGateway.start();
	for (const envelope of ["nested", "", "both&envelope=both"]) {
		await expect(GoClient.dial(`${gateway.url}/api/ws?envelope=${envelope}`)).rejects.toThrow("400");
	}
});

verifiesOn(
	"ozzie",
	["envelope.limit", "envelope.complete"],
	"large arguments, results and texts are cut, and can be read completely",
	async () => {
		const content = `${family.repeat(9_000)}\n`.repeat(2);
		const long = "é".repeat(200_000);
		const model = new ScriptedModel(
			[calls("c1", "write_file", { path: "large.txt", content })],
			[calls("c2", "read_file", { path: "lines.txt" })],
			[says(long)],
		);
		// The context window is large enough for the complete conversation.
		const known = { id: "scripted", provider: "scripted", context_window: 10_000_000, max_output: 8_192 };
		const data = { "models.json": JSON.stringify({ models: [known] }) };
		await using gateway = await TestGateway.start({ model, data });
		// The text is shorter than the maximum tool result, but the client's frame contains the text twice and would
		// exceed the frame limit.
		const lines = `${"x".repeat(99)}\n`.repeat(290);
		await writeFile(gateway.path("work", "lines.txt"), lines);
		await using client = await dial(gateway);
		await open(client);
		await client.call("accept_all_tools");
		const longText = `please ${"z".repeat(100_000)}`;
		client.fire("send_message", { content: longText });
		const received = await client.next("user.message");
		const started = await client.next("tool.call");
		expect(started).toMatchObject({
			status: "started",
			name: "write_file",
			arguments: { path: "large.txt" },
		});
		const written = String(started.arguments["content"]);
		expect(written).toMatch(new RegExp(`^(?:${family}){500,}\\n? … \\[`, "u"));
		await client.next("tool.call");
		await client.next("tool.call");
		const { result } = await client.next("tool.call");
		const final = await client.next("assistant.message");
		// The gateway sends no further events, so the next message is the response.
		expect(await readCompleteFrame(client, placeIn(received.content))).toBe(longText);
		expect(await readCompleteFrame(client, placeIn(written))).toBe(
			JSON.stringify({ path: "large.txt", content }),
		);
		expect(await readCompleteFrame(client, placeIn(result))).toBe(lines);
		expect(await readCompleteFrame(client, placeIn(final.content))).toBe(long);
		expect(client.largest).toBeLessThanOrEqual(limit);
		expect(client.largest).toBeGreaterThan(limit * 0.9);
	},
);

verifiesOn(
	"ozzie",
	["envelope.limit", "envelope.complete"],
	"the messages of a conversation are returned in pages",
	async () => {
		const texts = Array.from({ length: 6 }, (_, n) => `${n}${"y".repeat(n === 5 ? 90_000 : 9_000)}`);
		const model = new ScriptedModel(...texts.map((text) => [says(text)]));
		await using gateway = await TestGateway.start({ model });
		await using client = await dial(gateway);
		await open(client);
		for (const _ of texts) await ask(client, "next", valueless(true));
		const read: string[] = [];
		let before: number | undefined;
		do {
			const page = Messages.parse(await client.call("load_messages", { limit: 50, before }));
			expect(page.length).toBeGreaterThan(0);
			read.unshift(...page.filter(({ role }) => role === "assistant").map(({ content }) => content));
			before = page[0]?.seq;
		} while (before !== undefined && before > 2);
		expect(read.slice(0, 5)).toEqual(texts.slice(0, 5));
		expect(await readCompleteFrame(client, placeIn(read[5] ?? ""))).toBe(texts[5]);
		expect(Messages.parse(await client.call("load_messages", { seq: 10_000 }))).toEqual([]);
		expect(client.largest).toBeLessThanOrEqual(limit);
	},
);

verifiesOn(
	"ozzie",
	["envelope.stream"],
	"a client that joins in the middle of a long reply gets all of it",
	async () => {
		const text = `${family.repeat(3_000)} ${"t".repeat(100_000)}`;
		await using gateway = await TestGateway.start({
			model: new ScriptedModel(stuck(text)),
			clock: new ManualClock(),
		});
		await using first = await OzzieClient.connect(gateway.url);
		const session = await first.open();
		await first.call("send_message", { content: "speak" });
		await first.event("assistant.stream", { phase: "delta" });
		await using late = await dial(gateway);
		await open(late, { session_id: session });
		expect(await late.next("assistant.stream")).toMatchObject({ phase: "start" });
		let received = "";
		while (received.length < text.length) received += (await late.next("assistant.stream")).content;
		expect(received).toBe(text);
	},
);

verifiesOn("ozzie", ["envelope.lists"], "a list of many sessions is cut with a note", async () => {
	await using gateway = await TestGateway.start();
	await using client = await dial(gateway);
	await Promise.all(Array.from({ length: 3 }, () => openMany(gateway)));
	const listed = await client.call("list_sessions", { limit: 1_000 });
	const { sessions, more } = z.object({ sessions: z.array(Opened), more: z.int() }).parse(listed);
	expect(sessions.length + more).toBe(150);
	expect(sessions.length).toBeGreaterThan(20);
	expect(client.largest).toBeLessThanOrEqual(limit);
});

async function openMany(gateway: TestGateway): Promise<void> {
	await using client = await OzzieClient.connect(gateway.url);
	for (let n = 0; n < 50; n++)
		await client.open({ title: `a title of some length, as people write them: ${n}` });
}

verifiesOn(
	"ozzie",
	["envelope.one-prompt"],
	"one question is sent at a time, and is repeated to clients that join",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await dial(gateway);
		const session = await open(client);
		for (const word of ["one", "two"]) client.fire("send_message", { content: `run: echo ${word}` });
		const first = await client.next("prompt.request");
		expect(first.label).toBe("Allow run echo one?");
		await using late = await dial(gateway);
		await open(late, { session_id: session });
		expect(await late.next("prompt.request")).toEqual(first);
		client.fire("prompt_response", { token: first.token, cancelled: false });
		for (const each of [client, late]) {
			expect(await each.next("prompt.response")).toMatchObject({ token: first.token });
			expect((await each.next("prompt.request")).label).toBe("Allow run echo two?");
		}
	},
);
