import { ParleyError } from "@parley/base";
import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { emptyConversation } from "../conversation/conversation.ts";
import { writeDisplayed } from "../conversation/questions/reply-cards.ts";
import { behalf, pressed, QuestionContext } from "../testing/question-context.ts";
import { answered, event, play, session, tokenOf, writes } from "../testing/question-scene.ts";
import type { ScriptedAnswers } from "../testing/scripted-requests.ts";
import { pressesOfCards } from "./cards.ts";
import { pressesOfQuestions } from "./questions.ts";
import { pressesOfReviews } from "./review.ts";

const [a, b] = writes(["a.txt", "b.txt", "c.txt"]);
const [, , secret] = writes([".key", ".crt", ".env"], { context: { risk: "critical" } });
const questions: OzzieEvent[] = [a, b, secret].filter((event) => event !== undefined);
const sent: ScriptedAnswers = { prompt_response: () => ({ status: "sent" }) };

function buttonOf(events: readonly OzzieEvent[]): string {
	const [card] = play(events).slice.cards ?? [];
	if (!card) throw new Error("there is no card");
	return writeDisplayed(card, new Set(card.rows.map(({ token }) => token)));
}

function press(
	kind: keyof typeof pressesOfCards,
	{ context }: QuestionContext,
	subject: string,
	reason?: string,
) {
	const fields = reason === undefined ? {} : { reason };
	return pressesOfCards[kind](context, pressed(fields), { kind, session, subject });
}

function answersIn({ gateway }: QuestionContext) {
	return gateway.requests.map(({ method, params }) => [method, params]);
}

test("all displayed calls are approved one by one, except those that always require approval", async () => {
	const t = new QuestionContext(questions, sent);
	const reply = await press("approve-all", t, buttonOf(questions));
	expect(answersIn(t)).toEqual([
		["prompt_response", { token: tokenOf(1), key: "key:1", value: "once", changes: 0, ...behalf }],
		["prompt_response", { token: tokenOf(2), key: "key:2", value: "once", changes: 0, ...behalf }],
	]);
	expect(reply?.text).toBe(
		"✅ **Approved:**\n\n- **1.** `write_file` · write a.txt\n- **2.** `write_file` · write b.txt\n\n**Not approved:**\n\n- **3.** `write_file` · write .env: only the operator can approve it, with `parley answer`",
	);
});

test("a call that was added after the card was shown is not answered", async () => {
	const t = new QuestionContext([...questions, ...writes(["d.txt"], { from: 4 })], sent);
	await press("approve-all", t, buttonOf(questions));
	expect(t.gateway.requests.map(({ params }) => Object(params).token)).toEqual([tokenOf(1), tokenOf(2)]);
});

test("a pending call that the button does not cover is reported", async () => {
	const t = new QuestionContext([...questions, ...writes(["d.txt"], { from: 4 })], sent);
	const { text } = (await press("approve-all", t, `${tokenOf(1)}.2`)) ?? {};
	expect(answersIn(t)).toHaveLength(1);
	expect(text).toContain(
		"✅ **Approved:**\n\n- **2.** `write_file` · write b.txt\n\n**Not approved:**\n\n- **1.** ",
	);
	expect(text).toContain("- **4.** `write_file` · write d.txt: the post did not show all of this call.");
});

test("a critical call that the button does not cover names the operator", async () => {
	const t = new QuestionContext(questions, sent);
	const { text } = (await press("approve-all", t, `${tokenOf(1)}.3`)) ?? {};
	expect(text).toContain("**3.** `write_file` · write .env: only the operator can approve it");
});

test.each([true, false])(
	"a call that needs two approvals is listed by whether it still waits: %j",
	async (waits) => {
		const several = { context: { approvals: 2, editable: false } };
		const [first] = writes(["v.txt"], several);
		const calls = [first].filter((event) => event !== undefined);
		const t = new QuestionContext(calls, {
			...sent,
			list_prompts: () => ({ prompts: waits ? [{ token: tokenOf(1) } as never] : [] }),
		});
		const { text } = (await press("approve-all", t, buttonOf(calls))) ?? {};
		expect(text).toContain(
			waits ? "your approval is recorded, but the call needs 2 approvals" : "✅ **Approved:**",
		);
	},
);

test("a call with changeable arguments that the button does not cover must be approved separately", async () => {
	const [, , votes] = writes([".a", ".b", "v.txt"], { context: { approvals: 2 } });
	const t = new QuestionContext(
		[a, b, votes].filter((event) => event !== undefined),
		sent,
	);
	const { text } = (await press("approve-all", t, `${tokenOf(1)}.3`)) ?? {};
	expect(text).toContain(
		"**3.** `write_file` · write v.txt: its arguments can still change, so approve this call separately",
	);
});

test("all displayed calls are denied with one reason", async () => {
	const t = new QuestionContext(questions, sent);
	const reply = await press("deny-all", t, buttonOf(questions), " not today ");
	expect(t.gateway.requests.map(({ params }) => params)).toEqual(
		[1, 2, 3].map((number) => ({
			token: tokenOf(number),
			key: `key:${number}`,
			cancelled: true,
			reason: "not today",
			...behalf,
		})),
	);
	expect(reply?.text).toMatch(/^⛔ \*\*Denied:\*\*/u);
});

test("each refusal and each earlier answer is reported with its reason", async () => {
	const t = new QuestionContext([...questions, answered({ token: tokenOf(2), by: "discord:1:7" })], {
		prompt_response: ({ token }) => {
			if (token === tokenOf(2)) return { status: "sent", late: true };
			throw new ParleyError("forbidden: only approvers of this channel can approve this: ask one of them", {
				code: "permission_denied",
			});
		},
	});
	const { text = "" } = (await press("approve-all", t, buttonOf(questions))) ?? {};
	expect(text).not.toContain("✅ **Approved:**");
	expect(text).toContain(
		"- **1.** `write_file` · write a.txt: only approvers of this channel can approve this: ask one of them",
	);
	expect(text).toContain(
		"- **2.** `write_file` · write b.txt: already answered: ✅ **Approved once** by @7, {4 s}",
	);
});

test("a call that the gateway no longer knows is reported, and the others are answered", async () => {
	const t = new QuestionContext(questions, {
		prompt_response: ({ token }) => {
			if (token === tokenOf(2)) return { status: "sent" };
			throw new ParleyError("prompt not found", { code: "not_found" });
		},
	});
	const { text } = (await press("approve-all", t, buttonOf(questions))) ?? {};
	expect(text).toContain("write a.txt: the gateway no longer has this call");
	expect(text).toContain("✅ **Approved:**\n\n- **2.**");
});

test("a press that the gateway did not receive is handled again with the same keys", async () => {
	let failures = 1;
	const t = new QuestionContext(questions, {
		prompt_response: ({ token }) => {
			if (token !== tokenOf(2) || failures-- <= 0) return { status: "sent" };
			throw new ParleyError("the gateway is away", { code: "unavailable" });
		},
	});
	await expect(press("approve-all", t, buttonOf(questions))).rejects.toThrow("the gateway is away");
	t.events = [...t.events, answered({ token: tokenOf(1) })];
	const { text } = (await press("approve-all", t, buttonOf(questions))) ?? {};
	expect(t.gateway.requests.map(({ params }) => Object(params).key)).toEqual([
		"key:1",
		"key:2",
		"key:1",
		"key:2",
	]);
	expect(text).toContain("✅ **Approved:**\n\n- **1.** `write_file` · write a.txt\n- **2.**");
});

test("an unknown card is reported", async () => {
	const t = new QuestionContext([], sent);
	expect(emptyConversation.questions.cards).toBeUndefined();
	const { text } = (await press("approve-all", t, buttonOf(questions))) ?? {};
	expect(text).toMatch(/^These calls are no longer waiting/u);
	expect(t.gateway.requests).toEqual([]);
});

test("no call is approved together with one that has changed since the card was shown, but all can be denied", async () => {
	const button = buttonOf(questions);
	const [, other] = writes(["a.txt", "other.txt"]);
	const changed = other?.event === "prompt.request" ? { changed: other.payload } : {};
	const vote = event("prompt.vote", {
		token: tokenOf(2),
		by: "discord:1:43",
		approvals: 1,
		needed: 2,
		...changed,
	});
	const events = [...questions, vote];
	const t = new QuestionContext(events, sent);
	expect((await press("approve-all", t, button))?.text).toContain("a call has changed");
	expect(answersIn(t)).toEqual([]);
	await press("approve-all", t, buttonOf(events));
	expect(answersIn(t)).toHaveLength(2);
	await press("deny-all", t, button);
	expect(answersIn(t)).toHaveLength(5);
});

test("a button for all calls of an earlier version, without the number of changes, still answers", async () => {
	const t = new QuestionContext(questions, sent);
	const [token, bits] = buttonOf(questions).split(".");
	await press("approve-all", t, `${token}.${bits}`);
	expect(answersIn(t)).toHaveLength(2);
});

test("after an update, a call that an earlier version stored without a hash can be approved where it is shown in full", async () => {
	const calls = [a, b].flatMap((one) => (one?.event === "prompt.request" ? [one] : []));
	const place = { session_id: session, session_title: "", created_at: "", always_ask: false };
	const t = new QuestionContext(calls, {
		...sent,
		list_prompts: ({ token }) => ({
			prompts: calls
				.filter(({ payload }) => payload.token === token)
				.map(({ payload }) => ({ ...payload, ...place }) as never),
		}),
	});
	const known = t.context.session(session);
	if (known === undefined) throw new Error("the session is unknown");
	const { questions: slice } = known.state;
	const open = slice.open.map(({ call, ...one }) => {
		const { hash: _, ...earlier } = call ?? {};
		return { ...one, call: earlier as NonNullable<typeof call> };
	});
	const state = { ...known.state, questions: { ...slice, open } };
	const context = { ...t.context, session: () => ({ ...known, state }) };
	const card = { kind: "review", session, subject: buttonOf(calls) } as const;
	const shown = await pressesOfReviews.review(context, pressed(), card);
	const [first] = shown?.controls?.[0] ?? [];
	const control = first && "id" in first ? context.controls.read(first.id) : undefined;
	if (control?.kind !== "approve") throw new Error("the call has no button");
	expect(await pressesOfQuestions.approve(context, pressed(), control)).toBeUndefined();
});
