import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type ModelInfo, ModelTable } from "../../models/table/model-table.ts";
import type { Profile, Profiles } from "../../policy/profiles/profile.ts";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../../testing/test-runtime.ts";

function info(id: string, more: Partial<ModelInfo> = {}): ModelInfo {
	const limits = { contextWindow: 100_000, maxOutput: 10_000 };
	const able = { reasoning: "none", sampling: true, images: true } as const;
	return { id, provider: "scripted", ...limits, ...able, ...more };
}

const table = new ModelTable([
	info("quick-2", { tier: "fast" }),
	info("solid-2", { tier: "standard", prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } }),
]);

function profiles(...own: Profile[]): Profiles {
	const all: Profile[] = [{ name: "default", title: "Parley", sampling: {} }, ...own];
	return {
		async find(name) {
			const profile = all.find((one) => one.name === name);
			if (profile) return profile;
			throw new Error(`agent not found: ${name}`);
		},
		list: async () => ({ profiles: all, problems: [] }),
	};
}

interface Talk {
	readonly t: TestRuntime;
	readonly model: ScriptedModel;
	readonly session: string;
	say(): Promise<ScriptedModel["requests"][number] | undefined>;
}

async function talk(
	stack: AsyncDisposableStack,
	options: Partial<TestRuntimeOptions> & { profile?: string } = {},
): Promise<Talk> {
	const { profile, ...more } = options;
	const model = new ScriptedModel([says("one")], [says("two")], [says("three")]);
	const t = stack.use(await TestRuntime.open({ model, table, modelName: "standard", ...more }));
	const { id: session } = await t.runtime.create(unkeyed(), profile === undefined ? {} : { profile });
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	const say = async () => {
		await t.send(session, "hi");
		await log.next("assistant.message");
		return model.requests.at(-1);
	};
	return { t, model, session, say };
}

test("a session's model is chosen by name or tier for its next runs, and `default` resets it", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session, say } = await talk(stack);
	await expect(say()).resolves.toMatchObject({ model: "solid-2" });
	await expect(t.runtime.setModel(unkeyed(), session, "fast")).resolves.toEqual({ model: "quick-2" });
	await expect(say()).resolves.toMatchObject({ model: "quick-2" });
	await expect(t.runtime.setModel(unkeyed(), session, "default")).resolves.toEqual({ model: "solid-2" });
	await expect(say()).resolves.toMatchObject({ model: "solid-2" });
});

test("the chosen model survives a restart", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session } = await talk(stack);
	await t.runtime.setModel(unkeyed(), session, "quick-2");
	await t.stop();
	const model = new ScriptedModel([says("one")]);
	await using again = await TestRuntime.open({ model, table, directory: t.directory, clock: t.clock });
	const log = await EventLog.join(again.runtime, session);
	await again.send(session, "hi");
	await log.next("assistant.message");
	expect(model.requests[0]?.model).toBe("quick-2");
});

test("an unknown model is refused with similar names and changes no session", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session, say } = await talk(stack);
	await expect(t.runtime.setModel(unkeyed(), session, "quick-3")).rejects.toMatchObject({
		code: "invalid_argument",
		message: expect.stringMatching(/^model: there is no model "quick-3".*quick-2/),
	});
	await expect(say()).resolves.toMatchObject({ model: "solid-2" });
});

test("an unknown model is accepted if any model is allowed", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session, say } = await talk(stack, { anyModel: true });
	await t.runtime.setModel(unkeyed(), session, "llama-7b");
	await expect(say()).resolves.toMatchObject({ model: "llama-7b" });
});

test("a profile sets the model, the instructions and the tools", async () => {
	const tools = [probeTool("look"), probeTool("strike")];
	const careful: Profile = {
		name: "careful",
		title: "Careful",
		model: "fast",
		tools: ["look"],
		reasoning: "high",
		sampling: { temperature: 0.1, maxTokens: 50 },
	};
	await using stack = new AsyncDisposableStack();
	const { say } = await talk(stack, { profile: "careful", profiles: profiles(careful), tools });
	const request = await say();
	expect(request).toMatchObject({ model: "quick-2", sampling: careful.sampling, reasoning: "high" });
	expect(request?.tools.map(({ name }) => name)).toEqual(["look"]);
});

test("a missing profile ends the run with the reason", async () => {
	await using stack = new AsyncDisposableStack();
	const own = { name: "gone", title: "Gone", sampling: {}, tools: ["nothing"] };
	const { t, session } = await talk(stack, { profile: "gone", profiles: profiles(own) });
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "hi");
	await expect(log.next("assistant.message")).resolves.toMatchObject({
		error: expect.stringMatching(/^the agent gone names an unknown tool: nothing; available: /),
	});
});

test("costs are calculated for the model that answered", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session } = await talk(stack);
	const log = await EventLog.join(t.runtime, session);
	await t.send(session, "hi");
	// The cost is 10 input tokens at $2 and 5 output tokens at $10, each per million.
	await expect(log.next("model.called")).resolves.toMatchObject({ cost: 70_000 });
	await expect(log.next("assistant.message")).resolves.toMatchObject({ cost: 70_000 });
});

test("images of a message reach the model before its text, also after a restart", async () => {
	const image = { type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" } as const;
	await using stack = new AsyncDisposableStack();
	const { t, model, session } = await talk(stack);
	const log = await EventLog.join(t.runtime, session);
	await t.runtime.send(unkeyed(), session, { content: "what is this?", images: [image] });
	await log.next("assistant.message");
	const question = { role: "user", content: [image, { type: "text", text: "what is this?" }] };
	expect(model.requests[0]?.messages).toEqual([question]);
	await t.stop();
	const second = new ScriptedModel([says("one")]);
	await using again = await TestRuntime.open({
		model: second,
		table,
		directory: t.directory,
		clock: t.clock,
	});
	const later = await EventLog.join(again.runtime, session);
	await again.send(session, "and now?");
	await later.next("assistant.message");
	expect(second.requests[0]?.messages[0]).toEqual(question);
});

test("a repeated model choice with its key changes nothing, also after another choice", async () => {
	await using stack = new AsyncDisposableStack();
	const { t, session, say } = await talk(stack);
	const choose = (key: string, name: string) =>
		t.runtime.setModel({ ...unkeyed(), key, params: { name } }, session, name);
	await expect(choose("k1", "fast")).resolves.toEqual({ model: "quick-2" });
	await expect(choose("k2", "standard")).resolves.toEqual({ model: "solid-2" });
	await expect(choose("k1", "fast")).resolves.toEqual({ model: "quick-2" });
	await expect(say()).resolves.toMatchObject({ model: "solid-2" });
});

test("a session that is opened again with its key exists although its profile is no longer usable", async () => {
	await using stack = new AsyncDisposableStack();
	const all = new Map([["poet", { name: "poet", title: "Poet", sampling: {} }]]);
	const vanishing: Profiles = {
		async find(name) {
			const profile = all.get(name);
			if (!profile) throw new ParleyError(`agent not found: ${name}`, { code: "invalid_argument" });
			return profile;
		},
		list: async () => ({ profiles: [...all.values()], problems: [] }),
	};
	const t = stack.use(await TestRuntime.open({ model: new ScriptedModel(), table, profiles: vanishing }));
	const open = (key: string) => t.runtime.create({ ...unkeyed(), key }, { profile: "poet" });
	const { id } = await open("k1");
	all.clear();
	await expect(open("k1")).resolves.toMatchObject({ id });
	await expect(open("k2")).rejects.toMatchObject({ code: "invalid_argument" });
});
