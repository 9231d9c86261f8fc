import * as z from "zod";

/** An agent profile. If a field is absent, the gateway's own setting applies. */
const AgentEntry = z.object({
	name: z.string(),
	title: z.string(),
	model: z.exactOptional(z.string()),
	reasoning: z.exactOptional(z.string()),
	sampling: z.object({
		temperature: z.exactOptional(z.number()),
		top_p: z.exactOptional(z.number()),
		top_k: z.exactOptional(z.number()),
		repeat_penalty: z.exactOptional(z.number()),
		max_tokens: z.exactOptional(z.number()),
	}),
	/** Names of the agent's tools. Absent: all tools. */
	tools: z.exactOptional(z.array(z.string())),
	context_window: z.exactOptional(z.int()),
	/** Scheme, host and port of the model server. Absent if the agent uses the gateway's model server. */
	server: z.exactOptional(z.string()),
});

/** Result of `list_agents`: usable profiles, and the errors of unusable profiles. */
export const AgentList = z.object({
	agents: z.array(AgentEntry),
	problems: z.array(z.object({ name: z.string(), message: z.string() })),
});

const price = z.number().min(0);
/** US dollars per million tokens. */
const Prices = z.object({ input: price, output: price, cache_read: price, cache_write: price });

const ModelEntry = z.object({
	name: z.string(),
	provider: z.string(),
	/** Tier that selects the model. Absent if no tier selects the model. */
	tier: z.exactOptional(z.string()),
	/** Maximum tokens of input and output together. `max_output`: maximum tokens of one reply. */
	context_window: z.int(),
	max_output: z.int(),
	reasoning: z.string(),
	images: z.boolean(),
	/** Prices of the model. Absent if the prices are unknown. */
	prices: z.exactOptional(Prices),
	/** Whether the tokens are part of a subscription. The prices are then 0. */
	subscription: z.exactOptional(z.literal(true)),
	/** Prices for all tokens of a request with more than `above` input tokens. */
	long_prompt: z.exactOptional(z.object({ above: z.int(), prices: Prices })),
});

export const ModelList = z.object({
	/** Model for sessions if neither the session nor its profile names a model. */
	default: z.string(),
	/**
	 * Whether names outside `models` are also allowed, because the operator's own model server may have other models.
	 */
	any_model: z.exactOptional(z.literal(true)),
	models: z.array(ModelEntry),
});
