import type {
	CacheControlEphemeral,
	ContentBlockParam,
	ImageBlockParam,
	TextBlockParam,
	ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { defined } from "@parley/base";
import type {
	AssistantMessage,
	Message,
	ThinkingBlock,
	ToolMessage,
	UserMessage,
} from "../../vocabulary/message.ts";
import { isFields } from "../exchange/errors.ts";
import { requestTexts } from "../exchange/texts.ts";

/** Consecutive messages of one role. */
export type AnthropicTurn = UserTurn | AssistantTurn;

interface UserTurn {
	readonly role: "user";
	readonly content: (TextBlockParam | ImageBlockParam | ToolResultBlockParam)[];
}

interface AssistantTurn {
	readonly role: "assistant";
	readonly content: ContentBlockParam[];
}

/** Model that reads the messages. */
export interface AnthropicReader {
	readonly model: string;
	readonly images: boolean;
}

const MAX_NAME = 128;

const NOTHING = "(nothing)";
const CONTINUE = requestTexts.continue;

/** Cache marks by the lifetime of the cached prompt after its last use: five minutes (the default), or an hour. */
export const cacheMarks = {
	minutes: { type: "ephemeral" },
	hour: { type: "ephemeral", ttl: "1h" },
} as const satisfies Readonly<Record<string, CacheControlEphemeral>>;

export type Lifetime = keyof typeof cacheMarks;

/**
 * Encodes messages for the Messages API. Roles alternate. The first turn and the last turn are user turns. Each block
 * depends only on its message and on `reader`, so the next request encodes the same message in the same bytes.
 */
export function encodeTurns(messages: readonly Message[], reader: AnthropicReader): AnthropicTurn[] {
	const turns: AnthropicTurn[] = [];
	for (const message of messages) append(turns, turnOf(message, reader));
	if (turns[0]?.role !== "user") turns.unshift({ role: "user", content: encodeText(NOTHING) });
	// An assistant turn at the end would be a prefill, which newer models refuse.
	if (turns.at(-1)?.role === "assistant") turns.push({ role: "user", content: encodeText(CONTINUE) });
	return turns;
}

/**
 * Adds `turn` to `turns`, or merges `turn` with the last turn if both have the same role. Omits an empty turn. Does not
 * change existing turn objects, because other requests share them.
 */
function append(turns: AnthropicTurn[], turn: AnthropicTurn): void {
	if (turn.content.length === 0) return;
	const last = turns.at(-1);
	if (last?.role === "user" && turn.role === "user") {
		turns[turns.length - 1] = { role: "user", content: [...last.content, ...turn.content] };
	} else if (last?.role === "assistant" && turn.role === "assistant") {
		turns[turns.length - 1] = { role: "assistant", content: [...last.content, ...turn.content] };
	} else turns.push(turn);
}

interface Known {
	readonly reader: AnthropicReader;
	readonly turn: AnthropicTurn;
}

const known = new WeakMap<Message, Known>();

function turnOf(message: Message, reader: AnthropicReader): AnthropicTurn {
	const before = known.get(message);
	if (before && before.reader.model === reader.model && before.reader.images === reader.images) {
		return before.turn;
	}
	const turn = encodeTurn(message, reader);
	// Each request repeats all earlier messages, so the encoding for the last reader is cached.
	known.set(message, { reader, turn });
	return turn;
}

/**
 * Sets at most two cache marks: after the last user turn, and after the user turn before it. With the second mark, the
 * provider finds the cached prefix even if more than 20 blocks follow. A mark is not part of the cached content.
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export function markTurns(turns: AnthropicTurn[], lifetime: Lifetime): void {
	let left = 2;
	for (let at = turns.length - 1; at >= 0 && left > 0; at--) {
		const turn = turns[at];
		if (turn?.role !== "user") continue;
		turns[at] = marked(turn, lifetime);
		left -= 1;
	}
}

const withMark = { minutes: new WeakMap<UserTurn, UserTurn>(), hour: new WeakMap<UserTurn, UserTurn>() };

function marked(turn: UserTurn, lifetime: Lifetime): UserTurn {
	const before = withMark[lifetime].get(turn);
	if (before) return before;
	const content = turn.content.map((block, at, { length }) =>
		at === length - 1 ? { ...block, cache_control: cacheMarks[lifetime] } : block,
	);
	const markedTurn: UserTurn = { role: "user", content };
	// The next request usually marks the same turn again.
	withMark[lifetime].set(turn, markedTurn);
	return markedTurn;
}

function encodeTurn(message: Message, reader: AnthropicReader): AnthropicTurn {
	switch (message.role) {
		case "user":
			return { role: "user", content: encodeUser(message, reader) };
		case "tool":
			return { role: "user", content: encodeResults(message, reader) };
		case "assistant":
			return { role: "assistant", content: encodeAssistant(message, reader) };
	}
}

function encodeUser({ content }: UserMessage, reader: AnthropicReader): UserTurn["content"] {
	const blocks = content.flatMap((block) => encodeShown(block, reader));
	// A user message without content still needs a block.
	return blocks.length > 0 ? blocks : encodeText(NOTHING);
}

function encodeShown(
	block: UserMessage["content"][number],
	{ images }: AnthropicReader,
): (TextBlockParam | ImageBlockParam)[] {
	if (block.type === "text") return encodeText(block.text);
	if (!images) return encodeText(requestTexts.image);
	const { mediaType, data } = block;
	return [{ type: "image", source: { type: "base64", media_type: mediaType, data } }];
}

function encodeResults({ content }: ToolMessage, reader: AnthropicReader): ToolResultBlockParam[] {
	return content.map(({ callId, text, failed, pictures: images = [] }) => ({
		type: "tool_result",
		tool_use_id: wireId(callId),
		content: [
			...encodeText(text.trim() === "" ? requestTexts.noOutput : text),
			...images.flatMap((image) => encodeShown(image, reader)),
		],
		...defined({ is_error: failed || undefined }),
	}));
}

function encodeAssistant({ model, content }: AssistantMessage, reader: AnthropicReader): ContentBlockParam[] {
	// Thinking is useful only to the model that wrote the thinking, and only before other content of the message.
	const complete = content.slice(0, content.findLastIndex(({ type }) => type !== "thinking") + 1);
	return complete
		.filter(({ type }) => type !== "thinking" || model === reader.model)
		.flatMap(encodeAssistantBlock);
}

function encodeAssistantBlock(block: AssistantMessage["content"][number]): ContentBlockParam[] {
	switch (block.type) {
		case "text":
			return encodeText(block.text);
		case "thinking":
			return encodeThought(block);
		case "call": {
			const { id, name, arguments: input } = block;
			const usable = isFields(input) && !Array.isArray(input);
			return [{ type: "tool_use", id: wireId(id), name: wireName(name), input: usable ? input : {} }];
		}
	}
}

/** Encodes signed or redacted thinking. Omits other thinking, because the provider refuses it. */
function encodeThought({ text, signature, redacted }: ThinkingBlock): ContentBlockParam[] {
	if (redacted) return [{ type: "redacted_thinking", data: redacted }];
	return signature ? [{ type: "thinking", thinking: text, signature }] : [];
}

function encodeText(text: string): TextBlockParam[] {
	// The provider rejects unpaired surrogates and blank texts.
	return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function wireId(id: string): string {
	// Ids from other providers may have invalid characters.
	return id.replace(/[^\w-]/g, "_");
}

function wireName(name: string): string {
	// Models also call tools by invalid names, and such failed calls stay in the conversation.
	return name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME) || "unnamed";
}
