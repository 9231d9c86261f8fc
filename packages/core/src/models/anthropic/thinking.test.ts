import { expect, test } from "vitest";
import type { Reasoning } from "../../vocabulary/model.ts";
import type { ReasoningKind } from "../table/model-table.ts";
import { thinkingOf } from "./request.ts";
import type { AnthropicTurn } from "./turns.ts";

const question: AnthropicTurn = { role: "user", content: [{ type: "text", text: "x" }] };

interface Case {
	readonly model?: string;
	readonly turns?: readonly AnthropicTurn[];
	readonly maxTokens?: number;
	readonly custom?: boolean;
}

function thinking(kind: ReasoningKind, reasoning?: Reasoning, changes: Case = {}) {
	const { model = "claude-x", turns = [question], maxTokens = 32_000, custom = false } = changes;
	const request: Parameters<typeof thinkingOf>[0] = { model, ...(reasoning && { reasoning }) };
	const limits = { contextWindow: 200_000, maxOutput: 64_000 };
	const rest = { provider: "anthropic", sampling: true, images: true };
	const info = { id: model, ...limits, reasoning: kind, ...rest };
	return thinkingOf(request, { info, custom }, { turns, maxTokens });
}

const adaptive = { type: "adaptive", display: "summarized" };

test.each<[ReasoningKind, Reasoning | undefined, object]>([
	["none", undefined, {}],
	["none", "max", {}],
	["budget", undefined, {}],
	["budget", "off", {}],
	["budget", "low", { thinking: { type: "enabled", budget_tokens: 4096 } }],
	["budget", "high", { thinking: { type: "enabled", budget_tokens: 24_576 } }],
	["budget", "max", { thinking: { type: "enabled", budget_tokens: 27_904 } }],
	["adaptive", undefined, { thinking: adaptive }],
	["adaptive", "off", { thinking: { type: "disabled" } }],
	["adaptive", "medium", { thinking: adaptive, output_config: { effort: "medium" } }],
	["adaptive", "xhigh", { thinking: adaptive, output_config: { effort: "xhigh" } }],
	["between_tools", undefined, { thinking: adaptive }],
	["between_tools", "off", { thinking: { type: "between_tools" } }],
	["between_tools", "max", { thinking: adaptive, output_config: { effort: "max" } }],
	["always", undefined, { thinking: adaptive }],
	["always", "off", { thinking: adaptive, output_config: { effort: "low" } }],
	["always", "high", { thinking: adaptive, output_config: { effort: "high" } }],
])("a model with the thinking kind %s gets the options for the reasoning %s", (kind, reasoning, expected) => {
	expect(thinking(kind, reasoning)).toEqual(expected);
});

test("an unknown model gets no thinking options", () => {
	const request = { model: "local", reasoning: "high" } as const;
	expect(
		thinkingOf(request, { info: undefined, custom: true }, { turns: [question], maxTokens: 8192 }),
	).toEqual({});
});

test.each([
	[4096, 2048],
	[2048, 1024],
	[2046, undefined],
	[1, undefined],
])("%i tokens have %s for thinking: it needs 1024, and the answer needs the rest", (maxTokens, budget) => {
	const { thinking: chosen } = thinking("budget", "high", { maxTokens });
	expect(chosen).toEqual(budget === undefined ? undefined : { type: "enabled", budget_tokens: budget });
});

test("a model that does not know the level uses the nearest one", () => {
	expect(thinking("adaptive", "xhigh", { model: "claude-sonnet-4-6" }).output_config).toEqual({
		effort: "high",
	});
	expect(thinking("adaptive", "max", { model: "claude-opus-4-6" }).output_config).toEqual({ effort: "max" });
});

const call = { type: "tool_use", id: "a", name: "git", input: {} } as const;
const answered: AnthropicTurn = {
	role: "user",
	content: [{ type: "tool_result", tool_use_id: "a", content: "x" }],
};
const thought = { type: "thinking", thinking: "", signature: "s" } as const;

test.each<[string, AnthropicTurn[], boolean]>([
	["began with thinking", [question, { role: "assistant", content: [thought, call] }, answered], true],
	[
		"began with thinking and went on without",
		[
			question,
			{ role: "assistant", content: [thought, call] },
			answered,
			{ role: "assistant", content: [call] },
			answered,
		],
		true,
	],
	["began without, as another model's", [question, { role: "assistant", content: [call] }, answered], false],
	[
		"is a new one after calls without thinking",
		[
			question,
			{ role: "assistant", content: [call] },
			answered,
			{ role: "assistant", content: [] },
			question,
		],
		true,
	],
])("a thinking budget is sent if the active turn %s: %#", (_name, turns, given) => {
	expect(thinking("budget", "low", { turns }).thinking !== undefined).toBe(given);
	expect(thinking("adaptive", "low", { turns }).thinking).toEqual(adaptive);
});

test("models that check their thinking drop blocks that do not match, at their own provider only", () => {
	const forgetful = { ...adaptive, block_binding: { prefix_mismatch_behavior: "drop_block" } };
	for (const model of [
		"claude-sonnet-5-5",
		"claude-opus-5-5-20260922",
		"claude-fable-5-1",
		"claude-haiku-5-5",
	]) {
		expect(thinking("adaptive", "low", { model }).thinking).toEqual(forgetful);
		expect(thinking("adaptive", "low", { model, custom: true }).thinking).toEqual(adaptive);
	}
	for (const model of ["claude-opus-5", "claude-sonnet-5", "claude-fable-5", "claude-opus-4-8"]) {
		expect(thinking("adaptive", "low", { model }).thinking).toEqual(adaptive);
	}
});
