import { expect, test } from "vitest";
import * as z from "zod";
import { addTaint } from "../store/session-taint.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator } from "../vocabulary/principal.ts";
import type { PromptResponse } from "../vocabulary/prompt.ts";
import { defineTool } from "../vocabulary/tool.ts";

/**
 * Answers the approval of `peek` with `answer`, and waits until the approval of `peek` is requested again. Before the
 * approval of `edit`, the session gets untrusted text and an external effect, so the judgement of `peek` becomes
 * stricter.
 */
async function openRepeatedQuestion(
	stack: AsyncDisposableStack,
	answer: Pick<PromptResponse, "arguments"> = {},
) {
	const ran: string[] = [];
	const edit = probeTool("edit", { classes: ["write"], run: async () => `${ran.push("edit")}` });
	const peek = defineTool<{ path: string }>({
		name: "peek",
		description: "Looks at a path outside.",
		parameters: () => z.strictObject({ path: z.string() }),
		effect: "effectful",
		async plan({ path }) {
			return { label: `peek ${path}`, classes: ["outside-read"], preview: "", binding: { path }, notes: [] };
		},
		async run({ path }) {
			return { text: `${ran.push(path)}`, failed: false };
		},
	});
	const reply = [calls("c1", "edit"), calls("c2", "peek", { path: "/model" })];
	const options = { model: new ScriptedModel(reply, [says("done")]), tools: [edit, peek] };
	const t = await TestRuntime.open(options);
	stack.defer(() => t.stop().catch(() => undefined));
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const first = (await log.next("prompt.requested")).prompt;
	const second = (await log.next("prompt.requested")).prompt;
	await t.runtime.answer(unkeyed(), second.token, { value: true, ...answer });
	await t.store.commit((tx) => addTaint(tx, session, "UE"));
	await t.runtime.answer(unkeyed(), first.token, { value: true });
	const { prompt: again } = await log.next("prompt.requested");
	return { t, options, session, log, ran, again };
}

test("a call that requires another approval keeps and shows the arguments of a person", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, log, ran, again } = await openRepeatedQuestion(stack, { arguments: { path: "/person" } });
	expect(again.approval).toMatchObject({ callId: "c2", risk: "critical", arguments: { path: "/person" } });
	expect(again.label).toBe("Allow peek /person?");
	await t.runtime.answer(unkeyed(), again.token, { value: true });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "" });
	expect(ran).toEqual(["edit", "/person"]);
	log.check();
});

test("a call that requires another approval keeps the arguments of a person across a restart", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, options, session, ran, again } = await openRepeatedQuestion(stack, {
		arguments: { path: "/person" },
	});
	await t.stop();
	const next = stack.use(await TestRuntime.open({ ...options, directory: t.directory, clock: t.clock }));
	await next.runtime.start();
	const log = await EventLog.join(next.runtime, session, { afterSeq: 0 });
	await next.runtime.answer(unkeyed(), again.token, { value: true });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "" });
	expect(ran).toEqual(["edit", "/person"]);
	log.check();
});

test("a call that requires another approval can be approved with other arguments than the first time", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, log, ran, again } = await openRepeatedQuestion(stack, { arguments: { path: "/person" } });
	await t.runtime.answer(unkeyed(), again.token, { value: true, arguments: { path: "/again" } });
	await log.next("assistant.message");
	expect(ran).toEqual(["edit", "/again"]);
	log.check();
});

test("the arguments of an approver are judged with the present taint of the session", async () => {
	const ran: string[] = [];
	const open = defineTool<{ path: string }>({
		name: "open",
		description: "Opens a path.",
		parameters: () => z.strictObject({ path: z.string() }),
		effect: "effectful",
		async plan({ path }) {
			const classes = path.startsWith("/") ? (["outside-read"] as const) : (["write"] as const);
			return { label: `open ${path}`, classes, preview: "", binding: { path }, notes: [] };
		},
		async run({ path }) {
			return { text: `${ran.push(path)}`, failed: false };
		},
	});
	const model = new ScriptedModel([calls("c1", "open", { path: "a" })], [says("done")]);
	await using t = await TestRuntime.open({ model, tools: [open] });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.send(session, "go");
	const { token } = (await log.next("prompt.requested")).prompt;
	await t.store.commit((tx) => addTaint(tx, session, "UE"));
	const approve = (path: string) => t.runtime.answer(unkeyed(), token, { value: true, arguments: { path } });
	await expect(approve("/private")).rejects.toThrow(/always requires a separate approval \(.*private data/);
	await approve("b");
	await log.next("assistant.message");
	expect(ran).toEqual(["b"]);
});

test("explain reports the last decision about a call that was judged again", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session, log, again } = await openRepeatedQuestion(stack);
	const reasonOf = async (): Promise<string | undefined> =>
		(await t.runtime.explain(operator, session)).calls.find(({ callId }) => callId === "c2")?.reason;
	const strict = again.approval?.notes.at(0);
	expect(strict).toContain("private data");
	expect(await reasonOf()).toBe(strict);
	await t.runtime.answer(unkeyed(), again.token, { value: true });
	await log.next("assistant.message");
	expect(await reasonOf()).toBe(strict);
});
