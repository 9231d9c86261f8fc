import type {
	ContentBlockParam,
	MessageCountTokensParams,
	MessageCreateParamsStreaming,
	MessageParam,
	ToolResultBlockParam,
	ToolUseBlockParam,
} from "@anthropic-ai/sdk/resources/messages";

type Request = MessageCreateParamsStreaming | MessageCountTokensParams;

/** Thinking that the service has sent. Later requests must not change it. */
export interface Issued {
	/** Thinking by its signature. */
	readonly thinking: ReadonlyMap<string, string>;
	readonly redacted: ReadonlySet<string>;
}

/** Returns the violated rules of the service. The request must match the SDK's types. */
export function brokenRules(request: Request, issued: Issued): string[] {
	return [
		...firstAndLast(request.messages),
		...contents(request.messages),
		...callsAndResults(request.messages),
		...thinkingUnchanged(request.messages, issued),
		...tools(request),
		...cacheBreakpoints(request),
		...("max_tokens" in request ? limits(request) : []),
	];
}

function* firstAndLast(messages: readonly MessageParam[]): Generator<string> {
	if (messages.length === 0) yield "messages: at least one message is required";
	else if (messages[0]?.role !== "user") yield "messages.0: the first message must be of the user";
	if (messages.at(-1)?.role === "assistant") yield "messages: the last one is the assistant's, a prefill";
}

function blocksOf({ content }: MessageParam): readonly ContentBlockParam[] {
	return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function* contents(messages: readonly MessageParam[]): Generator<string> {
	for (const [index, message] of messages.entries()) {
		const blocks = blocksOf(message);
		if (blocks.length === 0) yield `messages.${index}: the content is empty`;
		for (const block of blocks) for (const fault of blockFaults(block)) yield `messages.${index}: ${fault}`;
	}
}

function* blockFaults(block: ContentBlockParam): Generator<string> {
	const parts = block.type === "tool_result" ? resultParts(block) : [block];
	if (parts.some((part) => part.type === "text" && "text" in part && part.text.trim() === ""))
		yield "a text block holds nothing but white space";
	if (block.type === "tool_result" && block.is_error && parts.length === 0)
		yield "a result with is_error must have content";
	if (block.type === "tool_use") yield* callFaults(block);
	if (block.type === "image" && block.source.type === "base64" && !isBase64(block.source.data))
		yield "the image is not base64";
}

const toolName = /^[a-zA-Z0-9_-]{1,128}$/;

function* callFaults({ id, name, input }: ToolUseBlockParam): Generator<string> {
	if (!/^[a-zA-Z0-9_-]+$/.test(id)) yield `"${id}" cannot be the id of a call`;
	if (!toolName.test(name)) yield `"${name}" cannot be the name of a tool that was called`;
	if (typeof input !== "object" || input === null || Array.isArray(input))
		yield "the input of a call must be an object";
}

function resultParts({ content = [] }: ToolResultBlockParam): Exclude<typeof content, string> {
	if (typeof content !== "string") return content;
	return content === "" ? [] : [{ type: "text", text: content }];
}

function isBase64(data: string): boolean {
	return data !== "" && Buffer.from(data, "base64").toString("base64") === data;
}

/**
 * Yields a fault unless the message after calls begins with one result for each call, without other results. Ids of
 * calls must be unique.
 */
function* callsAndResults(messages: readonly MessageParam[]): Generator<string> {
	const seen = new Set<string>();
	let open: string[] = [];
	for (const [index, message] of messages.entries()) {
		const blocks = blocksOf(message);
		const answered = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
		yield* differences(index, open, answered);
		const lastResult = blocks.findLastIndex((block) => block.type === "tool_result");
		if (lastResult >= answered.length) yield `messages.${index}: something stands before the tool results`;
		open = blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : []));
		if (open.length > 0 && message.role !== "assistant") yield `messages.${index}: a call of the user`;
		for (const id of open) {
			if (seen.has(id)) yield `messages.${index}: the call ${id} was there already`;
			seen.add(id);
		}
	}
	if (open.length > 0) yield `messages: nothing answers the calls ${open.join(", ")}`;
}

function* differences(
	index: number,
	open: readonly string[],
	answered: readonly string[],
): Generator<string> {
	for (const id of open) if (!answered.includes(id)) yield `messages.${index}: no result for the call ${id}`;
	for (const id of answered)
		if (!open.includes(id)) yield `messages.${index}: a result for ${id}, which was not called just before`;
	if (new Set(answered).size < answered.length) yield `messages.${index}: two results for one call`;
}

function* thinkingUnchanged(messages: readonly MessageParam[], issued: Issued): Generator<string> {
	for (const [index, message] of messages.entries()) {
		for (const block of blocksOf(message)) {
			if (block.type === "thinking" && issued.thinking.get(block.signature) !== block.thinking)
				yield `messages.${index}: the signature does not belong to this thinking`;
			if (block.type === "redacted_thinking" && !issued.redacted.has(block.data))
				yield `messages.${index}: redacted thinking that never was sent`;
		}
		const last = blocksOf(message).at(-1)?.type;
		if (message.role === "assistant" && (last === "thinking" || last === "redacted_thinking"))
			yield `messages.${index}: the last block of the assistant is thinking`;
	}
}

function* tools({ tools: offered = [], messages, tool_choice: choice }: Request): Generator<string> {
	const names = offered.map((tool) => ("name" in tool ? tool.name : tool.type));
	if (new Set(names).size < names.length) yield "tools: two have the same name";
	for (const name of names) if (!toolName.test(name)) yield `tools: ${name} cannot be the name of a tool`;
	if (choice?.type === "tool" && !names.includes(choice.name))
		yield `tool_choice: there is no ${choice.name}`;
	const used = messages.some((message) => blocksOf(message).some((block) => block.type === "tool_use"));
	if (used && names.length === 0) yield "tools: must be given where the messages hold calls";
}

function* cacheBreakpoints(request: Request): Generator<string> {
	const { tools: offered = [], system = [], messages } = request;
	const all: readonly object[] = [
		...offered,
		...(typeof system === "string" ? [] : system),
		...messages.flatMap((message) => blocksOf(message)),
		request,
	];
	const ttls = all.flatMap((block) => {
		const control = "cache_control" in block ? (block.cache_control as { ttl?: string } | null) : undefined;
		return control ? [control.ttl ?? "5m"] : [];
	});
	if (ttls.length > 4) yield `cache_control: ${ttls.length} breakpoints, at most 4 are allowed`;
	if (ttls.lastIndexOf("1h") > ttls.indexOf("5m") && ttls.includes("5m"))
		yield "cache_control: a breakpoint of 1h behind one of 5m";
}

function* limits(request: MessageCreateParamsStreaming): Generator<string> {
	const { max_tokens: maxTokens, thinking, tool_choice: choice } = request;
	if (!Number.isInteger(maxTokens) || maxTokens < 1) yield "max_tokens: must be a whole number, at least 1";
	if (thinking?.type !== "enabled") return;
	const { budget_tokens: budget } = thinking;
	if (!Number.isInteger(budget) || budget < 1024) yield "thinking.budget_tokens: must be at least 1024";
	if (budget >= maxTokens) yield "thinking.budget_tokens: must be less than max_tokens";
	if (choice?.type === "any" || choice?.type === "tool") yield "thinking: not with a forced tool_choice";
	const turn = currentTurn(request.messages);
	const first = turn.map((message) => blocksOf(message)).find((blocks) => blocks.length > 0)?.[0];
	if (first && first.type !== "thinking" && first.type !== "redacted_thinking")
		yield "messages: with thinking enabled, the calls under way must begin with the thinking before them";
}

function currentTurn(messages: readonly MessageParam[]): readonly MessageParam[] {
	const start = messages.findLastIndex(
		(message) => message.role === "user" && !blocksOf(message).some(({ type }) => type === "tool_result"),
	);
	return messages.slice(start + 1).filter(({ role }) => role === "assistant");
}
