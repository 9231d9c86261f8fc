import { ParleyError } from "@parley/base";
import { refuseWhenSpent } from "../usage/ledger.ts";
import { brokenBy } from "./breaker.ts";
import type { Calling } from "./request-parts.ts";
import type { Run } from "./run.ts";
import type { Step } from "./step.ts";

/** Why this model may not be called, for people; undefined where it may. */
export async function refusalOf(run: Run, model: string): Promise<string | undefined> {
	const broken = brokenBy(run.steps);
	if (broken !== undefined) return broken;
	const { modelCalls } = run.limits;
	if (callsIn(run.steps) >= modelCalls) {
		const stopped = `stopped after ${modelCalls} model calls`;
		return run.session.task ? stopped : `${stopped}; say "go on" to let it continue`;
	}
	return await refusedByBudget(run, model);
}

/** Why the budget forbids a call of this model, for people; undefined if it does not. */
async function refusedByBudget(
	{ session, settings, deps: { table, budgets } }: Calling,
	model: string,
): Promise<string | undefined> {
	const { journal, clock } = session.deps;
	try {
		const limited = await refuseWhenSpent(journal.store, session.home.id, clock.now(), budgets);
		const { provider } = settings.model;
		if (!limited || provider === "offline" || table.find(model, provider)?.prices) return undefined;
		return `not asked: a budget holds here, and nobody knows what ${model} costs; the operator can say so in models.json`;
	} catch (reason) {
		if (reason instanceof ParleyError && reason.code === "resource_exhausted") return reason.message;
		throw reason;
	}
}

/** Every call that was made, those that failed and those for summaries too. */
function callsIn(steps: readonly Step[]): number {
	return steps.filter((step) => step.kind === "reply" || step.kind === "spent").length;
}
