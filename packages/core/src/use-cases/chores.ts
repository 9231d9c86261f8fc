import type { Clock, Store } from "@parley/base";
import type { Workspaces } from "../conversation/workspaces.ts";
import type { Files } from "../files/files.ts";
import { forgetKeys } from "../store/idempotency.ts";
import type { Tables } from "../store/tables.ts";
import type { AuditLog } from "../trust/audit/audit-log.ts";
import type { Chore } from "./housekeeping.ts";

/** What is looked through, and forgotten when it has had its time. */
export function choresOf(
	{ store, clock }: { readonly store: Store<Tables>; readonly clock: Clock },
	{
		files,
		workspaces,
		auditLog,
	}: { readonly files: Files; readonly workspaces: Workspaces; readonly auditLog: AuditLog },
): Chore[] {
	return [
		{ name: "old idempotency keys", work: () => store.commit((tx) => forgetKeys(tx, clock.now())) },
		{ name: "kept files", work: () => files.sweep() },
		{ name: "workspaces", work: () => workspaces.sweep(store, clock.now()) },
		{ name: "the audit", work: () => auditLog.tidy() },
	];
}
