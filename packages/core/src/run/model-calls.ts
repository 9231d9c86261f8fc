import { costOf } from "../models/table/model-table.ts";
import { recordCharge } from "../usage/ledger.ts";
import type { Usage } from "../usage/usage.ts";
import type { Reply } from "./fold.ts";
import type { Run, RunDeps, Writing } from "./run.ts";
import { textOf } from "./transcript.ts";

/** One model call and what came of it. */
export interface Attempt {
	/** The model that was asked. */
	readonly model: string;
	readonly provider: string;
	/** Messages of the request. */
	readonly messages: number;
	readonly durationMs: number;
	readonly reply: Reply;
}

/** On whose account a call is made; `id` is "" for no run. */
interface Caller extends Pick<Run, "id" | "session"> {
	readonly deps: Pick<RunDeps, "table" | "budgets">;
}

/** Writes a call that gave the run no reply to go on with: what it cost, and what had come of it. */
export async function recordAttempt(run: Run, attempt: Attempt, writing: Writing): Promise<void> {
	const { reply } = attempt;
	const cost = await recordCall(run, attempt, writing);
	const reason = reply.failure?.message ?? "";
	await writing.step({ kind: "spent", usage: reply.usage, cost, text: textOf(reply.content), reason });
}

/** Tells of a model call that has ended and counts it. Returns its cost in billionths of a US dollar. */
export async function recordCall(
	run: Caller,
	attempt: Attempt,
	{ tx, record }: Omit<Writing, "step">,
): Promise<number> {
	const { model, provider, messages, durationMs, reply } = attempt;
	const answered = reply.model || model;
	const cost = costOf(
		run.deps.table.find(answered, provider) ?? run.deps.table.find(model, provider),
		reply.usage,
	);
	const error = errorOf(reply);
	const facts = { model: answered, provider, usage: reply.usage, cost };
	await record({ type: "model.called", runId: run.id, ...facts, messages, durationMs, error });
	if (!isCounted(reply.usage)) return cost;
	const at = run.session.deps.clock.now();
	const { id: sessionId, task } = run.session;
	const charge = { sessionId, at, ...facts, ...(task && { accounts: task.accounts }) };
	await recordCharge(tx, record, charge, run.deps.budgets);
	return cost;
}

/** "" when all went well, and one word for what somebody wanted to end. */
function errorOf({ failure }: Reply): string {
	return failure?.code === "cancelled" ? "cancelled" : (failure?.message ?? "");
}

/** A call that never reached the model is no call of it. */
function isCounted({ inputTokens, outputTokens }: Usage): boolean {
	return inputTokens > 0 || outputTokens > 0;
}
