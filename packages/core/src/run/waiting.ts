import { ParleyError } from "@parley/base";
import type { Elicitation, ElicitationAnswer, Prompt } from "../prompt.ts";
import {
	findPrompt,
	type PromptRow,
	promptLifeMs,
	type Question,
	raisePrompt,
	settlePrompt,
} from "../session/prompts.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";

/** The prompt of a question, with its token and its end. */
export function promptOf(run: Run, facts: Omit<Prompt, "token" | "runId" | "expiresAt">): Prompt {
	const { clock, ids } = run.session.deps;
	return { token: ids.create("prompt"), runId: run.id, expiresAt: clock.now() + promptLifeMs, ...facts };
}

/**
 * Asks, or goes on waiting where the question was asked before a restart, and returns the row when it is settled.
 * The run's working time stands still meanwhile. Throws `cancelled` when the run is stopped first.
 */
export async function askPerson(
	run: Run,
	callId: string,
	question: () => Question,
	before: Step[] = [],
): Promise<PromptRow> {
	const known = await readPrompt(run, callId);
	if (known && known.state !== "open") return known;
	let token = known?.prompt.token;
	let expiresAt = known?.prompt.expiresAt ?? 0;
	if (token === undefined) {
		const asked = question();
		await raise(run, asked, before);
		token = asked.prompt.token;
		expiresAt = asked.prompt.expiresAt;
	}
	run.working.stop();
	try {
		return await settled(run, callId, token, expiresAt);
	} finally {
		run.working.start();
	}
}

/** Asks for something other than permission. */
export async function elicit(run: Run, callId: string, elicitation: Elicitation): Promise<ElicitationAnswer> {
	const row = await askPerson(run, callId, () => ({
		callId,
		prompt: promptOf(run, { ...elicitation, placeholder: "" }),
	}));
	if (row.answer?.kind === "value") return { outcome: "answered", value: row.answer.value };
	return { outcome: row.state === "expired" ? "expired" : "cancelled" };
}

async function raise(run: Run, question: Question, before: readonly Step[]): Promise<void> {
	await run.commit(async (tx, record, step) => {
		for (const entry of before) await step(entry);
		await raisePrompt(tx, record, run.session, question);
	});
	await run.session.deps.failpoints.reach("prompt-open");
}

async function settled(run: Run, callId: string, token: string, expiresAt: number): Promise<PromptRow> {
	const { clock } = run.session.deps;
	for (;;) {
		const woken = run.session.awake(token);
		const row = await readPrompt(run, callId);
		if (row && row.state !== "open") return row;
		if (run.signal.aborted) throw new ParleyError("the run was stopped", { code: "cancelled" });
		if (clock.now() >= expiresAt) {
			await expire(run, token);
			continue;
		}
		await firstOf(run, woken, expiresAt - clock.now());
	}
}

/** Resolves when the question was answered, the run stopped, or the time is over. */
async function firstOf(run: Run, woken: Promise<void>, ms: number): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const stop = (): void => resolve();
	const timer = run.session.deps.clock.after(ms, stop);
	run.signal.addEventListener("abort", stop, { once: true });
	await Promise.race([woken, promise]);
	timer.cancel();
	run.signal.removeEventListener("abort", stop);
}

async function expire(run: Run, token: string): Promise<void> {
	await run.commit(async (tx, record) => {
		if (!(await settlePrompt(tx, token, "expired", null))) return;
		await record({ type: "prompt.closed", token, reason: "expired" });
	});
}

function readPrompt(run: Run, callId: string): Promise<PromptRow | undefined> {
	return run.session.deps.journal.store.read((db) => findPrompt(db, run.id, callId));
}
