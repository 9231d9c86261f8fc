import { defined } from "@parley/base";
import type { EventPayloads, NoticePayload, OzzieEvent } from "@parley/protocol";
import { answered, approval, closed, elicitation, event, tokenOf } from "./question-scene.ts";

type Context = EventPayloads["prompt.request"]["context"];
type List<Item> = readonly [Item, ...Item[]];

class Dice {
	#state: number;

	constructor(seed: number) {
		this.#state = seed >>> 0;
	}

	/** Returns a pseudorandom number from 0 to below 1 (mulberry32). */
	next(): number {
		this.#state = (this.#state + 0x6d2b79f5) >>> 0;
		let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
		mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	}

	below(maximum: number): number {
		return Math.floor(this.next() * maximum);
	}

	of<Item>(items: List<Item>): Item {
		return items[this.below(items.length)] ?? items[0];
	}

	some<Value>(value: Value, chance = 0.5): Value | undefined {
		return this.next() < chance ? value : undefined;
	}

	text(): string {
		return this.of(fillings).repeat(this.of([1, 2, 3, 9, 40, 200]));
	}
}

const fillings = [
	"a",
	"word ",
	"調べる",
	"👩‍👩‍👧‍👦",
	"line\n",
	"```\n",
	"**x** ",
	"- item\n",
	"<@&1> ",
	"\t",
	"\u202e",
] as const;

/**
 * Returns the events of a conversation: 1 to 12 requests for approval with random texts, risks and warnings, then random
 * answers, votes, ends and reminders.
 */
export function approvalStory(seed: number): readonly OzzieEvent[] {
	const dice = new Dice(seed);
	const count = dice.of([1, 1, 2, 3, 5, 8, 12]);
	const isShared = count > 1 || dice.next() < 0.3;
	const task_id = dice.some("task_1", 0.3);
	const requests = Array.from({ length: count }, (_, index) =>
		callRequest(dice, {
			number: index + 1,
			more: defined({
				task_id,
				reply: isShared ? { id: "run_1/1", place: index + 1, count } : undefined,
			}),
		}),
	);
	const people = Array.from({ length: dice.of([1, 2, 10]) }, (_, index) => `discord:1:${index}`);
	const steps = Array.from({ length: dice.below(2 * count + 1) }, () =>
		nextStep(dice, { token: tokenOf(1 + dice.below(count)), people }),
	);
	return [...requests, ...steps];
}

function callRequest(
	dice: Dice,
	{ number, more }: { readonly number: number; readonly more: Context },
): OzzieEvent {
	const { context, label } = anyCall(dice);
	const usual = dice.of([0, 1]);
	return approval(
		{
			...context,
			call_id: `call_${dice.of([number, 1])}`,
			risk: dice.of(["low", "normal", "normal", "high", "critical"]),
			allow_session: dice.next() < 0.5,
			notes: anyWarnings(dice),
			...(usual === 0 ? { warnings: undefined as never } : { warnings: anyWarnings(dice) }),
			...defined({
				approvals: dice.some(dice.of([2, 3, 10]), 0.3),
				also_in: dice.some(["discord:1:2", "slack:T:C"], 0.2),
			}),
			...more,
		},
		{ token: tokenOf(number), label },
	);
}

function anyCall(dice: Dice): { readonly context: Context; readonly label: string } {
	const path = dice.of(["a.txt", `${dice.text()}.txt`]);
	const content = dice.text();
	const cmd = dice.of(["npm test", dice.text()]);
	const preview = `--- /dev/null\n+++ ${path}\n@@ -0,0 +1 @@\n+${content}`;
	const listed = dice.of(["list_schedules", "tool_".repeat(20)]);
	const calls: List<{ readonly context: Context; readonly label: string }> = [
		{ context: { tool: "run_command", arguments: { cmd } }, label: `Allow run ${cmd}?` },
		{
			context: { tool: "write_file", arguments: { path, content }, preview },
			label: `Allow write ${path}?`,
		},
		{ context: { tool: listed, arguments: {} }, label: dice.text() },
		{ context: { tool: "client_tool", arguments: [dice.text(), { a: [dice.text()] }] }, label: dice.text() },
	];
	return dice.of(calls);
}

function anyWarnings(dice: Dice): string[] {
	return Array.from({ length: dice.of([0, 0, 1, 2, 5, 30]) }, () =>
		dice.of(["this command runs without a sandbox", "in /srv/other", dice.text()]),
	);
}

function nextStep(
	dice: Dice,
	{ token, people }: { readonly token: string; readonly people: readonly string[] },
): OzzieEvent {
	const person = (): string =>
		dice.of(["discord:1:100000000000000042", "slack:T1:U7", "operator", "discord:1:7"]);
	const by = person();
	const voters = dice.some([person(), person()], 0.3);
	const steps: List<() => OzzieEvent> = [
		() => answered({ token, by, ...defined({ voters }) }),
		() => answered({ token, by, arguments: { cmd: dice.text() } }),
		() => answered({ token, by, value: false, cancelled: true, reason: dice.text() }),
		() => closed(dice.of(["expired", "cancelled", "ended", "", dice.text()]), token),
		() => event("prompt.vote", { token, by, ...foreignName(by), approvals: 1 + dice.below(3), needed: 3 }),
		() => reminded(dice, { token, people }),
	];
	return dice.of(steps)();
}

function foreignName(by: string): { readonly by_name?: string } {
	return by.startsWith("slack:") ? { by_name: "A long name of another team 調べる" } : {};
}

function reminded(
	dice: Dice,
	{ token, people }: { readonly token: string; readonly people: readonly string[] },
): OzzieEvent {
	const by = dice.of<NoticePayload["by"]>([["mention"], ["channel", "mention"], ["direct"]]);
	const notify = dice.some({ people, by, channels: ["discord:1:9"], escalated: dice.next() < 0.5 });
	const named = { token, label: "?", expires_at: "", run_id: "run_1" };
	return event("prompt.reminder", { ...named, ...defined({ notify }) });
}

/** Returns conversations with a password question or a trust request. Their cards also have a maximum number of lines. */
export function otherStories(): readonly (readonly OzzieEvent[])[] {
	const labels = ["Which password?", "A long question about a secret. ".repeat(40), "調べる".repeat(300)];
	return labels.flatMap((label) =>
		(["password", "confirm"] as const).flatMap((type) => {
			const question = elicitation({ type, label, token: tokenOf(1), required: false });
			return [
				[question],
				[question, answered({ cancelled: true })],
				[question, answered({ value: true })],
				[question, closed("cancelled")],
			];
		}),
	);
}
