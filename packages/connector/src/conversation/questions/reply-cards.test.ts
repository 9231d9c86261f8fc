import { createIds } from "@parley/base";
import type { EventPayloads, OzzieEvent } from "@parley/protocol";
import { expect, test } from "vitest";
import { Controls } from "../../controls/controls.ts";
import type { Control } from "../../platform/posting.ts";
import {
	answered,
	approval,
	closed,
	event,
	play,
	read,
	reminded,
	scene,
	token,
	tokenOf,
	writes,
} from "../../testing/question-scene.ts";
import type { ShowOperation } from "../vocabulary/render-operation.ts";
import { drawReplyCard } from "./draw-reply-card.ts";
import { readDisplayed, writeDisplayed } from "./reply-cards.ts";

const three = writes(["a.txt", "b.txt", "c.txt"]);
const waits = "(Expires {until 86400 s}.)";

function labels({ controls = [] }: { readonly controls?: ShowOperation["controls"] }): string[] {
	return controls.map((row) => row.map(labelOf).join(" | "));
}

function labelOf(control: Control): string {
	return "label" in control ? control.label : control.placeholder;
}

function last(events: readonly OzzieEvent[]): ShowOperation {
	const post = play(events).posts.at(-1);
	if (!post) throw new Error("nothing is shown");
	return post;
}

function waiting(path: string, number: number, code: string): string {
	return `**${number}.** \`write_file\` · ⏳ waiting · risk: normal · \`${code}\`\n\n\`\`\`\npath: ${path}\ncontent: hi\n\`\`\`\n\n\`\`\`diff\n+++ ${path}\n+hi\n\`\`\``;
}

test("the approvals of one reply are one card with a row for each call, shown when all are known", () => {
	const { posts } = play(three);
	expect(posts).toHaveLength(1);
	const rows = [
		"**Approval k3v9qx** · 3 calls of the agent",
		waiting("a.txt", 1, "k3v9qx"),
		waiting("b.txt", 2, "k3v9q2"),
		waiting("c.txt", 3, "k3v9q3"),
	];
	const buttons =
		"[Approve 1] [Deny 1] [Edit 1]\n[Approve 2] [Deny 2] [Edit 2]\n[Approve 3] [Deny 3] [Edit 3]\n[Approve all] [Deny all]";
	expect(read(posts[0] ?? { text: "" })).toBe(`${rows.join("\n\n")}\n${waits}\n${buttons}`);
	expect(posts[0]).toMatchObject({ lane: "approval", card: `prompt:${token}`, marker: "Approval k3v9qx" });
});

test("the card shows an answer in its row, and the buttons of the other calls remain", () => {
	const card = last([
		...three,
		answered({ token: tokenOf(2) }),
		answered({ token: tokenOf(3), value: false, cancelled: true, reason: "not *this* one", by: "operator" }),
	]);
	const rows = [
		"**Approval k3v9qx** · 3 calls of the agent",
		waiting("a.txt", 1, "k3v9qx"),
		"**2.** `write_file` · write b.txt\n\n✅ **Approved once** by @42, {4 s}",
		"**3.** `write_file` · write c.txt\n\n⛔ **Denied** by the operator, {5 s}\n\n> not \\*this\\* one",
	];
	expect(read(card)).toBe(`${rows.join("\n\n")}\n${waits}\n[Approve 1] [Deny 1] [Edit 1]`);
	const over = last([
		...three,
		...[2, 3].map((number) => answered({ token: tokenOf(number) })),
		closed("expired"),
	]);
	expect(read(over)).toContain(
		"**1.** `write_file` · write a.txt\n\n⌛ **No answer**, so the call did not run",
	);
	expect(over).toMatchObject({ card: `prompt:${token}`, marker: "Approval k3v9qx", controls: [] });
	expect(over.text).not.toContain("Expires");
});

test("the only call of a reply has the card of a single approval", () => {
	const context = { call_id: "call_1", reply: { id: "run_1/1", place: 1, count: 1 } };
	expect(last([approval(context)])).toEqual(last([approval()]));
	expect(last([approval(context), answered({})])).toEqual(last([approval(), answered({})]));
});

test("a card grows while one of its calls is pending, and marks a call that was asked before", () => {
	const again = writes(["b.txt"], {
		from: 4,
		context: { call_id: "call_2", notes: ["private data was read"] },
	});
	const card = last([...three, answered({ token: tokenOf(2) }), ...again]);
	expect(card.card).toBe(`prompt:${token}`);
	expect(card.text).toContain("4 calls of the agent");
	expect(card.text).toContain("**4.** `write_file` · **asked again** · ⏳ waiting");
	expect(card.text).toContain("- private data was read");
	expect(labels(card)).toEqual([
		"Approve 1 | Deny 1 | Edit 1",
		"Approve 3 | Deny 3 | Edit 3",
		"Approve 4 | Deny 4 | Edit 4",
		"Approve all | Deny all",
	]);
});

test("a single approval becomes a row when its reply asks for another call", () => {
	const [first] = writes(["a.txt"]);
	const [second] = writes(["b.txt"], { from: 2 });
	if (!first || !second) throw new Error("there are no calls");
	const { posts } = play([first, second]);
	expect(posts.map(({ card }) => card)).toEqual([`prompt:${token}`, `prompt:${token}`]);
	expect(posts.map(labels)).toEqual([
		["Approve once | Deny | Details | Edit and approve"],
		["Approve 1 | Deny 1 | Edit 1", "Approve 2 | Deny 2 | Edit 2", "Approve all | Deny all"],
	]);
});

test("if no call of a card is pending, the next call of its reply is a new post", () => {
	const answers = [1, 2, 3].map((number) => answered({ token: tokenOf(number) }));
	const card = last([...three, ...answers, ...writes(["d.txt"], { from: 4 })]);
	expect(card).toMatchObject({ card: `prompt:${tokenOf(4)}`, marker: "Approval k3v9q4" });
	expect(labels(card)).toEqual(["Approve once | Deny | Details | Edit and approve"]);
	const again = writes(["b.txt"], { from: 5, context: { call_id: "call_2" } });
	expect(last([...three, ...answers, ...again]).text).toMatch(
		/^\*\*Approval k3v9q5\*\* · the agent wants to use `write_file` · \*\*asked again\*\* · write b\.txt\n/u,
	);
});

test("calls that do not fit a card are on a second card with continued numbers", () => {
	const { posts } = play(writes(["a", "b", "c", "d", "e", "f"]));
	expect(posts.map(({ card }) => card)).toEqual([`prompt:${token}`, `prompt:${tokenOf(5)}`]);
	expect(posts.map((post) => labels(post).map((row) => row.replace(/ \|.*/u, "")))).toEqual([
		["Approve 1", "Approve 2", "Approve 3", "Approve 4", "Approve all"],
		["Approve 5", "Approve 6", "Approve all"],
	]);
});

test("a call that is always required has no button to approve it", () => {
	const graves = writes([".a", ".b", ".env"], { context: { risk: "critical", allow_session: true } });
	const card = last([...three.slice(0, 2), ...graves.slice(2)]);
	expect(card.text).toContain(
		"**3.** `write_file` · 🔒 **only the operator can approve this**, with `parley answer k3v9q3`",
	);
	expect(labels(card).slice(-2)).toEqual(["Deny 3", "Approve all | Deny all"]);
	const grave = last(writes([".env", ".key"], { context: { risk: "critical" } }));
	expect(labels(grave)).toEqual(["Deny 1", "Deny 2", "Deny all"]);
});

test("a call that can be approved for the session offers that in its row", () => {
	const card = last(writes(["a.txt", "b.txt"], { context: { allow_session: true } }));
	expect(labels(card)[1]).toBe("Approve 2 | Approve 2 for this session | Deny 2 | Edit 2");
});

test("a call that is too long for a shared post is shown in its own post", () => {
	const long = writes(["a", "b", "c", "d"], { context: { preview: `+${"line\n".repeat(400)}` } });
	const alone = long.map(({ payload }) =>
		play([approvalOf(payload)])
			.posts.map(read)
			.join(),
	);
	expect(play(long).posts.map(read)).toEqual(alone);
	const mixed = [0, 1, 2, 3].flatMap((index) =>
		(index === 1 ? long : writes(["a", "b", "c", "d"])).slice(index, index + 1),
	);
	const { posts } = play(mixed);
	expect(posts.map(({ card }) => card)).toEqual(
		[token, tokenOf(2), tokenOf(3)].map((one) => `prompt:${one}`),
	);
	expect(posts.map(labels)).toEqual([
		["Approve once | Deny | Details | Edit and approve"],
		["Approve once | Deny | Details | Edit and approve"],
		["Approve 3 | Deny 3 | Edit 3", "Approve 4 | Deny 4 | Edit 4", "Approve all | Deny all"],
	]);
	for (const { text } of posts) expect(text.length).toBeLessThanOrEqual(2000);
});

test("calls share a card as long as each fits completely", () => {
	const preview = `+${"x".repeat(600)}`;
	expect(play(writes(["a", "b", "c"], { context: { preview } })).posts.map(labels)).toEqual([
		["Approve 1 | Deny 1 | Edit 1", "Approve 2 | Deny 2 | Edit 2", "Approve all | Deny all"],
		["Approve once | Deny | Details | Edit and approve"],
	]);
});

test("long arguments that the preview contains do not shorten a call, and can be shown", () => {
	const context = { arguments: { path: "a", content: "x".repeat(300) }, preview: "+++ a\n+x" };
	const card = last(writes(["a", "b"], { context }));
	expect(labels(card)).toEqual([
		"Approve 1 | Deny 1 | Show all of 1 | Edit 1",
		"Approve 2 | Deny 2 | Show all of 2 | Edit 2",
		"Approve all | Deny all",
	]);
});

test("a call that the card shows only in part is not approved with the others", () => {
	const preview = `+${"x".repeat(500)}`;
	const [a, ,] = writes(["a", "b", "c"]);
	const [, b, c] = writes(["a", "b", "c"], { context: { preview } });
	if (!a || !b || !c) throw new Error("there are no calls");
	const { slice } = play([a, b, c]);
	const [card] = slice.cards ?? [];
	if (!card) throw new Error("there is no card");
	const limits = { ...scene.platform.limits, post: 1000 };
	const drawn = drawReplyCard(card, slice.open, { ...scene, platform: { ...scene.platform, limits } });
	expect(drawn.text.length).toBeLessThanOrEqual(1000);
	expect(drawn.text.match(/more characters/gu)).toHaveLength(2);
	const targets = (drawn.controls ?? [])
		.flat()
		.flatMap((control) => ("id" in control ? [scene.controls.read(control.id)] : []))
		.filter((target) => target?.kind.endsWith("-all"));
	expect(targets.map((target) => [target?.kind, target?.subject])).toEqual([
		["approve-all", `${token}.1`],
		["deny-all", `${token}.7`],
	]);
	const tiny = { ...scene.platform.limits, post: 500 };
	const short = drawReplyCard(card, slice.open, { ...scene, platform: { ...scene.platform, limits: tiny } });
	for (const number of [1, 2, 3]) expect(short.text).toContain(`**${number}.** \`write_file\``);
	expect(labels(short).at(-1)).toBe("Deny all");
});

test("a button for all calls answers only the calls that were open when it was shown", () => {
	const events = [...three, answered({ token: tokenOf(2) })];
	const cards = (more: readonly OzzieEvent[]) => play([...events, ...more]).slice.cards ?? [];
	const [before] = cards([]);
	if (!before) throw new Error("there is no card");
	const button = writeDisplayed(before, new Set([tokenOf(1), tokenOf(3)]));
	const later = cards([...writes(["d.txt"], { from: 4 }), answered({ token: tokenOf(1) })]);
	const { displayed = [], others = [] } = readDisplayed(later, button) ?? {};
	expect([displayed, others].map((rows) => rows.map((row) => row.number))).toEqual([
		[1, 3],
		[2, 4],
	]);
	expect(readDisplayed(later, `${tokenOf(9)}.7`)).toBeUndefined();
	expect(readDisplayed(later, token)?.displayed).toEqual([]);
});

test("platforms accept the ids of the buttons for all calls", () => {
	const ids = createIds();
	const rows = Array.from({ length: 30 }, () => {
		return { token: ids.create("prompt"), call: "", number: 1, place: 1 };
	});
	const [first, ...others] = rows;
	if (!first) throw new Error("there is no row");
	const all = new Set(rows.map((row) => row.token));
	const subject = writeDisplayed({ reply: "", rows: [first, ...others] }, all);
	const id = new Controls("secret").write({ kind: "approve-all", session: ids.create("sess"), subject });
	expect(id.length).toBeLessThanOrEqual(100);
	expect(id).toMatch(/^[\w.-]+$/u);
});

test("calls that were asked together have one reminder that lists all pending calls", () => {
	const events = [...three, answered({ token })];
	const { posts } = play([...events, reminded(tokenOf(2)), reminded(tokenOf(3))]);
	expect(posts.slice(2).map(read)).toEqual([
		"**Reminder 1 for k3v9q2**: 2 calls still wait for answers, expires {until 86400 s}.\n\n- **2.** `write_file` · write b.txt\n- **3.** `write_file` · write c.txt",
	]);
	const grown = play([...events, ...writes(["d.txt"], { from: 4 }), reminded(tokenOf(4))]);
	expect(grown.posts.at(-1)?.text).toBe(
		"**Reminder 1 for k3v9q4**: still waiting for an answer, expires {until 86400 s}.\n\n- **4.** `write_file` · write d.txt",
	);
});

test("a card that the platform refuses names its calls and how to answer them", () => {
	const { plain = "" } = last(three);
	expect(plain).toBe(
		[
			"**Approval k3v9qx** · 3 calls of the agent",
			"The full card could not be posted here. Reply to this post with **approve 1** or **deny 1**. An approver can use `/approvals`. The operator can answer each call with its command:",
			"- 1: `write_file` · write a.txt · `parley answer k3v9qx`\n- 2: `write_file` · write b.txt · `parley answer k3v9q2`\n- 3: `write_file` · write c.txt · `parley answer k3v9q3`",
		].join("\n\n"),
	);
});

test("the calls of a task are one card in the thread of the task", () => {
	const events = writes(["a.txt", "b.txt"], { context: { task_id: "task_1" } });
	const place = { card: `prompt:${token}`, task: "task_1", thread: "task:task_1" };
	expect(last(events)).toMatchObject(place);
	expect(last(events).text).toContain("2 calls of the task");
	const answers = [1, 2].map((number) => answered({ token: tokenOf(number) }));
	expect(last([...events, ...answers])).toMatchObject({ ...place, controls: [] });
	expect(play(events, { ...scene, threads: false }).posts.at(-1)).not.toHaveProperty("thread");
});

test("a card is closed with its conversation", () => {
	const card = last([...three, event("session.deleted", {})]);
	expect(card).toMatchObject({ card: `prompt:${token}`, controls: [] });
	expect(card.text.match(/the conversation was deleted/gu)).toHaveLength(3);
});

test("the state of answered cards is bounded", () => {
	const replies = Array.from({ length: 30 }, (_, reply) =>
		[1, 2].map((place) =>
			approval({ reply: { id: `run_1/${reply}`, place, count: 2 } }, { token: `prompt_${reply}_${place}` }),
		),
	);
	const answers = replies.flat().map((question) => answered({ token: tokenIn(question) }));
	const { cards = [] } = play([...replies.flat(), ...answers]).slice;
	expect(cards).toHaveLength(8);
	expect(play(replies.flat(), scene).slice.cards).toHaveLength(30);
});

/** The same approval without others of its reply. */
function approvalOf(payload: OzzieEvent["payload"]): OzzieEvent {
	const { context, ...question } = payload as EventPayloads["prompt.request"];
	const { reply: _, ...own } = context;
	return approval({ ...own }, question);
}

function tokenIn({ payload }: OzzieEvent): string {
	return "token" in payload && typeof payload.token === "string" ? payload.token : "";
}
