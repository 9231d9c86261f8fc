import { expect, test } from "vitest";
import type {
	AssistantMessage,
	CallBlock,
	Message,
	ToolMessage,
	UserMessage,
} from "../../vocabulary/message.ts";
import { judge } from "../verdict.ts";
import { type OfflineCommand, parseCommands } from "./grammar.ts";
import { nextReply, planReplies } from "./offline-model.ts";

const user = (...texts: string[]): UserMessage => ({
	role: "user",
	content: texts.map((text) => ({ type: "text", text })),
});
const calling = (...ids: string[]): AssistantMessage => ({
	role: "assistant",
	content: ids.map((id): CallBlock => ({ type: "call", id, name: `tool_${id}`, arguments: {} })),
});
const saying = (text: string): AssistantMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const results = (...entries: [callId: string, text: string, failed?: boolean][]): ToolMessage => ({
	role: "tool",
	content: entries.map(([callId, text, failed = false]) => ({ type: "result", callId, text, failed })),
});

const tools = [{ name: "run_command", description: "runs", parameters: { type: "object" } }];
const request = (messages: readonly Message[]) => ({ model: "offline", system: "", messages, tools });

/**
 * Returns the reply in a short notation: calls in angle brackets, thinking in parentheses, and the tokens of a `long`
 * command in braces.
 */
function replyTo(...messages: Message[]): string {
	return nextReply(request(messages)).map(inShort).join("");
}

function inShort(command: OfflineCommand): string {
	switch (command.kind) {
		case "say":
			return command.text;
		case "think":
			return command.text === "" ? "" : `(${command.text})`;
		case "long":
			return `{${command.tokens}}`;
		case "call":
			return `<${command.name}>`;
		case "fail":
			return `!${command.reason}`;
	}
}

test.each([
	["say: a", [["a"]]],
	["run: 1", [["<run_command>"], []]],
	["say: a\nrun: 1\nsay: b", [["a", "<run_command>"], ["b"]]],
	["run: 1\nread: 2", [["<run_command>"], ["<read_file>"], []]],
	["run: 1\n& read: 2\nsay: b", [["<run_command>", "<read_file>"], ["b"]]],
	["run: 1\nsay: a\n& read: 2", [["<run_command>", "a", "<read_file>"], []]],
	["& run: 1\n& list: 2\nfetch: 3", [["<run_command>", "<list_files>"], ["<web_fetch>"], []]],
	["think: t\nsay: a\nlong: 3 tokens\nrun: 1\nfail: f", [["(t)", "a", "{3}", "<run_command>"], ["!f"]]],
])("%j returns these replies", (message, replies) => {
	expect(planReplies(parseCommands(message)).map((reply) => reply.map(inShort))).toEqual(replies);
});

test("a message without commands gets a labelled greeting with an example", () => {
	expect(replyTo(user("Hi, who are you?"))).toMatch(
		/^\[offline\] Hello! .*`run: echo hi`.*parley help offline/,
	);
	expect(replyTo()).toBe(replyTo(user("Hi, who are you?")));
});

test("text is labelled once, and the rest is a separate paragraph", () => {
	expect(replyTo(user("say: one\nsay: two\nlong: 3 tokens"))).toBe("[offline] one\n\ntwo\n\n{3}");
	expect(replyTo(user("think: hm\nthink: ah\nsay: two"))).toBe("(hm)(\n\n)(ah)[offline] two");
});

test("a run never ends without text", () => {
	expect(replyTo(user("think: hm"))).toBe("(hm)[offline] Done.");
});

test("results are repeated before the text that follows, and the run ends after the last command", () => {
	const question = user("say: first\nrun: 1", "read: 2\nsay: bye");
	expect(replyTo(question)).toBe("[offline] first<run_command>");
	const done = [question, calling("a"), results(["a", "hi\n"])];
	expect(replyTo(...done)).toBe("[offline] tool_a returned:\nhi<read_file>");
	expect(replyTo(...done, calling("b"), results(["b", ""]))).toBe(
		"[offline] tool_b returned nothing.\n\nbye",
	);
});

test("the results of one reply are repeated together, and failures and denials are marked", () => {
	const question = user("run: 1\n& run: 2\n& tool: nope {}");
	expect(replyTo(question)).toBe("<run_command><run_command><nope>");
	const back = results(["a", "ok"], ["b", "denied: not today", true], ["c", "there is no tool nope", true]);
	expect(replyTo(question, calling("a", "b", "c"), back)).toBe(
		"[offline] tool_a returned:\nok\n\ntool_b failed:\ndenied: not today\n\ntool_c failed:\nthere is no tool nope",
	);
});

test("the text of a result with an image is repeated, with a note about the image", () => {
	const image = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
	const seen: ToolMessage = {
		role: "tool",
		content: [{ type: "result", callId: "a", text: "a.png\n", failed: false, pictures: [image] }],
	};
	expect(replyTo(user("read: a.png"), calling("a"), seen)).toBe(
		"[offline] tool_a returned:\na.png\n[an image, which the offline model cannot see]",
	);
});

test("an invalid command is explained, and the others run", () => {
	const [explained, called] = replyTo(user("tool: x {\nrun: 1")).split("<");
	expect(explained).toMatch(/^\[offline\] "tool:" was not carried out: /);
	expect(called).toBe("run_command>");
});

test("only the latest user message is used, with the results of its own calls", () => {
	const before = [user("run: 1\nrun: 2"), calling("a"), results(["a", "old"])];
	expect(replyTo(...before, user("say: stop that"))).toBe("[offline] stop that");
	expect(replyTo(...before, user("thanks"))).toMatch(/^\[offline\] Hello!/);
	const steered = [...before, user("list: *\nsay: listed"), calling("b"), results(["b", "new"])];
	expect(replyTo(...steered)).toBe("[offline] tool_b returned:\nnew\n\nlisted");
});

test("replies without calls do not count as steps", () => {
	expect(replyTo(user("run: 1"), saying("interrupted"))).toBe("<run_command>");
});

test("a request without tools gets a summary of a fixed form, in which nothing is a command", () => {
	const messages = [user("run: 1\n  say: 2"), calling("a"), results(["a", "hi"]), user("bye")];
	const summary = nextReply({ ...request(messages), tools: [] })
		.map(inShort)
		.join("");
	expect(summary).toBe('[offline] A conversation of 4 messages that began with: "run: 1 say: 2"');
	expect(parseCommands(summary)).toEqual([]);
});

test("a long first request is cut in the summary, between characters", () => {
	const summarise = (text: string): string =>
		nextReply({ ...request([user(text)]), tools: [] })
			.map(inShort)
			.join("");
	expect(summarise("🌱".repeat(200))).toContain(`"${"🌱".repeat(200)}"`);
	expect(summarise("🌱".repeat(201))).toContain(`"${"🌱".repeat(200)}…"`);
	expect(summarise(`x${"🌱".repeat(500)}`)).toContain(`"x${"🌱".repeat(199)}…"`);
	expect(summarise("x".repeat(401))).toContain(`"${"x".repeat(200)}…"`);
});

test.each([
	[["contains: v2", "it is short"], true],
	[["it is short\ncontains: v3"], false],
	[["it is long"], true],
])("the verdict about %j is passed: %j", async (criteria, passed) => {
	const question: Message[] = [];
	const verdict = await judge(
		{ criteria, task: "build", result: "built v2" },
		async ({ system, messages }) => {
			question.push(...messages);
			return nextReply({ ...request(messages), system, tools: [] })
				.map(inShort)
				.join("");
		},
	);
	expect(verdict.passed).toBe(passed);
	expect(question.length).toBe(1);
});
