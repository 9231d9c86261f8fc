import { silentLogger } from "@parley/base";
import { type Model, type ModelEvent, operator } from "@parley/core";
import { calls, says, TestRuntime } from "@parley/core/testing";
import { expect, test } from "vitest";
import { Random, testScale, testSeed } from "../../../../../test/random.ts";
import type { ContextSnapshot, RunEvent } from "../../gen/kontekst.ts";
import { RunStream } from "./connection.ts";

const transcripts = 5 * testScale(4, 10);

function anyTokens(random: Random): number {
	return random.pick([0, 1, random.below(5_000), random.below(30_000)]);
}

function anyReply(random: Random, isLast: boolean): ModelEvent[] {
	const text = random.pick(["word ", "größer ", "日本語", "😀"]).repeat(random.below(400));
	const thought: ModelEvent[] = random.chance(0.3) ? [{ type: "thinking", text: "Hm. " }] : [];
	const called = isLast
		? []
		: Array.from({ length: random.between(1, 3) }, () =>
				calls(`call_${random.below(2 ** 31)}`, "list_files", { pattern: "*" }),
			);
	const usage = {
		inputTokens: anyTokens(random),
		outputTokens: random.pick([0, random.below(8_000)]),
		cacheReadTokens: anyTokens(random),
		cacheWriteTokens: 0,
	};
	const stop = isLast ? "end_turn" : "tool_use";
	return [...thought, says(`${text}.`), ...called, { type: "end", stop, usage, model: "scripted-1" }];
}

async function play(
	t: TestRuntime,
	sessionId: string,
): Promise<{ session: string; snapshots: ContextSnapshot[] }> {
	const snapshots: ContextSnapshot[] = [];
	const { promise, resolve } = Promise.withResolvers<void>();
	let session = sessionId;
	const receive = ({ event }: RunEvent): void => {
		if (event?.$case === "started") session = event.value.sessionId;
		// The run fails if the instructions exceed the window according to the token counts of the provider.
		if (event?.$case === "completed" || event?.$case === "failed") resolve();
		const context = event?.$case === "turnCompleted" || event?.$case === "contextSnapshot";
		if (context && event.value.context) snapshots.push(event.value.context);
		if (event?.$case !== "toolsProposed") return;
		for (const { callId } of event.value.calls) {
			queueMicrotask(() => stream.receive({ command: { $case: "approveTool", value: { callId } } }));
		}
	};
	const stream = new RunStream({
		runtime: t.runtime,
		principal: operator,
		log: silentLogger,
		redactor: { redact: (text) => text },
		send: receive,
		finished: () => undefined,
	});
	const value = { prompt: "go on", sessionId, agentName: "", workingDir: "", skill: undefined };
	stream.receive({ command: { $case: "start", value } });
	await promise;
	return { session, snapshots };
}

/** Checks the sums in the snapshot. The Kontekst program counts the same parts: https://github.com/erg0nix/kontekst */
function check(snapshot: ContextSnapshot): void {
	const { contextSize, systemTokens, toolTokens, historyTokens, memoryTokens, messages } = snapshot;
	const of = (source: string) => messages.filter((message) => message.source === source);
	const sum = (source: string): number => of(source).reduce((all, { tokens }) => all + tokens, 0);
	expect([sum("system"), sum("history"), sum("memory")]).toEqual([systemTokens, historyTokens, memoryTokens]);
	expect(snapshot.totalTokens).toBe(systemTokens + toolTokens + historyTokens + memoryTokens);
	expect(snapshot.remainingTokens).toBe(contextSize - snapshot.totalTokens);
	expect(snapshot.remainingTokens).toBeGreaterThanOrEqual(0);
	expect(snapshot.historyBudget).toBe(Math.max(0, contextSize - systemTokens - toolTokens - memoryTokens));
	expect(snapshot.historyMessages).toBe(of("history").length);
	expect(snapshot.memoryMessages).toBe(of("memory").length);
	expect(snapshot.totalMessages).toBe(messages.length);
	for (const { tokens } of messages) expect(tokens).toBeGreaterThanOrEqual(0);
}

test(`the sums of every snapshot are exact in ${transcripts} random transcripts`, {
	timeout: 60_000,
}, async () => {
	const seed = testSeed();
	process.stdout.write(`PARLEY_TEST_SEED=${seed}\n`);
	const random = new Random(seed);
	let checked = 0;
	for (let n = 0; n < transcripts; n++) {
		const model: Model = {
			provider: "scripted",
			defaultModel: "scripted",
			async *stream() {
				yield* anyReply(random, random.chance(0.5));
			},
		};
		await using t = await TestRuntime.open({ model });
		let session = "";
		for (let runs = random.between(1, 4); runs > 0; runs--) {
			const played = await play(t, session);
			session = played.session;
			for (const snapshot of played.snapshots) check(snapshot);
			checked += played.snapshots.length;
		}
	}
	expect(checked).toBeGreaterThanOrEqual(2 * transcripts);
});
