export const budgetTexts = {
	ofGateway: "the gateway's",
	ofSession: "this session's",
	spent: ({
		scope,
		period,
		spent,
		limit,
		resets,
		option,
	}: {
		readonly scope: string;
		readonly period: string;
		readonly spent: string;
		readonly limit: string;
		readonly resets: string;
		readonly option: string;
	}): string =>
		`${scope} budget for this ${period} is spent: ${spent} of ${limit}; it resets at ${resets} UTC; the operator can raise it with parley budget set ${period} DOLLARS${option}`,
	notDay: (name: string, day: string): string =>
		`${name}: ${JSON.stringify(day)} is not a day: write YYYY-MM-DD`,
	notAllowed: (billionths: number): string =>
		`a budget of ${billionths} billionths of a dollar is not allowed: use a non-negative whole number, or none`,
	needsSession: "a budget of a session needs a session: add the id of the session",
	noSession: "a budget of the gateway has no session: leave out the id of the session",
} as const;
