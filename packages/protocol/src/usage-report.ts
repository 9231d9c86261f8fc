import * as z from "zod";

const count = z.int().min(0);
/** Amount in US dollars, rounded to 1e-9. */
const dollars = z.number().min(0);

/** Tokens of one or several model calls. `tokens_input` includes cache reads and writes. */
export const Tokens = z.object({
	tokens_input: count,
	tokens_output: count,
	tokens_cache_read: count,
	tokens_cache_write: count,
});
export type TokensPayload = Readonly<z.output<typeof Tokens>>;

/** Tokens and their cost. */
export const Usage = Tokens.extend({ cost_usd: dollars });
export type UsagePayload = Readonly<z.output<typeof Usage>>;

export const budgetScope = z.enum(["gateway", "session"], { error: "must be gateway or session" });
export const budgetPeriod = z.enum(["day", "month"], { error: "must be day or month" });

/** Usage of one UTC day, by one model, or in one session. Only the key of the requested grouping is present. */
const UsageRow = Usage.extend({
	day: z.exactOptional(z.iso.date()),
	model: z.exactOptional(z.string()),
	provider: z.exactOptional(z.string()),
	session_id: z.exactOptional(z.string()),
	calls: count,
});

/** A budget, and the amount spent in the current UTC day or month. */
const BudgetState = z.object({
	scope: budgetScope,
	/** Session of a session budget. */
	session_id: z.exactOptional(z.string()),
	period: budgetPeriod,
	spent_usd: dollars,
	/** Limit in US dollars. Null if the budget has no limit. */
	limit_usd: dollars.nullable(),
	/** Source of the limit. `set`: the operator set the limit at run time, in place of the configured limit. */
	source: z.enum(["configured", "set"]),
});

export const UsageReport = z.object({
	rows: z.array(UsageRow),
	total: Usage.extend({ calls: count }),
	budgets: z.array(BudgetState),
});
