import type { CompactionLevel } from "../../vocabulary/context-snapshot.ts";
import type {
	AssistantMessage,
	CallBlock,
	Message,
	ResultBlock,
	ToolMessage,
	UserMessage,
} from "../../vocabulary/message.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { cutLine, shortenMiddle } from "./shorten.ts";
import { clearedTexts } from "./texts.ts";

/** Maximum characters of a result that is never cleared. A line in place of such a short result would save little. */
const shownCharacters = 400;

/** Characters of text with about as many tokens as an image. */
const imageCharacters = 6_000;

/**
 * Returns the messages for a model: the transcript after all compactions. Equal input returns equal messages, so that a
 * provider can cache the prefix.
 */
export function viewOf(transcript: readonly RunTranscript[], reductions: Reductions): Message[] {
	const reach = reachOf(reductions);
	const { summary } = reductions;
	const messages: Message[] = summary ? [summary.message, ...questionBefore(transcript, summary.before)] : [];
	for (const run of transcript) {
		if (summary && run.ordinal < summary.before.run) continue;
		const shown = !reach || run.ordinal > reach.run ? run.messages : viewOfRun(run, reductions);
		for (const message of shown) messages.push(message);
	}
	return messages;
}

/**
 * Returns the number of messages in the view that belong to the newest run. These messages are at the end of the view.
 */
export function viewedOfLast(transcript: readonly RunTranscript[], { summary }: Reductions): number {
	const last = transcript.at(-1);
	if (!last) return 0;
	const { ordinal: run, messages } = last;
	if (!summary || summary.before.run < run) return messages.length;
	if (summary.before.run > run) return 0;
	return messages.filter(
		({ role }, message) => role === "user" || !isBefore({ run, message }, summary.before),
	).length;
}

function viewOfRun({ ordinal, messages }: RunTranscript, reductions: Reductions): Message[] {
	return messages.flatMap((message, index) => {
		const at = { run: ordinal, message: index };
		if (reductions.summary && isBefore(at, reductions.summary.before)) return [];
		return [viewOfMessage(message, at, reductions, messages[index - 1])];
	});
}

/** Returns a message with the changes by all compactions except the summary. `asking`: the preceding message. */
export function viewOfMessage(
	message: Message,
	at: Position,
	reductions: Reductions,
	asking: Message | undefined,
): Message {
	if (message.role === "assistant") {
		return reductions.thinking && isBefore(at, reductions.thinking) ? withoutThinking(message) : message;
	}
	if (message.role !== "tool") return message;
	const calls = asking?.role === "assistant" ? asking.content.filter((block) => block.type === "call") : [];
	if (reductions.results && isBefore(at, reductions.results))
		return changed(message, "", () => stubbed(message, calls));
	const limits = reductions.shortened.filter(({ before }) => isBefore(at, before));
	if (limits.length === 0) return message;
	const characters = Math.min(...limits.map((limit) => limit.characters));
	return changed(message, `${characters}`, () => cut(message, characters));
}

/**
 * Returns the user messages that precede the position `before` in its run. If a summary ends within a run, the model
 * still receives these messages. If the run repeats a reply, the result includes the question from the earlier run.
 */
function questionBefore(transcript: readonly RunTranscript[], before: Position): Message[] {
	const end = transcript.findIndex(({ ordinal }) => ordinal >= before.run);
	const run = transcript[end];
	if (!run) return [];
	const inside = run.ordinal === before.run ? before.message : 0;
	if (inside === 0 && opensWithQuestion(run)) return [];
	const start = transcript.findLastIndex((one, index) => index <= end && opensWithQuestion(one));
	return transcript
		.slice(Math.max(0, start), end + 1)
		.flatMap((one) => (one === run ? one.messages.slice(0, inside) : one.messages))
		.filter(({ role }) => role === "user");
}

function opensWithQuestion({ messages }: RunTranscript): boolean {
	return messages[0]?.role === "user";
}

const formsByMessage = new WeakMap<Message, Map<string, Message>>();

/** Returns a form of a message. Creates each form once, to reuse its token counts. */
function changed<M extends Message>(message: M, form: string, make: () => M): M {
	const forms = formsByMessage.get(message) ?? new Map<string, Message>();
	formsByMessage.set(message, forms);
	// The cast is safe because a form is stored with its message, and `make` returns the type of that message.
	const known = forms.get(form) as M | undefined;
	if (known) return known;
	const result = make();
	forms.set(form, result);
	return result;
}

function withoutThinking(message: AssistantMessage): AssistantMessage {
	return changed(message, "", () => {
		const content = message.content.filter(({ type }) => type !== "thinking");
		// Providers reject an empty reply, so a reply that consists only of thinking is unchanged.
		return content.length === 0 || content.length === message.content.length
			? message
			: { ...message, content };
	});
}

function stubbed({ content }: ToolMessage, calls: readonly CallBlock[]): ToolMessage {
	return {
		role: "tool",
		content: content.map((result) => {
			const call = calls.find(({ id }) => id === result.callId);
			// The model cannot read a person's answer again.
			const isUnchanged = result.text.length <= shownCharacters || call?.name === "ask_user";
			return withoutImages(isUnchanged ? result : { ...result, text: stubOf(result, call) });
		}),
	};
}

function withoutImages({ pictures: images, ...result }: ResultBlock): ResultBlock {
	if (!images) return result;
	return {
		...result,
		text: `${result.text}\n${clearedTexts.image}`,
	};
}

function stubOf({ text, failed }: ResultBlock, call: CallBlock | undefined): string {
	const source = call
		? `${call.name} ${cutLine(JSON.stringify(call.arguments ?? {}), 120)}`
		: clearedTexts.unknownTool;
	const outcome = failed ? clearedTexts.error(cutLine(text, 100)) : "";
	return clearedTexts.result(text.length, `${source}${outcome}`);
}

function cut({ content }: ToolMessage, characters: number): ToolMessage {
	return {
		role: "tool",
		content: content.map(({ text, ...result }) => {
			const shortened = { ...result, text: shortenMiddle(text, characters) };
			return characters < imageCharacters ? withoutImages(shortened) : shortened;
		}),
	};
}

/** A permanent reduction of a session's requests to the model. */
export interface Compaction {
	readonly level: CompactionLevel;
	/** Position before which the compaction applies. */
	readonly before: Position;
	/**
	 * For `summary`: the text that replaces the earlier messages. For `tool_results`: maximum characters of each
	 * result; null replaces each long result with one line. For `thinking`: null.
	 */
	readonly text: string | null;
}

/** The combined effect of all compactions of a session. A field is undefined if no compaction of its kind exists. */
export interface Reductions {
	/** Position before which a line replaces each long result. */
	readonly results: Position | undefined;
	/** Position before which replies have no thinking. */
	readonly thinking: Position | undefined;
	/** Maximum characters of the results before a position. */
	readonly shortened: readonly { readonly before: Position; readonly characters: number }[];
	/** Message that replaces the messages before a position. For user messages that stay, see `questionBefore`. */
	readonly summary: { readonly before: Position; readonly message: UserMessage } | undefined;
}

export const noReductions: Reductions = {
	results: undefined,
	thinking: undefined,
	shortened: [],
	summary: undefined,
};

/** Returns the reductions after one more compaction. The positions for results and thinking never move back. */
export function withCompaction(reductions: Reductions, { level, before, text }: Compaction): Reductions {
	if (level === "thinking") return { ...reductions, thinking: later(reductions.thinking, before) };
	if (level === "summary") {
		return {
			...reductions,
			summary: { before, message: { role: "user", content: [{ type: "text", text: text ?? "" }] } },
		};
	}
	if (text === null) return { ...reductions, results: later(reductions.results, before) };
	return { ...reductions, shortened: [...reductions.shortened, { before, characters: Number(text) }] };
}

/** Returns the position after which compactions change no message, or undefined if there are no reductions. */
function reachOf({ results, thinking, shortened, summary }: Reductions): Position | undefined {
	const places = [results, thinking, summary?.before, ...shortened.map(({ before }) => before)];
	return places.reduce((last, place) => (place ? later(last, place) : last), undefined);
}

function later(one: Position | undefined, other: Position): Position {
	return one && isBefore(other, one) ? one : other;
}

/** A position in the transcript of a session: before a message of a run. */
export interface Position {
	readonly run: number;
	readonly message: number;
}

export function isBefore(a: Position, b: Position): boolean {
	return a.run < b.run || (a.run === b.run && a.message < b.message);
}

/** Returns the position after the last message. */
export function endOfTranscript(transcript: readonly RunTranscript[]): Position {
	const last = transcript.at(-1);
	return { run: last?.ordinal ?? 0, message: last?.messages.length ?? 0 };
}

/** Messages that a compaction does not separate: a user message, or a reply with the results of its calls. */
export interface MessageGroup {
	readonly at: Position;
	readonly messages: readonly Message[];
	/** Whether the group starts with the first user message of its run. */
	readonly opens: boolean;
}

export function groupsOf(transcript: readonly RunTranscript[]): MessageGroup[] {
	return transcript.flatMap(({ ordinal, messages }) => {
		const groups: MessageGroup[] = [];
		for (let start = 0; start < messages.length; ) {
			let end = start + 1;
			while (messages[end]?.role === "tool") end++;
			const opens = start === 0 && messages[0]?.role === "user";
			groups.push({ at: { run: ordinal, message: start }, messages: messages.slice(start, end), opens });
			start = end;
		}
		return groups;
	});
}

export function until(transcript: readonly RunTranscript[], end: Position): RunTranscript[] {
	return transcript
		.filter(({ ordinal }) => ordinal <= end.run)
		.map((run) => (run.ordinal === end.run ? { ...run, messages: run.messages.slice(0, end.message) } : run));
}
