export const budgetHelp = {
	notes: `
At 80 % of a budget, clients get a warning. When a budget is spent, no model is
called until the day or month (UTC) ends or you set a higher budget. A budget
that you set here survives restarts and overrides the configuration file;
\`configured\` restores the budget of that file.

Examples:
  parley budget
  parley budget set day 5
  parley budget set month none --session sess_4k2x
`,
	description: "show or set budgets",
	set: "set a budget",
	setNotes: "\n--session ID sets the budget of one session.",
	period: "day or month",
	limit: "US dollars, none, or configured",
} as const;

export const budgetMessages = {
	invalidBudget: ({ text }: { readonly text: string }) =>
		`invalid budget ${text}\nallowed: an amount of US dollars, none, configured`,
	noBudgets: "No budgets. `parley budget set day 5` sets a budget of $5 per day.",
} as const;

export const usageHelp = {
	notes: `
INPUT is all input tokens; CACHED is the part that came from the cache of the
provider, at a lower price. Days begin at midnight UTC. Set budgets with
\`parley budget\`.

Examples:
  parley usage
  parley usage --by model --since 2026-03-01
`,
	description: "show used tokens and their cost",
	by: "group the rows",
	since: "first day, for example 2026-03-14",
	until: "last day, inclusive",
} as const;
