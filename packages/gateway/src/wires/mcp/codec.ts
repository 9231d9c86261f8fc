import type { CallToolResult, ElicitRequestFormParams, Resource } from "@modelcontextprotocol/server";
import { defined, definedItems, parseJson } from "@parley/base";
import {
	alwaysRequires,
	type Prompt,
	type Recorded,
	type SessionSummary,
	type TaskFacts,
	visibleLines,
} from "@parley/core";
import { mcpTexts } from "../../texts/wires/mcp.ts";
import { beginning } from "../shared/beginning.ts";
import { firstWithin, jsonBytes } from "../shared/paging.ts";
import { encodeState } from "../shared/task-json.ts";
import { toTime } from "../shared/time.ts";
import { Refused, rpcCodes } from "./error-code.ts";
import {
	type RpcMessage,
	type RunOutput,
	rpcMessage,
	type TaskOutput,
	type WaitingPrompt,
} from "./schema.ts";

/** State of a run, for a client that waits for the run. */
export interface RunResult {
	readonly status: RunOutput["status"];
	readonly sessionId: string;
	readonly runId: string;
	/** Text of the last answer; empty before the end of the run. */
	readonly text: string;
	readonly error: string;
	/** Open prompts of the run; empty after the end of the run. */
	readonly open: readonly Prompt[];
}

const waysToAnswer: Readonly<Record<WaitingPrompt["kind"], string>> = {
	question: mcpTexts.answerQuestion,
	approval: mcpTexts.approvalByPerson,
	password: mcpTexts.passwordByPerson,
};

export function kindOf({ type, approval }: Prompt): WaitingPrompt["kind"] {
	if (type === "password") return "password";
	return approval || type === "confirm" ? "approval" : "question";
}

function encodeWaiting(prompt: Prompt, onlyReads: boolean): WaitingPrompt {
	const kind = kindOf(prompt);
	const options = prompt.options.filter(({ disabled }) => !disabled);
	return defined({
		kind,
		// A `question_id` gives the right to answer. It is set only for questions that an agent may answer, and never for
		// a client that only reads.
		question_id: kind === "question" && !onlyReads ? prompt.token : undefined,
		type: prompt.type,
		text: visibleLines(prompt.label),
		options:
			kind === "question" && options.length > 0
				? options.map(({ value, label }) => ({ value, label }))
				: undefined,
		required: prompt.required,
		expires_at: toTime(prompt.expiresAt),
		how: waysToAnswer[kind],
	});
}

export function encodeRun(
	{ status, sessionId, runId, text, error, open }: RunResult,
	onlyReads = false,
): CallToolResult {
	const output: RunOutput = {
		status,
		session_id: sessionId,
		run_id: runId,
		text,
		...defined({
			error: error === "" ? undefined : error,
			waiting_for: open.length > 0 ? open.map((prompt) => encodeWaiting(prompt, onlyReads)) : undefined,
		}),
	};
	const first = status === "completed" ? text : describeRun(output);
	return answered([first, `session_id: ${sessionId}, run_id: ${runId}`], output, status === "failed");
}

function describeRun({ status, text, error = "", waiting_for = [] }: RunOutput): string {
	if (status === "waiting") return describeWaiting(waiting_for);
	if (status === "running") return mcpTexts.runContinues;
	if (status === "cancelled") return mcpTexts.cancelled;
	return definedItems([mcpTexts.failed({ error }), text || undefined]).join("\n\n");
}

function describeWaiting(waiting: readonly WaitingPrompt[]): string {
	const rows = waiting.map(({ kind, text, question_id, options = [], how: way }) => {
		const choices = options.map(({ value, label }) => `  - ${value}${label === value ? "" : `: ${label}`}`);
		const id = question_id === undefined ? [] : [`  question_id: ${question_id}`];
		return [`- ${kind}: ${text}`, ...choices, ...id, `  ${way}`].join("\n");
	});
	return [mcpTexts.waits, ...rows].join("\n");
}

export function encodeMcpTask(task: TaskFacts, open: readonly Prompt[], onlyReads: boolean): CallToolResult {
	const { review, progress, error, output } = task;
	const label = progress.label === "" ? "" : `: ${progress.label}`;
	const questions = open.map((prompt) => encodeWaiting(prompt, onlyReads));
	const waiting = definedItems([...questions, review && encodeReview(review)]);
	const shown: TaskOutput = {
		status: encodeState(task.state),
		session_id: task.sessionId,
		task_id: task.id,
		title: task.title,
		text: output,
		...defined({
			error: error === "" ? undefined : error,
			progress: progress.total > 0 ? `${progress.current} of ${progress.total}${label}` : undefined,
			waiting_for: waiting.length > 0 ? waiting : undefined,
		}),
	};
	const first = `Task ${task.id} is ${shown.status}${shown.progress === undefined ? "" : `, ${shown.progress}`}.`;
	const texts = [first, error, output, waiting.length > 0 ? describeWaiting(waiting) : ""];
	return answered(
		texts.filter((text) => text !== ""),
		shown,
		task.state === "failed",
	);
}

/** Encodes the review of a task as an approval that an agent cannot give. */
function encodeReview({ reason, content }: NonNullable<TaskFacts["review"]>): WaitingPrompt {
	const text = visibleLines(content === "" ? reason : `${reason}\n${content}`);
	const way = mcpTexts.decisionByPerson;
	return { kind: "approval", type: "confirm", text, required: true, expires_at: "", how: way };
}

export function encodeSubmitted(
	sessionId: string,
	{ id, notes }: { readonly id: string; readonly notes: readonly string[] },
): CallToolResult {
	const output: TaskOutput = {
		status: "pending",
		session_id: sessionId,
		task_id: id,
		text: "",
		...defined({ notes: notes.length > 0 ? [...notes] : undefined }),
	};
	const first = mcpTexts.taskSubmitted({ id });
	return answered([first, ...notes], output, false);
}

/** Returns a result with texts for models, and with the same facts as JSON for programs. */
function answered(
	texts: readonly string[],
	structuredContent: RunOutput | TaskOutput,
	failed: boolean,
): CallToolResult {
	return {
		content: texts.map((text) => ({ type: "text" as const, text })),
		structuredContent,
		...defined({ isError: failed || undefined }),
	};
}

export function encodeMcpError(message: string): CallToolResult {
	return { content: [{ type: "text", text: message }], isError: true };
}

/**
 * Encodes an approval as a form for a person at the client. Returns undefined for any other prompt, and for a call that
 * always requires approval.
 */
export function encodeApproval(prompt: Prompt): ElicitRequestFormParams | undefined {
	const { approval, label } = prompt;
	if (!approval || alwaysRequires(prompt)) return undefined;
	const { preview, notes, warnings = [] } = approval;
	const args = JSON.stringify(approval.arguments) ?? "";
	const parts = [label, preview, preview === "" ? args : "", ...warnings, ...notes];
	return {
		message: [...new Set(parts.filter((part) => part !== ""))].map(visibleLines).join("\n"),
		requestedSchema: {
			type: "object",
			properties: {
				decision: {
					type: "string",
					title: mcpTexts.decisionTitle,
					description: mcpTexts.approveOnlyAsPerson,
					enum: ["deny", "approve"],
					default: "deny",
				},
			},
			required: ["decision"],
		},
	};
}

function transcriptUri(sessionId: string, after = 0): string {
	return `parley://sessions/${sessionId}${after === 0 ? "" : `?after=${after}`}`;
}

export function encodeResource({ id, title, updatedAt, state }: SessionSummary): Resource {
	return {
		uri: transcriptUri(id),
		name: id,
		title: title === "" ? "Conversation" : title,
		description: mcpTexts.transcript({ state }),
		mimeType: "application/json",
		annotations: { lastModified: toTime(updatedAt) },
	};
}

/** Maximum number of characters of one text in a transcript. */
const longestText = 16_384;
/** Maximum number of bytes of a page of a transcript. A longer message gets its own page. */
const pageBytes = 256 * 1024;

export const shownInTranscript = [
	"user.message",
	"assistant.message",
	"tool.started",
	"tool.completed",
	"tool.failed",
];

/**
 * Encodes one page of a transcript as JSON, with the URI of the next page, if any. `full` is true if more events may
 * follow `events`.
 */
export function encodePage(sessionId: string, events: readonly Recorded[], full: boolean): string {
	const entries = events.flatMap((event) => encodeEntry(event) ?? []);
	const shown = firstWithin(entries, jsonBytes, pageBytes);
	const isCut = shown.length < entries.length;
	const last = isCut ? shown.at(-1)?.seq : events.at(-1)?.seq;
	const next = (isCut || full) && last !== undefined ? transcriptUri(sessionId, last) : undefined;
	return JSON.stringify({ session_id: sessionId, messages: shown, ...defined({ next }) });
}

interface Entry {
	readonly seq: number;
	readonly at: string;
	readonly role: "user" | "assistant" | "tool";
	readonly [field: string]: unknown;
}

function encodeEntry({ seq, at, event }: Recorded): Entry | undefined {
	const common = { seq, at: toTime(at) };
	switch (event.type) {
		case "user.message":
			return {
				...common,
				role: "user",
				...defined({ author: event.author?.name }),
				text: shortened(event.content),
			};
		case "assistant.message":
			return {
				...common,
				role: "assistant",
				text: shortened(event.content),
				...defined({ error: event.error === "" ? undefined : event.error }),
			};
		case "tool.started":
			return {
				...common,
				role: "tool",
				name: event.name,
				arguments: shortened(JSON.stringify(event.arguments) ?? ""),
			};
		case "tool.completed":
			return { ...common, role: "tool", name: event.name, result: shortened(event.result) };
		case "tool.failed":
			return { ...common, role: "tool", name: event.name, error: shortened(event.error) };
		default:
			return undefined;
	}
}

function shortened(text: string): string {
	return text.length <= longestText ? text : `${beginning(text, longestText)}…`;
}

/**
 * Parses one message within the limits for JSON from clients. Refuses batches, which revision 2025-06-18 removed from
 * the protocol.
 */
export function decodeMessage(text: string): RpcMessage {
	let parsed: unknown;
	try {
		parsed = parseJson(text);
	} catch (reason) {
		throw Refused.because(reason, 400, rpcCodes.parse);
	}
	const read = rpcMessage.safeParse(parsed);
	if (read.success) return read.data;
	throw new Refused(400, rpcCodes.invalidRequest, mcpTexts.notOneMessage);
}
