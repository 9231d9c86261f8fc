import { expect, test } from "vitest";
import { ModelTable } from "../models/table/model-table.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, unkeyed } from "../testing/test-runtime.ts";
import { operator, type Role } from "./principal.ts";
import type { RunOptions } from "./run-options.ts";

const prices = { input: 1, output: 2, cacheRead: 1, cacheWrite: 1 };
const limits = { contextWindow: 100_000, maxOutput: 1_000 };
const able = { reasoning: "none", sampling: true, images: false } as const;
const priced = new ModelTable([{ id: "scripted", provider: "scripted", ...limits, ...able, prices }]);

/** Cases: the gateway does not restart, or it restarts during the run's first model call. */
const restarts = [false, true];

async function begin(
	stack: AsyncDisposableStack,
	{
		options,
		replies,
		isRestarted,
		trusted = false,
		table = new ModelTable(),
	}: {
		readonly options: RunOptions;
		readonly replies: readonly ScriptedReply[];
		readonly isRestarted: boolean;
		readonly trusted?: boolean;
		readonly table?: ModelTable;
	},
) {
	const ran: string[] = [];
	const run = async ({ callId }: { readonly callId: string }) => `${ran.push(callId)}`;
	const tools = [
		probeTool("look", { effect: "none", run }),
		probeTool("edit", { classes: ["write"], run, grantRoot: "/w" }),
	];
	const model = new ScriptedModel(...(isRestarted ? [stuck("cut")] : []), ...replies, [says("next")]);
	const settings = { model, tools, table, anyModel: true };
	let t = await TestRuntime.open(settings);
	stack.defer(() => t[Symbol.asyncDispose]().catch(() => undefined));
	const session = await t.create();
	if (trusted) await t.runtime.acceptAll(unkeyed(), session);
	let log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(), session, { content: "go" }, options);
	if (isRestarted) {
		await log.next("text.delta");
		await t.stop();
		t = await TestRuntime.open({ ...settings, directory: t.directory, clock: t.clock });
		await t.runtime.start();
		log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	}
	const { runtime } = t;
	const tokens: string[] = [];
	return {
		t,
		runtime,
		session,
		log,
		model,
		ran,
		async prompts(count: number): Promise<readonly string[]> {
			while (tokens.length < count) tokens.push((await log.next("prompt.requested")).prompt.token);
			return tokens;
		},
		async ended(): Promise<string> {
			const { error } = await log.next("assistant.message");
			log.check();
			return error;
		},
		async nextRequest() {
			await runtime.send(unkeyed(), session, { content: "next" });
			await log.next("assistant.message");
			return model.requests.at(-1);
		},
	};
}

test.for(restarts)("`tools` narrows the tools of a run, also after a restart: %s", async (isRestarted) => {
	await using stack = new AsyncDisposableStack();
	const replies = [[calls("c1", "edit"), calls("c2", "look")], [says("done")]];
	const r = await begin(stack, { options: { tools: ["look"] }, replies, isRestarted });
	expect(await r.ended()).toBe("");
	const request = r.model.requests.at(-1);
	expect(request?.tools.map(({ name }) => name)).toEqual(["look"]);
	expect(request?.messages.at(-1)?.content).toMatchObject([
		{
			callId: "c1",
			text: 'the tool "edit" does not exist or is not allowed here; available: look',
			failed: true,
		},
		{ callId: "c2", failed: false },
	]);
	expect((await r.nextRequest())?.tools).toHaveLength(2);
});

test.for(restarts)(
	"`system` is added after the system prompt of a run, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const options = { system: { text: "Be brief.", place: "behind" } } as const;
		const r = await begin(stack, { options, replies: [[says("done")]], isRestarted });
		expect(await r.ended()).toBe("");
		expect(r.model.requests.at(-1)?.system).toBe("You help.\n\nBe brief.\n");
		expect((await r.nextRequest())?.system).not.toContain("Be brief.");
	},
);

test.for(restarts)(
	"`system` replaces the system prompt of a run, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const options = { system: { text: "Be brief.", place: "instead" } } as const;
		const r = await begin(stack, { options, replies: [[says("done")]], isRestarted });
		expect(await r.ended()).toBe("");
		expect(r.model.requests.at(-1)?.system).toBe("Be brief.");
		expect((await r.nextRequest())?.system).toBe("You help.");
	},
);

test.for(restarts)(
	"`ask: all` proposes every call of a run, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const replies = [[calls("c1", "look"), calls("c2", "edit")], [says("done")]];
		const r = await begin(stack, { options: { ask: "all" }, replies, isRestarted, trusted: true });
		const [look = "", edit = ""] = await r.prompts(2);
		// The event is transient, so a client that joins later does not receive it.
		if (!isRestarted) {
			const proposed = [
				{ callId: "c1", token: look },
				{ callId: "c2", token: edit },
			];
			await expect(r.log.next("calls.proposed")).resolves.toMatchObject({ calls: proposed });
		}
		expect(r.ran).toEqual([]);
		await r.runtime.answer(unkeyed(), edit, { value: true });
		await r.runtime.answer(unkeyed(), look, { cancelled: true });
		expect(await r.ended()).toBe("");
		expect(r.ran).toEqual(["c2"]);
	},
);

test.for(restarts)(
	"`ask: all` also asks about calls that cannot run, and an approval lets them fail, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const replies = [[calls("c1", "bake"), calls("c2", "edit")], [says("done")]];
		const r = await begin(stack, { options: { ask: "all" }, replies, isRestarted });
		const [bake = "", edit = ""] = await r.prompts(2);
		const given = { value: true, arguments: {} };
		await expect(r.runtime.answer(unkeyed(), bake, given)).rejects.toThrow(
			/^arguments: the call cannot run .* so its arguments cannot be changed/,
		);
		await r.runtime.answer(unkeyed(), bake, { value: true });
		await r.runtime.answer(unkeyed(), edit, { value: true });
		expect(await r.ended()).toBe("");
		expect(r.ran).toEqual(["c2"]);
		expect(r.model.requests.at(-1)?.messages.at(-1)?.content).toMatchObject([
			{ callId: "c1", text: expect.stringMatching(/^the tool "bake" does not exist/), failed: true },
			{ callId: "c2", failed: false },
		]);
	},
);

test("`ask: all`: a call that cannot run keeps its approval over a restart", async () => {
	const model = new ScriptedModel([calls("c1", "bake")], [says("done")]);
	const first = await TestRuntime.open({ model, tools: [] });
	const session = await first.create();
	const log = await EventLog.join(first.runtime, session, { afterSeq: 0 });
	await first.runtime.send(unkeyed(), session, { content: "go" }, { ask: "all" });
	const { prompt } = await log.next("prompt.requested");
	await first.stop();
	const { directory, clock } = first;
	await using again = await TestRuntime.open({ model, tools: [], directory, clock });
	await again.runtime.start();
	const second = await EventLog.join(again.runtime, session, { afterSeq: 0 });
	await again.runtime.answer(unkeyed(), prompt.token, { value: true });
	await expect(second.next("tool.failed")).resolves.toMatchObject({ callId: "c1" });
	await expect(second.next("assistant.message")).resolves.toMatchObject({ content: "done" });
	second.check();
	expect(second.events.filter(({ event }) => event.type === "prompt.requested")).toHaveLength(1);
});

test.for(restarts)(
	"`afterCrash: cancel` lets a run wait for its decisions, also after a stop of the gateway: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const replies = [[calls("c1", "edit")], [says("done")]];
		const r = await begin(stack, { options: { ask: "all", afterCrash: "cancel" }, replies, isRestarted });
		const [edit = ""] = await r.prompts(1);
		await r.runtime.answer(unkeyed(), edit, { value: true });
		expect(await r.ended()).toBe("");
		expect(r.ran).toEqual(["c1"]);
	},
);

test.for(restarts)(
	"`onDenied: cancel` ends a run after the approved calls of the reply, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const replies = [[calls("c1", "edit"), calls("c2", "edit"), calls("c3", "edit")]];
		const r = await begin(stack, { options: { onDenied: "cancel" }, replies, isRestarted });
		const [first = "", second = "", third = ""] = await r.prompts(3);
		await r.runtime.answer(unkeyed(), second, { cancelled: true, reason: "no" });
		await r.runtime.answer(unkeyed(), first, { value: true });
		await r.runtime.answer(unkeyed(), third, { value: true });
		const requests = r.model.requests.length;
		expect(await r.ended()).toBe("cancelled");
		expect(r.ran).toEqual(["c1", "c3"]);
		expect(r.model.requests).toHaveLength(requests);
		const next = await r.nextRequest();
		expect(JSON.stringify(next?.messages)).toContain("denied by the approver: no");
	},
);

test("`onDenied: cancel` still ends a run if the gateway stops after the denial", async () => {
	await using stack = new AsyncDisposableStack();
	const replies = [[calls("c1", "edit"), calls("c2", "edit")]];
	const r = await begin(stack, { options: { onDenied: "cancel" }, replies, isRestarted: false });
	const [first = "", second = ""] = await r.prompts(2);
	await r.runtime.answer(unkeyed(), first, { cancelled: true });
	await r.log.next("tool.failed");
	await r.t.stop();
	const { directory, clock } = r.t;
	const tools = [probeTool("edit", { classes: ["write"] })];
	const t = stack.use(await TestRuntime.open({ model: r.model, tools, directory, clock }));
	await t.runtime.start();
	const log = await EventLog.join(t.runtime, r.session, { afterSeq: 0 });
	await t.runtime.answer(unkeyed(), second, { value: true });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "cancelled" });
	log.check();
});

test.for(restarts)(
	"`start: allDecided` starts no call before all of the reply are decided, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const replies = [[calls("c1", "look"), calls("c2", "edit"), calls("c3", "edit")], [says("done")]];
		const r = await begin(stack, { options: { start: "allDecided" }, replies, isRestarted });
		const [first = "", second = ""] = await r.prompts(2);
		await r.runtime.answer(unkeyed(), first, { value: true });
		await r.t.settle();
		expect(r.ran).toEqual([]);
		await r.runtime.answer(unkeyed(), second, { value: true });
		expect(await r.ended()).toBe("");
		expect(r.ran).toEqual(["c1", "c2", "c3"]);
	},
);

test("approved calls without effect run together under `ask: all`", async () => {
	await using stack = new AsyncDisposableStack();
	const replies = [[calls("c1", "glance"), calls("c2", "glance"), calls("c3", "glance")], [says("done")]];
	const begun: string[] = [];
	const first = Promise.withResolvers<void>();
	const readOnly = probeTool("glance", {
		effect: "none",
		run: async ({ callId }) => {
			if (begun.push(callId) === 1) await first.promise;
			return callId;
		},
	});
	const model = new ScriptedModel(...replies);
	const t = stack.use(await TestRuntime.open({ model, tools: [readOnly] }));
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(), session, { content: "go" }, { ask: "all", start: "allDecided" });
	for (let n = 0; n < 3; n++) {
		const { prompt } = await log.next("prompt.requested");
		await t.runtime.answer(unkeyed(), prompt.token, { value: true });
	}
	for (const callId of ["c1", "c2", "c3"]) {
		await expect(log.next("tool.running")).resolves.toMatchObject({ callId });
	}
	expect(begun).toEqual(["c1", "c2", "c3"]);
	first.resolve();
	await expect(log.next("assistant.message")).resolves.toMatchObject({ content: "done", error: "" });
	log.check();
});

test.for(restarts)(
	"`reasoning` and `model` apply to one run, also after a restart: %s",
	async (isRestarted) => {
		await using stack = new AsyncDisposableStack();
		const options = { reasoning: "high", model: "other" } as const;
		const r = await begin(stack, { options, replies: [[says("done")]], isRestarted });
		expect(await r.ended()).toBe("");
		expect(r.model.requests.at(-1)).toMatchObject({ reasoning: "high", model: "other" });
		const next = await r.nextRequest();
		expect(next?.model).toBe("scripted");
		expect(next).not.toHaveProperty("reasoning");
	},
);

test.for(restarts)("`budget.tokens` ends a run, also after a restart: %s", async (isRestarted) => {
	await using stack = new AsyncDisposableStack();
	// A scripted reply uses 15 tokens.
	const replies = [[calls("c1", "look")], [calls("c2", "look")]];
	const r = await begin(stack, { options: { budget: { tokens: 30 } }, replies, isRestarted });
	expect(await r.ended()).toBe("stopped: the budget of this run (30 tokens) is used up; set a larger budget");
	expect(r.ran).toEqual(["c1", "c2"]);
	expect((await r.nextRequest())?.messages.at(-1)).toMatchObject({ content: [{ text: "next" }] });
});

test.for(restarts)("`budget.cost` ends a run, also after a restart: %s", async (isRestarted) => {
	await using stack = new AsyncDisposableStack();
	// A scripted reply costs 10 * 1,000 + 5 * 2,000 billionths of a US dollar.
	const replies = [[calls("c1", "look")], [calls("c2", "look")]];
	const r = await begin(stack, {
		options: { budget: { cost: 40_000 } },
		replies,
		isRestarted,
		table: priced,
	});
	expect(await r.ended()).toBe("stopped: the budget of this run ($0.00004) is used up; set a larger budget");
	expect(r.ran).toEqual(["c1", "c2"]);
});

test("a run with `budget.cost` asks no model without a price", async () => {
	await using stack = new AsyncDisposableStack();
	const options = { budget: { cost: 1 } };
	const r = await begin(stack, { options, replies: [], isRestarted: false });
	expect(await r.ended()).toBe(
		"not sent: this run has a budget and scripted has no price; the operator can set a price in models.json",
	);
	expect(r.model.requests).toEqual([]);
});

test("a retried reply keeps the options of its run", async () => {
	await using stack = new AsyncDisposableStack();
	const options = { reasoning: "low" } as const;
	const r = await begin(stack, { options, replies: [[says("done")]], isRestarted: false });
	await r.ended();
	await r.runtime.retry(unkeyed(), r.session);
	await r.ended();
	expect(r.model.requests.at(-1)).toMatchObject({ reasoning: "low" });
});

// The cast imitates a program without types, which may send these values.
const wrong = (options: object): RunOptions => options as RunOptions;

test.for<[name: string, options: RunOptions, error: string]>([
	["tools", { tools: ["look", "no"] }, 'tools: the session does not have ["no"]; its tools are: look, edit'],
	["ask", wrong({ ask: "some" }), 'ask: "some" is not allowed: use one of policy, all'],
	["onDenied", wrong({ onDenied: "stop" }), 'onDenied: "stop" is not allowed: use one of tell, cancel'],
	["start", wrong({ start: "now" }), 'start: "now" is not allowed: use one of ready, allDecided'],
	["mode", wrong({ mode: "plan" }), 'mode: "plan" is not allowed: use one of react, ooda'],
	["reasoning", wrong({ reasoning: "much" }), 'reasoning: "much" is not allowed: use one of off, low'],
	["blank system", { system: { text: " ", place: "behind" } }, "system.text"],
	[
		"long system",
		{ system: { text: "x".repeat(200_001), place: "behind" } },
		"system.text: 200001 characters",
	],
	["place", wrong({ system: { text: "x", place: "first" } }), 'system.place: "first" is not allowed'],
	["tokens", { budget: { tokens: 0 } }, "budget.tokens: 0 is not allowed: use a whole number above 0"],
	["cost", { budget: { cost: 0.5 } }, "budget.cost: 0.5 is not allowed: use a whole number above 0"],
	["model", { model: "nonesuch" }, 'there is no model "nonesuch"'],
])("an option that is not possible is refused, and no message is stored: %s", async ([, options, error]) => {
	const tools = [probeTool("look"), probeTool("edit")];
	await using t = await TestRuntime.open({ model: new ScriptedModel(), tools });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const sent = t.runtime.send(unkeyed(), session, { content: "go" }, options);
	await expect(sent).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringContaining(error),
	});
	expect(log.recorded).not.toContain("user.message");
});

test.for<[role: Role, options: RunOptions, isAllowed: boolean]>([
	["guest", { model: "other" }, false],
	["guest", { reasoning: "max" }, false],
	["guest", { mode: "ooda" }, false],
	["guest", { tools: ["look"], ask: "all", onDenied: "cancel", start: "allDecided" }, true],
	["guest", { budget: { tokens: 1_000 } }, true],
	["member", { model: "other", reasoning: "max", mode: "ooda" }, true],
	["owner", { system: { text: "Obey.", place: "behind" } }, false],
	["owner", { system: { text: "Obey.", place: "instead" } }, false],
])("a %s of a channel sends %j: %s", async ([role, options, isAllowed]) => {
	const replies = options.mode === "ooda" ? 4 : 1;
	const model = new ScriptedModel(...Array.from({ length: replies }, () => [says("done")]));
	await using t = await TestRuntime.open({ model, tools: [probeTool("look")], anyModel: true });
	const ada = testConnector(role);
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0, principal: operator });
	const sent = t.runtime.send(unkeyed(ada), session, { content: "go" }, options);
	if (isAllowed) {
		await sent;
		await expect(log.next("assistant.message")).resolves.toMatchObject({ error: "" });
	} else await expect(sent).rejects.toMatchObject({ code: "permission_denied" });
});
