import { expect, test } from "vitest";
import { messageMetadata, ReasoningDetails } from "./reasoning-details.ts";

function chunk(...details: readonly unknown[]): object {
	return { choices: [{ delta: { reasoning_details: details } }] };
}

function detailsOf(...chunks: readonly unknown[]): unknown {
	const read = new ReasoningDetails();
	for (const one of chunks) read.processChunk(one);
	return read.buildMetadata()?.["openaiCompatible"]?.["reasoning_details"];
}

test("pieces of a text become one detail with its signature, and other details stay as they are", () => {
	const text = { type: "reasoning.text", index: 0, format: "anthropic-claude-v1" };
	const hidden = { type: "reasoning.encrypted", data: "AAAA", id: "r1", index: 1 };
	expect(
		detailsOf(
			chunk({ ...text, text: "I should", signature: null }),
			chunk({ ...text, text: " look." }),
			chunk({ ...text, signature: "s1" }),
			chunk(hidden, { ...hidden, id: "r2" }),
			chunk({ type: "reasoning.summary", summary: "It", index: 2 }),
			chunk({ type: "reasoning.summary", summary: " looks.", index: 2 }),
		),
	).toEqual([
		{ ...text, text: "I should look.", signature: "s1" },
		hidden,
		{ ...hidden, id: "r2" },
		{ type: "reasoning.summary", summary: "It looks.", index: 2 },
	]);
});

test.each([
	null,
	1,
	{},
	{ choices: {} },
	{ choices: [null] },
	chunk(),
	chunk(1, null),
	{ choices: [{ delta: [] }] },
])("a chunk of another form has no details: %j", (one) => {
	expect(detailsOf(one)).toBeUndefined();
});

test("too many details are left out together, and a long text takes linear time", () => {
	const many = Array.from({ length: 10_001 }, (_, index) => ({
		type: "reasoning.encrypted",
		data: "A",
		index,
	}));
	expect(detailsOf(chunk(...many))).toBeUndefined();
	const pieces = Array.from({ length: 100_000 }, () =>
		chunk({ type: "reasoning.text", text: "ab", index: 0 }),
	);
	expect(detailsOf(...pieces)).toEqual([{ type: "reasoning.text", text: "ab".repeat(100_000), index: 0 }]);
});

test("other metadata of a finished reply belongs to no message", () => {
	expect(messageMetadata({ openai: { responseId: "r" }, compatible: {} })).toEqual({});
	expect(messageMetadata(undefined)).toEqual({});
});
