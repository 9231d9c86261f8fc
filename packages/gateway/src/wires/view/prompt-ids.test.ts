import type { Prompt } from "@parley/core";
import { expect, test } from "vitest";
import { PromptIds } from "./prompt-ids.ts";

function prompt(token: string, callId = "call_1"): Prompt {
	return {
		token,
		runId: "run_1",
		type: "confirm",
		label: "",
		required: true,
		options: [],
		validation: "",
		placeholder: "",
		expiresAt: 0,
		approval: {
			callId,
			tool: "bash",
			arguments: {},
			preview: "",
			risk: "normal",
			notes: [],
			allowSession: false,
		},
	};
}

test("ids of a stream name prompts until they are answered by any client", () => {
	const ids = new PromptIds((_, count) => `ask-${count}`);
	expect([ids.open(prompt("p")), ids.open(prompt("q")), ids.open(prompt("r"))]).toEqual([
		...["ask-1", "ask-2", "ask-3"],
	]);
	expect(ids.remove("ask-2").token).toBe("q");
	expect(() => ids.remove("ask-2")).toThrow("no pending approval with id ask-2");
	ids.settle("p");
	expect(() => ids.remove("ask-1")).toThrow("no pending approval with id ask-1");
	expect(ids.removeAll().map(({ token }) => token)).toEqual(["r"]);
	expect(ids.removeAll()).toEqual([]);
});

test("a call whose approval is repeated keeps its id, and the end of the first prompt does not close the second", () => {
	const ids = new PromptIds(({ approval }) => approval?.callId ?? "");
	expect([ids.open(prompt("p")), ids.open(prompt("q"))]).toEqual(["call_1", "call_1"]);
	ids.settle("p");
	expect(ids.remove("call_1").token).toBe("q");
});
