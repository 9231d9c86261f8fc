import { readFile, writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, thinks } from "../simulators/anthropic/reply.ts";
import { only, streamed, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

verifiesOn(
	"zot",
	[
		"zot.thinking",
		"zot.tool-use",
		"zot.tool-call",
		"zot.assistant-message",
		"zot.message-shape",
		"zot.user-message",
	],
	"a reply with thoughts, text and calls is streamed, and the transcript has no thoughts",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service, flags: ["--reasoning", "low"] });
		const call = { id: "toolu_1", name: "bash", input: { command: "echo 'ä < & >'" } };
		service.script(
			{
				content: [
					thinks("A secret thought."),
					{ type: "text", text: "Let me look: ü 😀 <b>&amp;" },
					{ type: "tool_use", ...call },
				],
			},
			says("There."),
		);
		agent.send({ id: "1", type: "prompt", message: "go \u2028 on" });
		const received = await agent.turn();
		const text = { type: "text", text: "Let me look: ü 😀 <b>&amp;" };
		const tool = { type: "tool_call", id: "toolu_1", name: "bash", args: { command: "echo 'ä < & >'" } };
		expect(streamed(received)).toBe(`${text.text}There.`);
		expect(only(received, "tool_call")).toEqual([{ ...tool, request_id: "1" }]);
		const user = { content: [{ type: "text", text: "go \u2028 on" }], time: expect.stringMatching(/Z$/) };
		expect(only(received, "user_message")).toEqual([{ type: "user_message", ...user, request_id: "1" }]);
		const expectedMessage = { content: [text, tool], time: expect.stringMatching(/Z$/) };
		const last = { content: [{ type: "text", text: "There." }], time: expect.stringMatching(/Z$/) };
		expect(only(received, "assistant_message")).toEqual([
			{ type: "assistant_message", ...expectedMessage, request_id: "1" },
			{ type: "assistant_message", ...last, request_id: "1" },
		]);
		const output = [{ type: "text", text: "ä < & >\n" }];
		expect(await agent.data({ id: "2", type: "get_messages" })).toEqual({
			messages: [
				{ role: "user", ...user },
				{ role: "assistant", ...expectedMessage },
				{
					role: "tool",
					content: [{ type: "tool_result", call_id: "toolu_1", is_error: false, content: output }],
					time: expect.stringMatching(/Z$/),
				},
				{ role: "assistant", ...last },
			],
		});
		const thoughts = only(received, "thinking_delta").map(({ delta }) => delta);
		expect(thoughts.join("")).toBe("A secret thought.");
		const others = agent.lines.filter((line) => !line.includes('"thinking_delta"'));
		expect(others.join("\n")).not.toMatch(/secret|thought/);
		expect(only(received, "tool_use_start")).toEqual([
			{ type: "tool_use_start", id: "toolu_1", name: "bash", request_id: "1" },
		]);
		const written = only(received, "tool_use_args").map(({ delta }) => delta);
		expect(written.join("")).toBe(JSON.stringify(call.input));
		expect(only(received, "tool_use_end")).toEqual([
			{ type: "tool_use_end", id: "toolu_1", request_id: "1" },
		]);
	},
);

verifiesOn(
	"zot",
	["zot.tools", "zot.no-approvals", "zot.event-form"],
	"the four tools run without approval, with the parameters that clients know",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		await writeFile(agent.path("work", "a.txt"), "one\ntwo\nthree\n");
		const edits = [
			{ oldText: "three", newText: "3" },
			{ oldText: "one", newText: "1" },
		];
		const calls = [
			{ name: "read", input: { path: "a.txt", offset: 2, limit: 1 } },
			{ name: "write", input: { path: "deep/b.txt", content: "new\n" } },
			{ name: "edit", input: { path: agent.path("work", "a.txt"), edits } },
			{ name: "bash", input: { command: "cat a.txt deep/b.txt", timeout: 10 } },
		];
		const content = calls.map((call, at) => ({ type: "tool_use" as const, id: `toolu_${at}`, ...call }));
		service.script({ content }, says("Done."));
		agent.send({ id: "1", type: "prompt", message: "go" });
		const received = await agent.turn();
		const results = only(received, "tool_result");
		expect(results.map(({ id, is_error }) => [id, is_error])).toEqual(
			calls.map((_, at) => [`toolu_${at}`, false]),
		);
		expect(results[0]?.content).toMatchObject([{ text: expect.stringContaining("two") }]);
		expect(results[3]?.content).toEqual([{ type: "text", text: "1\ntwo\n3\nnew\n" }]);
		expect(await readFile(agent.path("work", "deep", "b.txt"), "utf8")).toBe("new\n");
		const names = service.requests[0]?.body.tools?.map((tool) => ("name" in tool ? tool.name : ""));
		expect(names?.toSorted()).toEqual(["bash", "edit", "read", "write"]);
	},
);

verifiesOn(
	"zot",
	["zot.tool-progress"],
	"the output of a command is sent line by line while it runs",
	async () => {
		await using agent = await ZotClient.start();
		const command = "mkfifo gate; printf 'ä€'; echo 😀; printf half; cat gate; echo; echo last >&2";
		agent.send({ id: "1", type: "prompt", message: `run: ${command}` });
		const first = await agent.until("tool_progress");
		// The command waits for this pipe, so the command was still running when the agent sent `first`.
		await writeFile(agent.path("work", "gate"), "ed");
		const rest = await agent.turn();
		const pieces = [first, ...only(rest, "tool_progress")].map(({ text }) => text);
		expect(pieces.every((piece) => piece.endsWith("\n"))).toBe(true);
		expect(pieces.join("")).toBe("ä€😀\nhalfed\nlast\n");
		expect(pieces.length).toBeGreaterThan(1);
		const [call] = only(agent.frames, "tool_call");
		expect(first.id).toBe(call?.id);
		expect(only(rest, "tool_result")[0]?.content).toEqual([{ type: "text", text: pieces.join("") }]);
	},
);

verifiesOn(
	"zot",
	["zot.frame-limit"],
	"a transcript that exceeds a line is cut to its newest messages",
	async () => {
		const models = [{ id: "offline", provider: "offline", context_window: 1e9, max_output: 1_000 }];
		await using agent = await ZotClient.start({ models });
		const message = "x".repeat(3 * 1024 * 1024);
		for (const id of [1, 2, 3, 4, 5, 6]) {
			agent.send({ id, type: "prompt", message: `${id}${message}` });
			await agent.turn();
		}
		const { messages, omitted } = Object(await agent.data({ id: "m", type: "get_messages" }));
		expect(omitted).toBeGreaterThan(0);
		expect(messages.length + omitted).toBe(12);
		expect(messages.at(-2).content[0].text.slice(0, 2)).toBe("6x");
		for (const line of agent.lines) expect(Buffer.byteLength(line)).toBeLessThan(16 * 1024 * 1024);
	},
);

verifiesOn(
	"zot",
	["zot.assistant-start", "zot.tool-use", "run.arguments-redacted"],
	"a call is seen while the service still sends it, without the key in it, and ends with its turn",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		const key = "sk-ant-api03-0123456789abcdefghij";
		const json = `{"path": "${key} ", "content": "${"word ".repeat(20)}`;
		const content = [{ type: "tool_use" as const, id: "toolu_1", name: "write", json }];
		service.script(
			{ content, break: { at: "head", how: "hang" } },
			{ content, break: { at: 9, how: "hang" } },
		);
		agent.send({ id: "1", type: "prompt", message: "go" });
		await agent.until("assistant_start");
		agent.send({ type: "abort" });
		await agent.until("done");
		agent.send({ id: "2", type: "prompt", message: "go" });
		await agent.until("tool_use_args", ({ delta }) => delta.includes("word"));
		agent.send({ type: "abort" });
		const received = await agent.turn();
		expect(received.map(({ type }) => type).slice(-4)).toEqual(["tool_use_end", "usage", "turn_end", "done"]);
		const shown = agent.frames.map((frame) => (frame.type === "tool_use_args" ? frame.delta : "")).join("");
		expect(shown).toContain("[redacted] ");
		expect(shown).not.toContain(key.slice(8));
	},
);
