import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import type { Message } from "../../message.ts";
import type { ModelRequest } from "../../model.ts";
import { encodeRequest } from "./request.ts";
import { textOfRequest } from "./request-text.ts";

const destination = { info: undefined, custom: true };
const tools = [{ name: "git", description: "“runs” git", parameters: { type: "object" } }];

function requestOf(texts: readonly string[], changes: Partial<ModelRequest> = {}): ModelRequest {
	const messages = texts.map((text, index): Message => {
		const content = [{ type: "text", text } as const];
		return index % 2 === 0 ? { role: "user", content } : { role: "assistant", content };
	});
	return { model: "claude-x", system: "You help.", messages, tools, ...changes };
}

const texts = ["plain", "", " ", '"\\', "\u2028\u0000\ud800", "😀".repeat(3), "x".repeat(5_000), "the end"];

test.each([
	["with tools", { tools }],
	["without", { tools: [] }],
	["with instructions to escape", { system: texts.join("\n") }],
	["without instructions", { system: "" }],
	["with settings", { sampling: { temperature: 0.5, maxTokens: 100 } }],
])("the text says what the request holds, however the conversation goes on: %s", (_what, changes) => {
	const { messages, ...others } = requestOf(texts, changes);
	for (let length = 1; length <= messages.length; length++) {
		const { body } = encodeRequest({ ...others, messages: messages.slice(0, length) }, destination);
		const text = textOfRequest(body);
		expect(parseJson(text)).toEqual(parseJson(JSON.stringify(body)));
		expect(text).toHaveLength(JSON.stringify(body).length);
	}
});

test("what was sent once is not put into words again", () => {
	let asked = 0;
	const counted = {
		...{ name: "git", description: "runs git" },
		parameters: {
			toJSON: () => {
				asked += 1;
				return { type: "object" };
			},
		},
	};
	const request = requestOf(["one", "two", "three"], { tools: [counted] });
	for (const length of [1, 3]) {
		const messages = request.messages.slice(0, length);
		textOfRequest(encodeRequest({ ...request, messages }, destination).body);
	}
	expect(asked).toBe(1);
});
