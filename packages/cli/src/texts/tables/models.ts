interface LongPrompt {
	readonly model: string;
	readonly above: string;
	readonly input: string | undefined;
	readonly cached: string | undefined;
	readonly output: string | undefined;
}

/** Texts in the tables of models, providers and agents. */
export const modelTableTexts = {
	columns: ["", "NAME", "TIER", "WINDOW", "REPLY", "THINKING", "IMAGES", "$/M IN", "CACHED", "OUT"],
	unlistedDefault: ({ model }: { readonly model: string }) =>
		`${model} is the default model; its limits and prices are unknown`,
	anyModel: "the server may have more models: you can use any name",
	subscription: ({ model }: { readonly model: string }) => `${model}: a subscription pays for the tokens`,
	// `above` is a number of tokens. The remaining values are prices.
	longPrompt: ({ model, above, input = "?", cached = "?", output = "?" }: LongPrompt) =>
		`${model}, prompts above ${above} tokens: ${input} in, ${cached} cached, ${output} out`,
	noProvider: "no provider: the offline model is used",
	noKeyNeeded: "needs none",
	keyFound: ({ key }: { readonly key: string }) => `in ${key}`,
	keyMissing: ({ key }: { readonly key: string }) => `${key} is not set`,
	providerColumns: ["PROVIDER", "HOST", "KEY", "MODELS"],
	agentColumns: ["NAME", "TITLE", "MODEL", "THINKING", "TOOLS"],
	/** Shows the model and server of an agent profile. Without `model`, names the default model. */
	modelAt: ({
		model = "(default)",
		server,
	}: {
		readonly model: string | undefined;
		readonly server: string | undefined;
	}) => (server === undefined ? model : `${model} at ${server}`),
	allTools: "all",
	noTools: "none",
} as const;

/** Texts in the tables of usage and budgets. */
export const usageTableTexts = {
	columns: ["CALLS", "INPUT", "CACHED", "OUTPUT", "COST"],
	total: "total",
	noUsage: "no usage",
	noPrice: ({ models }: { readonly models: string }) =>
		`no price for ${models}: the cost shows as $0.00; add the price to models.json`,
	setByOperator: "set by the operator",
	configured: "configured",
	allSessions: "all sessions",
	thisSession: "this session",
	today: "today",
	thisMonth: "this month",
	spentOf: ({ spent, limit }: { readonly spent: string; readonly limit: string }) => `${spent} of ${limit}`,
	noLimit: ({ spent }: { readonly spent: string }) => `${spent}, no limit`,
} as const;
