import { operator, type Recorded } from "@parley/core";
import { calls, ScriptedModel, says, TestRuntime } from "@parley/core/testing";
import { expect, test } from "vitest";
import * as z from "zod";
import { answerApi } from "./api.ts";

const Listed = z.array(z.looseObject({ type: z.string() }));
const unkeyed = { principal: operator, key: undefined, method: "test", params: {} };

async function events(t: TestRuntime, query: string): Promise<z.infer<typeof Listed>> {
	const deps = { runtime: t.runtime, health: { status: () => "ok" as const, report: async () => ({}) } };
	const { status, body } = await answerApi(deps, operator, new URL(`http://gateway/api/events?${query}`));
	expect(status).toBe(200);
	return Listed.parse(body);
}

async function recorded(t: TestRuntime, type: string, known: Recorded[] = []): Promise<Recorded> {
	for (;;) {
		const all = await t.runtime.history.newest(operator, { limit: 1000, types: [type] });
		const found = all.find(({ id }) => known.every((other) => other.id !== id));
		if (found) return found;
		await t.settle();
	}
}

test("every type can be selected by its public name", async () => {
	const write = calls("c1", "write_file", { path: "a", content: "b" });
	await using t = await TestRuntime.open({ model: new ScriptedModel([write], [write], [says("done")]) });
	const session = await t.create();
	const following = { afterSeq: undefined, deliver: () => undefined, drained: () => Promise.resolve() };
	const follower = await t.runtime.follow(operator, session, following);
	await t.send(session, "go");
	const queried = await recorded(t, "prompt.requested");
	const { event } = queried;
	if (event.type !== "prompt.requested") throw new Error(`not asked for: ${event.type}`);
	await t.runtime.answer(unkeyed, event.prompt.token, { value: false });
	await recorded(t, "prompt.requested", [queried]);
	await t.runtime.cancel(unkeyed, session);
	await recorded(t, "assistant.message");
	await follower.leave();

	const all = await events(t, "");
	const types = [...new Set(all.map(({ type }) => type))];
	expect(types.toSorted()).toEqual([
		...["assistant.message", "internal.llm.call", "prompt.closed", "prompt.request", "prompt.response"],
		...["session.closed", "session.created", "tool.call", "usage.updated", "user.message"],
	]);
	for (const type of types) {
		expect(await events(t, `type=${type}`)).toEqual(all.filter((each) => each.type === type));
	}
	const both = all.filter(({ type }) => type === "tool.call" || type === "prompt.closed");
	expect(await events(t, `type=tool.call&type=prompt.closed&session=${session}`)).toEqual(both);
	expect(await events(t, "type=")).toEqual(all);
});

test.each(["none", "tool.started", "assistant.stream", "user.message&type=x"])(
	"the type %s is refused with the allowed values",
	async (type) => {
		await using t = await TestRuntime.open({ model: new ScriptedModel() });
		const url = new URL(`http://gateway/api/events?type=${type}`);
		const answer = await answerApi(
			{ runtime: t.runtime, health: { status: () => "ok" as const, report: async () => ({}) } },
			operator,
			url,
		);
		expect(answer).toMatchObject({
			status: 400,
			body: {
				error: expect.stringMatching(
					/^type: ".+" is not the type of a recorded event; allowed: .*\btool\.call\b/,
				),
			},
		});
	},
);
