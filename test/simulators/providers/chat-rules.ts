import { type Fields, fieldsIn, isFields, nameFaults } from "./wire.ts";

/** Fields that Parley may send in a request. A strict server refuses other fields. */
const known = new Set([
	"model",
	"messages",
	"tools",
	"tool_choice",
	"stream",
	"stream_options",
	"max_tokens",
	"temperature",
	"top_p",
	"reasoning_effort",
]);

/**
 * Returns the faults of a request by the rules of the Chat Completions API:
 * https://platform.openai.com/docs/api-reference/chat/create
 */
export function chatProblems(body: Fields): string[] {
	return [
		...requestFaults(body),
		...messageFaults(fieldsIn(body["messages"])),
		...callFaults(fieldsIn(body["messages"])),
	];
}

function* requestFaults(body: Fields): Generator<string> {
	for (const key of Object.keys(body)) if (!known.has(key)) yield `unknown field ${key}`;
	if (body["stream"] !== true) yield "stream: must be true";
	if (!isFields(body["stream_options"]) || body["stream_options"]["include_usage"] !== true)
		yield "stream_options: must include usage";
	const { max_tokens: maximum } = body;
	if (typeof maximum !== "number" || maximum < 1) yield "max_tokens: must be a number from 1";
	if (body["tools"] !== undefined && fieldsIn(body["tools"]).length === 0) yield "tools: must not be empty";
	for (const { type, function: described } of fieldsIn(body["tools"])) {
		if (type !== "function" || !isFields(described)) yield "tools: must be functions";
		else yield* nameFaults(described["name"]);
	}
}

function* messageFaults(messages: readonly Fields[]): Generator<string> {
	if (messages.length === 0) yield "messages: must not be empty";
	for (const [index, message] of messages.entries()) {
		for (const fault of faultsOf(message, index)) yield `messages.${index}: ${fault}`;
	}
	if (messages.at(-1)?.["role"] === "assistant") yield "messages: the last one is the assistant's";
}

const fieldsOfRoles: Readonly<Record<string, readonly string[]>> = {
	system: ["role", "content"],
	user: ["role", "content"],
	assistant: ["role", "content", "tool_calls", "reasoning_content", "reasoning_details"],
	tool: ["role", "content", "tool_call_id"],
};

function* faultsOf(message: Fields, index: number): Generator<string> {
	const { role, content, tool_calls: calls } = message;
	const allowed = fieldsOfRoles[String(role)] ?? [];
	if (role === "system" && index > 0) yield "a system message must be first";
	const parts = typeof content === "string" ? [{ type: "text", text: content }] : fieldsIn(content);
	if (parts.length === 0 && calls === undefined) yield "has no content";
	for (const part of parts) yield* partFaults(part, role);
	yield* Object.keys(message).flatMap((key) => (allowed.includes(key) ? [] : [`unknown field ${key}`]));
}

function* partFaults(part: Fields, role: unknown): Generator<string> {
	const { type, text, image_url: image } = part;
	if (type === "text" && (typeof text !== "string" || text.trim() === "")) yield "a text is empty";
	if (type === "image_url") {
		if (role !== "user") yield "a picture must be in a message of the user";
		const url = isFields(image) ? String(image["url"]) : "";
		if (!/^data:image\/[a-z]+;base64,[\w+/]+=*$/.test(url)) yield "a picture must be a data URL";
	}
}

/**
 * Yields a fault unless the results directly follow the message with the calls, one for each call. Calls at the end
 * of the list may lack results.
 */
function* callFaults(messages: readonly Fields[]): Generator<string> {
	let open: unknown[] = [];
	for (const [index, message] of messages.entries()) {
		if (message["role"] === "tool") {
			const { tool_call_id: id } = message;
			if (!open.includes(id)) yield `messages.${index}: answers no call`;
			open = open.filter((one) => one !== id);
			continue;
		}
		if (open.length > 0) yield `messages.${index}: the calls ${open.join(", ")} have no answer`;
		const calls = fieldsIn(message["tool_calls"]);
		open = calls.map(({ id }) => id);
		if (new Set(open).size < open.length) yield `messages.${index}: two calls have one id`;
		for (const call of calls) yield* faultsOfCall(call);
	}
}

function* faultsOfCall({ id, function: called }: Fields): Generator<string> {
	if (typeof id !== "string" || id === "" || id.length > 40)
		yield `invalid id ${JSON.stringify(id)} of a call`;
	if (!isFields(called)) return yield "a call of no function";
	yield* nameFaults(called["name"]);
	if (!isJson(called["arguments"])) yield "the arguments of a call are no JSON object";
}

function isJson(text: unknown): boolean {
	try {
		return isFields(JSON.parse(String(text)));
	} catch {
		return false;
	}
}
