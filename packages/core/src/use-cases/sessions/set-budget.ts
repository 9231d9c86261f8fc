import type { Services } from "../../conversation/services.ts";
import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { type BudgetChange, changeBudget } from "../../usage/set-budget.ts";
import { authorize } from "../../vocabulary/authorize.ts";

/** Sets a budget of the gateway, or of a session in that one's order. */
export async function setBudget(
	deps: Services,
	sessions: Sessions,
	request: Keyed,
	change: BudgetChange,
): Promise<void> {
	const { principal: by } = request;
	authorize(by, "budget.set", { owner: "" });
	const { journal, clock, audit } = deps;
	const { store } = journal;
	const set = (tx: Tx) =>
		once(tx, request, deps, () => changeBudget(tx, change, { store, by, at: clock.now(), audit }));
	if (change.sessionId === undefined) return void (await store.commit(set));
	using lease = await sessions.lease(by, change.sessionId, "budget.set");
	await lease.session.commit(set);
}
