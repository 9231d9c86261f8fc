import type { ModelEvent } from "@parley/core";
import { expect } from "vitest";
import type { Random } from "../random.ts";
import type { ReplyBlock, StreamedReply } from "../simulators/anthropic/reply.ts";
import { cutUp } from "./cuts.ts";
import { type Repeated, rowOf } from "./seeds.ts";

type Call = Extract<ModelEvent, { type: "call" }>;

/** A reply with unusual tool calls. */
export interface ToolFault {
	readonly name: string;
	/** Whether the fault has fewer runs, because it has many bytes. */
	readonly large?: boolean;
	readonly answer: (random: Random) => StreamedReply;
	readonly check: (calls: readonly Call[]) => void;
	/** Arguments of the `look` calls that may run, in any order. */
	readonly runs: readonly string[];
	readonly results: number;
}

/** Maximum number of calls of one reply that the gateway runs. */
const CAP = 8;

/** Row of the fault table for tool calls. */
export const toolFaults: readonly (ToolFault & Repeated)[] = rowOf<ToolFault>([
	broken("JSON cut off", (random) => {
		const json = JSON.stringify({ at: "the door", why: "somebody sings behind it" });
		return json.slice(0, random.between(1, json.length - 1));
	}),
	broken("no JSON", (random) =>
		random.pick(["{at: door}", "the door", "{'at': 'door'}", '{"at": NaN}', "}{"]),
	),
	broken("two values", () => '{"at":"a"}{"at":"b"}'),
	broken("a list", () => '["door"]'),
	broken("a word", () => '"door"'),
	broken("null", () => "null"),
	broken("__proto__", () => '{"at":"door","__proto__":{"admin":true}}'),
	broken("half a character", () => '{"at":"\\ud83d"}'),
	broken("a number that is too large", () => '{"at":"door","far":1e999}'),
	broken("nested too deeply", () => `{"at":${"[".repeat(500)}${"]".repeat(500)}}`),
	{ ...broken("5 MiB", () => JSON.stringify({ at: "x".repeat(5 << 20) })), large: true },
	{ ...broken("a million values", () => `{"at":"door","all":[${"0,".repeat(1_000_000)}0]}`), large: true },
	{
		name: "the same id twice",
		answer: (random) => reply(random, [look("toolu_1", "door"), look("toolu_1", "window")]),
		check(calls) {
			expect(calls).toMatchObject([{ id: "toolu_1", arguments: { at: "door" } }, { id: "toolu_1" }]);
		},
		runs: ["door", "window"],
		results: 2,
	},
	{
		name: "an unknown tool",
		answer: (random) => reply(random, [{ ...look("toolu_1", "door"), name: "sparkle" }]),
		check: (calls) => expect(calls).toMatchObject([{ name: "sparkle", arguments: { at: "door" } }]),
		runs: [],
		results: 1,
	},
	{
		name: "arguments of the wrong type",
		answer: (random) => reply(random, [look("toolu_1", random.pick([5, null, ["door"], { door: 1 }, true]))]),
		check: (calls) => expect(calls).toHaveLength(1),
		runs: [],
		results: 1,
	},
	{
		name: "an unknown argument and a missing one",
		answer: (random) =>
			reply(random, [{ type: "tool_use", id: "toolu_1", name: "look", input: { att: "door" } }]),
		check: (calls) => expect(calls).toMatchObject([{ arguments: { att: "door" } }]),
		runs: [],
		results: 1,
	},
	{
		name: "500 calls in one reply",
		large: true,
		answer: (random) =>
			reply(
				random,
				Array.from({ length: 500 }, (_, index) => look(`toolu_${index}`, `door ${index}`)),
			),
		check(calls) {
			expect(calls).toHaveLength(500);
			expect(calls.filter(({ invalid }) => invalid === undefined)).toHaveLength(CAP);
		},
		runs: Array.from({ length: CAP }, (_, index) => `door ${index}`),
		results: 500,
	},
	{
		name: "an empty name",
		answer: (random) => reply(random, [{ ...look("toolu_1", "door"), name: "" }]),
		check: (calls) => expect(calls).toMatchObject([{ invalid: expect.any(String) }]),
		runs: [],
		results: 1,
	},
	{
		name: "an impossible name",
		answer: (random) => reply(random, [{ ...look("toolu_1", "door"), name: "look at\u202e!" }]),
		check: (calls) => expect(calls).toHaveLength(1),
		runs: [],
		results: 1,
	},
	{
		name: "an empty id",
		answer: (random) => reply(random, [look("", "door"), look("", "window")]),
		check: (calls) => expect(calls).toHaveLength(2),
		runs: ["door", "window"],
		results: 2,
	},
	{
		name: "one good call among bad ones",
		answer: (random) =>
			reply(
				random,
				random.shuffle([look("toolu_1", "door"), look("toolu_2", 7), badly("toolu_3", '{"at":')]),
			),
		check: (calls) => expect(calls.filter(({ invalid }) => invalid !== undefined)).toHaveLength(1),
		runs: ["door"],
		results: 3,
	},
]);

function look(id: string, at: unknown): Extract<ReplyBlock, { type: "tool_use" }> {
	return { type: "tool_use", id, name: "look", input: { at } };
}

function badly(id: string, json: string): ReplyBlock {
	return { type: "tool_use", id, name: "look", json };
}

function reply(random: Random, content: readonly ReplyBlock[]): StreamedReply {
	return cutUp({ content }, random);
}

/** Returns a fault with an invalid tool call. The adapter must emit the call with the error in `invalid`. */
function broken(name: string, json: (random: Random) => string): ToolFault {
	return {
		name: `arguments: ${name}`,
		answer(random) {
			const text = json(random);
			const body = cutUp({ content: [badly("toolu_1", text)] }, random);
			// Large texts are cut into large blocks, because the default cut of at most 12 characters
			// would create up to a million events.
			return text.length < 10_000 ? body : { ...body, cut: inBlocks };
		},
		check: (calls) =>
			expect(calls).toMatchObject([{ name: "look", id: "toolu_1", invalid: expect.any(String) }]),
		runs: [],
		results: 1,
	};
}

function inBlocks(text: string): string[] {
	const blocks: string[] = [];
	for (let from = 0; from < text.length; from += 100_000) blocks.push(text.slice(from, from + 100_000));
	return blocks;
}
