import { type Fields, fieldsIn, type Issued, isFields, nameFaults } from "./wire.ts";

/** Returns fake encrypted reasoning. */
export function sealOf(id: string): string {
	return `sealed:${id}`;
}

/** Fields that Parley may send in a request. */
const known = new Set([
	"model",
	"input",
	"tools",
	"tool_choice",
	"stream",
	"store",
	"include",
	"max_output_tokens",
	"temperature",
	"top_p",
	"reasoning",
	"instructions",
]);

/**
 * Returns the faults of a request by the rules of the Responses API:
 * https://developers.openai.com/api/reference/resources/responses/methods/create
 */
export function responsesProblems(body: Fields, issued: Issued): string[] {
	const input = fieldsIn(body["input"]);
	return [
		...requestFaults(body),
		...itemFaults(input),
		...callFaults(input),
		...reasoningFaults(input, issued),
	];
}

function* requestFaults(body: Fields): Generator<string> {
	for (const key of Object.keys(body)) if (!known.has(key)) yield `unknown field ${key}`;
	if (body["stream"] !== true) yield "stream: must be true";
	if (body["store"] !== false) yield "store: must be false";
	const { max_output_tokens: maximum, include } = body;
	if (typeof maximum !== "number" || maximum < 16) yield "max_output_tokens: must be a number from 16";
	if (!Array.isArray(include) || !include.includes("reasoning.encrypted_content"))
		yield "include: must have the encrypted reasoning";
	for (const { type, name } of fieldsIn(body["tools"])) {
		if (type !== "function") yield "tools: must be functions";
		yield* nameFaults(name);
	}
}

const contentTypes: Readonly<Record<string, readonly string[]>> = {
	user: ["input_text", "input_image"],
	assistant: ["output_text"],
};

function* itemFaults(input: readonly Fields[]): Generator<string> {
	if (input.length === 0) yield "input: must not be empty";
	for (const [index, { role, content }] of input.entries()) {
		const allowed = contentTypes[String(role)] ?? [];
		const parts = allowed.length > 0 ? fieldsIn(content) : [];
		for (const part of parts) for (const fault of partFaults(part, allowed)) yield `input.${index}: ${fault}`;
	}
	if (input.at(-1)?.["role"] === "assistant") yield "input: the last item is the assistant's";
}

function* partFaults({ type, text, image_url: url }: Fields, allowed: readonly string[]): Generator<string> {
	if (!allowed.includes(String(type))) yield `${type} is not allowed`;
	if (text !== undefined && String(text).trim() === "") yield "a text is empty";
	if (type === "input_image" && !isImage(url)) yield "an image must be a data URL";
}

function isImage(url: unknown): boolean {
	return /^data:image\/[a-z]+;base64,[\w+/]+=*$/.test(String(url));
}

function* callFaults(input: readonly Fields[]): Generator<string> {
	const open = new Set<unknown>();
	for (const item of input) {
		const { type, call_id: id } = item;
		if (type === "function_call") {
			if (open.has(id)) yield `two calls have the id ${id}`;
			open.add(id);
			yield* faultsOfCall(item);
		}
		if (type === "function_call_output") {
			if (!open.delete(id)) yield `the output ${id} answers no call`;
			yield* outputFaults(item);
		}
	}
	for (const id of open) yield `no output for the call ${id}`;
}

function* faultsOfCall({ call_id: id, name, arguments: json }: Fields): Generator<string> {
	yield* nameFaults(name);
	if (typeof id !== "string" || id.length > 64 || id === "")
		yield `invalid id ${JSON.stringify(id)} of a call`;
	if (!isObject(json)) yield "the arguments of a call are not a JSON object";
}

function* outputFaults({ output }: Fields): Generator<string> {
	for (const { type, image_url: url } of fieldsIn(output))
		if (type === "input_image" && !isImage(url)) yield "an image must be a data URL";
}

function* reasoningFaults(input: readonly Fields[], { seals }: Issued): Generator<string> {
	for (const [index, item] of input.entries()) {
		if (item["type"] !== "reasoning") continue;
		const { id, encrypted_content: seal } = item;
		if (seals.get(String(seal)) !== id)
			yield `input.${index}: the encrypted reasoning is not that of the item`;
		const { type, role } = input[index + 1] ?? {};
		if (type !== "function_call" && type !== "reasoning" && role !== "assistant")
			yield `input.${index}: nothing follows the reasoning`;
	}
}

function isObject(text: unknown): boolean {
	try {
		return isFields(JSON.parse(String(text)));
	} catch {
		return false;
	}
}
