import type { MessageCountTokensParams } from "@anthropic-ai/sdk/resources/messages";

export type Tokenizer = (text: string) => number;

/**
 * Counts tokens:
 * - One per seven characters, rounded up, of a word or of repeated whitespace.
 * - One per group of up to three digits.
 * - One per other character, for example a Chinese character.
 * - None for a single whitespace character.
 */
export const wordsAndSigns: Tokenizer = (text) => {
	let tokens = 0;
	for (const [piece] of text.matchAll(
		/\p{Script=Han}|[^\P{L}\p{Script=Han}]+|\p{N}{1,3}|\s{2,}|[^\s\p{L}\p{N}]/gu,
	)) {
		tokens += Math.ceil(piece.length / 7);
	}
	return tokens;
};

const maxCachedCounts = 5_000;

/**
 * Returns a tokenizer that caches its counts, because each request repeats the earlier messages of the conversation.
 */
export function remembering(tokenizer: Tokenizer): Tokenizer {
	const known = new Map<string, number>();
	return (text) => {
		const counted = known.get(text) ?? tokenizer(text);
		if (known.size >= maxCachedCounts) known.clear();
		known.set(text, counted);
		return counted;
	};
}

const MESSAGE_TOKENS = 4;
/** Number of tokens that the service adds before the tool definitions. */
const TOOLS_TOKENS = 290;
const IMAGE_TOKENS = 1_500;

/** Block of a prompt. A cache breakpoint may follow it. */
export interface PromptBlock {
	/** Text that the cache compares with earlier prompts. */
	readonly text: string;
	readonly tokens: number;
	/** Lifetime of the breakpoint after the block. Undefined without a breakpoint. */
	readonly ttl: "5m" | "1h" | undefined;
}

type Counted = Pick<MessageCountTokensParams, "messages" | "system" | "tools" | "cache_control">;

/** Returns the prompt in the order in which the service reads it: tools, system, messages. */
export function promptBlocks(request: Counted, tokenizer: Tokenizer): PromptBlock[] {
	const { tools = [], system = [], messages } = request;
	const blocks: PromptBlock[] = [];
	const add = (block: object, extra: number): void => {
		const { cache_control: control, ...rest } = block as { cache_control?: { ttl?: "5m" | "1h" } | null };
		const ttl = control ? (control.ttl ?? "5m") : undefined;
		blocks.push({ text: JSON.stringify(rest), tokens: extra + tokensOf(rest, tokenizer), ttl });
	};
	tools.forEach((tool, index) => {
		add(tool, index === 0 ? TOOLS_TOKENS : 0);
	});
	for (const block of asBlocks(system)) add(block, 0);
	for (const { role, content } of messages) {
		asBlocks(content).forEach((block, index) => {
			add({ role, ...block }, index === 0 ? MESSAGE_TOKENS : 0);
		});
	}
	const last = blocks.at(-1);
	const automatic = request.cache_control;
	if (last && automatic) blocks[blocks.length - 1] = { ...last, ttl: automatic.ttl ?? "5m" };
	return blocks;
}

function asBlocks(content: string | readonly object[]): readonly object[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function tokensOf(value: unknown, tokenizer: Tokenizer): number {
	if (typeof value === "string") return tokenizer(value);
	if (typeof value === "number" || typeof value === "boolean") return 1;
	if (typeof value !== "object" || value === null) return 0;
	if ("type" in value && value.type === "image") return IMAGE_TOKENS;
	// Calls and tool definitions are counted as JSON text, because the model reads them in this form.
	if ("input_schema" in value || "input" in value) return tokenizer(JSON.stringify(value));
	return Object.entries(value)
		.filter(([key]) => key !== "type" && key !== "role" && key !== "signature")
		.reduce((sum, [, part]) => sum + tokensOf(part, tokenizer), 0);
}
