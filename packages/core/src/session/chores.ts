import type { Clock, Store } from "@parley/base";
import type { Files } from "../files/files.ts";
import type { Chore } from "../housekeeping.ts";
import type { Tables } from "../journal/tables.ts";
import type { AuditLog } from "../trust/audit-log.ts";
import { forgetKeys } from "./idempotency.ts";
import type { Workspaces } from "./workspaces.ts";

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
