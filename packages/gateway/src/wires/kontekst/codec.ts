import { ParleyError } from "@parley/base";
import type { AssistantMessage, Prompt, ContextSnapshot as Snapshot } from "@parley/core";
import type { ContextSnapshot, ProposedToolCall, RunEvent, StartRunCommand } from "../../gen/kontekst.ts";
import { kontekstErrorTexts } from "../../texts/wires/grpc.ts";
import { RunStart } from "./schema.ts";

/** Maximum number of bytes of a text, without the note that a cut adds. Clients accept events of 4 MiB. */
const longestText = 1_000_000;

type EventCase = NonNullable<RunEvent["event"]>;

/** Builds an event by the name of its field: `event("token", { text })`. */
export function event<Case extends EventCase["$case"]>(
	$case: Case,
	value: Extract<EventCase, { $case: Case }>["value"],
): RunEvent {
	// The cast is safe because the value belongs to the case.
	return { event: { $case, value } as EventCase };
}

/** Decodes the start of a run. Throws `invalid_argument` for an invalid command. */
export function decodeStart(command: StartRunCommand): RunStart {
	const skill = command.skill?.name ? command.skill : undefined;
	const start = RunStart.safeParse({ ...command, skill });
	if (start.success) return start.data;
	const [issue] = start.error.issues;
	const field = issue?.path.join(".").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const message = `${field}: ${issue?.message}`;
	throw new ParleyError(message, { code: "invalid_argument" });
}

export function encodeKontekstReply(content: AssistantMessage["content"]): {
	readonly content: string;
	readonly reasoning: string;
} {
	const text = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
	const reasoning = content.flatMap((block) => (block.type === "thinking" ? [block.text] : []));
	return { content: cutToBytes(text.join("")), reasoning: cutToBytes(reasoning.join("")) };
}

/** Encodes tool calls with the previews of their approvals. `prompts[i]` is the approval of `calls[i]`, if any. */
export function encodeCalls(
	calls: readonly { readonly callId: string; readonly name: string; readonly arguments: unknown }[],
	prompts: readonly (Prompt | undefined)[],
): ProposedToolCall[] {
	const maxShown = Math.floor(longestText / Math.max(1, calls.length));
	return calls.map(({ callId, name, arguments: given }, index) => ({
		callId,
		name,
		argumentsJson: encodeArguments(given, maxShown),
		preview: cutToBytes(previewOf(prompts[index]), maxShown),
	}));
}

/** Prefix of a note that states why an approval is requested again. */
const repeatedPrefix = "asked again: ";

/**
 * Returns the preview of an approval, after the reasons why the approval is requested again. The protocol has no
 * other field for these reasons.
 */
function previewOf(prompt: Prompt | undefined): string {
	const { preview = "", notes = [] } = prompt?.approval ?? {};
	const reasons = notes.filter((note) => note.startsWith(repeatedPrefix));
	return (preview === "" ? reasons : [...reasons, preview]).join("\n");
}

/**
 * Maximum numbers of bytes of each text in shortened arguments. The numbers are tried in this order until the
 * arguments fit.
 */
const shorterTexts = [10_000, 1_000, 100];

/** Returns valid JSON: all arguments, arguments with shortened texts, or only a note. */
function encodeArguments(given: unknown, max: number): string {
	const json = JSON.stringify(given ?? {});
	if (Buffer.byteLength(json) <= max) return json;
	for (const length of shorterTexts) {
		const cut = JSON.stringify(given, (_key, value: unknown) =>
			typeof value === "string" ? cutToBytes(value, length) : value,
		);
		if (Buffer.byteLength(cut) <= max) return cut;
	}
	return JSON.stringify({
		"not shown": kontekstErrorTexts.hiddenArguments({ bytes: Buffer.byteLength(json) }),
	});
}

/**
 * Encodes a snapshot with the names of the Kontekst protocol: `memory` is the current run. The system prompt counts
 * as one message, and tool descriptions do not count as messages.
 */
export function encodeSnapshot(snapshot: Snapshot): ContextSnapshot {
	const { window, system, tools, history, run, total, remaining, messages } = snapshot;
	const historyMessages = messages.filter(({ source }) => source === "history").length;
	const listed = messages.map(({ role, source, tokens }) => ({
		role,
		tokens,
		source: source === "run" ? "memory" : "history",
	}));
	return {
		contextSize: window,
		systemTokens: system,
		toolTokens: tools,
		historyTokens: history,
		memoryTokens: run,
		totalTokens: total,
		remainingTokens: remaining,
		historyMessages,
		memoryMessages: messages.length - historyMessages,
		totalMessages: messages.length + 1,
		historyBudget: Math.max(0, window - system - tools - run),
		messages: [{ role: "system", tokens: system, source: "system" }, ...listed],
	};
}

/** Splits a text into parts that fit into an event. Never splits a surrogate pair. */
export function splitText(text: string): string[] {
	// A UTF-16 code unit has at most three bytes in UTF-8.
	const max = Math.floor(longestText / 3);
	const parts: string[] = [];
	for (let at = 0; at < text.length; ) {
		const isInPair = /[\uD800-\uDBFF]/.test(text.charAt(at + max - 1));
		const end = isInPair ? at + max - 1 : at + max;
		parts.push(text.slice(at, end));
		at = end;
	}
	return parts;
}

/** Cuts a text that is longer than `max` bytes, and adds a note at the end. */
export function cutToBytes(text: string, max = longestText): string {
	if (Buffer.byteLength(text) <= max) return text;
	const cut = Buffer.from(text)
		.subarray(0, max)
		.toString("utf8")
		.replace(/\uFFFD$/, "");
	return kontekstErrorTexts.cut({ text: cut, bytes: Buffer.byteLength(text) - Buffer.byteLength(cut) });
}
