import * as z from "zod";

/** An agent profile that a session can be opened with; what is absent is the gateway's own. */
const AgentEntry = z.object({
	name: z.string(),
	/** What people see. */
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
	/** All tools where absent. */
	tools: z.exactOptional(z.array(z.string())),
	context_window: z.exactOptional(z.int()),
	/** Where another server answers than the gateway's: scheme, host and port. */
	server: z.exactOptional(z.string()),
});

/** What `list_agents` answers: those that can be used, and why the others cannot. */
export const AgentList = z.object({
	agents: z.array(AgentEntry),
	problems: z.array(z.object({ name: z.string(), message: z.string() })),
});

const price = z.number().min(0);
/** US dollars for a million tokens. */
const Prices = z.object({ input: price, output: price, cache_read: price, cache_write: price });

/** A model that the gateway knows by name. */
const ModelEntry = z.object({
	name: z.string(),
	provider: z.string(),
	/** A second name, for the newest model of its kind. */
	tier: z.exactOptional(z.string()),
	/** Tokens of input and output together, and of one reply. */
	context_window: z.int(),
	max_output: z.int(),
	reasoning: z.string(),
	images: z.boolean(),
	/** Absent where nobody knows. */
	prices: z.exactOptional(Prices),
	/** What holds for a whole request with more input tokens than that. */
	long_prompt: z.exactOptional(z.object({ above: z.int(), prices: Prices })),
});

/** What `list_models` answers. */
export const ModelList = z.object({
	/** Who answers where neither the session nor its profile says otherwise. */
	default: z.string(),
	/** Whether other names can be chosen as well: a server of the operator's own may have any. */
	any_model: z.exactOptional(z.literal(true)),
	models: z.array(ModelEntry),
});
