import { ParleyError } from "@parley/base";
import { authorize } from "../authorize.ts";
import type { Principal } from "../principal.ts";
import type { AuditRow } from "./audit.ts";
import type { TrustOptions } from "./trust.ts";

/** Which rows of the record are wanted. Times are milliseconds since the epoch. */
export interface AuditFilter {
	readonly since?: number;
	readonly until?: number;
	readonly principal?: string;
	readonly after?: number;
	readonly limit: number;
}

/** How a check of the whole record ended. */
export interface AuditCheck {
	readonly ok: boolean;
	readonly records: number;
	readonly head: string;
	readonly broken?: { readonly seq: number; readonly reason: string };
}

/** Reads the record of what was decided, and proves that it is whole. */
export class AuditLog {
	constructor(_options: TrustOptions) {}

	/** Rows, oldest first: the newest `limit` ones, or with `after` the next. */
	async read(principal: Principal, _filter: AuditFilter): Promise<AuditRow[]> {
		authorize(principal, "audit.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}

	async verify(principal: Principal): Promise<AuditCheck> {
		authorize(principal, "audit.read");
		throw new ParleyError("not available", { code: "unimplemented" });
	}
}
