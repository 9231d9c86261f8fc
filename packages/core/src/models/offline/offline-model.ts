import { setImmediate } from "node:timers/promises";
import { type Clock, delay, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { verdictInstructions } from "../../instructions/auxiliary-prompts.ts";
import { isNotesText } from "../../text/notes-text.ts";
import type { CallBlock, Message, ResultBlock } from "../../vocabulary/message.ts";
import { isContextText } from "../../vocabulary/message-context.ts";
import type { Model, ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { withoutAttribution } from "../../vocabulary/transcript.ts";
import { noUsage } from "../../vocabulary/usage.ts";
import { exchangeTexts } from "../exchange/texts.ts";
import type { Verdict, VerdictInput } from "../verdict.ts";
import { type OfflineCommand, parseCommands } from "./grammar.ts";
import { offlineReplyTexts } from "./texts.ts";

/** Maximum deltas of a text. */
const MAX_DELTAS = 256;

/** Number of events after which a reply yields to the event loop. */
const EVENTS_AT_ONCE = 64;

/**
 * Creates a deterministic model that follows the commands in messages (see grammar.ts) without a key or a network. The
 * text of every reply begins with `[offline]`.
 */
export function createOfflineModel({ clock }: { readonly clock: Clock }): Model {
	return {
		provider: "offline",
		defaultModel: "offline",
		stream: (request, signal) => streamReply(request, clock, signal),
	};
}

async function* streamReply(
	request: ModelRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	let events = 0;
	let calls = 0;
	let characters = 0;
	try {
		signal.throwIfAborted();
		yield { type: "started" };
		for await (const event of perform(request, clock, signal)) {
			if (++events % EVENTS_AT_ONCE === 0) await setImmediate();
			signal.throwIfAborted();
			if (event.type === "call") calls++;
			characters += charactersOf(event);
			yield event;
		}
		signal.throwIfAborted();
	} catch (cause) {
		if (!signal.aborted) throw cause;
		throw new ParleyError(exchangeTexts.cancelled, { code: "cancelled", cause });
	}
	const inputTokens = tokensOf(charactersIn(request));
	const usage = { ...noUsage, inputTokens, outputTokens: tokensOf(characters) };
	yield { type: "end", stop: calls > 0 ? "tool_use" : "end_turn", usage, model: "offline" };
}

async function* perform(
	request: ModelRequest,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	let calls = 0;
	for (const command of nextReply(request)) {
		switch (command.kind) {
			case "say":
				for (const text of deltas(command.text)) yield { type: "text", text };
				break;
			case "think":
				for (const text of deltas(command.text)) yield { type: "thinking", text };
				break;
			case "long":
				yield* pacedWords(command, clock, signal);
				break;
			case "call": {
				// The transcript grows between two replies, so the number of messages is different for each reply of
				// the run.
				const index = calls++;
				yield* written(index, `call_${request.messages.length}_${index}`, command);
				break;
			}
			case "fail":
				throw new ParleyError(command.reason, { code: "unavailable" });
		}
	}
}

function* written(
	index: number,
	id: string,
	{ name, arguments: args }: Extract<OfflineCommand, { kind: "call" }>,
): Generator<ModelEvent> {
	yield { type: "call.started", index, id, name };
	for (const json of deltas(JSON.stringify(args))) yield { type: "call.delta", index, json };
	yield { type: "call.ended", index };
	yield { type: "call", index, id, name, arguments: args };
}

/** Yields the text word by word. In a long text, several words form one piece. */
function* deltas(text: string): Generator<string> {
	const atLeast = text.length / MAX_DELTAS;
	let start = 0;
	for (const { 0: space, index } of text.matchAll(/\s+/g)) {
		const end = index + space.length;
		if (end - start < atLeast) continue;
		yield text.slice(start, end);
		start = end;
	}
	if (start < text.length) yield text.slice(start);
}

/** Yields numbered words at the rate of the command. The numbers reveal a lost word. */
async function* pacedWords(
	{ tokens, perSecond }: Extract<OfflineCommand, { kind: "long" }>,
	clock: Clock,
	signal: AbortSignal,
): AsyncGenerator<ModelEvent> {
	const start = clock.monotonic();
	for (let token = 0; token < tokens; token++) {
		// The time of each word is relative to the start, so delays do not add up.
		const wait = start + (token * 1000) / perSecond - clock.monotonic();
		if (wait > 0) await delay(clock, wait, signal);
		yield { type: "text", text: token === 0 ? "t1" : ` t${token + 1}` };
	}
}

const MAX_QUOTE = 200;

/**
 * Returns the commands of the reply to a request. The latest user message contains the commands. The number of replies
 * with calls after this message selects the group of commands. A request for a verdict gets a verdict, and any other
 * request without tools gets a summary.
 */
export function nextReply(request: ModelRequest): OfflineCommand[] {
	if (asksForVerdict(request)) {
		return spaced([say(JSON.stringify(offlineVerdict(textOf(request.messages[0]))))]);
	}
	if (request.tools.length === 0) return spaced([say(summary(request.messages))]);
	const latest = request.messages.findLastIndex(({ role }) => role === "user");
	const written = parseCommands(withoutAttribution(textOf(request.messages[latest])));
	const commands = written.map((command) => inShortNames(command, request.tools));
	const { turns, calls, results } = progress(request.messages.slice(latest + 1));
	const reply = [...repeatResults(calls, results), ...(planReplies(commands)[turns] ?? [])];
	if (commands.length === 0) reply.push(say(offlineReplyTexts.greeting));
	else if (reply.every(({ kind }) => kind === "think")) reply.push(say(offlineReplyTexts.done));
	return spaced(reply);
}

/** Puts the label before the first text, and an empty line between texts. */
function spaced(commands: readonly OfflineCommand[]): OfflineCommand[] {
	const leads: { say: string; think: string } = { say: offlineReplyTexts.label, think: "" };
	const reply: OfflineCommand[] = [];
	for (const command of commands) {
		if (command.kind !== "call" && command.kind !== "fail") {
			const kind = command.kind === "think" ? "think" : "say";
			reply.push({ kind, text: leads[kind] });
			leads[kind] = "\n\n";
		}
		reply.push(command);
	}
	return reply;
}

/** Groups commands into replies. Each reply except the last ends with a call. The last reply ends the run. */
export function planReplies(commands: readonly OfflineCommand[]): OfflineCommand[][] {
	const replies: OfflineCommand[][] = [];
	let open: OfflineCommand[] = [];
	for (const command of commands) {
		open.push(command);
		if (command.kind !== "call") continue;
		const before = command.together ? replies.at(-1) : undefined;
		if (before === undefined) replies.push(open);
		else before.push(...open);
		open = [];
	}
	return [...replies, open];
}

interface Progress {
	/** Number of replies with calls since the latest user message. */
	readonly turns: number;
	/** Calls of the last reply with calls since the latest user message. */
	readonly calls: readonly CallBlock[];
	readonly results: readonly ResultBlock[];
}

function progress(messages: readonly Message[]): Progress {
	const turns = messages
		.map(({ content }) => content.filter((block) => block.type === "call"))
		.filter((calls) => calls.length > 0);
	const results = messages.flatMap(({ content }) => content.filter((block) => block.type === "result"));
	return { turns: turns.length, calls: turns.at(-1) ?? [], results };
}

function repeatResults(calls: readonly CallBlock[], results: readonly ResultBlock[]): OfflineCommand[] {
	return calls.flatMap((call) => {
		const result = results.find(({ callId }) => callId === call.id);
		return result === undefined ? [] : [say(repeatResult(call.name, result))];
	});
}

function repeatResult(name: string, { text, failed, pictures: images = [] }: ResultBlock): string {
	const unseen = images.map(() => offlineReplyTexts.unseenImage);
	const body = [text.trimEnd(), ...unseen].join("\n");
	if (failed) return offlineReplyTexts.failed(name, body);
	return body === "" ? offlineReplyTexts.returnedNothing(name) : offlineReplyTexts.returned(name, body);
}

function summary(messages: readonly Message[]): string {
	const first = textOf(messages.find(({ role }) => role === "user"));
	return offlineReplyTexts.summary(messages.length, quote(first));
}

function quote(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	const characters = Array.from(line.slice(0, 2 * MAX_QUOTE));
	const fits = line.length <= 2 * MAX_QUOTE && characters.length <= MAX_QUOTE;
	return fits ? line : `${characters.slice(0, MAX_QUOTE).join("")}…`;
}

function textOf(message: Message | undefined): string {
	if (message === undefined) return "";
	return message.content
		.filter((block) => block.type === "text")
		.map(({ text }) => text)
		.filter((text) => !isNotesText(text) && !isContextText(text))
		.join("\n");
}

function say(text: string): OfflineCommand {
	return { kind: "say", text };
}

const CHARACTERS_PER_TOKEN = 4;

function tokensOf(characters: number): number {
	return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

function charactersIn({ system, messages, tools }: ModelRequest): number {
	const described = tools.map(
		({ name, description, parameters }) => name.length + description.length + jsonLength(parameters),
	);
	const content = messages.flatMap(({ content }) => content.map(charactersOf));
	return [...described, ...content].reduce((sum, count) => sum + count, system.length);
}

/**
 * Returns the number of characters of `part`: one block of a message, or one event of a reply. Returns 0 for a piece of
 * a call, because the complete call follows.
 */
export function charactersOf(part: Message["content"][number] | ModelEvent): number {
	switch (part.type) {
		case "text":
		case "thinking":
			return part.text.length;
		case "call":
			return part.name.length + jsonLength(part.arguments);
		// Each image costs as much as a page of text, regardless of the image's size.
		case "image":
			return 4 * 1024;
		case "result":
			return part.text.length + (part.pictures?.length ?? 0) * 4 * 1024;
		default:
			return 0;
	}
}

function jsonLength(value: unknown): number {
	return JSON.stringify(value ?? null).length;
}

const schema: z.ZodType<VerdictInput> = z.object({
	criteria: z.array(z.string()),
	task: z.string(),
	result: z.string(),
});

function asksForVerdict({ system }: ModelRequest): boolean {
	return system === verdictInstructions;
}

/**
 * Returns a passed verdict if the result contains the text of each criterion `contains: TEXT`. Ignores all other
 * criteria.
 */
function offlineVerdict(question: string): Verdict {
	const { criteria, result } = schema.parse(parseJson(question));
	const requested = criteria.flatMap((criterion) =>
		[...criterion.matchAll(/^\s*contains:\s*(\S.*)$/gm)].map(([, text = ""]) => text.trim()),
	);
	const missing = requested.find((text) => !result.includes(text));
	if (missing !== undefined)
		return { passed: false, reason: offlineReplyTexts.notContained(JSON.stringify(missing)) };
	return { passed: true, reason: offlineReplyTexts.verdict };
}

type Call = Extract<OfflineCommand, { kind: "call" }>;
type Fields = Readonly<Record<string, unknown>>;

/**
 * Tools with short names, each with a function that converts the arguments of the tool with the long name. Key: the
 * long name.
 */
const short: Readonly<Record<string, readonly [name: string, args: (long: Fields) => Fields]>> = {
	run_command: ["bash", ({ cmd }) => ({ command: cmd })],
	read_file: ["read", (args) => args],
	write_file: ["write", (args) => args],
	edit_file: [
		"edit",
		({ path, old_text: oldText, new_text: newText }) => ({ path, edits: [{ oldText, newText }] }),
	],
};

/**
 * Converts a command to a tool that the request offers. For example, `run:` uses `bash` if the request offers `bash`
 * but not `run_command`.
 */
export function inShortNames(
	command: OfflineCommand,
	tools: readonly { readonly name: string }[],
): OfflineCommand {
	if (command.kind !== "call") return command;
	const has = (name: string): boolean => tools.some((tool) => tool.name === name);
	const known = short[command.name];
	if (!known || has(command.name) || !has(known[0])) return command;
	return { ...command, name: known[0], arguments: known[1](fieldsOf(command)) };
}

function fieldsOf({ arguments: args }: Call): Fields {
	return typeof args === "object" && args !== null ? { ...args } : {};
}
