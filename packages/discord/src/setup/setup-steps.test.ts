import { ManualClock } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ScriptedPort } from "../testing/scripted-port.ts";
import { setupSteps } from "./setup-steps.ts";

function place(answered: () => Promise<void>) {
	const [port, clock] = [new ScriptedPort(), new ManualClock()];
	const memory = { load: async () => undefined, save: async () => undefined };
	const steps = setupSteps({ port, clock, memory, shapes: [], answered, patienceMs: 60_000 });
	const stepOf = (id: string) => {
		const step = steps.find((each) => each.id === id);
		if (!step) throw new Error(`there is no step ${id}`);
		return step;
	};
	return { port, clock, steps, stepOf };
}

const signal = new AbortController().signal;
const never = (): Promise<void> => new Promise(() => undefined);

test("the steps lead from the token to an answer, each with an instruction", () => {
	const { steps } = place(never);
	expect(steps.map(({ id }) => id)).toEqual([
		...["token", "application", "gateway", "invited", "permissions", "commands", "answer"],
	]);
	for (const { title, todo } of steps)
		expect([title, todo]).toEqual([expect.any(String), expect.any(String)]);
});

test("a step can be checked again after the fix", async () => {
	const { port, stepOf } = place(never);
	port.answer("GET /users/@me", { status: 401 }, { body: { id: "11", username: "parley" } });
	expect(await stepOf("token").check(signal)).toMatchObject([{ status: "fail" }]);
	expect(await stepOf("token").check(signal)).toMatchObject([
		{ status: "ok", what: "the token belongs to parley" },
	]);
});

test("the last step is done when the bot has answered", async () => {
	const { clock, stepOf } = place(async () => undefined);
	expect(await stepOf("answer").check(signal)).toMatchObject([{ id: "discord-answer", status: "ok" }]);
	expect(clock.pending).toBe(0);
});

test("the wait for an answer is limited, and can be cancelled", async () => {
	const { clock, stepOf } = place(never);
	const late = stepOf("answer").check(signal);
	clock.advance(60_000);
	expect(await late).toMatchObject([{ id: "discord-answer", status: "fail" }]);
	const controller = new AbortController();
	const given = stepOf("answer").check(controller.signal);
	controller.abort();
	expect(await given).toMatchObject([{ status: "fail" }]);
	expect(clock.pending).toBe(0);
});
