import type { ModelRequest } from "../model.ts";
import type { Session } from "../session/session.ts";
import { budgetLeft } from "../usage/ledger.ts";
import type { RunDeps } from "./run.ts";
import { limitsOf, type RunSettings } from "./settings.ts";

/** For whom a model is called. */
export interface Calling {
	readonly session: Session;
	readonly settings: RunSettings;
	readonly deps: Pick<RunDeps, "table" | "budgets" | "systemPrompt">;
}

/** What a request holds beside its messages. */
export interface RequestParts {
	readonly parts: Omit<ModelRequest, "messages">;
	/** In tokens. */
	readonly limits: ReturnType<typeof limitsOf>;
}

/** Tokens that a reply may always have: fewer are no use, and what they cost over a budget is little. */
const leastOutput = 4_096;

/** The limits with a reply that the budgets can pay for. The input is not counted: its size is not known yet. */
async function withinBudget(
	limits: RequestParts["limits"],
	{ session, settings, deps: { table, budgets } }: Calling,
	model: string,
): Promise<RequestParts["limits"]> {
	const { prices, longPrompt } = table.find(model, settings.model.provider) ?? {};
	const price = Math.max(prices?.output ?? 0, longPrompt?.prices.output ?? 0);
	if (price === 0) return limits;
	const { journal, clock } = session.deps;
	const left = await budgetLeft(journal.store, session.home.id, clock.now(), budgets);
	if (left === undefined) return limits;
	// Dollars for a million tokens are thousands of billionths for one.
	const payable = Math.max(leastOutput, Math.floor(left / (price * 1_000)));
	return { ...limits, maxOutput: Math.min(limits.maxOutput, payable) };
}

/** Those of the session's requests to this model. */
export async function requestParts(
	{ session, settings, deps }: Calling,
	model: string,
): Promise<RequestParts> {
	const limits = await withinBudget(
		limitsOf(settings, model, deps.table),
		{ session, settings, deps },
		model,
	);
	const parts = {
		model,
		system: await deps.systemPrompt(session, settings.instructions),
		tools: settings.descriptions,
		...(settings.reasoning && { reasoning: settings.reasoning }),
		sampling: { ...settings.sampling, maxTokens: limits.maxOutput },
	};
	return { parts, limits };
}
