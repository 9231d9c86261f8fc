import { defined, ParleyError } from "@parley/base";
import { type BudgetChange, billionths, dollars, type UsageFilter, type UsageReport } from "@parley/core";
import type { MethodParams, MethodResult } from "@parley/protocol";
import { ozzieErrorTexts } from "../../../texts/wires/ozzie.ts";
import { encodeUsage } from "../../shared/usage-json.ts";
import { keyedRequest, type MethodsOf, targetOpen } from "./request.ts";

export const usageMethods: MethodsOf<"usage" | "set_budget"> = {
	async usage(connection, request) {
		const { params, sessionId, principal } = request;
		const { runtime } = connection.deps;
		const addressed = sessionId === undefined ? undefined : connection.target(request)?.id;
		const filter = decodeUsageFilter(params, params.session_id ?? addressed);
		return encodeUsageReport(await runtime.usage(principal, filter), filter.by);
	},

	async set_budget(connection, request) {
		const { params } = request;
		const findTarget =
			params.scope === "session" ? () => targetOpen(connection, request).id : () => undefined;
		const sessionId = params.session_id ?? findTarget();
		const change = decodeBudgetChange(params, sessionId);
		await connection.deps.runtime.setBudget(keyedRequest(request, sessionId), change);
		return { status: "set" };
	},
};

/**
 * Decodes the filter of `usage`. Throws `invalid_argument` for days in the wrong order. `sessionId` is the session of the
 * request, if any.
 */
export function decodeUsageFilter(
	{ since, until, by }: MethodParams<"usage">,
	sessionId: string | undefined,
): UsageFilter {
	// ISO days can be compared as texts.
	if (since !== undefined && until !== undefined && since > until) {
		throw new ParleyError(ozzieErrorTexts.sinceAfterUntil({ since, until }), {
			code: "invalid_argument",
		});
	}
	return defined({ by, sessionId, since, until });
}

type Sum = UsageReport["total"];
type Row = MethodResult<"usage">["rows"][number];

const keys = { day: "day", model: "model", session: "session_id" } as const satisfies Record<
	UsageFilter["by"],
	keyof Row
>;

export function encodeUsageReport(
	{ rows, total, budgets }: UsageReport,
	by: UsageFilter["by"],
): MethodResult<"usage"> {
	return {
		rows: rows.map(({ key, provider, ...sum }) =>
			defined({
				[keys[by]]: key,
				provider,
				...encodeSum(sum),
			}),
		),
		total: encodeSum(total),
		budgets: budgets.map(({ scope, sessionId, period, spent, limit, source }) =>
			defined({
				scope,
				session_id: sessionId,
				period,
				spent_usd: dollars(spent),
				limit_usd: limit === null ? null : dollars(limit),
				source,
			}),
		),
	};
}

function encodeSum({ calls, usage, cost }: Sum): MethodResult<"usage">["total"] {
	return { calls, ...encodeUsage({ ...usage, cost }) };
}

/** Decodes the change of `set_budget`. `sessionId` is the session of a session budget. */
export function decodeBudgetChange(
	{ scope, period, limit_usd: limit }: MethodParams<"set_budget">,
	sessionId: string | undefined,
): BudgetChange {
	return defined({
		scope,
		period,
		limit: typeof limit === "number" ? billionths(limit) : limit,
		sessionId,
	});
}
