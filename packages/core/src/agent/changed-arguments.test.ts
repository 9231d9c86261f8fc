import { noFailpoints } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { EventLog } from "../testing/event-log.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";
import { defineTool } from "../vocabulary/tool.ts";

const ran: string[] = [];
/** Fact to which every call is bound, except a call for `web`. */
let world = "as it was";

/**
 * Tool that writes to a place. A place that begins with `/` is outside the workspace, `web` is a host, and
 * `nowhere` is invalid.
 */
const put = defineTool<{ place: string }>({
	name: "put",
	description: "Puts something somewhere.",
	parameters: () => z.strictObject({ place: z.string() }),
	effect: "effectful",
	async plan({ place }) {
		if (place === "nowhere") throw new Error("there is no such place");
		const classes = place.startsWith("/") ? (["outside-write"] as const) : (["write"] as const);
		if (place === "web")
			return { label: place, classes: [...classes, "egress"], preview: "", binding: {}, notes: [] };
		const grant = { kind: "path", tool: "put", root: "/" } as const;
		return { label: `put ${place}`, classes, preview: "", binding: { place, world }, grant, notes: [] };
	},
	async run({ place }) {
		ran.push(place);
		return { text: `put ${place}`, failed: false };
	},
});

async function ask(options: Partial<TestRuntimeOptions> = {}) {
	ran.length = 0;
	world = "as it was";
	const model = new ScriptedModel([calls("c1", "put", { place: "here" })], [says("done")]);
	const t = await TestRuntime.open({ model, tools: [put], ...options });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { prompt } = await log.next("prompt.requested");
	return { t, log, session, model, token: prompt.token };
}

test("a call that was approved with other arguments runs with them, and the model and the clients see them", async () => {
	const { t, log, model, token } = await ask();
	await using _ = t;
	await t.runtime.answer(unkeyed(), token, { value: true, arguments: { place: "there" } });
	await expect(log.next("prompt.answered")).resolves.toEqual({
		type: "prompt.answered",
		token,
		value: true,
		cancelled: false,
		by: "operator",
		arguments: { place: "there" },
	});
	const note = '[the person who approved this changed the arguments to {"place":"there"}]\nput there';
	await expect(log.next("tool.completed")).resolves.toMatchObject({ result: note });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["there"]);
	const sent = model.requests.at(-1)?.messages.flatMap(({ content }) => [...content]) ?? [];
	// Providers require that the model's call stays unchanged.
	expect(sent).toContainEqual(expect.objectContaining({ type: "call", arguments: { place: "here" } }));
	expect(sent).toContainEqual(expect.objectContaining({ type: "result", text: note }));
});

test("the question stays open if changed arguments are invalid or need another warning", async () => {
	const { t, log, token } = await ask();
	await using _ = t;
	const answer = (response: object) => t.runtime.answer(unkeyed(), token, { value: true, ...response });
	await expect(answer({ arguments: {} })).rejects.toThrow("arguments: invalid arguments of put: place");
	await expect(answer({ arguments: { place: "nowhere" } })).rejects.toThrow("arguments: ");
	await expect(answer({ arguments: { place: "/etc" } })).rejects.toThrow("writes outside the roots");
	await expect(answer({ arguments: { place: "there" }, value: "session" })).rejects.toThrow("answer true");
	expect(log.recorded).not.toContain("prompt.answered");
	await answer({ arguments: { place: "there" } });
	await answer({ arguments: { place: "elsewhere" } });
	await log.next("assistant.message");
	expect(ran).toEqual(["there"]);
});

test("changed arguments that may only narrow the call are refused if the call then needs another class", async () => {
	const { t, log, token } = await ask();
	await using _ = t;
	const answer = (place: string, narrows: boolean) =>
		t.runtime.answer(unkeyed(), token, { value: true, arguments: { place }, narrows });
	await expect(answer("web", true)).rejects.toMatchObject({
		code: "invalid_argument",
		message:
			"arguments: the changed call needs more permissions than the displayed call: egress; change the arguments again, or deny the call",
	});
	expect(log.recorded).not.toContain("prompt.answered");
	await answer("there", true);
	await log.next("assistant.message");
	expect(ran).toEqual(["there"]);
});

test("changed arguments that need another class are accepted if they may do more than narrow the call", async () => {
	const { t, log, token } = await ask();
	await using _ = t;
	await t.runtime.answer(unkeyed(), token, { value: true, arguments: { place: "web" } });
	await log.next("assistant.message");
	expect(ran).toEqual(["web"]);
});

test("an approval with changed arguments is refused if any fact of the question changed", async () => {
	const { t, log, token } = await ask();
	await using _ = t;
	const answer = () => t.runtime.answer(unkeyed(), token, { value: true, arguments: { place: "there" } });
	world = "swapped";
	await expect(answer()).rejects.toThrow(
		"arguments: facts of the call changed since the question was asked: world; deny the call instead",
	);
	expect(log.recorded).not.toContain("prompt.answered");
	world = "as it was";
	await answer();
	await log.next("assistant.message");
	expect(ran).toEqual(["there"]);
});

test("neither a denial nor the answer to a question can change arguments", async () => {
	const { t, log, token } = await ask();
	await using _ = t;
	await t.runtime.answer(unkeyed(), token, { cancelled: true, arguments: { place: "nowhere" } });
	await expect(log.next("prompt.answered")).resolves.not.toHaveProperty("arguments");
	await expect(log.next("tool.failed")).resolves.toMatchObject({
		error: "denied by the approver",
	});
	expect(ran).toEqual([]);
});

test("changed arguments are still used after a restart between the answer and the call", async () => {
	const stopped = Promise.withResolvers<void>();
	const answered = Promise.withResolvers<void>();
	const failpoints = {
		...noFailpoints,
		reach: (name: string) => {
			if (name !== "answered") return;
			answered.resolve();
			return stopped.promise;
		},
	};
	const { t, session, model, token } = await ask({ failpoints });
	const answer = t.runtime.answer(unkeyed(), token, { value: true, arguments: { place: "there" } });
	await answered.promise;
	await t.stop();
	stopped.resolve();
	await answer;
	await using again = await TestRuntime.open({ model, tools: [put], directory: t.directory, clock: t.clock });
	await again.runtime.start();
	const log = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await log.next("assistant.message");
	log.check();
	expect(ran).toEqual(["there"]);
});
