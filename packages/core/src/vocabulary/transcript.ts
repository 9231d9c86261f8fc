import { defined } from "@parley/base";
import type { CallBlock, ImageBlock, Message, ResultBlock } from "./message.ts";
import { lineEnds } from "./message.ts";
import { contextText, type MessageContext } from "./message-context.ts";
import type { Person } from "./principal.ts";
import { askOf, phaseAfter } from "./run-options.ts";
import type { Step } from "./step.ts";
import { type Attachment, attachmentLines } from "./stored-file.ts";
import { callRefusalTexts } from "./texts.ts";

/** Messages of one run for the model. */
export interface RunTranscript {
	/** Position of the run within its session. */
	readonly ordinal: number;
	readonly messages: readonly Message[];
}

/** The message that started a run. */
export interface RunMessage {
	readonly content: string;
	readonly images: readonly ImageBlock[];
	/** Files of the message. Absent if there are none. */
	readonly attachments?: readonly Attachment[];
	/** Images that were loaded from the attachments, as the model sees them. Absent if none are loaded. */
	readonly loadedImages?: readonly ImageBlock[];
	/** Run whose last reply is requested again. The transcript already contains the message of that run. */
	readonly retryOf: string | undefined;
	/** Chat user who wrote the message, with the role at that time. */
	readonly actor?: Person;
	/** Channel messages that the client has read as context for the message. */
	readonly context?: MessageContext;
	/** Those options of the run that affect the transcript: the skill that the message started, and the mode. */
	readonly options?:
		| { readonly skill?: { readonly text: string }; readonly mode?: "react" | "ooda" }
		| undefined;
}

type ReplyStep = Extract<Step, { kind: "reply" }>;

/** Returns the tool calls of a reply in the model's order. */
export function callsOf(content: ReplyStep["content"]): readonly CallBlock[] {
	return content.filter((block) => block.type === "call");
}

/** Returns the text of a reply, without thinking and tool calls. */
export function textOf(content: ReplyStep["content"]): string {
	return content
		.filter((block) => block.type === "text")
		.map((block) => block.text)
		.join("");
}

/**
 * Returns the messages of one run for the model: the message that started the run, then replies, results and added messages. If the
 * run ended before a tool call ran, the call gets a result that says so, because providers reject a call without a result.
 */
export function messagesOf(message: RunMessage, steps: readonly Step[]): Message[] {
	const messages: Message[] = opensWithQuestion(message, steps)
		? [...once(message, () => [question(message, steps)])]
		: [];
	const results = resultsOf(steps);
	const ended = steps.at(-1)?.kind === "ended";
	let replies = 0;
	for (const step of steps) {
		if (step.kind === "steered") messages.push(...once(step, () => [userMessage(step)]));
		if (step.kind !== "reply") continue;
		const phase = phaseAfter(message.options, replies);
		replies += 1;
		if (phase) messages.push(askOf(phase));
		messages.push(...replyMessages(step, results, ended));
	}
	return messages;
}

/**
 * Whether the run begins with its own user message. The message of a retried run is in an earlier run, and an
 * imported history may begin with a reply.
 */
function opensWithQuestion(message: RunMessage, steps: readonly Step[]): boolean {
	const { retryOf, content, images, attachments = [] } = message;
	if (retryOf !== undefined) return false;
	return steps[0]?.kind !== "imported" || content !== "" || images.length + attachments.length > 0;
}

/** Returns the transcript of a run to retry, without its last reply unless that reply has tool calls. */
export function withoutLastReply({ ordinal, messages }: RunTranscript): RunTranscript {
	const last = messages.at(-1);
	const answers = last?.role === "assistant" && callsOf(last.content).length === 0;
	return { ordinal, messages: answers ? messages.slice(0, -1) : messages };
}

function question(
	{ content, images, attachments = [], loadedImages = [], actor, context, options }: RunMessage,
	steps: readonly Step[],
): Message {
	const shown = [...images, ...loadedImages];
	const words = [attributed(content, actor), attachmentLines(attachments)]
		.filter((part) => part !== "")
		.join("\n\n");
	const text = words === "" && shown.length > 0 ? [] : [{ type: "text", text: words } as const];
	const { notes = "", commands = "" } = recalledIn(steps) ?? {};
	const recalled = [notes, commands]
		.filter((text) => text !== "")
		.map((text) => ({ type: "text", text }) as const);
	const skill = options?.skill ? [{ type: "text", text: options.skill.text } as const] : [];
	const lines = contextText(context);
	const read = lines === "" ? [] : [{ type: "text", text: lines } as const];
	return { role: "user", content: [...shown, ...recalled, ...skill, ...read, ...text] };
}

function recalledIn(steps: readonly Step[]): Extract<Step, { kind: "recalled" }> | undefined {
	return steps.find((step) => step.kind === "recalled");
}

/**
 * Returns the messages of a run, with the personal notes of the run and the complete text of the run's results. Later
 * runs do not get these texts.
 */
export function withPersonalNotes(messages: readonly Message[], steps: readonly Step[]): readonly Message[] {
	const recalled = recalledIn(steps)?.personal ?? "";
	const results = new Map<string, string>();
	for (const step of steps) {
		if (step.kind === "result" && step.later !== undefined) results.set(step.callId, step.text);
	}
	if (recalled === "" && results.size === 0) return messages;
	return messages.map((message, index) => {
		const known = personalised.get(message);
		if (known) return known;
		const own = withOwn(message, { recalled: index === 0 ? recalled : "", results });
		// An unchanged message is not cached, because a later step may still change it.
		if (own !== message) personalised.set(message, own);
		return own;
	});
}

function withOwn(
	message: Message,
	{ recalled, results }: { readonly recalled: string; readonly results: ReadonlyMap<string, string> },
): Message {
	if (message.role === "user" && recalled !== "") {
		return { ...message, content: [{ type: "text", text: recalled }, ...message.content] };
	}
	if (message.role !== "tool" || !message.content.some(({ callId }) => results.has(callId))) return message;
	const content = message.content.map((block) => ({
		...block,
		text: results.get(block.callId) ?? block.text,
	}));
	return { ...message, content };
}

const personalised = new WeakMap<Message, Message>();

/** Messages by origin. The same objects are reused, so that data derived from them is computed once. */
const messagesByOrigin = new WeakMap<RunMessage | Step, readonly Message[]>();

function once(of: RunMessage | Step, make: () => readonly Message[]): readonly Message[] {
	const known = messagesByOrigin.get(of);
	if (known) return known;
	const messages = make();
	messagesByOrigin.set(of, messages);
	return messages;
}

function userMessage({ content, actor, context }: Extract<Step, { kind: "steered" }>): Message {
	const texts = [contextText(context), attributed(content, actor)].filter((text) => text !== "");
	return { role: "user", content: texts.map((text) => ({ type: "text", text })) };
}

function resultsOf(steps: readonly Step[]): Map<string, ResultBlock> {
	const results = new Map<string, ResultBlock>();
	for (const step of steps) {
		if (step.kind !== "result") continue;
		const { kind: type, later, ...result } = step;
		results.set(step.callId, { type, ...result, ...defined({ text: later }) });
	}
	return results;
}

function replyMessages(
	step: ReplyStep,
	results: Map<string, ResultBlock>,
	ended: boolean,
): readonly Message[] {
	// The refusal is left out, because a model that sees it would probably refuse the next request too.
	if (step.content.length === 0 || step.stop === "refusal") return [];
	const calls = callsOf(step.content);
	const answered = calls.every((call) => results.has(call.id));
	if (calls.length > 0 && !ended && !answered) return [replyMessage(step)];
	return once(step, () => {
		if (calls.length === 0) return [replyMessage(step)];
		const blocks = calls.map((call) => results.get(call.id) ?? neverRan(call.id));
		return [replyMessage(step), { role: "tool", content: blocks }];
	});
}

function replyMessage({ content, asked }: ReplyStep): Message {
	return { role: "assistant", content, ...defined({ model: asked }) };
}

function neverRan(callId: string): ResultBlock {
	return { type: "result", callId, text: callRefusalTexts.cancelled, failed: true };
}

/**
 * Returns the text of a chat user for the model. The first line has the user's id and name, and each line of the user
 * follows `> `. The text therefore cannot imitate another user or Parley. Without `actor`, returns the text unchanged.
 */
export function attributed(
	content: string,
	actor: { readonly id: string; readonly name: string } | undefined,
): string {
	if (!actor) return content;
	const lines = content.split(lineEnds).map((line) => `> ${line}`);
	return [`[${actor.id}, ${JSON.stringify(actor.name)}, writes:]`, ...lines].join("\n");
}

/** Removes the line and the `> ` prefixes that `attributed` adds, for a reader that uses the text verbatim. */
export function withoutAttribution(text: string): string {
	const quoted = text.replace(/^\[.* writes:\]\n(?=> )/, "");
	return quoted === text ? text : quoted.replaceAll(/^> /gm, "");
}
