import { expect, test } from "vitest";
import type { Message } from "../../vocabulary/message.ts";
import type { ModelRequest } from "../../vocabulary/model.ts";
import {
	Calibration,
	type CountedRequest,
	featuresOfMessages,
	featuresOfText,
	featuresOfTools,
	oneRequest,
	sumOf,
} from "./calibration.ts";
import { countRequest, type Tokenizer, tokenizers } from "./testing/toy-session.ts";
import { chance, chinese, code, prose } from "./testing/toy-text.ts";

const random = chance(7);
const tools = ["read_file", "write_file", "run_command"].map((name) => ({
	name,
	description: prose(random, 60),
	parameters: { type: "object", properties: { path: { type: "string" }, limit: { type: "number" } } },
}));
const system = prose(random, 600);

function counted(tokenizer: Tokenizer, messages: readonly Message[]): CountedRequest {
	const request: ModelRequest = { model: "toy", system, tools, messages };
	const parts = [oneRequest, featuresOfText(system), featuresOfTools(tools), featuresOfMessages(messages)];
	return { features: sumOf(parts), tokens: countRequest(tokenizer, request) };
}

function turn(at: number): Message[] {
	const text = at % 3 === 2 ? chinese(random, 300) : prose(random, 80);
	const result = at % 2 === 0 ? code(random, 40) : `${prose(random, 200)}\n${chinese(random, 200)}`;
	return [
		{ role: "user", content: [{ type: "text", text }] },
		{
			role: "assistant",
			content: [
				{ type: "text", text: prose(random, 40) },
				{ type: "call", id: `c${at}`, name: "read_file", arguments: { path: `src/${prose(random, 1)}.ts` } },
			],
		},
		{ role: "tool", content: [{ type: "result", callId: `c${at}`, text: result, failed: false }] },
	];
}

const named = Object.entries(tokenizers);

test.each(named)("after three replies an estimate is at most 10 %% off: %s", (_name, tokenizer) => {
	const calibration = new Calibration();
	const messages: Message[] = [];
	let known: CountedRequest | undefined;
	const errors: number[] = [];
	for (let at = 0; at < 40; at++) {
		messages.push(...turn(at));
		const request = counted(tokenizer, messages);
		const { tokens } = calibration.estimate(request.features, known);
		errors.push(Math.abs(tokens - request.tokens) / request.tokens);
		calibration.compare(tokens, request.tokens);
		calibration.learn(request, known);
		known = request;
	}
	expect(Math.max(...errors.slice(3))).toBeLessThanOrEqual(0.1);
	expect(calibration.error.replies).toBe(40);
	expect(calibration.error.mean).toBeLessThanOrEqual(0.05);
});

test.each(named)(
	"the calibration of one session improves the first request of the next: %s",
	(_name, tokenizer) => {
		const calibration = new Calibration();
		const messages: Message[] = [];
		let known: CountedRequest | undefined;
		for (let at = 0; at < 12; at++) {
			messages.push(...turn(at));
			const request = counted(tokenizer, messages);
			calibration.learn(request, known);
			known = request;
		}
		for (const one of [turn(100), turn(101), [...turn(102), ...turn(103), ...turn(104)]]) {
			const request = counted(tokenizer, one);
			const { tokens } = calibration.estimate(request.features);
			expect(Math.abs(tokens - request.tokens) / request.tokens).toBeLessThanOrEqual(0.1);
		}
	},
);

test("a margin is the possible error, and covers only uncounted parts", () => {
	const calibration = new Calibration();
	const first = counted(tokenizers.words, turn(0));
	const before = calibration.estimate(first.features);
	expect(before.margin).toBeCloseTo(0.4 * before.tokens);
	calibration.learn(first);
	expect(calibration.estimate(first.features, first)).toEqual({ tokens: first.tokens, margin: 0 });
});

test("a count that is implausible for every tokenizer is ignored", () => {
	const calibration = new Calibration();
	const { features, tokens } = counted(tokenizers.words, turn(0));
	const before = calibration.estimate(features);
	expect(calibration.learn({ features, tokens: Math.round(tokens / 100) })).toBe(false);
	expect(calibration.learn({ features, tokens: tokens * 100 })).toBe(false);
	expect(calibration.estimate(features)).toEqual(before);
});
