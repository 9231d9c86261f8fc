/** Warnings about budgets, as clients show them. */
export const budgetTexts = {
	partlySpent: ({
		percent,
		scope,
		period,
		amounts,
	}: {
		readonly percent: number;
		readonly scope: string;
		readonly period: string;
		readonly amounts: string;
	}) => `${percent} % of ${scope} budget for this ${period} (UTC) is spent: ${amounts}`,
	spent: ({
		scope,
		period,
		amounts,
	}: {
		readonly scope: string;
		readonly period: string;
		readonly amounts: string;
	}) =>
		`${scope} budget for this ${period} (UTC) is spent: ${amounts}; models are not called until the operator raises it`,
	ofGateway: "the gateway's",
	ofSession: "this session's",
} as const;

/** Errors that several wires send. */
export const sharedErrorTexts = {
	notRecorded: ({ type, allowed }: { readonly type: string; readonly allowed: string }) =>
		`type: ${type} is not the type of a recorded event; allowed: ${allowed}`,
	noPendingApproval: ({ id }: { readonly id: string }) => `no pending approval with id ${id}`,
	stoppingHint: "the gateway is stopping; connect again when it has restarted",
} as const;
