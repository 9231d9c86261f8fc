import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { onBehalf } from "../rooms/on-behalf.ts";
import { listedPrompt, waiting } from "../testing/listed-prompts.ts";
import { ada, commanded, general, scriptedContext } from "../testing/question-context.ts";
import { read, token } from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { approvalCommands } from "./approvals.ts";

const [approvals] = approvalCommands;

async function ask(answers: ScriptedAnswers, from?: number) {
	const { context, gateway } = scriptedContext(answers);
	const reply = await approvals?.run(context, commanded("approvals", from === undefined ? {} : { from }));
	return { replyText: reply ? read(reply) : "", reply, context, gateway };
}

test("an approval of another channel is shown with its author, its channel and its own buttons", async () => {
	const { replyText, reply, context, gateway } = await ask(waiting(listedPrompt()));
	expect(replyText).toBe(
		[
			"**Approval** · the agent wants to use `run_command`",
			"Requested by Mia \\*M\\* in another channel of Slack, in “Release”, {10 s}.",
			"```\nnpm test\n```",
			"- in /srv/app",
			"Risk: normal.\n[Approve once] [Deny] [Show all]",
		].join("\n\n"),
	);
	const ids = (reply?.controls ?? []).flat().flatMap((control) => ("id" in control ? [control.id] : []));
	const ofSession = { session: "sess_7", subject: token };
	expect(ids.map((id) => context.controls.read(id))).toEqual([
		// Token of the call and a hash of its shown version.
		{ ...ofSession, kind: "listed-approve", subject: expect.stringMatching(/^prompt_\w+\.[\w-]{16}$/) },
		{ ...ofSession, kind: "listed-deny" },
		{ ...ofSession, kind: "listed-details" },
	]);
	const behalf = onBehalf(ada, general);
	expect(gateway.requests).toEqual([
		{ method: "list_prompts", params: { approvals: true, limit: 200, ...behalf } },
		{ method: "list_prompts", params: { approvals: true, token, ...behalf } },
	]);
});

const { person: _person, name: _name, ...operatorPrompt } = listedPrompt();

test.each([
	["here", listedPrompt({ place: "discord:1:2", person: "discord:1:7" }), "Requested by @7 here, in"],
	[
		"elsewhere on the platform",
		listedPrompt({ place: "discord:1:3", person: "discord:1:7" }),
		"@7 in [another channel](https://chat.example/1/3)",
	],
	[
		"in another guild by somebody whom nobody here knows by their id",
		listedPrompt({ place: "discord:9:3", person: "discord:9:7" }),
		"Requested by Mia \\*M\\* in another channel of Discord",
	],
	["by the operator", operatorPrompt, "Requested by the operator in another channel of Slack"],
	[
		"by somebody without a name",
		listedPrompt({ name: "" }),
		"Requested by a person in another channel of Slack",
	],
])("an approval asked %s names its origin", async (_, prompt, words) => {
	expect((await ask(waiting(prompt))).replyText).toContain(words);
});

test("a call that always requires approval has no approve button", async () => {
	const { replyText } = await ask(waiting(listedPrompt({ always_ask: true }, { risk: "critical" })));
	expect(replyText).toContain("**Risk: critical.**");
	expect(replyText).toContain("\n[Deny] [Show all]");
	expect(replyText).not.toContain("[Approve once");
});

function many(count: number, ...given: Parameters<typeof listedPrompt>) {
	const [changes, context] = given;
	return Array.from({ length: count }, (_, index) =>
		listedPrompt({ token: `prompt_number${index}`, ...changes }, context),
	);
}

test("one post shows as many approvals as fit, each with its own buttons, and the number of hidden ones", async () => {
	const prompts = many(6);
	const { replyText, reply } = await ask(waiting(...prompts));
	expect(reply?.controls).toHaveLength(4);
	expect(replyText).toContain("[Approve 1] [Deny 1] [Show 1 in full]");
	expect(replyText).toContain("2 more: `/approvals from:5`");
	const rest = await ask(waiting(...prompts), 5);
	expect(rest.replyText).toMatch(/^\*\*Approval 5\*\*.*Approval 6/s);
	expect(rest.replyText).not.toContain("more:");
	expect((await ask(waiting(...prompts), 7)).replyText).toBe(
		"The list has no open approval with the number 7. `/approvals` shows the list from the start.",
	);
});

test("an approval that does not fit one post is shown alone and cannot be approved unread", async () => {
	const [one, two] = many(2);
	const long = listedPrompt({ token: "prompt_long00" }, { arguments: { cmd: "x".repeat(3_000) } });
	const first = await ask(waiting(long, ...many(2)));
	expect(first.replyText).toMatch(/x\n… [\d,]+ more characters/);
	expect(first.replyText).toContain("Some details do not fit here. Press **Show 1 in full**.");
	expect(first.replyText).toContain("2 more: `/approvals from:2`\n[Deny 1] [Show 1 in full]");
	expect(first.replyText).not.toContain("[Approve");
	expect(first.reply?.text.length).toBeLessThanOrEqual(2_000);

	// After other approvals, a long approval moves to the next page instead of being cut.
	const behind = await ask(waiting(...[one, two].flatMap((prompt) => prompt ?? []), long));
	expect(behind.reply?.controls).toHaveLength(2);
	expect(behind.replyText).toContain("[Approve 2]");
	expect(behind.replyText).not.toContain("Not all of it");
	expect(behind.replyText).toContain("1 more: `/approvals from:3`");
});

test("a short approval whose long values are only in its preview cannot be approved in a list", async () => {
	const write = { arguments: { path: "a", content: "x".repeat(300) }, preview: "+ x" };
	const brief = listedPrompt({ token: "prompt_brief0" }, write);
	for (const prompts of [
		[brief, ...many(1)],
		[...many(1), brief],
	]) {
		expect((await ask(waiting(...prompts))).reply?.controls).toHaveLength(1);
	}
});

test("a post with several approvals fits the limit of the platform, if any part is long", async () => {
	const long = "ä*".repeat(50);
	const prompts = many(4, { name: long, session_title: long }, { notes: [long.repeat(3)] });
	const { reply } = await ask(waiting(...prompts));
	expect(reply?.text.length).toBeLessThanOrEqual(2_000);
	expect(reply?.controls?.length).toBeLessThan(4);
	expect(reply?.text).toMatch(/\d more: `/);
});

test("approvals that a person can answer precede their own requests and calls that always require approval", async () => {
	const [critical, own] = many(2);
	const { reply, context } = await ask(
		waiting(
			listedPrompt({ ...critical, always_ask: true }),
			// Discord users have the same id in all guilds.
			listedPrompt({ ...own, person: "discord:9:42" }),
			listedPrompt({ token: "prompt_other00" }),
		),
	);
	const buttons = (reply?.controls ?? []).map(([first]) => (first && "id" in first ? first.id : ""));
	expect(buttons.map((id) => context.controls.read(id)?.subject.split(".")[0])).toEqual([
		"prompt_other00",
		"prompt_number1",
		"prompt_number0",
	]);
});

test("the list reports the number of hidden approvals", async () => {
	expect((await ask(waiting(...many(200)))).replyText).toContain("At least 196 more: ");
});

test("an empty list is reported", async () => {
	expect((await ask(waiting())).replyText).toBe("There are no open approvals that you can answer here.");
});

test("an approval that is answered while the list is made is omitted", async () => {
	const prompts = [listedPrompt()];
	const { replyText } = await ask({
		list_prompts: ({ token: named }) => ({ prompts: named ? [] : prompts }),
	});
	expect(replyText).toBe("There are no open approvals that you can answer here.");
});

test("a person without the right to approve gets the refusal of the gateway", async () => {
	const refusal = new ParleyError("only approvers of this channel can approve this: ask one of them", {
		code: "permission_denied",
	});
	await expect(ask({ list_prompts: () => Promise.reject(refusal) })).rejects.toBe(refusal);
});
