import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { Posting } from "../../platform/posting.ts";
import { chatDialect } from "../../testing/chat-dialect.ts";
import {
	answered,
	approval,
	elicitation,
	offer,
	play,
	scene,
	session,
	token,
} from "../../testing/question-scene.ts";
import { toRows } from "../to-rows.ts";
import { cardOf } from "./question.ts";
import { closedQuestion, openQuestions, questionOfPost } from "./questions.ts";

const other = "prompt_000000000000000000000000zz";

test("open questions are found by their card", () => {
	const { slice } = play([approval(), elicitation({ token: other })]);
	expect(openQuestions(slice).map((question) => question.token)).toEqual([token, other]);
	expect(questionOfPost(slice, cardOf(other))?.token).toBe(other);
	expect(questionOfPost(slice, "task:1")).toBeUndefined();
});

test("an answered question is no longer open, and its result is remembered", () => {
	const { slice } = play([elicitation({}), answered({ value: "b".repeat(900) })]);
	expect(openQuestions(slice)).toEqual([]);
	expect(closedQuestion(slice, token)).toEqual({
		token,
		by: "discord:1:42",
		outcome: `✅ **Answered** by @42, {2 s}\n\n> ${"b".repeat(200)}…`,
	});
});

test("a refused card of a trust request does not ask for a reply, because a reply cannot decide it", () => {
	const { posts } = play([elicitation({ type: "confirm", label: "Trust this channel?" })]);
	expect(posts.at(-1)?.plain).toMatch(
		/I could not post the full card here\. The operator can answer with `parley answer`\.$/u,
	);
});

test("a repeated question or a second answer has no effect", () => {
	const { posts } = play([approval(), approval(), answered({}), answered({ value: false }), approval()]);
	expect(posts.map(({ text }) => text.includes("Approved once"))).toEqual([false, true]);
});

test("the oldest of very many questions are forgotten", () => {
	const questions = Array.from({ length: 230 }, (_, index) => elicitation({ token: `prompt_${index}` }));
	const { slice } = play([
		...questions,
		...questions.slice(30).map((event) => answered({ token: tokenIn(event) })),
	]);
	expect(
		play(questions)
			.slice.open.map((question) => question.token)
			.slice(0, 2),
	).toEqual(["prompt_30", "prompt_31"]);
	expect([slice.open.length, slice.closed.length]).toEqual([0, 50]);
});

const long: readonly (readonly [says: string, events: readonly OzzieEvent[]])[] = [
	["a command", [approval({ arguments: { cmd: "echo && < > ` _ \n".repeat(2000) } })]],
	["a change", [approval({ preview: "+<&> ```\n".repeat(5000) })]],
	["an emoji that is cut", [approval({ arguments: { cmd: "🦀".repeat(3000) } })]],
	["very many notes", [approval({ warnings: Array.from({ length: 60 }, () => "*_`".repeat(200)) })]],
	["a label", [elicitation({ label: "*_`<&".repeat(400) })]],
	["very many options", [elicitation({ type: "multi", options: manyOptions(150) })]],
	["a pattern", [elicitation({ validation: "`".repeat(500), default: "*".repeat(4000) })]],
	["an answer", [elicitation({ label: "x".repeat(1500) }), answered({ value: "& ".repeat(5000) })]],
	[
		"other arguments",
		[approval({ arguments: { cmd: "<".repeat(3000) } }), answered({ arguments: { cmd: ">".repeat(3000) } })],
	],
];

test.each(long)("%s that is too long for posts is cut to one post, with a note", (_, events) => {
	for (const { dialect, post } of [
		{ dialect: scene.platform.dialect, post: 2000 },
		{ dialect: chatDialect, post: 2000 },
		{ dialect: chatDialect, post: 700 },
	]) {
		const limits = { ...scene.platform.limits, post };
		const where = { ...scene, platform: { ...scene.platform, dialect, limits } };
		const cards = play(events, where).posts.slice(-1);
		const showing = { time: { seq: 1, at: 0 }, conversation: "7", platform: where.platform };
		const [posting] = toRows(cards, showing).map(({ payload }) => Posting.parse(payload));
		const { body, controls } = posting?.type === "post" ? posting : { body: "" };
		const size = dialect.measure(body);
		expect(size).toBeLessThanOrEqual(post);
		const isApproval = /^\*+Approval\*/.test(body);
		if (!isApproval) expect(size).toBeGreaterThan(post / 2);
		const isOpen = events.length === 1;
		if (isOpen || !isApproval) {
			expect(body).toContain(isApproval ? "Not complete here:" : "Some details do not fit here");
		}
		expect(body).toMatch(/^\*+(?:Approval|Question)\*/);
		expect(body.isWellFormed()).toBe(true);
		expect(body).not.toContain("… some details");
		const label = isApproval ? "Details" : "Show all";
		if (isOpen) expect(JSON.stringify(controls)).toContain(`"label":"${label}"`);
	}
});

test("the stored part of a question is bounded for any content", () => {
	const [, longest = []] = long[1] ?? [];
	expect(JSON.stringify(play(longest).slice).length).toBeLessThan(20_000);
});

function manyOptions(count: number) {
	return Array.from({ length: count }, (_, index) => offer(`option ${index} ${"x".repeat(150)}`));
}

function tokenIn({ payload }: OzzieEvent): string {
	return "token" in payload && typeof payload.token === "string" ? payload.token : session;
}
