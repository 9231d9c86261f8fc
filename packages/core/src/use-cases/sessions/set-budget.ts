import type { Sessions } from "../../conversation/sessions.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Journal, Tx } from "../../store/journal.ts";
import type { Audit } from "../../trust/audit/audit.ts";
import { type BudgetChange, changeBudget } from "../../usage/set-budget.ts";
import { authorize } from "../../vocabulary/authorize.ts";

interface BudgetPorts extends KeyServices {
	readonly journal: Journal;
	readonly audit: Audit;
}

/** Sets a budget of the gateway or of a session. Throws `permission_denied` unless the principal is the operator. */
export async function setBudget(
	ports: BudgetPorts,
	sessions: Sessions,
	request: Keyed,
	change: BudgetChange,
): Promise<void> {
	const { principal: by } = request;
	authorize(by, "budget.set", { owner: "" });
	const { journal, clock, audit } = ports;
	const { store } = journal;
	const set = (tx: Tx) =>
		once(tx, request, ports, () => changeBudget(tx, change, { store, by, at: clock.now(), audit }));
	if (change.sessionId === undefined) return void (await store.commit(set));
	using lease = await sessions.lease(by, change.sessionId, "budget.set");
	await lease.session.commit(set);
}
