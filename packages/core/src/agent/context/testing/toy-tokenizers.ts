import type { Message } from "../../../vocabulary/message.ts";
import type { ModelRequest } from "../../../vocabulary/model.ts";

/** How many tokens a text has. */
export type Tokenizer = (text: string) => number;

/** Tokenizers that differ from each other and from every usual one. */
export const tokenizers = {
	words: (text) => text.match(/[\p{L}\p{N}]+|[^\p{L}\p{N}\s]/gu)?.length ?? 0,
	pairs: (text) => Math.ceil(text.length / 2),
	bytes: (text) => Math.ceil(Buffer.byteLength(text) / 5),
	pieces: (text) =>
		text.match(/\p{sc=Han}|[a-zA-Z]{1,6}|[0-9]{1,3}|[^\sa-zA-Z0-9\p{sc=Han}]| {2,}/gu)?.length ?? 0,
} as const satisfies Record<string, Tokenizer>;

/** Tokens of a whole request, with the frame that a provider adds. */
export function countRequest(tokenizer: Tokenizer, { system, tools, messages }: ModelRequest): number {
	const described = tools.map((tool) => 10 + tokenizer(JSON.stringify(tool)));
	const said = messages.map((message) => 3 + countMessage(tokenizer, message));
	return [...described, ...said].reduce((sum, tokens) => sum + tokens, 50 + tokenizer(system));
}

function countMessage(tokenizer: Tokenizer, { content }: Message): number {
	return content.reduce((sum, block) => {
		if (block.type === "image") return sum + 1_000;
		if (block.type === "call") {
			return sum + 5 + tokenizer(`${block.name} ${JSON.stringify(block.arguments)}`);
		}
		const pictures = block.type === "result" ? (block.pictures?.length ?? 0) : 0;
		return sum + 1 + tokenizer(block.text) + pictures * 1_000;
	}, 0);
}
