import { defined, ParleyError, parseJson } from "@parley/base";
import type {
	AssistantMessage,
	ImageBlock,
	Message,
	Prompt,
	RecordedEvent,
	StopReason,
	Usage,
} from "@parley/core";
import type * as z from "zod";
import { zotErrorMessages } from "./error-code.ts";
import {
	type Ask,
	type Block,
	type Command,
	type CommandType,
	type Counts,
	commands,
	encodeJson,
	type Frame,
	Id,
	issueText,
	LineEnvelope,
	type Notice,
	type Response,
	type Stop,
} from "./schema.ts";

export type DecodedLine =
	| { readonly kind: "command"; readonly command: Command }
	| { readonly kind: "refused"; readonly response: Response };

const issueOptions = { error: issueText };

/** Decodes a line. Never throws: for an invalid line, returns the error response. */
export function decodeCommand(line: string): DecodedLine {
	let value: unknown;
	try {
		value = parseJson(line);
	} catch (reason) {
		return refused(idOfLine(line), "", `malformed json: ${ParleyError.from(reason).message}`);
	}
	const type = isFields(value) ? value["type"] : undefined;
	// If the envelope is valid, `error` is undefined, and the response reports the unknown type.
	if (!isCommand(type)) return refusedLine(value, LineEnvelope.safeParse(value, issueOptions).error);
	const fields = commands[type].safeParse(value, issueOptions);
	if (!fields.success) return refusedLine(value, fields.error);
	const { data } = fields;
	// The cast is safe because the schema of this type has accepted the fields.
	return { kind: "command", command: { ...data, type, id: data.id ?? undefined } as Command };
}

function isCommand(type: unknown): type is CommandType {
	return typeof type === "string" && Object.hasOwn(commands, type);
}

/**
 * Returns the error response to an invalid line. Without `error`, the type of the line is unknown. The response has
 * the id of the line if the id is valid, because clients match responses by id.
 */
function refusedLine(value: unknown, error: z.ZodError | undefined): DecodedLine {
	const { type, id } = isFields(value) ? value : {};
	const known = Id.safeParse(id).data;
	const wrong = error ? describe(error) : "unknown command";
	const text = isFields(value) ? wrong : "malformed json: a line must contain one object";
	return refused(known, typeof type === "string" ? type : "", text);
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
	return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refused(id: Id | null | undefined, command: string, error: string): DecodedLine {
	return {
		kind: "refused",
		response: failure({ id: id ?? undefined, type: shortenText(command, 100) }, error),
	};
}

export function shortenText(text: string, max: number): string {
	return text.length > max ? `${text.slice(0, max).toWellFormed()}…` : text;
}

function describe({ issues }: z.ZodError): string {
	const [issue] = issues;
	if (!issue) return "invalid command";
	const place = issue.path.map((part, at) =>
		typeof part === "number" ? `[${part}]` : `${at === 0 ? "" : "."}${String(part)}`,
	);
	return `${place.join("")}: ${issue.message}`;
}

interface Named {
	readonly id: Id | undefined;
	readonly type: string;
}

export function success({ id, type: command }: Named, data?: object): Response {
	return {
		type: "response",
		...defined({ id: idOf(id) ? id : undefined }),
		command,
		success: true,
		...defined({ data }),
	};
}

export function failure({ id, type: command }: Named, error: string): Response {
	return {
		type: "response",
		...defined({ id: idOf(id) ? id : undefined }),
		command,
		success: false,
		error: shortenText(error, 2_000),
	};
}

/**
 * Encodes a frame without the line break. Most frames are text deltas, for which only the text is encoded.
 */
export function encodeFrame(frame: Frame): string {
	if (frame.type !== "text_delta") return encodeJson(frame);
	const { delta, request_id } = frame;
	if (request_id !== newest.id) newest = { id: request_id, end: endOf(request_id) };
	return `{"type":"text_delta","delta":${encodeJson(delta)}${newest.end}`;
}

/** JSON that follows the text in the newest delta. This JSON is the same for all deltas of a prompt. */
let newest: { readonly id: Id | undefined; readonly end: string } = { id: undefined, end: "}" };

function endOf(id: Id | undefined): string {
	return id === undefined ? "}" : `,"request_id":${encodeJson(id)}}`;
}

/**
 * Whether a command has an id. An empty id, or an id of NUL characters, is treated as absent, as existing clients
 * expect.
 */
export function idOf(id: Id | undefined): id is Id {
	return typeof id === "string" ? /[^\0]/.test(id) : id !== undefined;
}

export function encodeZotError(reason: unknown): string {
	const { code, message } = ParleyError.from(reason);
	return zotErrorMessages[code](message);
}

/** Encodes milliseconds since the epoch as RFC 3339 in UTC. */
export function encodeTime(at: number): string {
	return new Date(at).toISOString();
}

export function encodeZotMessage({ message, at }: { readonly message: Message; readonly at: number }): {
	readonly role: string;
	readonly content: readonly Block[];
	readonly time: string;
} {
	return { role: message.role, content: inOrder(encodeContent(message.content)), time: encodeTime(at) };
}

/**
 * Returns the blocks in the order of `user_message`, with images after the text. In stored messages, images precede
 * the text.
 */
function inOrder(blocks: readonly Block[]): Block[] {
	const isImage = ({ type }: Block): boolean => type === "image";
	return [...blocks.filter((block) => !isImage(block)), ...blocks.filter(isImage)];
}

/** Encodes content without thinking. An image is encoded as its media type and size, as in the protocol document. */
export function encodeContent(content: Message["content"]): Block[] {
	return content.flatMap(encodeBlock);
}

function encodeBlock(block: Message["content"][number]): Block[] {
	switch (block.type) {
		case "text":
			return [{ type: "text", text: block.text }];
		case "image":
			return [{ type: "image", mime_type: block.mediaType, bytes: bytesOf(block.data) }];
		case "thinking":
			return [];
		case "call":
			return [{ type: "tool_call", id: block.id, name: block.name, args: argumentsOf(block) }];
		case "result": {
			const { callId: call_id, failed: is_error, text, pictures: images = [] } = block;
			const content = [{ type: "text", text } as const, ...encodeContent(images)];
			return [{ type: "tool_result", call_id, is_error, content }];
		}
	}
}

type CompletedCall = Extract<RecordedEvent, { type: "tool.completed" }>;

export function encodeResult(text: string, shown: CompletedCall["pictures"] = []): Block[] {
	const images = shown.map(({ mediaType: mime_type, bytes }) => ({
		type: "image" as const,
		mime_type,
		bytes,
	}));
	return [{ type: "text", text }, ...images];
}

export function encodeQuestion(text: string, images: readonly ImageBlock[]): Block[] {
	const words = text === "" ? [] : [{ type: "text", text } as const];
	return [...words, ...encodeContent(images)];
}

function argumentsOf({ arguments: args, invalid }: { arguments: unknown; invalid?: string }): unknown {
	return invalid === undefined ? args : null;
}

function bytesOf(base64: string): number {
	return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

/** Encodes token counts. `input` does not include tokens that a cache read or wrote. */
export function encodeCounts(usage: Usage, cost: number): Counts {
	const { inputTokens, outputTokens: output, cacheReadTokens, cacheWriteTokens } = usage;
	const input = Math.max(0, inputTokens - cacheReadTokens - cacheWriteTokens);
	const cached = { cache_read: cacheReadTokens, cache_write: cacheWriteTokens };
	return { input, output, ...cached, cost_usd: cost / 1e9 };
}

const stops = {
	end_turn: "end_turn",
	tool_use: "tool_use",
	max_tokens: "length",
	refusal: "error",
} as const satisfies Record<StopReason, Stop>;

/** Encodes the end of a model call. `error` is empty for a complete reply. */
export function encodeStop(
	stop: StopReason | undefined,
	content: AssistantMessage["content"],
	error: string,
): Stop {
	if (error === "cancelled") return "aborted";
	if (error !== "" || stop === undefined) return "error";
	return stop === "end_turn" && content.some(({ type }) => type === "call") ? "tool_use" : stops[stop];
}

/** Encodes the lines at the end of a reply, without its usage. */
export function encodeZotReply(
	content: AssistantMessage["content"],
	{ stop, error, at }: { readonly stop: Stop; readonly error: string; readonly at: number },
): Notice[] {
	// Calls of an aborted or failed reply do not run, so they are omitted.
	const broke = stop === "aborted" || stop === "error";
	const blocks = encodeContent(broke ? content.filter(({ type }) => type === "text") : content);
	const calls = blocks.flatMap((block) =>
		block.type === "tool_call" ? [{ ...block, type: "tool_call" as const }] : [],
	);
	const end: Notice = { type: "turn_end", stop, ...defined({ error: error === "" ? undefined : error }) };
	if (blocks.length === 0) return [end];
	return [{ type: "assistant_message", content: blocks, time: encodeTime(at) }, ...calls, end];
}

type Approval = NonNullable<Prompt["approval"]>;

/** Encodes an approval. `id` identifies the approval on this connection. */
export function encodeAsk(id: string, { label }: Prompt, approval: Approval): Ask {
	const { callId: call_id, tool, arguments: args, preview, risk, notes, allowSession } = approval;
	return { type: "ask", id, call_id, tool, args, label, preview, risk, notes, can_remember: allowSession };
}

/** Maximum number of characters in which the id is searched. Clients write the id before long fields. */
const maxSearchedCharacters = 4_096;

const space = "[ \\t\\r]*";
const quoted = '"(?:[^"\\\\]|\\\\.)*"';
const plain = `(?:${quoted}|[-+.\\w]+)`;
/** Pattern of members with plain values, up to the first `id`. */
const beginning = new RegExp(
	`^${space}\\{${space}(?:(?!"id")${quoted}${space}:${space}${plain}${space},${space})*"id"${space}:${space}(${plain})${space}[,}]`,
);

/**
 * Finds the id of a line that is not valid JSON, so that the client can match the response to its command. Reads only
 * the beginning of the line, and ignores `id` in nested values. Returns undefined if no id is found.
 */
export function idOfLine(line: string): Id | undefined {
	const [, id] = beginning.exec(line.slice(0, maxSearchedCharacters)) ?? [];
	if (id === undefined) return undefined;
	try {
		return Id.safeParse(parseJson(id)).data;
	} catch {
		return undefined;
	}
}
