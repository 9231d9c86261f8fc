import { expect, test } from "vitest";
import { limits } from "../vocabulary/limits.ts";
import { checkMessage, type MessageBlock } from "./check-message.ts";

function markdown(length: number): MessageBlock {
	return { type: "markdown", text: "a".repeat(length) };
}

function table(rows: number, cell = "x"): MessageBlock {
	return { type: "table", rows: Array.from({ length: rows }, () => [{ type: "raw_text", text: cell }]) };
}

function context(length: number): MessageBlock {
	return { type: "context", elements: [{ type: "mrkdwn", text: "a".repeat(length) }] };
}

test.each<[string, MessageBlock[], string]>([
	["12001", [markdown(6000), markdown(6001)], "a"],
	["blocks have 13001", [markdown(11_000), context(2001)], "a"],
	["51 blocks", Array.from({ length: 51 }, () => markdown(1)), "a"],
	["2 tables", [table(1), table(1)], "a"],
	["101 rows", [table(101)], "a"],
	["10001 characters", [table(1, "x".repeat(10_001))], "a"],
	["3001", [context(3001)], "a"],
	["section", [{ type: "section", text: { type: "mrkdwn", text: "a".repeat(3001) } }], "a"],
	["empty", [markdown(0)], "a"],
	["the message is empty", [markdown(1)], " "],
	["4001", [], "a".repeat(limits.text + 1)],
])("%s is refused before it is sent", (words, blocks, text) => {
	expect(checkMessage({ blocks, text }).body).toContain(words);
});

test("a message at the limits is valid", () => {
	const blocks = [markdown(12_000), context(1000)];
	expect(checkMessage({ blocks, text: "a".repeat(limits.text) })).toEqual({});
	expect(checkMessage({ blocks: [table(100)], text: "a" })).toEqual({});
});
