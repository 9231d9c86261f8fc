import { ParleyError } from "@parley/base";
import canonicalize from "canonicalize";
import type { PromptRow } from "../../conversation/prompt-rows.ts";
import type { ModelTable } from "../../models/table/model-table.ts";
import { visible } from "../../text/visible.ts";
import { refuseWhenSpent } from "../../usage/ledger.ts";
import type { EndCause } from "../../vocabulary/event.ts";
import type { CallBlock } from "../../vocabulary/message.ts";
import { tooManyCalls } from "../../vocabulary/model-error.ts";
import type { RunOptions } from "../../vocabulary/run-options.ts";
import { type Step, spentIn } from "../../vocabulary/step.ts";
import { callsOf } from "../../vocabulary/transcript.ts";
import { type Budgets, formatDollars } from "../../vocabulary/usage.ts";
import type { Run } from "./run.ts";
import { limitTexts } from "./texts.ts";

export interface Refusal {
	/** Error text for people. */
	readonly error: string;
	readonly cause: EndCause;
}

export interface SpendingPorts {
	readonly table: ModelTable;
	readonly budgets: Budgets;
}

/** Returns the reason why the run may not call `model`. Returns undefined if the call is allowed. */
export async function refusalOf(
	run: Run,
	model: string,
	spending: SpendingPorts,
): Promise<Refusal | undefined> {
	const broken = reachedLimit(run.steps);
	if (broken) return broken;
	const { modelCalls } = run.limits;
	if (callsIn(run.steps) >= modelCalls) {
		const stopped = limitTexts.modelCalls(modelCalls);
		const error = run.session.task ? limitTexts.smallerTasks(stopped) : limitTexts.continue(stopped);
		return { error, cause: "limit" };
	}
	const error =
		refusedByRunBudget(run, model, spending.table) ?? (await refusedByGatewayBudgets(run, model, spending));
	return error === undefined ? undefined : { error, cause: "budget" };
}

function refusedByRunBudget(
	{ row, steps, settings }: Run,
	model: string,
	table: ModelTable,
): string | undefined {
	const { budget = {} } = row.options;
	const left = budgetLeftOf(row.options, steps);
	if (left.tokens <= 0) return limitTexts.tokenBudget(budget.tokens);
	if (left.cost <= 0) return limitTexts.costBudget(formatDollars(budget.cost ?? 0));
	const { provider } = settings.model;
	if (budget.cost === undefined || provider === "offline" || table.find(model, provider)?.prices)
		return undefined;
	return limitTexts.runBudgetWithoutPrice(model);
}

/**
 * Returns the remaining tokens and billionths of a US dollar in the run's own budget. The usage of workflow steps is
 * included. A value is Infinity if the budget has no such limit.
 */
export function budgetLeftOf(
	{ budget = {} }: RunOptions,
	steps: readonly Step[],
): { readonly tokens: number; readonly cost: number } {
	const { tokens = Number.POSITIVE_INFINITY, cost = Number.POSITIVE_INFINITY } = budget;
	const spent = spentIn(steps);
	const tried = steps.filter((step) => step.kind === "tried");
	const ofSteps = tried.reduce(
		(sum, step) => ({ tokens: sum.tokens + step.tokens, cost: sum.cost + step.cost }),
		{ tokens: 0, cost: 0 },
	);
	return {
		tokens: tokens - spent.inputTokens - spent.outputTokens - ofSteps.tokens,
		cost: cost - spent.cost - ofSteps.cost,
	};
}

async function refusedByGatewayBudgets(
	{ session, settings, journal, clock }: Run,
	model: string,
	{ table, budgets }: SpendingPorts,
): Promise<string | undefined> {
	try {
		const limited = await refuseWhenSpent(journal.store, session.home.id, clock.now(), budgets);
		const { provider } = settings.model;
		if (!limited || provider === "offline" || table.find(model, provider)?.prices) return undefined;
		return limitTexts.budgetWithoutPrice(model);
	} catch (reason) {
		if (reason instanceof ParleyError && reason.code === "resource_exhausted") return reason.message;
		throw reason;
	}
}

/** Returns the number of model calls in `steps`, including failed calls and summaries. */
function callsIn(steps: readonly Step[]): number {
	return steps.filter((step) => step.kind === "reply" || step.kind === "spent").length;
}

/** Maximum equal failures, or denials, of one call in a run. After that, the call does not run again. */
const MAX_FAILURES = 3;
/** Maximum replies that repeat a call after the call failed `MAX_FAILURES` times. After that, the run ends. */
const MAX_REFUSALS = 3;

/** First words of the result of a denied call. The person's reason may follow. */
export const denied = limitTexts.denied;
/** First words of the result of a call if its approval got no answer. */
export const unanswered = limitTexts.deniedWithoutAnswer;
const refused = limitTexts.notRunAgain;

interface Tally {
	readonly name: string;
	/** Last failure text, without the parts that vary. */
	errorText: string;
	failures: number;
	denials: number;
	/** Replies that repeated the refused call. Several repeats within one reply are counted once. */
	readonly refusedIn: Set<number>;
}

/**
 * Returns the result that refuses a call, or undefined. In one run, a call is refused after too many equal failures or
 * too many denials.
 */
export function refuseRepeat(steps: readonly Step[], call: Called): string | undefined {
	const tally = countFailures(steps).get(keyOf(call));
	if (!tally) return undefined;
	if (tally.denials >= MAX_FAILURES) {
		return limitTexts.deniedTooOften(refused, MAX_FAILURES);
	}
	if (tally.failures >= MAX_FAILURES) {
		return limitTexts.failedTooOften(refused, MAX_FAILURES);
	}
	return undefined;
}

/**
 * Returns the reason to end the run, or undefined if the run may continue. A run ends if a call was denied too often,
 * or if too many replies repeat a refused call.
 */
export function reachedLimit(steps: readonly Step[]): Refusal | undefined {
	for (const { name, refusedIn, denials } of countFailures(steps).values()) {
		const tool = visible(name.slice(0, 100));
		// A model must not exhaust an approver with repeated questions.
		if (denials >= MAX_FAILURES) {
			return { error: limitTexts.stoppedDenied(tool, MAX_FAILURES), cause: "denied" };
		}
		if (refusedIn.size < MAX_REFUSALS) continue;
		const repeated = limitTexts.stoppedFailed(tool, MAX_FAILURES);
		return { error: repeated, cause: "limit" };
	}
	return undefined;
}

function countFailures(steps: readonly Step[]): Map<string, Tally> {
	const tallies = new Map<string, Tally>();
	// Most runs have no failures, so this check saves time at each call.
	if (!steps.some((step) => step.kind === "result" && step.failed)) return tallies;
	const calls = new Map(
		steps.flatMap((step) =>
			step.kind === "reply" ? callsOf(step.content).map((call) => [call.id, call] as const) : [],
		),
	);
	const effectful = new Set(steps.flatMap((step) => (step.kind === "intent" ? [step.callId] : [])));
	let reply = 0;
	for (const step of steps) {
		if (step.kind === "reply") reply += 1;
		if (step.kind !== "result") continue;
		const call = calls.get(step.callId);
		if (step.failed && call) count(tallies, call, { text: step.text, reply });
		// A successful call with an effect may have removed the cause of the failures.
		else if (effectful.has(step.callId)) deleteFailures(tallies);
	}
	return tallies;
}

function deleteFailures(tallies: Map<string, Tally>): void {
	for (const tally of tallies.values()) {
		tally.failures = 0;
		tally.refusedIn.clear();
	}
}

function count(
	tallies: Map<string, Tally>,
	call: CallBlock,
	{ text, reply }: { readonly text: string; readonly reply: number },
): void {
	// The call was refused only because the reply had too many calls. This refusal is not a failure of the call.
	if (text.endsWith(tooManyCalls)) return;
	const key = keyOf(call);
	const tally = tallies.get(key) ?? {
		name: call.name,
		errorText: "",
		failures: 0,
		denials: 0,
		refusedIn: new Set<number>(),
	};
	tallies.set(key, tally);
	if (text.startsWith(refused)) {
		tally.refusedIn.add(reply);
	} else if (text.startsWith(denied) || text.startsWith(unanswered)) {
		tally.denials += 1;
	} else {
		const errorText = errorTextOf(text);
		tally.failures = errorText === tally.errorText ? tally.failures + 1 : 1;
		tally.errorText = errorText;
	}
}

/** Replaces the variable parts of an error text: numbers, such as durations, and generated ids. */
function errorTextOf(text: string): string {
	return text.replaceAll(/[a-z]{1,10}_[0-9a-z]{26}|\d+/g, "#");
}

interface Called {
	readonly name: string;
	readonly arguments: unknown;
}

/** Cached keys of calls, because arguments may contain a large file and are compared before each model call. */
const keys = new WeakMap<Called, string>();

function keyOf(call: Called): string {
	const known = keys.get(call);
	if (known !== undefined) return known;
	const key = canonicalize([call.name, call.arguments]) ?? call.name;
	keys.set(call, key);
	return key;
}

/**
 * Cancels a run that needs a decision, and throws, if all of these are true:
 * - The run has `afterCrash: cancel`.
 * - The gateway crashed after the message was sent, so the client that decides is gone.
 * - The approval `known` is open, or undefined.
 */
export function stopIfAbandoned({ id, row, session, control, log }: Run, known?: PromptRow): void {
	const isDecided = known !== undefined && known.state !== "open";
	if (isDecided || row.options.afterCrash !== "cancel" || session.startedHere.has(id)) return;
	log.warn(limitTexts.cancelling);
	control.cancel();
	control.signal.throwIfAborted();
}

/**
 * Removes `afterCrash` from a parked run that started in this process, so that any client may decide about the calls of
 * the run. A run from before a crash is unchanged.
 */
export async function letAnyClientDecide({ id, row, session }: Run): Promise<void> {
	if (!session.startedHere.has(id)) return;
	const { afterCrash: _afterCrash, ...options } = row.options;
	await session.commit((tx) =>
		tx
			.updateTable("runs")
			.set({ options: JSON.stringify(options) })
			.where("id", "=", id)
			.execute(),
	);
}
