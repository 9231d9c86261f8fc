import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { createToolContext, createWorkplace, readyCall } from "../testing/tool-context.ts";
import type { DelegatedWork } from "../vocabulary/delegation.ts";
import { executeCall } from "./calls/tool-call.ts";
import { delegate } from "./delegate.ts";

const usual = { maxTokens: 300_000, maxMinutes: 20 };

test("work is checked, and its label names each agent with its work", async () => {
	await using place = await createWorkplace();
	const checked: DelegatedWork[] = [];
	const delegation = {
		check: async (work: readonly DelegatedWork[]) => {
			checked.push(...work);
			return { leavesProvider: false };
		},
		run: async () => ({ text: "warm", failed: false }),
	};
	const work = [
		{ title: "Weather", instructions: "Find the weather." },
		{ title: "Prices", instructions: "Compare.", agent: "buyer", tools: ["git"], max_tokens: 5_000 },
	];
	const context = createToolContext(place.cwd, { delegation });
	const call = await readyCall(delegate, { work }, context);
	expect(call.plan).toEqual({
		label: "delegate: Weather; buyer: Prices",
		classes: ["person"],
		preview: "",
		binding: {},
		notes: [],
	});
	expect(checked).toEqual([
		{ title: "Weather", instructions: "Find the weather.", ...usual },
		{ title: "Prices", instructions: "Compare.", agent: "buyer", tools: ["git"], ...usual, maxTokens: 5_000 },
	]);
	expect(await executeCall(call, context)).toEqual({ text: "warm", failed: false });
});

test("work for an agent with another model server counts as egress", async () => {
	await using place = await createWorkplace();
	const delegation = {
		check: async () => ({ leavesProvider: true }),
		run: () => Promise.reject(new Error("not run")),
	};
	const context = createToolContext(place.cwd, { delegation });
	const work = [{ title: "Prices", instructions: "Compare.", agent: "remote" }];
	const { plan } = await readyCall(delegate, { work }, context);
	expect(plan).toMatchObject({
		classes: ["person", "egress"],
		notes: ["an agent with another model server or provider gets the instructions"],
	});
});

test("refused work and too much work are results for the model", async () => {
	await using place = await createWorkplace();
	const refuse = () =>
		Promise.reject(new ParleyError("agent not found: nobody", { code: "invalid_argument" }));
	const context = createToolContext(place.cwd, { delegation: { check: refuse, run: refuse } });
	const one = { title: "Prices", instructions: "Compare." };
	await expect(readyCall(delegate, { work: [one] }, context)).rejects.toThrow("agent not found: nobody");
	for (const work of [[], Array(5).fill(one), [{ ...one, title: " " }], [{ ...one, max_minutes: 500 }]]) {
		await expect(readyCall(delegate, { work }, context)).rejects.toThrow(/work/);
	}
});
