import { formatUsd } from "@parley/base";
import type { EventName, EventPayloads, OzzieEvent } from "@parley/protocol";
import { shortId } from "../command-line/ids.ts";
import { codeMarkdown, plainMarkdown } from "../text/markdown.ts";
import type { OutputFormat } from "../text/styles.ts";
import { visibleLine } from "../text/visible.ts";
import { eventTexts } from "../texts/events.ts";
import { commandEndWords, commandListWords, isFailedCommand } from "./command-words.ts";
import {
	callListWords,
	compactedListWords,
	compactionListWords,
	grantEndedWords,
	grantedWords,
	type ListWords,
	skillStepListWords,
	toolListWords,
} from "./list-words.ts";
import { noteRows } from "./message-rows.ts";
import {
	answerMarkdown,
	answerTranscript,
	type MarkdownContext,
	promptAnswerWords,
	promptVoteWords,
	type TranscriptContext,
	toolMarkdown,
	userMarkdown,
	userTranscript,
} from "./message-wordings.ts";
import { budgetReachedRows, compactedChatRows, compactedRows, compactionEndRows } from "./model-rows.ts";
import { failedTryRows, stepWords, workerWords } from "./task-words.ts";
import { toolEndRows, toolStartRow } from "./tool-rows.ts";

type EventRows<Name extends EventName> = (payload: EventPayloads[Name], format: OutputFormat) => string[];

/** Rows of an event in the chat. `ends` names the unfinished text that must be completed before these rows. */
interface ChatNote<Name extends EventName> {
	readonly ends: "nothing" | "row" | "reply";
	readonly rows: EventRows<Name>;
}

interface EventWording<Name extends EventName> {
	/** Returns the text after the time, the session and the type in `parley events`. */
	readonly list: (payload: EventPayloads[Name]) => ListWords;
	/** Returns the rows in `parley sessions show` and in the log of a task. */
	readonly transcript: (payload: EventPayloads[Name], context: TranscriptContext) => string[];
	/** Returns the blocks of Markdown in `parley sessions export`. */
	readonly markdown: (payload: EventPayloads[Name], context: MarkdownContext) => string[];
	/**
	 * Rows in `parley chat`. "stateful" marks events that `Conversation` applies to its state, and "tasks" marks events
	 * of `TaskBoard`.
	 */
	readonly chat: "hidden" | "stateful" | "tasks" | ChatNote<Name>;
	/** Rows in `parley ask`. "stateful" marks events that `AnswerOutput` applies to its state. */
	readonly ask: "hidden" | "stateful" | EventRows<Name>;
}

/** Wordings of all events. A missing event is a compile error. */
type Wordings = { readonly [Name in EventName]: EventWording<Name> };
type TaskEventName = Extract<EventName, `task.${string}`>;

const none = (): string[] => [];
const noWords = (): ListWords => ({ words: "" });
/** Wordings of an event for which `parley events` shows only the type. */
const typeOnly = { list: noWords, transcript: none, markdown: none, chat: "hidden", ask: "hidden" } as const;
/** Wordings of events with parts of a reply or of a tool call. `Conversation` applies them to its state. */
const growing = { ...typeOnly, chat: "stateful" } as const;

function taskWording<Payload extends { readonly task_id: string }>(
	name: TaskEventName,
	describe: (payload: Payload) => string,
) {
	const words = (payload: Payload): string => `${shortId(payload.task_id)} ${describe(payload)}`.trimEnd();
	// `TaskBoard` makes the rows in the chat, because they contain the title of the task.
	return {
		list: (payload: Payload): ListWords => ({ words: words(payload), failed: name === "task.failed" }),
		transcript: (payload: Payload, { format }: { readonly format: OutputFormat }) =>
			noteRows(`${name}: ${words(payload)}`, format),
		markdown: none,
		chat: "tasks",
		ask: "hidden",
	} as const;
}

function forkWords({ session_id, at }: { readonly session_id: string; readonly at: number }): string {
	return eventTexts.forkOf({ session: session_id, at });
}

const titled = ({ title }: { readonly task_id: string; readonly title: string }): string => title;

const wordings = {
	"session.created": {
		...typeOnly,
		list: ({ forked_from: from }) => ({ words: from ? forkWords(from) : "" }),
		transcript: ({ forked_from: from }, { format }) => (from ? noteRows(forkWords(from), format) : []),
		markdown: ({ forked_from: from }) => (from ? [`*${plainMarkdown(forkWords(from))}*`] : []),
	},
	"session.closed": typeOnly,
	"session.renamed": {
		...typeOnly,
		list: ({ title, by }) => ({ words: `${title || eventTexts.noTitle} (by a ${by})` }),
	},
	"compaction.ended": {
		...typeOnly,
		list: compactionListWords,
		chat: { ends: "nothing", rows: compactionEndRows },
	},
	"session.deleted": {
		...typeOnly,
		chat: {
			ends: "row",
			rows: (_, { styles }) => [styles.yellow(eventTexts.sessionDeleted)],
		},
	},
	"user.message": {
		list: ({ content }) => ({ words: content }),
		transcript: userTranscript,
		markdown: (message, { at }) => userMarkdown(message, at),
		chat: "stateful",
		ask: "hidden",
	},
	"assistant.started": growing,
	"assistant.thinking": growing,
	"assistant.stream": { ...growing, ask: "stateful" },
	"assistant.message": {
		list: ({ content, error }) => (error === "" ? { words: content } : { words: error, failed: true }),
		transcript: (message, { at, format }) => answerTranscript(message, at, format),
		markdown: answerMarkdown,
		chat: "stateful",
		ask: "stateful",
	},
	"internal.llm.call": { ...typeOnly, list: callListWords, chat: "stateful", ask: "stateful" },
	"run.retrying": {
		...typeOnly,
		list: ({ reason }) => ({ words: reason, failed: true }),
		chat: "stateful",
		ask: "stateful",
	},
	"usage.updated": {
		...typeOnly,
		list: ({ session }) => ({ words: eventTexts.costSoFar({ cost: formatUsd(session.cost_usd) }) }),
	},
	"budget.reached": {
		...typeOnly,
		list: ({ message }) => ({ words: message, failed: true }),
		chat: { ends: "row", rows: budgetReachedRows },
		ask: budgetReachedRows,
	},
	"context.compacted": {
		...typeOnly,
		list: compactedListWords,
		chat: { ends: "nothing", rows: compactedChatRows },
		ask: compactedRows,
	},
	"tool.arguments": growing,
	"tool.output": growing,
	"tool.call": {
		list: toolListWords,
		transcript: (call, { format }) =>
			call.status === "started" ? [toolStartRow(call, format)] : toolEndRows(call, false, format),
		markdown: toolMarkdown,
		chat: "stateful",
		ask: "stateful",
	},
	"todo.updated": {
		...typeOnly,
		list: (todo) => ({ words: `${todo.percentage}% ${stepWords(todo)}`.trimEnd() }),
		chat: "stateful",
		ask: "stateful",
	},
	"command.started": {
		...typeOnly,
		list: (command) => ({ words: commandListWords(command) }),
	},
	"command.ended": {
		list: (command) => ({ words: commandListWords(command), failed: isFailedCommand(command) }),
		transcript: (command, { format }) => noteRows(commandEndWords(command), format),
		markdown: none,
		chat: { ends: "nothing", rows: (command, format) => noteRows(commandEndWords(command), format) },
		ask: "hidden",
	},
	"prompt.request": {
		list: ({ label }) => ({ words: label }),
		transcript: ({ label }, { format }) => [format.styles.yellow(`? ${visibleLine(label)}`)],
		markdown: ({ label }) => [`**Asked:** ${plainMarkdown(label)}`],
		chat: "stateful",
		ask: "hidden",
	},
	// The chat already shows the question.
	"prompt.reminder": { ...typeOnly, list: ({ label }) => ({ words: label }) },
	"prompt.response": {
		list: ({ cancelled, by }) => ({ words: `${cancelled ? "declined" : "answered"} by ${by}` }),
		transcript: (response, { format }) => [format.styles.dim(`  ${promptAnswerWords(response)}`)],
		markdown: (response) => [`**Answered:** ${plainMarkdown(promptAnswerWords(response))}`],
		chat: "stateful",
		ask: "hidden",
	},
	"prompt.vote": {
		list: (vote) => ({ words: promptVoteWords(vote) }),
		transcript: (vote, { format }) => [format.styles.dim(`  ${promptVoteWords(vote)}`)],
		markdown: (vote) => [`**Approved:** ${plainMarkdown(promptVoteWords(vote))}`],
		chat: "hidden",
		ask: "hidden",
	},
	"prompt.closed": {
		list: ({ reason }) => ({ words: reason }),
		transcript: ({ reason }, { format }) => [
			format.styles.dim(`  ${eventTexts.notAnswered({ reason: visibleLine(reason) })}`),
		],
		markdown: ({ reason }) => [eventTexts.notAnsweredMarkdown({ reason: plainMarkdown(reason) })],
		chat: "stateful",
		ask: "hidden",
	},
	"file.created": {
		list: ({ name }) => ({ words: name }),
		transcript: ({ name }) => [`+ ${visibleLine(name)}`],
		markdown: ({ name }) => [`**File:** ${codeMarkdown(name)}`],
		chat: "hidden",
		ask: "hidden",
	},
	// For a workflow, the chat shows the list of steps, failed attempts, and the output as an answer.
	"skill.started": { ...typeOnly, list: ({ skill_name }) => ({ words: skill_name }) },
	"skill.step.started": { ...typeOnly, list: skillStepListWords },
	"skill.step.completed": {
		...typeOnly,
		list: skillStepListWords,
		chat: { ends: "reply", rows: failedTryRows },
		ask: failedTryRows,
	},
	"skill.completed": {
		...typeOnly,
		list: ({ skill_name, output, error }) => ({
			words: `${skill_name}: ${error || output}`,
			failed: error !== "",
		}),
	},
	"schedule.created": typeOnly,
	"schedule.trigger": typeOnly,
	"schedule.removed": typeOnly,
	"grant.created": {
		list: (grant) => ({ words: grantedWords(grant) }),
		transcript: (grant, { format }) => noteRows(grantedWords(grant), format),
		markdown: none,
		chat: { ends: "nothing", rows: (grant, format) => noteRows(grantedWords(grant), format) },
		ask: "hidden",
	},
	"grant.ended": {
		list: (grant) => ({ words: grantEndedWords(grant) }),
		transcript: (grant, { format }) => noteRows(grantEndedWords(grant), format),
		markdown: none,
		chat: { ends: "nothing", rows: (grant, format) => noteRows(grantEndedWords(grant), format) },
		ask: "hidden",
	},
	"task.created": taskWording("task.created", titled),
	"task.started": taskWording("task.started", titled),
	"task.resumed": taskWording("task.resumed", titled),
	"task.progress": taskWording(
		"task.progress",
		(progress: EventPayloads["task.progress"]) => `${progress.percentage}% ${stepWords(progress)}`,
	),
	"task.suspended": taskWording(
		"task.suspended",
		({ title, reason }: EventPayloads["task.suspended"]) => `${title}: ${reason}`,
	),
	"task.completed": taskWording(
		"task.completed",
		({ title, output_summary }: EventPayloads["task.completed"]) => `${title}: ${output_summary}`,
	),
	"task.failed": taskWording(
		"task.failed",
		({ title, error, will_retry }: EventPayloads["task.failed"]) =>
			`${title}: ${error}${will_retry ? "; retrying" : ""}`,
	),
	"task.cancelled": taskWording("task.cancelled", ({ reason }: EventPayloads["task.cancelled"]) => reason),
	"internal.worker": {
		...typeOnly,
		list: (worker) => ({ words: workerWords(worker), failed: worker.event === "failed" }),
	},
} as const satisfies Wordings;

/** Events that `Conversation` applies to its state, with one `case` for each. */
export type StatefulChatEvent = Extract<
	OzzieEvent,
	{
		event: {
			[Name in EventName]: (typeof wordings)[Name]["chat"] extends "stateful" ? Name : never;
		}[EventName];
	}
>;

/** Wordings with the type that relates each name to its payload. */
const table: Wordings = wordings;

/** An event whose name determines the type of its payload. */
interface NamedEvent<Name extends EventName> {
	readonly event: Name;
	readonly payload: EventPayloads[Name];
}

/** Returns the text of the event in `parley events`. */
export function listWords<Name extends EventName>({ event, payload }: NamedEvent<Name>): ListWords {
	return table[event].list(payload);
}

/** Returns the rows of the event in `parley sessions show` and in the log of a task. */
export function transcriptRows<Name extends EventName>(
	{ event, payload }: NamedEvent<Name>,
	context: TranscriptContext,
): string[] {
	return table[event].transcript(payload, context);
}

/** Returns the blocks of Markdown for the event in `parley sessions export`. */
export function markdownBlocks<Name extends EventName>(
	{ event, payload }: NamedEvent<Name>,
	context: MarkdownContext,
): string[] {
	return table[event].markdown(payload, context);
}

export function isStatefulInChat(event: OzzieEvent): event is StatefulChatEvent {
	return table[event.event].chat === "stateful";
}

/**
 * Returns the rows of the event in the chat, and names the unfinished text to complete before these rows. Returns
 * undefined for hidden and stateful events, and for events of tasks.
 */
export function chatNote<Name extends EventName>(
	{ event, payload }: NamedEvent<Name>,
	format: OutputFormat,
): { readonly ends: ChatNote<Name>["ends"]; readonly rows: string[] } | undefined {
	const { chat } = table[event];
	return typeof chat === "object" ? { ends: chat.ends, rows: chat.rows(payload, format) } : undefined;
}

/** Returns the rows of the event in `parley ask`, or undefined for hidden and stateful events. */
export function askRows<Name extends EventName>(
	{ event, payload }: NamedEvent<Name>,
	format: OutputFormat,
): string[] | undefined {
	const { ask } = table[event];
	return typeof ask === "function" ? ask(payload, format) : undefined;
}
