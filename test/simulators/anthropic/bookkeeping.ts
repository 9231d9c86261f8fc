import type { MessageCreateParamsStreaming, Usage } from "@anthropic-ai/sdk/resources/messages";
import type { Clock } from "@parley/base";
import { PromptCache } from "./prompt-cache.ts";
import type { ReplyBlock, StreamedReply } from "./reply.ts";
import { brokenRules } from "./request-rules.ts";
import type { RequestSchema } from "./request-schema.ts";
import { signatureOf } from "./stream-events.ts";
import { promptBlocks, remembering, type Tokenizer } from "./tokenizer.ts";

type Endpoint = "messages" | "count_tokens";

interface BookkeepingOptions {
	readonly schema: RequestSchema;
	readonly clock: Clock;
	readonly tokenizer: Tokenizer;
	readonly contextWindow: number;
	readonly furtherKeys: readonly string[];
}

/**
 * Request checks and token counts of the simulated service. Stores the prompt cache and the issued thinking.
 */
export class Bookkeeping {
	readonly #options: BookkeepingOptions;
	readonly #cache: PromptCache;
	readonly #thinking = new Map<string, string>();
	readonly #redacted = new Set<string>();

	constructor(options: BookkeepingOptions) {
		this.#options = { ...options, tokenizer: remembering(options.tokenizer) };
		this.#cache = new PromptCache(options.clock);
	}

	problems(endpoint: Endpoint, body: MessageCreateParamsStreaming): string[] {
		const { schema, furtherKeys, contextWindow } = this.#options;
		const known = Object.fromEntries(Object.entries(body).filter(([key]) => !furtherKeys.includes(key)));
		const type = endpoint === "messages" ? "MessageCreateParamsStreaming" : "MessageCountTokensParams";
		const faults = schema.faults(type, known);
		if (faults.length > 0) return faults;
		const problems = brokenRules(body, { thinking: this.#thinking, redacted: this.#redacted });
		// `count_tokens` also accepts a prompt that is longer than the context window.
		const tokens = endpoint === "messages" ? this.promptTokens(body) : 0;
		if (tokens > contextWindow)
			problems.push(`prompt is too long: ${tokens} tokens > ${contextWindow} maximum`);
		return problems;
	}

	promptTokens(body: MessageCreateParamsStreaming): number {
		return promptBlocks(body, this.#options.tokenizer).reduce((sum, { tokens }) => sum + tokens, 0);
	}

	/**
	 * Returns the usage of a reply. Also updates the prompt cache, and stores the thinking that later requests must
	 * return unchanged.
	 */
	enter(body: MessageCreateParamsStreaming, { content }: StreamedReply): Usage {
		for (const block of content) this.#remember(block);
		const cached = this.#cache.use(body.model, promptBlocks(body, this.#options.tokenizer));
		const thinking = this.#tokensOf(content.filter(({ type }) => type === "thinking"));
		return {
			input_tokens: cached.rest,
			cache_read_input_tokens: cached.read,
			cache_creation_input_tokens: cached.written5m + cached.written1h,
			cache_creation: {
				ephemeral_5m_input_tokens: cached.written5m,
				ephemeral_1h_input_tokens: cached.written1h,
			},
			output_tokens: 1 + this.#tokensOf(content),
			output_tokens_details: thinking > 0 ? { thinking_tokens: thinking } : null,
			server_tool_use: null,
			inference_geo: null,
			service_tier: "standard",
			speed: null,
		};
	}

	#tokensOf(blocks: readonly ReplyBlock[]): number {
		return blocks.reduce((sum, block) => sum + this.#options.tokenizer(JSON.stringify(block)), 0);
	}

	#remember(block: ReplyBlock): void {
		if (block.type === "redacted_thinking") this.#redacted.add(block.data);
		if (block.type === "thinking")
			this.#thinking.set(block.signature ?? signatureOf(block.thinking), block.thinking);
	}
}
