import { expect, test } from "vitest";
import type { AssistantMessage, Message, ResultBlock } from "../../vocabulary/message.ts";
import { encodePrompt, type Reader } from "./prompt.ts";
import { seal } from "./sealed-metadata.ts";

const reader: Reader = {
	provider: "acme",
	model: "acme-1",
	images: true,
	returnsThinking: true,
	pictures: "user",
	callIds: "any",
};

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const own = (...content: AssistantMessage["content"]): Message => ({
	role: "assistant",
	model: "acme-1",
	content,
});
const call = (id: string, name = "look") => ({ type: "call", id, name, arguments: { at: "door" } }) as const;
const result = (callId: string, more: Partial<ResultBlock> = {}): Message => ({
	role: "tool",
	content: [{ type: "result", callId, text: "green", failed: false, ...more }],
});
const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;

test("the user is first and last, and empty texts are left out", () => {
	expect(encodePrompt(" ", [], reader)).toEqual([
		{ role: "user", content: [{ type: "text", text: "(nothing)" }] },
	]);
	expect(
		encodePrompt("You help.", [own({ type: "text", text: "Hi" })], reader).map(({ role }) => role),
	).toEqual(["system", "user", "assistant", "user"]);
	expect(encodePrompt("", [user(" "), user("a"), user("b\ud83d")], reader)).toEqual([
		{
			role: "user",
			content: [
				{ type: "text", text: "(nothing)" },
				{ type: "text", text: "a" },
				{ type: "text", text: "b\ufffd" },
			],
		},
	]);
});

test("a result has the name of its call, and a failed one is an error", () => {
	const messages = [
		user("a"),
		own(call("c1"), call("c/2", "look!")),
		result("c1"),
		result("c/2", { failed: true, text: "" }),
	];
	const [, assistant, first, second] = encodePrompt("", messages, reader);
	expect(assistant?.content).toMatchObject([
		{ type: "tool-call", toolCallId: "c1", toolName: "look", input: { at: "door" } },
		{ type: "tool-call", toolCallId: "c_2", toolName: "look_" },
	]);
	expect(first?.content).toMatchObject([
		{ toolCallId: "c1", toolName: "look", output: { type: "text", value: "green" } },
	]);
	expect(second?.content).toMatchObject([
		{ toolCallId: "c_2", output: { type: "error-text", value: "(no output)" } },
	]);
});

test("arguments that are not an object are sent as an empty one", () => {
	const broken = { ...call("c1"), arguments: ["door"] };
	const [, assistant] = encodePrompt("", [user("a"), own(broken), result("c1")], reader);
	expect(assistant?.content).toMatchObject([{ input: {} }]);
});

test("images of a tool are in its result, or in a message of the user", () => {
	const messages = [user("a"), own(call("c1")), result("c1", { pictures: [image] })];
	const file = { type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } };
	expect(encodePrompt("", messages, reader).slice(2)).toMatchObject([
		{ role: "tool", content: [{ output: { type: "text" } }] },
		{ role: "user", content: [{ text: "Images in the result of look:" }, file] },
	]);
	expect(encodePrompt("", messages, { ...reader, pictures: "result" }).slice(2)).toMatchObject([
		{
			role: "tool",
			content: [{ output: { type: "content", value: [{ type: "text", text: "green" }, file] } }],
		},
	]);
	const blind = encodePrompt("", messages, { ...reader, images: false });
	expect(JSON.stringify(blind)).not.toContain("AAAA");
	expect(JSON.stringify(blind)).toContain("[an image, which this model cannot see]");
});

test("thinking without metadata returns only to its model, and only within its turn", () => {
	const thought = { type: "thinking", text: "Hm." } as const;
	const messages = [user("a"), own(thought, call("c1")), result("c1")];
	const reasoning = [{ type: "reasoning", text: "Hm." }, { type: "tool-call" }];
	expect(encodePrompt("", messages, reader)[1]?.content).toMatchObject(reasoning);
	for (const [list, by] of [
		[[...messages, own({ type: "text", text: "Done" }), user("b")], reader],
		[messages, { ...reader, returnsThinking: false }],
		[messages, { ...reader, model: "acme-2" }],
	] as const) {
		expect(encodePrompt("", list, by)[1]?.content).toMatchObject([{ type: "tool-call" }]);
	}
});

test("metadata returns to its provider and its model, at its own part", () => {
	const metadata = (id: string) => ({ acme: { id } });
	const sealed = (of: "thinking" | "text" | "call", id: string) =>
		seal("acme", { of, metadata: metadata(id) }) ?? "";
	const reply = own(
		{ type: "thinking", text: "", signature: sealed("thinking", "t") },
		{ type: "text", text: "Let me see." },
		{ type: "thinking", text: "", redacted: sealed("text", "x") },
		{ type: "thinking", text: "", redacted: sealed("call", "c") },
		call("c1"),
		call("c2"),
	);
	const messages = [user("a"), reply, result("c1"), result("c2"), user("b")];
	expect(encodePrompt("", messages, reader)[1]?.content).toMatchObject([
		{ type: "reasoning", text: "", providerOptions: metadata("t") },
		{ type: "text", providerOptions: metadata("x") },
		{ type: "tool-call", toolCallId: "c1", providerOptions: metadata("c") },
		{ type: "tool-call", toolCallId: "c2" },
	]);
	for (const by of [
		{ ...reader, provider: "other" },
		{ ...reader, model: "acme-2" },
	]) {
		expect(JSON.stringify(encodePrompt("", messages, by))).not.toContain("providerOptions");
	}
});
