import type { OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import {
	answered,
	approval,
	event,
	play,
	read,
	token,
	tokenOf,
	writes,
} from "../../testing/question-scene.ts";

function voted(by: string, approvals: number, changed?: OzzieEvent): OzzieEvent {
	const payload = { token, by: `discord:1:${by}`, approvals, needed: 2 };
	const prompt = changed?.event === "prompt.request" ? { changed: changed.payload } : {};
	return event("prompt.vote", { ...payload, ...prompt });
}

function last(...events: readonly OzzieEvent[]): string {
	return read(play(events).posts.at(-1) ?? { text: "nothing" });
}

const question = approval({ approvals: 2 });

test("a card shows how many approvals a call has and needs", () => {
	expect(last(question)).toContain("**0 of 2 approvals** by different people\n");
	expect(last(question, voted("42", 1))).toContain("**1 of 2 approvals**: @42\n");
	expect(last(question, voted("42", 1))).toContain("[Approve once] [Deny] [Details] [Edit and approve]");
});

test("an approval of a person who lost the right is removed from the card", () => {
	expect(last(question, voted("42", 1), voted("43", 1))).toContain("**1 of 2 approvals**: @43\n");
	expect(last(question, voted("42", 1), voted("43", 2))).toContain("**2 of 2 approvals**: @42, @43\n");
});

test("a person of another platform who approved or changed a call is shown by name and platform", () => {
	const voter = "slack:T:U7";
	const changed = approval({ approvals: 2, arguments: { cmd: "npm run lint" } });
	const payload = { token, by: voter, by_name: "Mia *M*", approvals: 1, needed: 2 };
	const vote = event("prompt.vote", payload);
	const change = event("prompt.vote", {
		...payload,
		...(changed.event === "prompt.request" ? { changed: changed.payload } : {}),
	});
	expect(last(question, vote)).toContain("**1 of 2 approvals**: Mia \\*M\\* (Slack)\n");
	expect(last(question, change)).toContain(
		"**1 of 2 approvals**: Mia \\*M\\* (Slack) · arguments changed by Mia \\*M\\* (Slack)\n",
	);
	const end = answered({ by: "discord:1:43", voters: [voter], arguments: { cmd: "npm run lint" } });
	expect(last(question, change, end)).toContain(
		"✅ **Approved once**, with arguments that Mia \\*M\\* (Slack) changed, by Mia \\*M\\* (Slack) and @43, {3 s}",
	);
});

test("a changed call replaces the displayed one under its post", () => {
	const changed = approval(
		{ approvals: 2, arguments: { cmd: "npm run lint" } },
		{ label: "Allow run npm run lint?" },
	);
	const { posts } = play([question, voted("42", 1), voted("43", 1, changed)]);
	expect(new Set(posts.map(({ card }) => card)).size).toBe(1);
	expect(posts.at(-1)?.text).toContain("```\nnpm run lint\n```");
	expect(posts.at(-1)?.text).toContain("**1 of 2 approvals**: @43 · arguments changed by @43\n");
	expect(posts.at(-1)?.text).not.toContain("@42");
});

test("the closed card names all people who approved", () => {
	const end = answered({ by: "discord:1:43", voters: ["discord:1:42"] });
	expect(last(question, voted("42", 1), end)).toContain("✅ **Approved once** by @42 and @43, {3 s}");
});

test("the closed card names the person who changed the arguments, and all who approved them", () => {
	const changed = approval({ approvals: 2, arguments: { cmd: "npm run lint" } });
	const end = answered({
		by: "discord:1:42",
		voters: ["discord:1:43"],
		arguments: { cmd: "npm run lint" },
	});
	const text = last(question, voted("42", 1), voted("43", 1, changed), end);
	expect(text).toContain("✅ **Approved once**, with arguments that @43 changed, by @43 and @42, {4 s}");
	expect(text).toContain("npm run lint");
});

test("the closed card names the person who denied a call with approvals", () => {
	const end = answered({ by: "discord:1:43", value: false, cancelled: true, reason: "not today" });
	expect(last(question, voted("42", 1), end)).toContain("⛔ **Denied** by @43, {3 s}");
});

test("a row of a shared card shows how many approvals its call has", () => {
	const events = writes(["a.txt", "b.txt"], { context: { approvals: 2 } });
	const vote = event("prompt.vote", { token: tokenOf(2), by: "discord:1:42", approvals: 1, needed: 2 });
	const text = last(...events, vote);
	expect(text).toContain("**1.** `write_file` · **0 of 2 approvals** · write a.txt");
	expect(text).toContain("**2.** `write_file` · **1 of 2 approvals** · write b.txt");
});

test("a vote on a closed question changes nothing", () => {
	expect(play([question, answered({}), voted("42", 1)]).posts).toHaveLength(2);
});
