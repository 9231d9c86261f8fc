import { mkdir, mkdtemp, realpath, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { ModelTable } from "../models/table/model-table.ts";
import type { Profile, Profiles } from "../policy/profiles/profile.ts";
import { EventLog } from "../testing/event-log.ts";
import { probeTool } from "../testing/probe-tool.ts";
import { calls, ScriptedModel, type ScriptedReply, says, stuck } from "../testing/scripted-model.ts";
import { testConnector } from "../testing/test-connector.ts";
import { TestRuntime, type TestRuntimeOptions, unkeyed } from "../testing/test-runtime.ts";
import { noChat } from "../vocabulary/chat-settings.ts";
import { operator } from "../vocabulary/principal.ts";

const gardener: Profile = {
	name: "gardener",
	title: "Gardener",
	model: "rake",
	tools: ["look"],
	sampling: { temperature: 0.5 },
	instructions: "You keep a garden.",
};
const profiles: Profiles = {
	async find(name) {
		if (name === "gardener") return gardener;
		if (name === "default") return { name, title: "Parley", sampling: {} };
		throw new ParleyError(`agent not found: ${name}`, { code: "not_found" });
	},
	list: async () => ({ profiles: [gardener], problems: [] }),
};
const tools = [probeTool("look", { effect: "none" }), probeTool("edit", { classes: ["write"] })];

function optionsFor(...replies: ScriptedReply[]) {
	const model = new ScriptedModel(...replies);
	const table = new ModelTable();
	return { model, profiles, tools, table, anyModel: true, systemTemplate: "{{instructions}}" };
}

async function open(stack: AsyncDisposableStack, options: TestRuntimeOptions) {
	const t = await TestRuntime.open(options);
	stack.defer(() => t[Symbol.asyncDispose]().catch(() => undefined));
	return t;
}

test("another agent handles a run with its own instructions, model, tools and sampling, and no other run", async () => {
	await using stack = new AsyncDisposableStack();
	const options = optionsFor([says("one")], [says("two")], [says("three")]);
	const t = await open(stack, options);
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.setModel(unkeyed(), session, "spade");
	for (const agent of [undefined, "gardener", undefined]) {
		await t.runtime.send(unkeyed(), session, { content: "hi" }, agent === undefined ? {} : { agent });
		await log.next("assistant.message");
	}
	const [first, second, third] = options.model.requests;
	expect(second).toMatchObject({ model: "rake", sampling: { temperature: 0.5 } });
	expect(second?.system.trim()).toBe("You keep a garden.");
	expect(second?.tools.map(({ name }) => name)).toEqual(["look"]);
	expect(third).toMatchObject({ model: "spade", system: first?.system, tools: first?.tools });
});

test("a run that is resumed keeps its agent", async () => {
	await using stack = new AsyncDisposableStack();
	const options = optionsFor(stuck("cut"), [says("done")]);
	const before = await TestRuntime.open(options);
	const { clock, directory } = before;
	const session = await before.create();
	const log = await EventLog.join(before.runtime, session, { afterSeq: 0 });
	const sent = await before.runtime.send(unkeyed(), session, { content: "hi" }, { agent: "gardener" });
	await log.next("text.delta");
	await before.stop();
	const after = await open(stack, { ...options, clock, directory });
	await after.runtime.start();
	await (await EventLog.join(after.runtime, session, { afterSeq: 0 })).next("assistant.message");
	expect(options.model.requests.at(-1)?.system.trim()).toBe("You keep a garden.");
	expect(await after.runtime.explain(operator, session, sent.runId)).toMatchObject({ profile: "gardener" });
});

test("the policy of the agent of the run decides its calls", async () => {
	await using stack = new AsyncDisposableStack();
	const place = await mkdtemp(join(await realpath(tmpdir()), "parley-agents-"));
	await mkdir(join(place, "agents", "gardener"), { recursive: true });
	const rules = [{ effect: "deny", tool: "look", reason: "gardeners do not look" }];
	await writeFile(join(place, "agents", "gardener", "policy.jsonc"), JSON.stringify({ rules }), {
		mode: 0o600,
	});
	const replies = [[calls("a", "look")], [says("no")], [calls("b", "look")], [says("yes")]];
	const policy = { file: join(place, "policy.jsonc"), agents: join(place, "agents") };
	const t = await open(stack, { ...optionsFor(...replies), policy });
	const session = await t.create();
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(), session, { content: "hi" }, { agent: "gardener" });
	expect((await log.next("tool.failed")).error).toContain("gardeners do not look");
	await log.next("assistant.message");
	await t.send(session, "again");
	await log.next("tool.completed");
});

test("an unknown agent is refused before the message is accepted", async () => {
	await using stack = new AsyncDisposableStack();
	const t = await open(stack, optionsFor());
	const session = await t.create();
	const sent = t.runtime.send(unkeyed(), session, { content: "hi" }, { agent: "cook" });
	await expect(sent).rejects.toThrow("agent not found: cook");
});

test("a channel with an agent from the operator does not accept another agent", async () => {
	await using stack = new AsyncDisposableStack();
	const place = { platform: "discord", tenant: "guild", channel: "general", shared: false };
	const ada = { id: "discord:guild:ada", name: "ada", role: "owner" as const, place };
	const connector = { ...testConnector("owner"), person: ada };
	const chat = { ...noChat, places: { "discord:guild:general": { agent: "default" } } };
	const t = await open(stack, { ...optionsFor(), chat });
	const session = await t.create(connector);
	const sent = t.runtime.send(unkeyed(), session, { content: "hi" }, { agent: "gardener" });
	await expect(sent).rejects.toThrow(
		"the agent gardener is not allowed in this channel: use default, which the operator has set",
	);
});
