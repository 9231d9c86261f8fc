import { type Clock, defined } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import { costOf, type ModelTable } from "../../models/table/model-table.ts";
import type { Tx } from "../../store/journal.ts";
import { addToBudgets } from "../../usage/ledger.ts";
import type { RecordedEvent } from "../../vocabulary/event.ts";
import type { Reply } from "../../vocabulary/model.ts";
import { ModelError, type ModelFault } from "../../vocabulary/model-error.ts";
import { textOf } from "../../vocabulary/transcript.ts";
import type { Budgets, Usage } from "../../vocabulary/usage.ts";
import type { Run, Writing } from "../run/run.ts";

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
interface Caller {
	readonly id: string;
	readonly session: Session;
	readonly deps: { readonly table: ModelTable; readonly budgets: Budgets; readonly clock: Clock };
}

/** Records a call without a usable reply: its cost and the received text. */
export async function recordAttempt(run: Run, attempt: Attempt, writing: Writing): Promise<void> {
	const { reply } = attempt;
	const { cost, events } = await countCall(run, attempt, writing.tx);
	await writing.record(...events);
	const reason = reply.failure?.message ?? "";
	await writing.step({ kind: "spent", usage: reply.usage, cost, text: textOf(reply.content), reason });
}

/** A counted model call: its cost in billionths of a US dollar, and the events to record. */
export interface CountedCall {
	readonly cost: number;
	readonly events: readonly RecordedEvent[];
}

/** Counts a model call that has ended. The caller records its events in the same transaction. */
export async function countCall(run: Caller, attempt: Attempt, tx: Tx): Promise<CountedCall> {
	const { model, provider, messages, durationMs, reply } = attempt;
	const answered = reply.model || model;
	const cost = costOf(
		run.deps.table.find(answered, provider) ?? run.deps.table.find(model, provider),
		reply.usage,
	);
	const error = errorOf(reply);
	const facts = { model: answered, provider, usage: reply.usage, cost };
	const called = {
		type: "model.called",
		runId: run.id,
		...facts,
		messages,
		durationMs,
		error,
		...faultOf(reply),
	} as const;
	if (!isCounted(reply.usage)) return { cost, events: [called] };
	const at = run.deps.clock.now();
	const { id: sessionId, task } = run.session;
	const charge = { sessionId, at, ...facts, ...defined({ accounts: task?.accounts }) };
	return { cost, events: [called, ...(await addToBudgets(tx, charge, run.deps.budgets))] };
}

function faultOf({ failure }: Reply): { readonly fault?: ModelFault } {
	return failure instanceof ModelError ? { fault: failure.fault } : {};
}

/** "" after success, and one word after a cancel. */
function errorOf({ failure }: Reply): string {
	return failure?.code === "cancelled" ? "cancelled" : (failure?.message ?? "");
}

/** A call that never reached the model is not counted. */
function isCounted({ inputTokens, outputTokens }: Usage): boolean {
	return inputTokens > 0 || outputTokens > 0;
}
