import { expect, test } from "vitest";
import { EventLog } from "../../testing/event-log.ts";
import { probeTool } from "../../testing/probe-tool.ts";
import { calls, ScriptedModel, says } from "../../testing/scripted-model.ts";
import { TestRuntime, unkeyed } from "../../testing/test-runtime.ts";
import { operator, type Principal, type Role } from "../../vocabulary/principal.ts";
import type { Elicitation } from "../../vocabulary/prompt.ts";

function acting(user: string, role: Role, channel = "general", connector = "connector:discord"): Principal {
	const place = { platform: "discord", tenant: "guild", channel, shared: false };
	const person = { id: `discord:guild:${user}`, name: user, role, place };
	return { id: connector, kind: "connector", platform: "discord", person };
}

const ada = acting("ada", "member");
const { person: _ada, ...alone } = ada;

/**
 * Opens two questions: one for a password in a channel session of Ada, and an always-required approval in a session of the
 * operator.
 */
async function passwordPrompt() {
	const password: Elicitation = {
		type: "password",
		label: "Key?",
		options: [],
		required: true,
		validation: "",
	};
	const ask = probeTool("ask", { run: async (context) => (await context.ask(password)).outcome });
	const wipe = probeTool("wipe", { classes: ["irreversible"] });
	const model = new ScriptedModel(
		[calls("c1", "ask")],
		[calls("c2", "wipe")],
		[says("done")],
		[says("done")],
	);
	const t = await TestRuntime.open({ model, tools: [ask, wipe] });
	const session = await t.create(ada);
	const log = await EventLog.join(t.runtime, session, { afterSeq: 0 });
	await t.runtime.send(unkeyed(ada), session, { content: "go" });
	const { prompt: secret } = await log.next("prompt.requested");
	t.clock.advance(1_000);
	const own = await t.create();
	const ownLog = await EventLog.join(t.runtime, own, { afterSeq: 0 });
	await t.send(own, "wipe it");
	const { prompt: approval } = await ownLog.next("prompt.requested");
	return { t, session, own, secret, approval, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() };
}

test("the operator sees all open prompts, the oldest first, with their place and person", async () => {
	await using c = await passwordPrompt();
	const { prompts } = c.t.runtime;
	await expect(prompts.list(operator, { limit: 10 })).resolves.toMatchObject([
		{
			prompt: c.secret,
			sessionId: c.session,
			requester: { id: "discord:guild:ada", name: "ada" },
			alwaysAsk: false,
		},
		{ prompt: c.approval, sessionId: c.own, alwaysAsk: true },
	]);
	const tokens = async (filter: object) =>
		(await prompts.list(operator, { limit: 10, ...filter })).map(({ prompt }) => prompt.token);
	expect(await tokens({ limit: 1 })).toEqual([c.secret.token]);
	expect(await tokens({ sessionId: c.own })).toEqual([c.approval.token]);
	expect(await tokens({ token: c.approval.token })).toEqual([c.approval.token]);
	await c.t.runtime.answer(unkeyed(), c.secret.token, { cancelled: true });
	expect(await tokens({})).toEqual([c.approval.token]);
	c.t.clock.advance(25 * 60 * 60 * 1000);
	expect(await tokens({})).toEqual([]);
});

test.each<[string, Principal, "both" | "secret" | "none"]>([
	["a connector without a person sees its own questions", alone, "secret"],
	["a guest sees the questions of their channel", acting("gus", "guest"), "secret"],
	["a member of another channel sees no prompt", acting("ada", "member", "random"), "none"],
	["another connector sees no prompt", acting("ada", "member", "general", "connector:x"), "none"],
	[
		"an observer of all sessions sees all prompts",
		{ id: "observer:1", kind: "observer", sessions: "all" },
		"both",
	],
	["an observer without sessions sees no prompt", { id: "observer:2", kind: "observer" }, "none"],
])("%s", async (_who, principal, seen) => {
	await using c = await passwordPrompt();
	const { prompts } = c.t.runtime;
	const listed = await prompts.list(principal, { limit: 10 });
	const all = { both: [c.secret.token, c.approval.token], secret: [c.secret.token], none: [] };
	expect(listed.map(({ prompt }) => prompt.token)).toEqual(all[seen]);
	const one = prompts.list(principal, { limit: 10, sessionId: c.own });
	if (seen === "both") await expect(one).resolves.toHaveLength(1);
	else await expect(one).rejects.toMatchObject({ code: "not_found" });
});

test("only the requester, approvers and the operator can enter a password", async () => {
	await using c = await passwordPrompt();
	const { prompts } = c.t.runtime;
	for (const principal of [operator, ada, acting("abe", "approver")])
		await expect(prompts.secret(principal, c.secret.token)).resolves.toMatchObject({ prompt: c.secret });
	for (const [principal, code] of [
		[acting("max", "member"), "permission_denied"],
		[acting("abe", "approver", "random"), "not_found"],
		[acting("ada", "member", "general", "connector:x"), "not_found"],
	] as const)
		await expect(prompts.secret(principal, c.secret.token)).rejects.toMatchObject({ code });
	const unknown = { code: "not_found", message: "prompt not found" };
	await expect(prompts.secret(operator, c.approval.token)).rejects.toMatchObject(unknown);
	await expect(prompts.secret(operator, "prompt_none")).rejects.toMatchObject(unknown);
	await c.t.runtime.answer(unkeyed(), c.secret.token, { cancelled: true });
	await expect(prompts.secret(operator, c.secret.token)).rejects.toMatchObject({
		code: "failed_precondition",
	});
});
