import { ParleyError } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { versionOf } from "../conversation/questions/question.ts";
import { listedPrompt, waiting } from "../testing/listed-prompts.ts";
import { behalf, type PressInput, QuestionContext, type QuestionPress } from "../testing/question-context.ts";
import {
	answered,
	approval,
	closed,
	elicitation,
	event,
	offer,
	play,
	read,
	scene,
	session,
	token,
} from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";

const sent: ScriptedAnswers = { prompt_response: () => ({ status: "sent" }) };
const options = [offer("tea", { label: "Tea" }), offer("ale"), offer("x,y")];

const given: readonly (readonly [
	says: string,
	question: OzzieEvent,
	kind: QuestionPress,
	PressInput,
	sends: object,
])[] = [
	["approves once", approval(), "approve", {}, { value: "once", changes: 0 }],
	[
		"approves for the session",
		approval({ allow_session: true }),
		"approve-session",
		{},
		{ value: "session", changes: 0 },
	],
	["denies", approval(), "deny", {}, { cancelled: true }],
	[
		"denies with a reason",
		approval(),
		"deny",
		{ fields: { reason: " no " } },
		{ cancelled: true, reason: "no" },
	],
	["skips", elicitation({ required: false }), "skip", {}, { cancelled: true }],
	["answers in words", elicitation({}), "answer", { fields: { text: " blue " } }, { text: "blue" }],
	["chooses", elicitation({ type: "select", options }), "choose", { values: ["1"] }, { value: "ale" }],
	["chooses nothing", elicitation({ type: "select", options }), "choose", { values: [] }, { value: "" }],
	[
		"chooses some",
		elicitation({ type: "multi", options }),
		"choose",
		{ values: ["0", "2"] },
		{ values: ["tea", "x,y"] },
	],
	[
		"writes a choice",
		elicitation({ type: "select", options }),
		"answer",
		{ fields: { text: "TEA" } },
		{ value: "tea" },
	],
	[
		"writes choices",
		elicitation({ type: "multi", options }),
		"answer",
		{ fields: { text: "ale,\nTea, 2" } },
		{ values: ["ale", "tea"] },
	],
	[
		"writes a choice with a comma",
		elicitation({ type: "multi", options }),
		"answer",
		{ fields: { text: "x,y" } },
		{ values: ["x,y"] },
	],
];

test.each(given)(
	"a press on %s is sent on behalf of the person, and only the card shows it",
	async (...[, question, kind, what, sends]) => {
		const t = new QuestionContext([question], sent);
		expect(await t.press(kind, what)).toBeUndefined();
		expect(t.gateway.requests).toEqual([
			{ method: "prompt_response", params: { token, key: "key", ...sends, ...behalf }, sessionId: session },
		]);
	},
);

const late: readonly (readonly [says: string, how: OzzieEvent, kind: QuestionPress, reply: string])[] = [
	["after an approval", answered({}), "deny", "Already answered:\n\n✅ **Approved once** by @42, {2 s}"],
	[
		"after a denial",
		answered({ value: false, by: "operator" }),
		"approve",
		"Already answered:\n\n⛔ **Denied** by the operator, {2 s}",
	],
	[
		"after its end",
		closed("expired"),
		"approve",
		"This request is closed:\n\n⌛ **No answer**, so the call did not run: the request expired, {2 s}",
	],
	["for a page", answered({}), "secret", "Already answered:\n\n✅ **Approved once** by @42, {2 s}"],
	["with a choice", answered({}), "choose", "Already answered:\n\n✅ **Approved once** by @42, {2 s}"],
];

test.each(late)("a late press, %s, returns the result", async (_, how, kind, reply) => {
	const t = new QuestionContext([approval(), how], sent);
	expect(await t.press(kind)).toEqual({ text: reply });
	expect(t.gateway.requests).toEqual([]);
});

test("a slower person gets the name of the person who answered first", async () => {
	const t = new QuestionContext([approval()], {
		prompt_response: () => {
			t.events = [approval(), answered({ by: "discord:1:43" })];
			return { status: "sent" };
		},
	});
	expect(await t.press("deny")).toEqual({
		text: "Already answered:\n\n✅ **Approved once** by @43, {2 s}",
	});
});

test("a person whose own answer is already recorded gets no text", async () => {
	const t = new QuestionContext([approval()], {
		prompt_response: () => {
			t.events = [approval(), answered({ by: "discord:1:42" })];
			return { status: "sent" };
		},
	});
	expect(await t.press("approve")).toBeUndefined();
});

test("a person without the right to approve gets the refusal of the gateway", async () => {
	const t = new QuestionContext(
		[approval()],
		refusing(
			"forbidden: only approvers of this channel can approve this: ask one of them",
			"permission_denied",
		),
	);
	expect(await t.press("approve")).toEqual({
		text: "Not accepted: only approvers of this channel can approve this: ask one of them.",
	});
});

test("an invalid answer can be corrected at once", async () => {
	const t = new QuestionContext(
		[elicitation({ validation: "[a-z]+" })],
		refusing("invalid params: the answer does not match a pattern", "invalid_argument"),
	);
	const reply = await t.press("answer", { fields: { text: "8" } });
	expect(read(reply ?? { text: "nothing" })).toBe(
		"Invalid answer: the answer does not match a pattern. The question is still open.\n[Answer again]",
	);
});

test("a question that neither the gateway nor the connector knows is reported as closed", async () => {
	const t = new QuestionContext([], refusing("prompt not found", "not_found"));
	expect((await t.press("approve"))?.text).toContain("This request is no longer waiting for an answer");
	expect((await t.press("choose", { values: ["0"] }))?.text).toContain(
		"This request is no longer waiting for an answer",
	);
});

test("a press can be repeated if the gateway cannot answer now", async () => {
	const t = new QuestionContext([approval()], refusing("draining", "unavailable"));
	await expect(t.press("approve")).rejects.toThrow("draining");
});

test("the question is shown completely from the gateway, also parts that its card omits", async () => {
	const cmd = "echo 1; ".repeat(3000);
	const context = { arguments: { cmd }, preview: "+a", notes: ["in /srv", "sandboxed"] };
	const { payload } = approval(context, { label: `Allow run ${cmd}?` });
	const place = { session_id: session, session_title: "", created_at: "", always_ask: false };
	const t = new QuestionContext([], {
		list_prompts: () => ({ prompts: [{ ...(payload as never as object), ...place } as never] }),
	});
	const text = (await t.press("details"))?.text ?? "";
	for (const part of [cmd, "```diff\n+a\n```", "- in /srv\n- sandboxed", "Risk: normal."])
		expect(text).toContain(part);
	expect(t.gateway.requests).toEqual([
		{ method: "list_prompts", params: { token, session_id: session, ...behalf }, sessionId: session },
	]);
});

test("the complete text of a closed question is its result", async () => {
	const t = new QuestionContext([approval(), answered({})], { list_prompts: () => ({ prompts: [] }) });
	expect((await t.press("details"))?.text).toContain("Approved once");
});

test("a password is entered on a page of the gateway, whose address is for one person only", async () => {
	const t = new QuestionContext([elicitation({ type: "password" })], {
		secret_page: () => ({ url: "https://gateway.example/s/1", expires_at: "1970-01-01T00:10:00.000Z" }),
	});
	expect(await t.press("secret")).toEqual({
		text: "This page is only for you. It works once and expires {until 600 s}.",
		controls: [[{ type: "link", url: "https://gateway.example/s/1", label: "Open the page" }]],
	});
	expect(t.gateway.requests).toEqual([
		{ method: "secret_page", params: { token, key: "key", ...behalf }, sessionId: session },
	]);
});

test("without a page of the gateway, the operator enters the password", async () => {
	const t = new QuestionContext(
		[elicitation({ type: "password" })],
		refusing("not available", "unimplemented"),
	);
	expect((await t.press("secret"))?.text).toContain("`parley answer`");
});

function refusing(message: string, code: ParleyError["code"]): ScriptedAnswers {
	const refuse = (): never => {
		throw new ParleyError(message, { code });
	};
	return { prompt_response: refuse, secret_page: refuse, list_prompts: refuse };
}

test.each(["approve", "approve-session"] as const)(
	"%s of a post that shows an earlier form of the call decides nothing",
	async (kind) => {
		const before = approval({ allow_session: true, arguments: { command: "ls" } });
		const after = approval({ allow_session: true, arguments: { command: "rm -rf /" } });
		const [shown] = play([before]).slice.open;
		if (!shown) throw new Error("no question is open");
		const subject = `${token}.${versionOf(shown)}`;
		const changed = new QuestionContext([after], sent);
		const reply = await changed.press(kind, {}, subject);
		expect(reply?.text).toContain("this call has changed");
		expect(changed.gateway.requests).toEqual([]);
		const same = new QuestionContext([before], sent);
		expect(await same.press(kind, {}, subject)).toBeUndefined();
		expect(same.gateway.requests).toHaveLength(1);
	},
);

test.each(["approve", "approve-session"] as const)(
	"%s on the card of a long call decides nothing after a change behind the stored part",
	async (kind) => {
		const start = "x".repeat(50_000);
		const callOf = (end: string): OzzieEvent =>
			approval({ approvals: 2, allow_session: true, arguments: { command: `${start}${end}` } });
		const [before, after] = [callOf("a"), callOf("b")];
		const changed = after.event === "prompt.request" ? { changed: after.payload } : {};
		const vote = event("prompt.vote", { token, by: "discord:1:43", approvals: 1, needed: 2, ...changed });
		const { slice, posts } = play([before]);
		const [earlier] = slice.open;
		const [later] = play([before, vote]).slice.open;
		expect(later?.call).toEqual({ ...earlier?.call, hash: later?.call?.hash });
		const ids = (posts[0]?.controls ?? []).flat().flatMap((control) => ("id" in control ? [control.id] : []));
		expect(ids.filter((id) => id.length > 100)).toEqual([]);
		const { subject = "" } = ids.map((id) => scene.controls.read(id)).find((one) => one?.kind === kind) ?? {};
		const edited = new QuestionContext([before, vote], sent);
		expect((await edited.press(kind, {}, subject))?.text).toContain("this call has changed");
		expect(edited.gateway.requests).toEqual([]);
		const same = new QuestionContext([before], sent);
		expect(await same.press(kind, {}, subject)).toBeUndefined();
		expect(same.gateway.requests).toHaveLength(1);
	},
);

const proposed = { approvals: 2, arguments: { cmd: "ls" } };
const edited = { approvals: 2, arguments: { cmd: "rm -rf /" }, changes: 1 };

function subjectBelow(call: typeof proposed): string {
	const [question] = play([approval(call)]).slice.open;
	if (!question) throw new Error("no question is open");
	return `${token}.${versionOf(question)}`;
}

test("an approval has the number of changes of the displayed call, so that the gateway refuses a later change", async () => {
	const t = new QuestionContext([approval(edited)], sent);
	await t.press("approve", {}, subjectBelow(edited));
	expect(t.gateway.requests.at(-1)?.params).toMatchObject({ value: "once", changes: 1 });
	const refused = refusing("forbidden: this call has changed: read it again", "permission_denied");
	const late = new QuestionContext([approval(proposed)], refused);
	const reply = await late.press("approve", {}, subjectBelow(proposed));
	expect(late.gateway.requests.at(-1)?.params).toMatchObject({ changes: 0 });
	expect(reply?.text).toBe("Not accepted: this call has changed: read it again.");
});

test.each([
	["approves the displayed call", proposed, proposed, 0],
	["approves the call that is displayed after its change", edited, edited, 1],
	["does not approve a changed call", edited, proposed, undefined],
] as const)(
	"a press that arrives before the events of its question %s",
	async (_, open, displayed, changes) => {
		const t = new QuestionContext([], { ...sent, ...waiting(listedPrompt({ token }, open)) });
		const reply = await t.press("approve", {}, subjectBelow(displayed));
		const answers = t.gateway.requests.filter(({ method }) => method === "prompt_response");
		expect(answers.map(({ params }) => Object(params).changes)).toEqual(
			changes === undefined ? [] : [changes],
		);
		expect(reply?.text.includes("this call has changed") ?? false).toBe(changes === undefined);
	},
);
