import type { ModelEvent } from "@parley/core";
import { ScriptedModel, says } from "@parley/core/testing";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { type StreamedReply, thinks } from "../simulators/anthropic/reply.ts";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { ask, GoClient, valueless } from "./go-client.ts";
import { verifiesOn } from "./verifies.ts";

const secret = "sk-ant-api03-0123456789abcdefghij";
const escaped = [...secret].map((c) => `\\u00${c.charCodeAt(0).toString(16)}`).join("");

async function startWithClaude(fake: FakeAnthropic): Promise<TestGateway> {
	const { apiKey, url: baseUrl } = fake;
	const data = { "models.json": JSON.stringify({ models: [{ id: "claude-sonnet-5-5" }] }) };
	const config = { provider: "anthropic", apiKey, baseUrl, model: "claude-sonnet-5-5" } as const;
	return TestGateway.start({ data, config });
}

async function runOf(client: OzzieClient): Promise<EventFrame[]> {
	const events = [await client.event()];
	while (events.at(-1)?.event !== "assistant.message") events.push(await client.event());
	return events;
}

function contentOf(events: readonly EventFrame[], name: string, where: object = {}): string {
	const fits = ({ event, payload }: EventFrame): boolean =>
		event === name && Object.entries(where).every(([key, value]) => payload[key] === value);
	return events.map((frame) => (fits(frame) ? String(frame.payload["content"]) : "")).join("");
}

verifiesOn(
	"ozzie",
	["run.reply-started", "run.thinking", "run.arguments"],
	"a reply is seen while the service still sends it: its headers, what it thinks, and the call that it writes",
	async () => {
		await using fake = await FakeAnthropic.start();
		const input = { path: "notes.md", content: "word ".repeat(40) };
		const reply: StreamedReply = {
			content: [
				thinks("First this, then that."),
				{ type: "tool_use", id: "toolu_1", name: "write_file", input },
			],
			break: { at: 8, how: "hang" },
		};
		fake.script({ ...reply, break: { at: "head", how: "hang" } }, reply);
		await using gateway = await startWithClaude(fake);
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		const { run_id } = await client.call("send_message", { content: "write it" });
		const started = await client.event("assistant.started");
		expect(started).toMatchObject({ transient: true, payload: { run_id } });
		await client.call("cancel_turn");
		const cancelled = await runOf(client);
		expect(cancelled.at(-1)?.payload["error"]).toBe("cancelled");
		expect(cancelled.map(({ event }) => event)).not.toContain("assistant.stream");

		const second = await client.call("send_message", { content: "again" });
		const named = { run_id: second["run_id"] };
		const call = { ...named, call_id: "toolu_1", name: "write_file", index: 0 };
		const first = await client.event("assistant.thinking");
		expect(first).toMatchObject({ transient: true, payload: named });
		const rest = await client.event("assistant.thinking");
		expect(`${first.payload["content"]}${rest.payload["content"]}`).toBe("First this, then that.");
		const start = await client.event("tool.arguments");
		expect(start).toMatchObject({ transient: true });
		expect(start.payload).toEqual({ ...call, phase: "start", content: "", offset: 0 });
		const delta = await client.event("tool.arguments");
		expect(delta.payload).toEqual({ ...call, phase: "delta", content: '{"path":"notes.m', offset: 0 });
		// Argument streams end with the reply, and no call of an interrupted reply runs.
		await client.call("cancel_turn");
		const events = await runOf(client);
		const end = events.filter(({ payload }) => payload["phase"] === "end");
		expect(end.map(({ event }) => event)).toEqual(["tool.arguments", "internal.llm.call"]);
		expect(events.map(({ event }) => event)).not.toContain("tool.call");
		expect(events.at(-1)?.payload).toMatchObject({ content: "", error: "cancelled" });
	},
);

verifiesOn(
	"ozzie",
	["run.arguments"],
	"a call is written and then made under one id, and its deltas are its arguments",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: 'tool: ask_nobody {"why": "to see it"}' });
		const events = await runOf(client);
		const written = events.filter(({ event }) => event === "tool.arguments");
		expect(written.map(({ payload }) => payload["phase"])).toEqual([
			"start",
			"delta",
			"delta",
			"delta",
			"end",
		]);
		expect(contentOf(events, "tool.arguments")).toBe('{"why":"to see it"}');
		const ids = new Set(written.map(({ payload }) => payload["call_id"]));
		const call = events.find(({ event }) => event === "tool.call");
		expect([...ids]).toEqual([call?.payload["call_id"]]);
	},
);

function writes(content: string, pieces: number): ModelEvent[] {
	const json = JSON.stringify({ path: "big.txt", content });
	const size = Math.ceil(json.length / pieces);
	const deltas = Array.from({ length: pieces }, (_, at): ModelEvent => {
		return { type: "call.delta", index: 0, json: json.slice(at * size, (at + 1) * size) };
	});
	return [
		{ type: "call.started", index: 0, id: "c1", name: "write_file" },
		...deltas,
		{ type: "call.ended", index: 0 },
		{ type: "call", index: 0, id: "c1", name: "write_file", arguments: { path: "big.txt", content } },
	];
}

verifiesOn(
	"ozzie",
	["run.arguments-bounded", "envelope.reply"],
	"the start of a written file of 2 MB is shown, also to existing clients, which continue to work",
	async () => {
		const content = "0123456789abcde\n".repeat(128 * 1024);
		const slow = async function* () {
			for (const event of writes(content, 2_000)) {
				yield event;
				await new Promise(setImmediate);
			}
		};
		const thinking: ModelEvent = { type: "thinking", text: "ü".repeat(30_000) };
		const model = new ScriptedModel(slow, [says("Written.")], [thinking, says("Thought.")]);
		await using gateway = await TestGateway.start({ model });
		await using client = await OzzieClient.connect(gateway.url);
		await using go = await GoClient.dial(`${gateway.url}/api/ws?envelope=both`);
		const session_id = await client.open();
		await client.call("accept_all_tools");
		await go.call("open_session", { session_id });
		const pending = ask(go, "write it", valueless(true));
		const events = await runOf(client);
		expect((await pending).printed).toBe("Written.\n");
		const json = JSON.stringify({ path: "big.txt", content });
		expect(contentOf(events, "tool.arguments")).toBe(json.slice(0, 32_768));
		const deltas = events.filter(
			({ event, payload }) => event === "tool.arguments" && payload["phase"] === "delta",
		);
		expect(deltas.length).toBeLessThan(200);
		const last = events.find(
			({ event, payload }) => event === "tool.arguments" && payload["phase"] === "end",
		);
		expect(last?.payload["offset"]).toBe(json.length);
		expect((await ask(go, "think", valueless(true))).printed).toBe("Thought.\n");
		expect(go.largest).toBeLessThanOrEqual(32_768);
	},
);

verifiesOn(
	"ozzie",
	["run.arguments-redacted"],
	"clients see no key in thoughts or arguments, at any split into deltas",
	async () => {
		await using fake = await FakeAnthropic.start();
		const json = `{"label":"${secret}","type":"${escaped}"}`;
		fake.script(
			{
				content: [
					thinks(`The key is ${secret} here`),
					{ type: "tool_use", id: "toolu_1", name: "ask_user", json },
				],
				cut: (text) => [...text],
			},
			{ content: [{ type: "text", text: "Done." }] },
		);
		await using gateway = await startWithClaude(fake);
		await using client = await OzzieClient.connect(gateway.url);
		await client.open();
		await client.call("send_message", { content: "go" });
		const events = await runOf(client);
		const part = secret.slice(8);
		expect(contentOf(events, "assistant.thinking")).toMatch(/^The key is \S*\[redacted\]\S* here$/);
		expect(contentOf(events, "assistant.thinking")).not.toContain(part);
		const shown = contentOf(events, "tool.arguments");
		expect(shown).toContain("[redacted]");
		expect(shown).not.toContain(part);
		expect(shown).not.toContain(escaped.slice(-30));
	},
);
