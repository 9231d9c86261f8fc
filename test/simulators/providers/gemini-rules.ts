import { type Fields, fieldsIn, type Issued, isFields, nameFaults } from "./wire.ts";

/** Returns a fake thought signature. */
export function signatureOf(id: string): string {
	return Buffer.from(`signed:${id}`).toString("base64");
}

/** Fields that Parley may send in a request. */
const known = new Set(["contents", "systemInstruction", "tools", "toolConfig", "generationConfig"]);

/** Signature for the calls of another model: https://ai.google.dev/gemini-api/docs/thought-signatures */
const FOREIGN = "skip_thought_signature_validator";

/** Returns the faults of a request by the rules of the Gemini API: https://ai.google.dev/api/generate-content */
export function geminiProblems(body: Fields, issued: Issued): string[] {
	const contents = fieldsIn(body["contents"]);
	return [
		...requestFaults(body),
		...contentFaults(contents),
		...callFaults(contents),
		...signatureFaults(contents, issued),
	];
}

function* requestFaults(body: Fields): Generator<string> {
	for (const key of Object.keys(body)) if (!known.has(key)) yield `unknown field ${key}`;
	const { generationConfig: config } = body;
	const maximum = isFields(config) ? config["maxOutputTokens"] : undefined;
	if (typeof maximum !== "number" || maximum < 1)
		yield "generationConfig.maxOutputTokens: must be a number from 1";
	for (const { functionDeclarations } of fieldsIn(body["tools"])) {
		for (const { name } of fieldsIn(functionDeclarations)) yield* nameFaults(name);
	}
}

function* contentFaults(contents: readonly Fields[]): Generator<string> {
	if (contents.length === 0) yield "contents: must not be empty";
	if (contents[0]?.["role"] !== "user") yield "contents: the first one must be the user's";
	if (contents.at(-1)?.["role"] !== "user") yield "contents: the last one must be the user's";
	for (const [index, { role, parts }] of contents.entries()) {
		if (role !== "user" && role !== "model") yield `contents.${index}: unknown role`;
		if (fieldsIn(parts).length === 0) yield `contents.${index}: has no parts`;
		if (!fieldsIn(parts).every(isImageValid)) yield `contents.${index}: an image is not base64`;
	}
}

function isImageValid({ inlineData }: Fields): boolean {
	return !isFields(inlineData) || /^[\w+/]+=*$/.test(String(inlineData["data"]));
}

/** Yields a fault unless the content after calls has one response for each call, in the same order. */
function* callFaults(contents: readonly Fields[]): Generator<string> {
	for (const [index, { parts }] of contents.entries()) {
		const called = namesIn(parts, "functionCall");
		const answered = namesIn(contents[index + 1]?.["parts"], "functionResponse");
		if (called.join() !== answered.join()) yield `contents.${index}: the calls have other responses`;
		for (const name of called) yield* nameFaults(name);
	}
}

function namesIn(parts: unknown, key: string): unknown[] {
	return fieldsIn(parts).flatMap((part) => (isFields(part[key]) ? [part[key]["name"]] : []));
}

/**
 * Yields a fault if the first call of a content has no signature. Each signature must be `FOREIGN`, or issued for a
 * part of the same kind: text or call.
 */
function* signatureFaults(contents: readonly Fields[], { seals }: Issued): Generator<string> {
	for (const [index, { parts }] of contents.entries()) {
		if (!fieldsIn(parts).every((part) => isOwnSignature(part, seals))) {
			yield `contents.${index}: a signature is at another part`;
		}
		const [first] = fieldsIn(parts).filter(({ functionCall }) => functionCall !== undefined);
		if (first && first["thoughtSignature"] === undefined)
			yield `contents.${index}: the first call has no signature`;
	}
}

function isOwnSignature({ thoughtSignature, functionCall }: Fields, seals: Issued["seals"]): boolean {
	if (thoughtSignature === undefined || thoughtSignature === FOREIGN) return true;
	return seals.get(String(thoughtSignature)) === (functionCall === undefined ? "text" : "call");
}
