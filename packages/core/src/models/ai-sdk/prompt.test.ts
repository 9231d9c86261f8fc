import { expect, test } from "vitest";
import type { AssistantMessage, Message, ResultBlock } from "../../vocabulary/message.ts";
import { type AiSdkReader, encodePrompt } from "./prompt.ts";
import { seal } from "./sealed-metadata.ts";

const reader: AiSdkReader = {
	provider: "acme",
	model: "acme-1",
	images: true,
	returnedThinking: "turn",
	pictures: "user",
	emptyTexts: false,
	answersResults: true,
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
		{ role: "assistant", content: [{ type: "text", text: "(received)" }] },
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
		[messages, { ...reader, returnedThinking: "none" }],
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

test("a text without characters returns with its metadata in its place, where the API allows it", () => {
	const metadata = { acme: { thoughtSignature: "s" } };
	const redacted = (of: "text" | "empty") => seal("acme", { of, metadata }) ?? "";
	const empty = { type: "text", text: "", providerOptions: metadata };
	const thinking = (of: "text" | "empty") =>
		({ type: "thinking", text: "", redacted: redacted(of) }) as const;
	const reply = own({ type: "text", text: " " }, thinking("text"), call("c1"), thinking("empty"));
	const messages = [user("a"), reply, result("c1")];
	expect(encodePrompt("", messages, { ...reader, emptyTexts: true })[1]?.content).toMatchObject([
		empty,
		{ type: "tool-call" },
		empty,
	]);
	expect(encodePrompt("", messages, reader)[1]?.content).toMatchObject([{ type: "tool-call" }]);
});

test("metadata of a message returns at the message, instead of its thinking, and never to another provider", () => {
	const metadata = { openaiCompatible: { reasoning_details: [{ type: "reasoning.text", text: "Hm." }] } };
	const redacted = seal("acme", { of: "message", metadata }) ?? "";
	const reply = own({ type: "thinking", text: "Hm." }, call("c1"), { type: "thinking", text: "", redacted });
	const messages = [user("a"), reply, result("c1"), own({ type: "text", text: "Done" }), user("b")];
	expect(encodePrompt("", messages.slice(0, 3), reader)[1]).toMatchObject({
		content: [{ type: "tool-call" }],
		providerOptions: metadata,
	});
	expect(encodePrompt("", messages, reader)[1]).toMatchObject({ providerOptions: metadata });
	for (const by of [
		{ ...reader, provider: "other" },
		{ ...reader, model: "acme-2" },
	]) {
		expect(JSON.stringify(encodePrompt("", messages, by))).not.toContain("reasoning_details");
	}
	// The metadata of one message must not be merged into another message.
	const twice = encodePrompt("", [user("a"), own({ type: "text", text: "Hi" }), reply, result("c1")], reader);
	expect(twice.map(({ role }) => role)).toEqual(["user", "assistant", "assistant", "tool"]);
});

test("a server that requires thinking at each call gets it from all turns, and a blank one for calls without any", () => {
	const messages = [
		user("a"),
		own({ type: "thinking", text: "Hm." }, call("c1")),
		result("c1"),
		{ ...own({ type: "thinking", text: "Other." }, call("c2")), model: "acme-2" },
		result("c2"),
		own({ type: "text", text: "Done" }),
		user("b"),
	];
	const prompt = encodePrompt("", messages, { ...reader, returnedThinking: "all" });
	const texts = prompt.map(({ content }) =>
		typeof content === "string"
			? []
			: content.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])),
	);
	expect(texts.flat()).toEqual(["Hm.", " "]);
	expect(prompt[5]?.content).toMatchObject([{ type: "text", text: "Done" }]);
});

test("results without an answer get one before the user's next message, where the API requires it", () => {
	const messages = [user("a"), own(call("c1")), result("c1"), user("b")];
	const roles = (by: AiSdkReader) => encodePrompt("", messages, by).map(({ role }) => role);
	expect(roles(reader)).toEqual(["user", "assistant", "tool", "assistant", "user"]);
	expect(roles({ ...reader, answersResults: false })).toEqual(["user", "assistant", "tool", "user"]);
});
