import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { onBehalf } from "../rooms/on-behalf.ts";
import { listedPrompt, waiting } from "../testing/listed-prompts.ts";
import { ada, general, pressed, scriptedContext } from "../testing/question-context.ts";
import { read, token } from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { listedButtons, pressesOfListed } from "./listed.ts";

type Kind = keyof typeof pressesOfListed;

async function press(kind: Kind, answers: ScriptedAnswers, fields: Readonly<Record<string, string>> = {}) {
	const { context, gateway } = scriptedContext(answers);
	const target = { kind, session: "sess_7", subject: token };
	const reply = await pressesOfListed[kind](context, pressed(fields), target);
	return { replyText: reply ? read(reply) : "", gateway };
}

const one = waiting(listedPrompt());
const sent = { prompt_response: () => ({ status: "sent" as const }) };
const late = { prompt_response: () => ({ status: "sent" as const, late: true as const }) };
const over = /^This approval is closed, or you cannot answer it here\. See its card/;

test.each([
	["listed-approve", {}, { value: "once", changes: 0 }, "✅ **Approved once** by @42, {1767225600 s}"],
	["listed-deny", {}, { cancelled: true }, "⛔ **Denied** by @42, {1767225600 s}"],
	[
		"listed-deny",
		{ reason: " not today " },
		{ cancelled: true, reason: "not today" },
		"⛔ **Denied** by @42, {1767225600 s}\n\n> not today",
	],
] as const)("%s with %j is sent on behalf of the person, and answered with its card", async (...given) => {
	const [kind, fields, response, words] = given;
	const { replyText, gateway } = await press(kind, { ...one, ...sent }, fields);
	expect(gateway.requests.at(-1)).toEqual({
		method: "prompt_response",
		params: { token, key: "key", ...response, ...onBehalf(ada, general) },
	});
	expect(replyText).toMatch(/^\*\*Approval\*\* · the agent wants to use `run_command`\n\nRequested by Mia/);
	expect(replyText.endsWith(words)).toBe(true);
});

test.each([
	["another command", { cmd: "rm -rf /" }],
	["another end of a long command", { cmd: `${"a".repeat(10_000)} -rf /` }],
])("a press on a list that was shown before the call got %s decides nothing", async (_what, changed) => {
	const before = listedPrompt({}, { arguments: { cmd: `${"a".repeat(10_000)} -n 10` } });
	const after = listedPrompt({}, { arguments: changed });
	for (const [now, decides] of [
		[before, true],
		[after, false],
	] as const) {
		const { context, gateway } = scriptedContext({ ...waiting(now), ...sent });
		const [approve] = listedButtons(context, before, { cut: false });
		const target = approve?.type === "button" ? context.controls.read(approve.id) : undefined;
		if (target?.kind !== "listed-approve") throw new Error("the list has no button to approve");
		const reply = await pressesOfListed[target.kind](context, pressed({}), target);
		expect(gateway.requests.some(({ method }) => method === "prompt_response")).toBe(decides);
		expect(reply?.text.includes("this call has changed since this list was shown")).toBe(!decides);
	}
});

test("one of several approvals says that the call still waits", async () => {
	const several = listedPrompt({}, { approvals: 2 });
	const { replyText } = await press("listed-approve", { ...waiting(several), ...sent });
	expect(replyText).not.toContain("✅");
	expect(replyText).toMatch(/\n\nYour approval is recorded\. The call needs 2 approvals in total\.$/);
	let isOpen = true;
	const last: ScriptedAnswers = {
		list_prompts: () => ({ prompts: isOpen ? [several] : [] }),
		prompt_response: () => {
			isOpen = false;
			return { status: "sent" };
		},
	};
	expect((await press("listed-approve", last)).replyText).toContain("✅ **Approved once** by @42");
	expect((await press("listed-deny", { ...waiting(several), ...sent })).replyText).toContain("⛔ **Denied**");
});

test("a repeated press returns the result, although the approval is closed", async () => {
	expect((await press("listed-approve", { ...waiting(), ...sent })).replyText).toBe(
		"✅ **Approved once** by @42, {1767225600 s}",
	);
});

test.each(["listed-approve", "listed-deny"] as const)("%s after the end is explained", async (kind) => {
	expect((await press(kind, { ...one, ...late })).replyText).toMatch(over);
	const notFound = new ParleyError("prompt not found", { code: "not_found" });
	const unknown = { ...waiting(), prompt_response: () => Promise.reject(notFound) };
	expect((await press(kind, unknown)).replyText).toMatch(over);
});

test("the complete call is shown while it is pending, and can be approved there", async () => {
	const question = waiting(listedPrompt({}, { preview: "+ a line" }));
	const { replyText } = await press("listed-details", question);
	expect(replyText).toContain("+ a line");
	expect(replyText).toMatch(/\n\[Approve once\] \[Deny\]$/);
	const critical = waiting(listedPrompt({ always_ask: true }));
	expect((await press("listed-details", critical)).replyText).toMatch(/\n\[Deny\]$/);
	expect((await press("listed-details", waiting())).replyText).toMatch(over);
});

test("a person who may not approve is refused by the gateway", async () => {
	const refusal = new ParleyError("only approvers of this channel can approve this: ask one of them", {
		code: "permission_denied",
	});
	const answers = { list_prompts: () => Promise.reject(refusal) };
	await expect(press("listed-approve", answers)).rejects.toBe(refusal);
});
