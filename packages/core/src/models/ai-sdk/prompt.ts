import type {
	LanguageModelV4FilePart,
	LanguageModelV4Message,
	LanguageModelV4Prompt,
	LanguageModelV4TextPart,
	LanguageModelV4ToolCallPart,
	LanguageModelV4ToolResultOutput,
	SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { defined } from "@parley/base";
import type {
	AssistantMessage,
	CallBlock,
	ImageBlock,
	Message,
	ResultBlock,
	ThinkingBlock,
	UserMessage,
} from "../../vocabulary/message.ts";
import { isFields } from "../exchange/errors.ts";
import { requestTexts } from "../exchange/texts.ts";
import { wireId } from "./call-ids.ts";
import { unseal } from "./sealed-metadata.ts";
import { aiSdkTexts } from "./texts.ts";

/** Server and model that read the messages. */
export interface AiSdkReader {
	/** Name of the provider. It marks sealed metadata. */
	readonly provider: string;
	/** Requested model, as in `AssistantMessage.model`. */
	readonly model: string;
	readonly images: boolean;
	/** Which thinking is sent back to the provider. Applies to thinking without metadata. See `ServerTraits`. */
	readonly returnedThinking: "none" | "turn" | "all";
	readonly pictures: "result" | "user";
	/** Whether an empty text may have metadata. */
	readonly emptyTexts: boolean;
	/** Whether an assistant message must follow tool results before the next user message. */
	readonly answersResults: boolean;
	readonly callIds: "any" | "short";
}

type Shown = LanguageModelV4TextPart | LanguageModelV4FilePart;
type UserPart = Extract<LanguageModelV4Message, { role: "user" }>;
type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>;
type AssistantBlock = AssistantPart["content"][number];

/**
 * Maximum characters of a function name at OpenAI, used for all providers:
 * https://platform.openai.com/docs/guides/function-calling
 */
const MAX_NAME = 64;

const NOTHING = "(nothing)";
const CONTINUE = requestTexts.continue;
const RECEIVED = "(received)";
/** Thinking text that is not empty, because some servers treat an empty text as missing. */
const BLANK = " ";

/**
 * Converts the system prompt and the messages to the provider interface. The first message after the system prompt is a
 * user message. The last message is never an assistant message. Consecutive user messages are merged, because chat
 * templates of some models require alternating roles. Consecutive assistant messages are merged too, unless one of them
 * has metadata for the complete message.
 */
export function encodePrompt(
	system: string,
	messages: readonly Message[],
	reader: AiSdkReader,
): LanguageModelV4Prompt {
	const prompt: LanguageModelV4Message[] = [];
	if (system.trim() !== "") prompt.push({ role: "system", content: system.toWellFormed() });
	const names = toolNamesByCallId(messages);
	const turn = messages.findLastIndex(({ role }) => role === "user");
	for (const [index, message] of messages.entries()) {
		const isOfTurn = index > turn;
		for (const encoded of encodeMessage(message, { reader, names, isOfTurn }))
			append(prompt, encoded, reader);
	}
	const first = prompt.findIndex(({ role }) => role !== "system");
	if (first < 0 || prompt[first]?.role !== "user")
		prompt.splice(Math.max(first, prompt.length && 1), 0, textMessage(NOTHING));
	if (prompt.at(-1)?.role === "assistant") prompt.push(textMessage(CONTINUE));
	return prompt;
}

function textMessage(text: string): UserPart {
	return { role: "user", content: [{ type: "text", text }] };
}

function append(
	prompt: LanguageModelV4Message[],
	message: LanguageModelV4Message,
	{ answersResults }: AiSdkReader,
): void {
	const last = prompt.at(-1);
	if (last?.role === "user" && message.role === "user") {
		prompt[prompt.length - 1] = { role: "user", content: [...last.content, ...message.content] };
	} else if (
		last?.role === "assistant" &&
		message.role === "assistant" &&
		!hasMessageMetadata(last, message)
	) {
		prompt[prompt.length - 1] = { role: "assistant", content: [...last.content, ...message.content] };
	} else {
		if (answersResults && last?.role === "tool" && message.role === "user") {
			prompt.push({ role: "assistant", content: [{ type: "text", text: RECEIVED }] });
		}
		prompt.push(message);
	}
}

function hasMessageMetadata(...messages: readonly AssistantPart[]): boolean {
	return messages.some(({ providerOptions }) => providerOptions !== undefined);
}

function toolNamesByCallId(messages: readonly Message[]): ReadonlyMap<string, string> {
	const names = new Map<string, string>();
	for (const { content } of messages) {
		for (const block of content) if (block.type === "call") names.set(block.id, wireName(block.name));
	}
	return names;
}

interface Place {
	readonly reader: AiSdkReader;
	readonly names: ReadonlyMap<string, string>;
	readonly isOfTurn: boolean;
}

function encodeMessage(message: Message, place: Place): LanguageModelV4Message[] {
	switch (message.role) {
		case "user":
			return [{ role: "user", content: encodeUser(message, place.reader) }];
		case "assistant": {
			const encoded = encodeAssistant(message, place);
			return encoded.content.length > 0 ? [encoded] : [];
		}
		case "tool":
			return encodeResults(message.content, place);
	}
}

function encodeUser({ content }: UserMessage, { images }: AiSdkReader): Shown[] {
	const parts = content.flatMap((block) =>
		block.type === "text" ? encodeText(block.text) : encodeImage(block, images),
	);
	return parts.length > 0 ? parts : encodeText(NOTHING);
}

function encodeImage({ mediaType, data }: ImageBlock, images: boolean): Shown[] {
	if (!images) return encodeText(requestTexts.image);
	return [{ type: "file", mediaType, data: { type: "data", data } }];
}

function encodeText(text: string): LanguageModelV4TextPart[] {
	// Some servers refuse unpaired surrogates.
	return text.trim() === "" ? [] : [{ type: "text", text: text.toWellFormed() }];
}

function encodeResults(results: readonly ResultBlock[], { reader, names }: Place): LanguageModelV4Message[] {
	const isInResult = reader.pictures === "result";
	const content = results.map((result) => ({
		type: "tool-result" as const,
		toolCallId: wireId(result.callId, reader.callIds),
		toolName: names.get(result.callId) ?? "unnamed",
		output: encodeOutput(result, isInResult && reader.images),
	}));
	const answered: LanguageModelV4Message = { role: "tool", content };
	if (isInResult) return [answered];
	const shown = results.flatMap((result) => imagesOf(result, { reader, names }));
	return shown.length > 0 ? [answered, { role: "user", content: shown }] : [answered];
}

function encodeOutput(
	{ text, failed, pictures = [] }: ResultBlock,
	images: boolean,
): LanguageModelV4ToolResultOutput {
	const value = text.trim() === "" ? requestTexts.noOutput : text.toWellFormed();
	if (failed) return { type: "error-text", value };
	if (!images || pictures.length === 0) return { type: "text", value };
	const files = pictures.map(({ mediaType, data }) => ({
		type: "file" as const,
		mediaType,
		data: { type: "data" as const, data },
	}));
	return { type: "content", value: [{ type: "text", text: value }, ...files] };
}

/**
 * Returns the images of a tool result as content of a user message, because some APIs accept only text in tool results.
 */
function imagesOf(
	{ callId, pictures = [] }: ResultBlock,
	{ reader, names }: Omit<Place, "isOfTurn">,
): Shown[] {
	if (pictures.length === 0) return [];
	const title = aiSdkTexts.imagesOf(names.get(callId) ?? "a tool");
	return [{ type: "text", text: title }, ...pictures.flatMap((image) => encodeImage(image, reader.images))];
}

function encodeAssistant({ model, content }: AssistantMessage, place: Place): AssistantPart {
	const { reader } = place;
	const parts: AssistantBlock[] = [];
	/** Metadata for the next call block. */
	let metadata: SharedV4ProviderMetadata | undefined;
	for (const block of content) {
		if (block.type === "text") parts.push(...encodeText(block.text));
		else if (block.type === "call") {
			parts.push({ ...encodeCallBlock(block, reader), ...defined({ providerOptions: metadata }) });
			metadata = undefined;
		} else if (model === reader.model) metadata = addThinking(parts, block, place) ?? metadata;
	}
	const messageMetadata = model === reader.model ? messageMetadataIn(content, reader) : undefined;
	return { role: "assistant", ...withThinking(parts, messageMetadata, reader) };
}

function withThinking(
	parts: readonly AssistantBlock[],
	messageMetadata: SharedV4ProviderMetadata | undefined,
	{ returnedThinking }: AiSdkReader,
): Omit<AssistantPart, "role"> {
	// Metadata for the complete message replaces the thinking of the message.
	if (messageMetadata)
		return { content: parts.filter(({ type }) => type !== "reasoning"), providerOptions: messageMetadata };
	const calls = parts.some(({ type }) => type === "tool-call");
	const thinks = parts.some((part) => part.type === "reasoning" && part.text !== "");
	if (returnedThinking !== "all" || !calls || thinks) return { content: [...parts] };
	// If `returnedThinking` is `all`, the server refuses calls without thinking.
	return { content: [{ type: "reasoning", text: BLANK }, ...parts] };
}

function messageMetadataIn(
	content: AssistantMessage["content"],
	{ provider }: AiSdkReader,
): SharedV4ProviderMetadata | undefined {
	for (const block of content) {
		const sealed = block.type === "thinking" ? unseal(provider, block.redacted) : undefined;
		if (sealed?.of === "message") return sealed.metadata;
	}
	return undefined;
}

function encodeCallBlock(
	{ id, name, arguments: input }: CallBlock,
	{ callIds }: AiSdkReader,
): LanguageModelV4ToolCallPart {
	const isUsable = isFields(input) && !Array.isArray(input);
	return {
		type: "tool-call",
		toolCallId: wireId(id, callIds),
		toolName: wireName(name),
		input: isUsable ? input : {},
	};
}

/**
 * Adds the thinking to `parts`, or its metadata to a part. Returns the metadata instead if the metadata belongs to the
 * next call.
 */
function addThinking(
	parts: AssistantBlock[],
	{ text, signature, redacted }: ThinkingBlock,
	{ reader, isOfTurn }: Place,
): SharedV4ProviderMetadata | undefined {
	const sealed = unseal(reader.provider, signature ?? redacted);
	const last = parts.at(-1);
	const isReturned = reader.returnedThinking === "all" || (reader.returnedThinking === "turn" && isOfTurn);
	if (sealed?.of === "call") return sealed.metadata;
	if (sealed?.of === "text" && last?.type === "text" && last.providerOptions === undefined) {
		parts[parts.length - 1] = { ...last, providerOptions: sealed.metadata };
	} else if (sealed?.of === "text" || sealed?.of === "empty") {
		if (reader.emptyTexts) parts.push({ type: "text", text: "", providerOptions: sealed.metadata });
	} else if (sealed?.of === "thinking") {
		parts.push({ type: "reasoning", text: text.toWellFormed(), providerOptions: sealed.metadata });
	} else if (!sealed && text !== "" && isReturned) {
		parts.push({ type: "reasoning", text: text.toWellFormed() });
	}
	return undefined;
}

function wireName(name: string): string {
	// Models also call tools by invalid names, and such failed calls stay in the conversation.
	return name.replace(/[^\w-]/g, "_").slice(0, MAX_NAME) || "unnamed";
}
