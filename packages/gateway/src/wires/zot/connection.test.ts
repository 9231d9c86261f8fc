import { ParleyError } from "@parley/base";
import { calls, ScriptedModel, says, stuck } from "@parley/core/testing";
import { expect, test } from "vitest";
import { ZotSetup } from "../../testing/zot-setup.ts";
import type { Ask } from "./schema.ts";

const prompt = (id: string, message = id) => ({ id, type: "prompt", message });
const bash = (id: string, command = "echo hi") => calls(id, "bash", { command });

test("responses keep the order of their commands, even if some take longer", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel() });
	const types = ["get_messages", "ping", "get_state", "abort", "queue", "hello", "get_models", "fly", "ping"];
	setup.send(...types.map((type, id) => ({ id, type })));
	setup.line("[]");
	setup.connection.receive({ kind: "oversized", bytes: 20_000_000 });
	setup.send({ id: "last", type: "ping" });
	while (setup.responses.at(-1)?.id !== "last") await setup.t.settle();
	expect(setup.answers).toEqual([
		...types.map((type, id) => [id, type === "fly" ? "unknown command" : true]),
		[undefined, "malformed json: a line must contain one object"],
		[
			undefined,
			"the line is longer than 16 MiB (20000000 bytes), and was skipped: send UTF-8 lines of at most 16 MiB",
		],
		["last", true],
	]);
});

test("a byte-order mark is allowed only before the first line", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel() });
	for (const id of ["1", "2"]) setup.line(`\uFEFF${JSON.stringify({ id, type: "ping" })}`);
	expect(setup.answers).toEqual([
		["1", true],
		[undefined, "malformed json: text is not JSON"],
	]);
});

test("a command that fails early is answered in its order", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel(), approvals: true });
	setup.send(
		{ id: "1", type: "clear" },
		{ id: "2", type: "approve", ask: "ask-9", allow: true },
		{ id: "3", type: "prompt", message: " \n" },
		{ id: "4", type: "set_model", model: "nobody" },
		{ id: "5", type: "set_model", model: "" },
		{ id: "6", type: "ping" },
	);
	await setup.waitFor("response", 6);
	expect(setup.answers).toEqual([
		["1", true],
		["2", "no pending approval with id ask-9"],
		["3", "message: the message is empty: write text or add an image"],
		["4", expect.stringContaining("nobody")],
		["5", expect.stringContaining("get_models")],
		["6", true],
	]);
	expect(setup.agent.model).toBe("scripted");
});

test("if a token is set, the first line must have it, and other clients are disconnected", async () => {
	const hello = { id: "h", type: "hello" };
	const refused: readonly (readonly [string, string])[] = [
		[JSON.stringify({ ...hello, token: "wrong" }), "invalid token"],
		[JSON.stringify(hello), "invalid token"],
		[JSON.stringify({ id: "h", type: "ping" }), "auth required: send hello with token first"],
		[JSON.stringify(prompt("h")), "auth required: send hello with token first"],
		["{", "malformed json: text is not JSON"],
		['{"id":"h","type":"fly"}', "unknown command"],
	];
	for (const [line, reason] of refused) {
		await using setup = await ZotSetup.open({ model: new ScriptedModel(), token: "s3cret" });
		expect(setup.line(" ")).toBe(true);
		expect(setup.line(line)).toBe(false);
		expect(setup.answers.map(([, text]) => text)).toEqual([reason]);
	}
	await using setup = await ZotSetup.open({ model: new ScriptedModel(), token: "s3cret" });
	expect(setup.send({ ...hello, token: "s3cret" }, { id: "p", type: "ping" })).toBe(true);
	expect(setup.send({ ...hello, token: "wrong" })).toBe(true);
	expect(setup.answers).toEqual(["h", "p", "h"].map((id) => [id, true]));
	await using other = await ZotSetup.open({ model: new ScriptedModel(), token: "s3cret" });
	expect(other.connection.receive({ kind: "not-utf8", bytes: 3 })).toBe(false);
});

test("hello is answered at any time if no token is set", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel(stuck("…")) });
	setup.send(prompt("p"));
	await setup.waitFor("text_delta");
	expect(await setup.ask({ id: "h", type: "hello", token: "any" })).toMatchObject({
		data: { protocol_version: 1, version: "1.2.3", provider: "scripted", model: "scripted" },
	});
});

test("clear and other changes are refused during a prompt, and run in their order before one", async () => {
	const model = new ScriptedModel([says("1")], stuck("…"));
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p1"));
	await setup.waitFor("done");
	setup.send(
		{ id: "s", type: "set_model", model: "other" },
		{ id: "r", type: "set_reasoning", reasoning: "high" },
		{ id: "c", type: "clear" },
		prompt("p2"),
		...["clear", "set_model", "set_reasoning"].map((type) => ({
			id: `late ${type}`,
			type,
			model: "scripted",
			reasoning: "off",
		})),
	);
	await setup.waitFor("text_delta", 2);
	expect(setup.answers.slice(1)).toEqual([
		...["s", "r", "c"].map((id) => [id, true]),
		// The second prompt starts after the earlier commands, without waiting for the refusals.
		["p2", true],
		...["clear", "set_model", "set_reasoning"].map((type) => [`late ${type}`, "agent is busy"]),
	]);
	expect(model.requests[1]).toMatchObject({ model: "other" });
	expect(model.requests[1]?.messages).toHaveLength(1);
	expect(await setup.ask({ id: "g", type: "get_state" })).toMatchObject({
		data: {
			model: "other",
			busy: true,
			reasoning: "high",
			message_count: 1,
			usage: { input: 10, output: 5 },
		},
	});
});

test("models have their prices", async () => {
	await using setup = await ZotSetup.open({ model: new ScriptedModel() });
	const facts = { provider: "scripted", context_window: 100_000, max_output: 1_000, reasoning: false };
	const prices = { input: 1, output: 2, cache_read: 0, cache_write: 0 };
	expect(await setup.ask({ id: "g", type: "get_models" })).toMatchObject({
		data: { models: ["scripted", "other"].map((id) => ({ id, ...facts, usd_per_million: prices })) },
	});
});

test("without approvals, calls run without a prompt, and calls that always require approval are denied with the reason", async () => {
	const model = new ScriptedModel([bash("c1"), bash("c2", "rm -rf /")], [says("ok")]);
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p"));
	await setup.waitFor("done");
	const results = setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results).toMatchObject([
		{ id: "c1", is_error: false, content: [{ text: expect.stringContaining("hi") }] },
		{ id: "c2", is_error: true, content: [{ text: expect.stringContaining("--rpc-approvals") }] },
	]);
});

/** Starts a prompt, and waits until a call of the prompt waits for approval. */
async function openApproval(...commands: readonly string[]): Promise<{ setup: ZotSetup; ask: Ask }> {
	const replies = commands.map((command, at) => [bash(`c${at}`, command)]);
	const model = new ScriptedModel(...replies, [says("ok")], [bash("again")], [says("ok")]);
	const setup = await ZotSetup.open({ model, approvals: true });
	setup.send(prompt("p"));
	return { setup, ask: await nextAsk(setup, 1) };
}

async function nextAsk(setup: ZotSetup, count: number): Promise<Ask> {
	await setup.waitFor("ask", count);
	const ask = setup.frames.filter((frame) => frame.type === "ask").at(-1);
	if (!ask) throw new Error("nothing was asked");
	return ask;
}

test("an approval is answered once, by its id or by the id of the answer", async () => {
	const { setup, ask } = await openApproval("echo 1", "echo 2");
	await using _setup = setup;
	expect(ask).toMatchObject({ id: "ask-1", call_id: "c0", tool: "bash", args: { command: "echo 1" } });
	expect(await setup.ask({ id: "1", type: "approve", ask: "ask-1", allow: true })).toMatchObject({
		success: true,
	});
	expect(await setup.ask({ id: "2", type: "approve", ask: "ask-1", allow: false })).toMatchObject({
		error: "no pending approval with id ask-1",
	});
	await nextAsk(setup, 2);
	setup.send({ id: "ask-2", type: "approve", allow: false, reason: "not today" });
	await setup.waitFor("done");
	const results = setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results).toMatchObject([
		{ id: "c0", is_error: false },
		{ id: "c1", is_error: true, content: [{ text: expect.stringContaining("not today") }] },
	]);
	expect(setup.answers.at(-1)).toEqual(["ask-2", true]);
});

test("an approval whose answer cannot be stored stays open, and accepts the next answer", async () => {
	const { setup } = await openApproval("echo 1");
	await using _setup = setup;
	const answer = setup.agent.answer.bind(setup.agent);
	setup.agent.answer = async () => {
		throw new ParleyError("the disk is full", { code: "unavailable" });
	};
	expect(await setup.ask({ id: "1", type: "approve", ask: "ask-1", allow: true })).toMatchObject({
		error: "the disk is full",
	});
	setup.agent.answer = answer;
	expect(await setup.ask({ id: "2", type: "approve", ask: "ask-1", allow: true })).toMatchObject({
		success: true,
	});
	await setup.waitFor("done");
});

test("approvals of three writes of one reply are raised before the first answer, and can be answered in any order", async () => {
	const writes = ["a", "b", "c"].map((id) => calls(id, "write", { path: `${id}.txt`, content: id }));
	await using setup = await ZotSetup.open({
		model: new ScriptedModel(writes, [says("ok")]),
		approvals: true,
	});
	setup.send(prompt("p"));
	await setup.waitFor("ask", 3);
	const asks = setup.frames.filter((frame) => frame.type === "ask");
	expect(asks.map(({ id, call_id }) => [id, call_id])).toEqual([
		["ask-1", "a"],
		["ask-2", "b"],
		["ask-3", "c"],
	]);
	expect(setup.frames.filter(({ type }) => type === "tool_result")).toEqual([]);
	for (const id of ["ask-3", "ask-1", "ask-2"]) setup.send({ id, type: "approve", ask: id, allow: true });
	await setup.waitFor("done");
	const results = setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results.map(({ id, is_error }) => [id, is_error])).toEqual([
		["a", false],
		["b", false],
		["c", false],
	]);
});

test("after remember_all no call requires approval", async () => {
	const { setup } = await openApproval("echo 1", "echo 2");
	await using _setup = setup;
	setup.send({ id: "a", type: "approve", ask: "ask-1", allow: true, remember_all: true });
	await setup.waitFor("done");
	setup.send(prompt("next"));
	await setup.waitFor("done", 2);
	expect(setup.frames.filter(({ type }) => type === "ask")).toHaveLength(1);
	expect(setup.frames.filter((frame) => frame.type === "tool_result" && frame.is_error)).toEqual([]);
});

test("after remember_tool calls of that tool require no approval", async () => {
	const write = (id: string) => calls(id, "write", { path: `${id}.txt`, content: "x" });
	const model = new ScriptedModel([write("c1")], [write("c2")], [says("ok")]);
	await using setup = await ZotSetup.open({ model, approvals: true });
	setup.send(prompt("p"));
	expect(await nextAsk(setup, 1)).toMatchObject({ tool: "write", can_remember: true });
	setup.send({ id: "a", type: "approve", ask: "ask-1", allow: true, remember_tool: true });
	await setup.waitFor("done");
	expect(setup.frames.filter(({ type }) => type === "ask")).toHaveLength(1);
	expect(setup.frames.filter((frame) => frame.type === "tool_result" && !frame.is_error)).toHaveLength(2);
});

test("an unanswered approval ends with its prompt, and is denied at the end of the input", async () => {
	const { setup } = await openApproval("echo 1");
	await using _setup = setup;
	setup.send({ id: "abort", type: "abort" });
	await setup.waitFor("done");
	expect(await setup.ask({ id: "1", type: "approve", ask: "ask-1", allow: true })).toMatchObject({
		error: "no pending approval with id ask-1",
	});
	const late = await openApproval("echo 1", "echo 2");
	await using _late = late.setup;
	await late.setup.connection.end();
	expect(late.setup.typesOf("p").at(-1)).toBe("done");
	const results = late.setup.frames.filter((frame) => frame.type === "tool_result");
	expect(results).toMatchObject([{ is_error: true }, { is_error: true }]);
	expect(JSON.stringify(results)).toContain("the client's input has ended");
});

test.each([
	["stopped", "the process was asked to end"],
	["lost", "the client has disconnected or does not read"],
] as const)(
	"a question that is open when all prompts end (%s) is closed with the reason",
	async (reason, says) => {
		const { setup } = await openApproval("echo 1");
		await using _setup = setup;
		await setup.connection.terminate(reason);
		expect(setup.typesOf("p").at(-1)).toBe("done");
		const results = setup.frames.filter((frame) => frame.type === "tool_result");
		expect(results).toMatchObject([
			{ is_error: true, content: [{ text: expect.stringContaining(`denied without an answer: ${says}`) }] },
		]);
	},
);

test("the end of the input waits for all commands, and a termination ends them", async () => {
	const model = new ScriptedModel([says("1")], [says("2")], stuck("3"));
	await using setup = await ZotSetup.open({ model });
	setup.send(prompt("p1"), prompt("p2"), { id: "g", type: "get_messages" });
	await setup.connection.end();
	expect(setup.typesOf("p2").at(-1)).toBe("done");
	expect(setup.answers).toContainEqual(["g", true]);
	setup.send(prompt("p3"), prompt("p4"));
	await setup.waitFor("text_delta", 3);
	await setup.connection.terminate("stopped");
	expect(setup.typesOf("p3").slice(-2)).toEqual(["turn_end aborted", "done"]);
	expect(setup.answers.at(-1)).toEqual(["p4", "cancelled before it started"]);
});

test("images are shown by their size, after the text", async () => {
	const png = Buffer.from(
		"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"base64",
	);
	await using setup = await ZotSetup.open({ model: new ScriptedModel([says("a dot")], [says("a dot")]) });
	const images = [{ mime_type: "image/png", data: png.toString("base64") }];
	setup.send({ ...prompt("p", "What is it?"), images }, { id: "q", type: "prompt", images });
	await setup.waitFor("done", 2);
	const dot = { type: "image", mime_type: "image/png", bytes: png.length };
	const questions = setup.frames
		.filter((frame) => frame.type === "user_message")
		.map(({ content }) => content);
	expect(questions).toEqual([[{ type: "text", text: "What is it?" }, dot], [dot]]);
	expect(await setup.ask({ id: "m", type: "get_messages" })).toMatchObject({
		data: { messages: [{ content: questions[0] }, { role: "assistant" }, { content: questions[1] }, {}] },
	});
});
