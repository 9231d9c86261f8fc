import { expect, test } from "vitest";
import type { ModelRequest } from "../../vocabulary/model.ts";
import { isPrefix, structuralFault, wordsOf } from "./testing/check-request.ts";
import { type Tokenizer, ToySession, tokenizers } from "./testing/toy-session.ts";
import { chance, chinese, code, prose } from "./testing/toy-text.ts";

const contextWindow = 20_000;
const firstRequest = `Build the thing.\nCondition 1: never touch the file LICENSE.\n${"Details matter. ".repeat(40)}`;

async function turn(
	toy: ToySession,
	at: number,
	random: () => number,
	call: () => Promise<void>,
): Promise<void> {
	await toy.ask(at === 0 ? firstRequest : `Request ${at}: ${prose(random, 20 + Math.floor(random() * 60))}`);
	await call();
	for (let step = 0; step < Math.floor(random() * 4); step++) {
		const id = `call_${at}_${step}`;
		const text = [prose(random, 300), code(random, 60), chinese(random, 400)][Math.floor(random() * 3)] ?? "";
		const args = { path: `src/${at}/${step}.ts` };
		toy.calls({ id, name: "read_file", arguments: args, text, failed: false });
		await call();
	}
	const thinking = { type: "thinking", text: prose(random, 60), signature: `seal ${at}` } as const;
	const text = { type: "text", text: `Reply ${at}. ${prose(random, 40)}` } as const;
	toy.add({ role: "assistant", content: [thinking, text] });
}

async function leaveOpen(toy: ToySession): Promise<void> {
	await toy.ask("Release it.");
	const denied = { id: "denied", name: "run_command", arguments: { command: "git push --force" } };
	toy.calls({ ...denied, text: "denied by the approver: not on main", failed: true });
	await toy.answered("denied", "cancelled", { kind: "denied", reason: "not on main" });
	const question = { id: "asked", name: "ask_user", arguments: { type: "text", label: "Which licence?" } };
	toy.calls({ ...question, text: "no answer: the approval expired", failed: true });
	await toy.answered("asked", "expired");
	const unknown = { id: "unknown", name: "run_command", arguments: { command: "npm publish" } };
	toy.calls({ ...unknown, text: "interrupted, outcome unknown: the gateway stopped", failed: true });
	toy.says("I wait for you.");
}

const named: [string, Tokenizer][] = [
	["words", tokenizers.words],
	["pairs", tokenizers.pairs],
];

test.each(named)(
	"400 turns in a window of 20,000 never exceed it and keep the first request and all open decisions: %s",
	async (_name, tokenizer) => {
		const random = chance(11);
		await using toy = await ToySession.open({
			contextWindow,
			maxOutput: 4_000,
			tokenizer,
			system: prose(random, 300),
			write: async () => prose(random, 700),
		});
		let before: ModelRequest | undefined;
		let largest = 0;
		let moved = 0;
		const call = async (): Promise<void> => {
			const { request, tokens } = await toy.call();
			largest = Math.max(largest, tokens);
			expect(structuralFault(request)).toBeUndefined();
			expect(wordsOf(request)).toContain(firstRequest);
			if (before && !isPrefix(before, request)) moved += 1;
			before = request;
		};
		for (let at = 0; at < 400; at++) {
			if (at === 150) await leaveOpen(toy);
			if (at === 200 || at === 301) toy.restart();
			await turn(toy, at, random, call);
		}
		expect(largest).toBeLessThanOrEqual(contextWindow - 4_000);
		expect(largest).toBeGreaterThan(0.6 * contextWindow);
		const last = wordsOf((await toy.call()).request);
		expect(last).toContain(
			'denied: run_command {"command":"git push --force"} (denied by the approver: not on main)',
		);
		expect(last).toContain('no answer: the question "Which licence?"');
		expect(last).toContain('outcome unknown: run_command {"command":"npm publish"}');
		const compactions = await toy.compactions();
		const summaries = compactions.filter(({ level }) => level === "summary").length;
		expect(summaries).toBeGreaterThan(5);
		expect(compactions.some(({ level }) => level === "tool_results")).toBe(true);
		// The prefix changes only with a compaction.
		expect(moved).toBeLessThanOrEqual(compactions.length);
		expect(toy.written.length).toBe(summaries);
		expect(toy.errors.get("toy/toy")?.mean).toBeLessThanOrEqual(0.1);
	},
);
