import { expect, test } from "vitest";
import type { AssistantMessage, Message, ToolMessage, UserMessage } from "../../vocabulary/message.ts";
import { encodeTurns, markTurns } from "./turns.ts";

const user = (...texts: string[]): UserMessage => ({
	role: "user",
	content: texts.map((text) => ({ type: "text", text })),
});
const assistant = (content: AssistantMessage["content"], model = "claude-x"): AssistantMessage => ({
	role: "assistant",
	model,
	content,
});
const called = (id: string, args: unknown = {}, name = "read_file") =>
	({ type: "call", id, name, arguments: args }) as const;
const result = (callId: string, text: string, failed = false): ToolMessage => ({
	role: "tool",
	content: [{ type: "result", callId, text, failed }],
});
const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;

const encode = (messages: readonly Message[], images = true) =>
	encodeTurns(messages, { model: "claude-x", images });
const text = (words: string) => ({ type: "text", text: words });

test("a conversation with calls and images is encoded in the form of the Messages API", () => {
	const turns = encode([
		{ role: "user", content: [image, { type: "text", text: "what is this?" }] },
		assistant([{ type: "text", text: "I look." }, called("a", { path: "x" }), called("b")]),
		{
			role: "tool",
			content: [
				{ type: "result", callId: "a", text: "one", failed: false },
				{ type: "result", callId: "b", text: "no", failed: true },
			],
		},
		user("go on"),
	]);
	expect(turns).toEqual([
		{
			role: "user",
			content: [
				{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
				text("what is this?"),
			],
		},
		{
			role: "assistant",
			content: [
				text("I look."),
				{ type: "tool_use", id: "a", name: "read_file", input: { path: "x" } },
				{ type: "tool_use", id: "b", name: "read_file", input: {} },
			],
		},
		{
			role: "user",
			content: [
				{ type: "tool_result", tool_use_id: "a", content: [text("one")] },
				{ type: "tool_result", tool_use_id: "b", content: [text("no")], is_error: true },
				text("go on"),
			],
		},
	]);
});

test("empty blocks are not sent, and the roles still alternate", () => {
	const turns = encode([
		user("a", "", " \n"),
		assistant([{ type: "text", text: " " }]),
		user(""),
		assistant([]),
		user("b"),
		assistant([called("c")]),
		result("c", "\n"),
	]);
	expect(turns).toEqual([
		{ role: "user", content: [text("a"), text("(nothing)"), text("b")] },
		{ role: "assistant", content: [{ type: "tool_use", id: "c", name: "read_file", input: {} }] },
		{
			role: "user",
			content: [{ type: "tool_result", tool_use_id: "c", content: [text("(no output)")] }],
		},
	]);
});

test("the conversation begins and ends with a user turn", () => {
	const reply = assistant([{ type: "text", text: "x" }]);
	expect(encode([reply, reply])).toEqual([
		{ role: "user", content: [text("(nothing)")] },
		{ role: "assistant", content: [text("x"), text("x")] },
		{ role: "user", content: [text("(go on)")] },
	]);
	expect(encode([])).toEqual([{ role: "user", content: [text("(nothing)")] }]);
});

const thoughts = [
	{ type: "thinking", text: "hmm", signature: "s1" },
	{ type: "thinking", text: "", signature: "s2" },
	{ type: "thinking", text: "", redacted: "r" },
	{ type: "thinking", text: "unsigned" },
] as const;

test("thinking is sent unchanged to the model that wrote it", () => {
	const turns = encode([user("a"), assistant([...thoughts, { type: "text", text: "b" }]), user("c")]);
	expect(turns[1]?.content).toEqual([
		{ type: "thinking", thinking: "hmm", signature: "s1" },
		{ type: "thinking", thinking: "", signature: "s2" },
		{ type: "redacted_thinking", data: "r" },
		text("b"),
	]);
});

test("thinking is not sent to another model, and not without content after it", () => {
	const other = assistant([...thoughts, { type: "text", text: "b" }], "claude-y");
	expect(encode([user("a"), other, user("c")])[1]?.content).toEqual([text("b")]);
	const unsaid = assistant([{ type: "text", text: "b" }, ...thoughts]);
	expect(encode([user("a"), unsaid, user("c")])[1]?.content).toEqual([text("b")]);
	const mute = assistant([...thoughts]);
	expect(encode([user("a"), mute, user("c")])).toEqual([{ role: "user", content: [text("a"), text("c")] }]);
});

test("names and ids that a provider would refuse are sent in a valid form", () => {
	const calls = [called("a.b:c", [1]), called("d", "x", ""), called("e", null, "no such tool!")];
	const turns = encode([user("a"), assistant(calls), result("a.b:c", "x")]);
	expect(turns[1]?.content).toEqual([
		{ type: "tool_use", id: "a_b_c", name: "read_file", input: {} },
		{ type: "tool_use", id: "d", name: "unnamed", input: {} },
		{ type: "tool_use", id: "e", name: "no_such_tool_", input: {} },
	]);
	expect(turns[2]?.content).toMatchObject([{ tool_use_id: "a_b_c" }]);
	expect(encode([user("half \ud83d")])[0]?.content).toEqual([text("half \ufffd")]);
});

test("images of a result follow its text", () => {
	const shown: ToolMessage = {
		role: "tool",
		content: [{ type: "result", callId: "a", text: "x.png", failed: false, pictures: [image] }],
	};
	const content = (images: boolean) =>
		encode([user("a"), assistant([called("a")]), shown], images)[2]?.content;
	const source = { type: "base64", media_type: "image/png", data: "AAAA" };
	const result = { type: "tool_result", tool_use_id: "a" };
	expect(content(true)).toEqual([{ ...result, content: [text("x.png"), { type: "image", source }] }]);
	expect(content(false)).toEqual([
		{ ...result, content: [text("x.png"), text("[an image, which this model cannot see]")] },
	]);
});

test("a model without images gets a note about the image", () => {
	expect(encode([{ role: "user", content: [image] }], false)[0]?.content).toEqual([
		text("[an image, which this model cannot see]"),
	]);
});

test("the last two user turns are marked at their ends", () => {
	const turns = encode([
		user("a"),
		assistant([called("b")]),
		result("b", "x"),
		assistant([{ type: "text", text: "c" }]),
		user("d", "e"),
	]);
	markTurns(turns, "minutes");
	const marked = turns.flatMap(({ content }) => content.map((block) => "cache_control" in block));
	expect(marked).toEqual([false, false, true, false, false, true]);
	expect(turns[4]?.content.at(-1)).toEqual({ ...text("e"), cache_control: { type: "ephemeral" } });
});

test("text up to a mark is sent with the same bytes in all later requests", () => {
	const messages: Message[] = [user("start")];
	const sent: string[][] = [];
	for (let turn = 0; turn < 20; turn++) {
		const turns = encode(messages);
		markTurns(turns, "minutes");
		const blocks = turns.flatMap(({ role, content }) => content.map((block) => ({ role, block })));
		const marked = blocks.findLastIndex(({ block }) => "cache_control" in block);
		expect(marked).toBe(blocks.length - 1);
		sent.push(blocks.map(({ role, block }) => JSON.stringify({ role, ...block, cache_control: undefined })));
		messages.push(assistant([...thoughts, { type: "text", text: `${turn}` }, called(`c${turn}`, { turn })]));
		messages.push(result(`c${turn}`, `result ${turn}`));
		if (turn % 3 === 0) messages.push(user(`and ${turn}`));
		if (turn % 4 === 0) messages.push(assistant([]), user(""));
	}
	for (const [turn, blocks] of sent.slice(0, -1).entries()) {
		expect(sent[turn + 1]?.slice(0, blocks.length)).toEqual(blocks);
	}
});

test("marked, joined or hidden blocks of one request do not change the next request", () => {
	const [first, second] = [user("one"), user("two")];
	const shown: UserMessage = { role: "user", content: [image] };
	const alone = encode([first]);
	const joined = encode([first, second, shown]);
	markTurns(joined, "minutes");
	expect(encode([first])).toEqual(alone);
	expect(encode([shown], false)).toEqual([
		{ role: "user", content: [text("[an image, which this model cannot see]")] },
	]);
	expect(encode([shown])).toEqual([
		{
			role: "user",
			content: [{ type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } }],
		},
	]);
});
