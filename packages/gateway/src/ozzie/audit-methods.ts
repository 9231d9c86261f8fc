import { parseJson } from "@parley/base";
import type { AuditRow } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import type { MethodsOf } from "./request-target.ts";
import { toTime } from "./time.ts";

/** Rows of the audit in one answer. */
const rowsUnlessTold = 100;

/** How the operator reads what was decided. */
export const auditMethods: MethodsOf<"read_audit" | "verify_audit"> = {
	async read_audit({ deps }, { principal, params }) {
		const { since, until, principal: by, after, limit = rowsUnlessTold } = params;
		const rows = await deps.runtime.trust.auditLog.read(principal, {
			limit,
			...(since !== undefined && { since: Date.parse(since) }),
			...(until !== undefined && { until: Date.parse(until) }),
			...(by !== undefined && { principal: by }),
			...(after !== undefined && { after }),
		});
		return { records: rows.map(encodeRow) };
	},

	async verify_audit({ deps }, { principal, params }) {
		const noted = params.anchor ? [params.anchor] : [];
		const { broken, ...facts } = await deps.runtime.trust.auditLog.verify(principal, noted);
		return { ...facts, ...(broken && { broken: { ...broken } }) };
	},
};

function encodeRow(row: AuditRow): MethodResult<"read_audit">["records"][number] {
	const { principal, via, action, object, decision, args, args_sha256, grant_id, hash } = row;
	return {
		...{ seq: Number(row.seq), ts: toTime(Number(row.at)) },
		...{ principal, via, action, object, decision, hash },
		...(args_sha256 !== null && { args_sha256 }),
		...(args !== null && { args: parseJson(args) }),
		...(grant_id !== null && { grant_id }),
	};
}
