import { parseJson } from "@parley/base";
import type { AuditRow, TextCheck } from "@parley/core";
import type { MethodResult } from "@parley/protocol";
import { toTime } from "../shared/time.ts";
import type { MethodsOf } from "./request-target.ts";

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
		const { auditLog } = deps.runtime.trust;
		const { broken, ...facts } = await auditLog.verify(principal, noted);
		const messages = params.messages ? encodeTexts(await auditLog.verifyTexts(principal)) : undefined;
		return { ...facts, ...(broken && { broken: { ...broken } }), ...(messages && { messages }) };
	},
};

type EncodedTexts = NonNullable<MethodResult<"verify_audit">["messages"]>;

function encodeTexts({ allSessions, examples, ...check }: TextCheck): EncodedTexts {
	return {
		...check,
		all_sessions: allSessions,
		examples: examples.map(({ sessionId, ...example }) => ({ session_id: sessionId, ...example })),
	};
}

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
