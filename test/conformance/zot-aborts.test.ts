import { once } from "node:events";
import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { only, streamed, typesOf, ZotClient } from "./drivers/zot-client.ts";
import { verifiesOn } from "./verifies.ts";

/** Command whose processes keep the pipe `held` open until they exit. All of them ignore SIGTERM. */
const stubborn = [
	"trap '' TERM; mkfifo held; exec 9<>held; echo ready",
	"sleep 1000 & (trap '' TERM; sleep 1000) & while :; do sleep 1000; done",
].join("; ");

/** Runs the command `stubborn`. `dead` resolves when all processes of the command have exited. */
async function startStubborn(agent: ZotClient): Promise<{ readonly dead: Promise<unknown> }> {
	agent.send({ id: "1", type: "prompt", message: `run: ${stubborn}\n& run: touch second\nsay: over` });
	await agent.until("tool_progress", ({ text }) => text.includes("ready"));
	const pipe = createReadStream(agent.path("work", "held"));
	await once(pipe, "open");
	return { dead: buffer(pipe) };
}

verifiesOn(
	"zot",
	["zot.abort-streaming", "zot.abort-first"],
	"an abort works while a reply is streamed, and before its first part",
	async () => {
		await using service = await FakeAnthropic.start();
		await using agent = await ZotClient.start({ service });
		service.script({ ...says("Let me think about it"), break: { at: 1, how: "hang" } });
		agent.send({ id: "1", type: "prompt", message: "one" });
		await agent.until("text_delta");
		expect(await agent.data({ id: "a", type: "abort" })).toBeUndefined();
		await agent.until("done");
		const received = agent.frames.filter(({ type }) => type !== "response");
		expect(typesOf(received)).toEqual([
			...["user_message", "turn_start", "assistant_start", "text_delta", "usage", "assistant_message"],
			...["turn_end aborted", "done"],
		]);
		const text = streamed(received);
		expect(text.length).toBeGreaterThan(0);
		expect(only(received, "assistant_message")[0]?.content).toEqual([{ type: "text", text }]);

		service.script({ content: [], break: { at: "start", how: "hang" } });
		agent.send({ id: "2", type: "prompt", message: "two" });
		await service.received(2);
		expect(await agent.data({ id: "b", type: "abort" })).toBeUndefined();
		const early = (await agent.turn()).filter(({ type }) => type !== "response");
		expect(typesOf(early)).toEqual(["user_message", "turn_start", "turn_end aborted", "done"]);
		expect(await service.requests[1]?.abandoned).toBe(true);

		service.script(says("Yes?"));
		agent.send({ id: "3", type: "prompt", message: "three" });
		expect(streamed(await agent.turn())).toBe("Yes?");
		expect(await agent.end()).toEqual({ code: 0, signal: null });
	},
);

verifiesOn(
	"zot",
	["zot.abort-tool", "zot.abort-batch"],
	"an abort while a tool runs kills all its processes, and skips the remaining calls of the batch",
	async () => {
		await using agent = await ZotClient.start();
		const { dead } = await startStubborn(agent);
		const since = agent.frames.length;
		expect(await agent.data({ id: "a", type: "abort" })).toBeUndefined();
		await agent.turn();
		await dead;
		const rest = agent.frames.slice(since).filter(({ type }) => type !== "response");
		expect(typesOf(rest)).toEqual([
			...["tool_result", "tool_result", "turn_start", "turn_end aborted", "done"],
		]);
		expect(only(rest, "tool_result").map(({ is_error }) => is_error)).toEqual([true, true]);
		await expect(access(agent.path("work", "second"))).rejects.toThrow("ENOENT");
		agent.send({ id: "2", type: "prompt", message: "say: still here" });
		expect(streamed(await agent.turn())).toBe("[offline] still here");
	},
);

verifiesOn(
	"zot",
	["zot.abort-pipelined"],
	"an abort ends the prompt that was read before it, in any state",
	async () => {
		await using agent = await ZotClient.start();
		const long = "long: 1000000 tokens at 20 per second";
		agent.send(
			{ id: "1", type: "prompt", message: long },
			{ id: "2", type: "abort" },
			{ id: "3", type: "prompt", message: "say: next" },
		);
		expect(await agent.end()).toEqual({ code: 0, signal: null });
		const stops = only(agent.frames, "turn_end").map(({ stop, request_id }) => [request_id, stop]);
		expect(stops).toEqual([
			["1", "aborted"],
			["3", "end_turn"],
		]);
		expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(["1", "3"]);
		expect(only(agent.frames, "error")).toEqual([]);
		expect(await agent.response("2")).toEqual({
			...{ type: "response", id: "2", command: "abort", success: true },
		});
	},
);

verifiesOn(
	"zot",
	["zot.sigterm", "zot.sigterm-queue"],
	"SIGTERM while a tool runs kills its processes, and all commands have responses",
	async () => {
		await using agent = await ZotClient.start();
		const { dead } = await startStubborn(agent);
		agent.send({ id: "2", type: "prompt", message: "say: never" }, { id: "3", type: "ping" });
		await agent.response("3");
		agent.kill("SIGTERM");
		expect(await agent.ended()).toEqual({ code: 143, signal: null });
		await dead;
		expect(only(agent.frames, "done").map(({ request_id }) => request_id)).toEqual(["1"]);
		expect(await agent.response("2")).toMatchObject({ command: "prompt", success: false });
	},
);

verifiesOn("zot", ["zot.sigterm-idle"], "SIGTERM ends an idle process", async () => {
	await using agent = await ZotClient.start();
	await agent.data({ id: "1", type: "ping" });
	agent.kill("SIGTERM");
	expect(await agent.ended()).toEqual({ code: 143, signal: null });
	expect(agent.frames).toHaveLength(1);
});
