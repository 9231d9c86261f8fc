import { expect, test } from "vitest";
import { only, ZotClient } from "../conformance/drivers/zot-client.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";

const mebibyte = 1024 * 1024;
const maximum = 16 * mebibyte;

/** Returns the length of the longest line in bytes. */
function longest({ lines }: ZotClient): number {
	return Math.max(...lines.map((line) => Buffer.byteLength(line)));
}

/** Returns a prompt with an image of `bytes` bytes. */
function image(id: string, bytes: number): object {
	const png = Buffer.alloc(bytes, 7);
	Buffer.from("89504e470d0a1a0a", "hex").copy(png);
	const images = [{ mime_type: "image/png", data: png.toString("base64") }];
	return { id, type: "prompt", message: "say: seen", images };
}

test("an image of 11.9 MiB is accepted and reported by its size, and one of 12 MiB exceeds a line", async () => {
	await using agent = await ZotClient.start();
	const bytes = Math.floor(11.9 * mebibyte);
	agent.send(image("fits", bytes));
	await agent.until("done", ({ request_id }) => request_id === "fits");
	expect(only(agent.frames, "user_message").map(({ content }) => content)).toEqual([
		[
			{ type: "text", text: "say: seen" },
			{ type: "image", mime_type: "image/png", bytes },
		],
	]);
	// The base64 text alone has the maximum length of a line, so the complete command is too long.
	const answer = agent.frames.length;
	const line = JSON.stringify(image("large", 12 * mebibyte));
	agent.write(`${line}\n`);
	agent.send({ id: "after", type: "ping" });
	expect(await agent.response("after")).toMatchObject({ success: true });
	expect(agent.frames[answer]).toEqual({
		...{ type: "response", command: "", success: false },
		error: `the line is longer than 16 MiB (${line.length} bytes), and was skipped: send UTF-8 lines of at most 16 MiB`,
	});
	expect(agent.frames).toHaveLength(answer + 2);
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("a line of 17 MiB is skipped with an error, and the next line is read", async () => {
	await using agent = await ZotClient.start();
	const line = JSON.stringify({ id: "long", type: "prompt", message: "x".repeat(17 * mebibyte) });
	agent.write(`${line}\n`);
	agent.send({ id: "1", type: "ping" });
	expect(await agent.response("1")).toMatchObject({ success: true });
	expect(agent.frames[0]).toEqual({
		...{ type: "response", command: "", success: false },
		error: `the line is longer than 16 MiB (${Buffer.byteLength(line)} bytes), and was skipped: send UTF-8 lines of at most 16 MiB`,
	});
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("a message whose echo would be too long is refused, and the longest valid one is accepted", async () => {
	await using agent = await ZotClient.start();
	const promptOf = (id: string, length: number) => ({
		id,
		type: "prompt",
		message: `say: ${"x".repeat(length)}`,
	});
	const envelope = JSON.stringify(promptOf("a", 0)).length;
	expect(await agent.ask(promptOf("a", maximum - envelope))).toMatchObject({
		...{ command: "prompt", success: false },
		error: "message: is longer than 15 MiB of JSON: shorten it",
	});
	expect(await agent.ask(promptOf("b", 15 * mebibyte))).toMatchObject({ success: false });
	expect(agent.frames).toHaveLength(2);
	agent.send(promptOf("c", 14 * mebibyte), { id: "abort", type: "abort" });
	await agent.turn();
	expect(longest(agent)).toBeLessThanOrEqual(maximum);
	expect(longest(agent)).toBeGreaterThan(14 * mebibyte);
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("names that clients choose do not make a line of the agent too long", async () => {
	await using agent = await ZotClient.start();
	const name = "x".repeat(maximum - 200);
	for (const command of [
		{ type: "ping", id: name },
		{ type: name },
		{ type: "set_model", model: name },
		{ type: "cancel_queued", request_id: name },
		{ type: "approve", ask: '"'.repeat(maximum / 2 - 200), allow: true },
		{ type: "set_reasoning", reasoning: name },
	]) {
		agent.send(command);
		expect(await agent.next()).toMatchObject({ type: "response", success: false });
	}
	expect(longest(agent)).toBeLessThan(10_000);
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});

test("the newest messages of a transcript that exceeds a line are returned", async () => {
	await using service = await FakeAnthropic.start({ contextWindow: 100_000_000 });
	await using agent = await ZotClient.start({ service });
	const replies = 4;
	for (let reply = 0; reply < replies; reply++) {
		service.script(says(`reply ${reply}`));
		agent.send({ id: `p${reply}`, type: "prompt", message: `${reply}${"€".repeat(1.7 * mebibyte)}` });
		await agent.turn();
	}
	const answer = await agent.data({ id: "m", type: "get_messages" });
	const { messages, omitted } = answer as { messages: readonly { content: unknown }[]; omitted?: number };
	expect(omitted).toBeGreaterThan(0);
	expect(messages.length).toBeGreaterThan(1);
	const state = (await agent.data({ id: "s", type: "get_state" })) as { message_count: number };
	expect(messages.length + (omitted ?? 0)).toBe(state.message_count);
	expect(longest(agent)).toBeLessThanOrEqual(maximum);
	expect(await agent.end()).toEqual({ code: 0, signal: null });
});
