import { defined, definedItems, type Logger, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal } from "../../store/journal.ts";
import type { Message, UserMessage } from "../../vocabulary/message.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { openDecisions, readQuestions } from "./open-decisions.ts";
import { extractOf } from "./record.ts";
import type { Room } from "./room.ts";
import type { MeasuredCompaction, SessionContext } from "./session-context.ts";
import { cutLine, shortenTo } from "./shorten.ts";
import {
	type SummarySource,
	type SummaryTask,
	summarise,
	summaryReply,
	type WriteText,
} from "./summarise.ts";
import { roomTexts, summaryNoteTexts, summaryTexts } from "./texts.ts";
import {
	type Compaction,
	endOfTranscript,
	groupsOf,
	isBefore,
	type MessageGroup,
	type Position,
	type Reductions,
	until,
	viewOf,
	viewOfMessage,
	withCompaction,
} from "./view.ts";

/** Transcript, limits and functions for one compaction of a session. */
export interface CompactionJob {
	readonly runId: string;
	readonly session: Session;
	readonly journal: Journal;
	readonly log: Logger;
	readonly signal: AbortSignal;
	readonly context: SessionContext;
	readonly transcript: readonly RunTranscript[];
	readonly room: Room;
	/** Returns the estimated tokens of a complete request with `messages`. */
	readonly tokensOf: (messages: readonly Message[]) => number;
	/** Returns the estimated tokens of the messages without instructions and tools, with a margin. */
	readonly safeTokensOf: (messages: readonly Message[]) => number;
	readonly write: WriteText;
}

/**
 * Compacts the session until its requests fit, and records the compactions. Throws `resource_exhausted` if no
 * compaction is sufficient.
 */
export async function compact(job: CompactionJob): Promise<void> {
	const { transcript, room, context } = job;
	const plan = planCompaction({ transcript, room, tokensOf: job.safeTokensOf }, context.reductions);
	if (!plan.summary) return record(job, plan.compactions);
	let error: string | undefined;
	const text = await noteBefore(job, plan.summary, async (task) => {
		const written = await summaryOrExtract(job, task);
		error = written.error;
		return written.text;
	});
	await record(job, [{ level: "summary", before: plan.summary, text }, ...plan.compactions], error);
}

/** Replaces the complete transcript with a summary. Rejects if the model call fails or returns no text. */
export async function summariseAll(job: CompactionJob, instruction: string | undefined): Promise<void> {
	const before = { run: (job.transcript.at(-1)?.ordinal ?? 0) + 1, message: 0 };
	const text = await noteBefore(job, before, (task) => summarise({ ...task, instruction }, job.write));
	await record(job, [{ level: "summary", before, text }]);
}

async function noteBefore(
	job: CompactionJob,
	before: Position,
	write: (task: SummaryTask) => Promise<string>,
): Promise<string> {
	const { transcript, context, room, session } = job;
	const measure = (text: string): number =>
		job.safeTokensOf([{ role: "user", content: [{ type: "text", text }] }]);
	const questions = await readQuestions(job.journal.store, session.id);
	const first = transcript.flatMap(({ messages }) => messages).find(({ role }) => role === "user");
	const reduced = viewOf(
		transcript,
		withCompaction(context.reductions, { level: "summary", before, text: "" }),
	);
	const body = await write({ ...replaced(job, before), length: room.body, measure, instruction: undefined });
	return noteOf(
		{
			first: first?.role === "user" && !reduced.includes(first) ? first : undefined,
			decisions: openDecisions(transcript, questions, before),
			body,
		},
		{ ...room, measure },
	);
}

/** Assumed tokens of a summary request besides the transcript and the reply. */
const summaryOverhead = 500;

function replaced({ transcript, context, room }: CompactionJob, before: Position): SummarySource {
	const { summary } = context.reductions;
	const reductions: Reductions = { ...context.reductions, results: undefined, shortened: [] };
	const messages = viewOf(until(transcript, before), reductions);
	const max = 0.9 * (room.window - summaryReply(room.body)) - summaryOverhead;
	return summary
		? { earlier: bodyOf(textOf(summary.message)), messages: messages.slice(1), max }
		: { earlier: "", messages, max };
}

function textOf(message: Message): string {
	return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** `error`: the reason why the model wrote no summary. */
interface Written {
	readonly text: string;
	readonly error?: string;
}

/**
 * Returns a summary by the model, or an extract if the model call fails or a limit prevents the call. Throws if the job
 * is cancelled, and for other errors.
 */
async function summaryOrExtract(job: CompactionJob, task: SummaryTask): Promise<Written> {
	try {
		return { text: await summarise(task, job.write) };
	} catch (error) {
		job.signal.throwIfAborted();
		if (!isOfTheModel(error)) throw error;
		job.log.warn(summaryTexts.extracted, {
			sessionId: job.session.id,
			error: ParleyError.from(error),
		});
		const { earlier, messages, length, measure } = task;
		const before = earlier === "" ? "" : `${shortenTo(earlier, length / 2, measure)}\n`;
		const text = before + extractOf(messages, length - measure(before), measure);
		return { text, error: ParleyError.from(error).message };
	}
}

function isOfTheModel(error: unknown): boolean {
	return error instanceof ModelError || (error instanceof ParleyError && error.code === "resource_exhausted");
}

/**
 * Records `compactions`, each with its size before and after. `summaryError`: the reason why the model wrote no
 * summary.
 */
async function record(
	job: CompactionJob,
	compactions: readonly Compaction[],
	summaryError?: string,
): Promise<void> {
	const { context, transcript } = job;
	let { reductions } = context;
	let view = viewOf(transcript, reductions);
	let tokensBefore = job.tokensOf(view);
	const measured: MeasuredCompaction[] = [];
	for (const compaction of compactions) {
		reductions = withCompaction(reductions, compaction);
		const messagesBefore = view.length;
		view = viewOf(transcript, reductions);
		const tokensAfter = job.tokensOf(view);
		const sizes = { tokensBefore, tokensAfter, messagesBefore, messagesAfter: view.length };
		const error = compaction.level === "summary" ? summaryError : undefined;
		measured.push({ ...compaction, ...sizes, ...defined({ error }) });
		tokensBefore = tokensAfter;
	}
	if (measured.length > 0) await context.record(job.runId, measured);
}

interface Sizing {
	readonly transcript: readonly RunTranscript[];
	readonly room: Room;
	/** Returns the estimated tokens of messages, with a margin. */
	readonly tokensOf: (messages: readonly Message[]) => number;
}

interface Plan {
	readonly compactions: readonly Compaction[];
	/** End of the messages that a summary will replace, or undefined for no summary. The plan has no summary text. */
	readonly summary: Position | undefined;
}

/** Shares of `room.tail` for recent groups, in the order of the attempts. */
const tailShares = [1, 0.5, 0];
const longestResult = 16_000;
const shortestResult = 500;

/**
 * Plans compactions after which the messages fit. First choice: clearing that reaches the target. Next: a summary, then
 * clearing, if the messages then fit. The last resort also shortens results. The last question and the newest reply
 * with its results are never removed. Throws `resource_exhausted` if nothing fits.
 */
function planCompaction(sizing: Sizing, reductions: Reductions): Plan {
	const { room, transcript } = sizing;
	const groups = groupsOf(transcript);
	const cleared = planClearing(sizing, reductions, groups);
	const clearing: Plan = { compactions: cleared.compactions, summary: undefined };
	if (cleared.tokens <= room.target) return clearing;
	const summary = planSummary(sizing, reductions, groups);
	if (summary && summary.tokens <= room.messages) return { compactions: [], summary: summary.before };
	if (cleared.tokens <= room.messages) return clearing;
	return summary
		? planShortening(sizing, summary.reductions, { compactions: [], summary: summary.before })
		: planShortening(sizing, cleared.reductions, clearing);
}

interface Cleared {
	readonly compactions: readonly Compaction[];
	readonly reductions: Reductions;
	readonly tokens: number;
}

function planClearing(sizing: Sizing, reductions: Reductions, groups: readonly MessageGroup[]): Cleared {
	const tail = groups[tailStart(sizing, reductions, groups, 1)];
	let reached: Cleared = {
		compactions: [],
		reductions,
		tokens: sizing.tokensOf(viewOf(sizing.transcript, reductions)),
	};
	if (!tail) return reached;
	for (const level of ["tool_results", "thinking"] as const) {
		const compaction: Compaction = { level, before: tail.at, text: null };
		const next = withCompaction(reached.reductions, compaction);
		const tokens = sizing.tokensOf(viewOf(sizing.transcript, next));
		if (tokens >= reached.tokens) continue;
		reached = { compactions: [...reached.compactions, compaction], reductions: next, tokens };
		if (tokens <= sizing.room.target) break;
	}
	return reached;
}

interface SummaryPlan {
	readonly before: Position;
	/** Reductions with an empty summary. */
	readonly reductions: Reductions;
	/** Estimated tokens of the messages with a summary of the maximum length. */
	readonly tokens: number;
}

/**
 * Plans a summary with the first of `tailShares` that reaches the target. If no share does, uses the last share that
 * saves tokens. Returns undefined if no summary saves tokens.
 */
function planSummary(
	sizing: Sizing,
	reductions: Reductions,
	groups: readonly MessageGroup[],
): SummaryPlan | undefined {
	const unreduced = sizing.tokensOf(viewOf(sizing.transcript, reductions));
	let found: SummaryPlan | undefined;
	for (const share of tailShares) {
		const before = summaryPlace(sizing, reductions, groups, share);
		if (!before) continue;
		const summarised = withCompaction(reductions, { level: "summary", before, text: "" });
		const tokens = sizing.tokensOf(viewOf(sizing.transcript, summarised)) + sizing.room.note;
		if (tokens >= unreduced) continue;
		found = { before, reductions: summarised, tokens };
		if (tokens <= sizing.room.target) break;
	}
	return found;
}

/**
 * Returns the position where the summarised part ends, before a user message if possible. Returns undefined if no group
 * remains after the last summary.
 */
function summaryPlace(
	sizing: Sizing,
	reductions: Reductions,
	groups: readonly MessageGroup[],
	share: number,
): Position | undefined {
	const start = tailStart(sizing, reductions, groups, share);
	const newest = newestStart(groups);
	const opening = groups.findIndex((group, index) => group.opens && index >= start && index <= newest);
	return groups[opening === -1 ? start : opening]?.at;
}

/**
 * Returns the index of the first recent group. Clearing leaves recent groups unchanged. A summary may replace
 * recent groups before a user message: see `summaryPlace`.
 */
function tailStart(
	sizing: Sizing,
	reductions: Reductions,
	groups: readonly MessageGroup[],
	share: number,
): number {
	const first = firstShown(reductions, groups);
	let start = Math.max(first, newestStart(groups));
	let tokens = groups.slice(start).reduce((sum, group) => sum + tokensOfGroup(sizing, reductions, group), 0);
	while (start > first) {
		const before = groups[start - 1];
		tokens += before ? tokensOfGroup(sizing, reductions, before) : 0;
		if (tokens > sizing.room.tail * share) break;
		start -= 1;
	}
	return start;
}

/**
 * Returns the index of the group with the newest question or the newest reply, whichever is later. Automatic
 * compactions never remove this group or later groups.
 */
function newestStart(groups: readonly MessageGroup[]): number {
	const question = groups.findLastIndex(({ opens }) => opens);
	const reply = groups.findLastIndex(({ messages }) => messages[0]?.role === "assistant");
	return Math.max(0, question, reply);
}

function firstShown({ summary }: Reductions, groups: readonly MessageGroup[]): number {
	if (!summary) return 0;
	const first = groups.findIndex(({ at }) => !isBefore(at, summary.before));
	return first === -1 ? groups.length : first;
}

function tokensOfGroup(sizing: Sizing, reductions: Reductions, { at, messages }: MessageGroup): number {
	return sizing.tokensOf(
		messages.map((message, index) =>
			viewOfMessage(message, { run: at.run, message: at.message + index }, reductions, messages[index - 1]),
		),
	);
}

function planShortening(sizing: Sizing, reductions: Reductions, plan: Plan): Plan {
	const { transcript, room } = sizing;
	const note = plan.summary ? room.note : 0;
	let tokens = 0;
	for (let characters = longestResult; characters >= shortestResult; characters /= 2) {
		const compaction: Compaction = {
			level: "tool_results",
			before: endOfTranscript(transcript),
			text: String(characters),
		};
		tokens = sizing.tokensOf(viewOf(transcript, withCompaction(reductions, compaction))) + note;
		if (tokens <= room.messages) return { ...plan, compactions: [...plan.compactions, compaction] };
	}
	const needed = Math.ceil(tokens + room.window - room.reply - room.messages);
	const message = roomTexts.largeRequest(needed, Math.floor(room.window - room.reply));
	throw new ParleyError(message, { code: "resource_exhausted" });
}

interface NoteParts {
	/** First user message. Undefined if the compacted conversation still contains it. */
	readonly first: UserMessage | undefined;
	readonly decisions: readonly string[];
	readonly body: string;
}

/** Maximum tokens of each part. `measure` counts tokens. */
interface NoteRoom {
	readonly first: number;
	readonly decisions: number;
	readonly body: number;
	readonly measure: (text: string) => number;
}

function noteOf({ first, decisions, body }: NoteParts, room: NoteRoom): string {
	const texts = summaryNoteTexts;
	const sections: string[] = [texts.opening];
	if (first) {
		sections.push(`${texts.first}\n<<<\n${shortenTo(textOfQuestion(first), room.first, room.measure)}\n>>>`);
	}
	if (decisions.length > 0) sections.push(`${texts.open}\n${newestOf(decisions, room)}`);
	sections.push(`${texts.body}\n${shortenTo(body, room.body, room.measure)}`);
	return sections.join("\n\n");
}

function bodyOf(note: string): string {
	const heading = `\n${summaryNoteTexts.body}\n`;
	const start = note.lastIndexOf(heading);
	return start === -1 ? note : note.slice(start + heading.length);
}

function textOfQuestion({ content }: UserMessage): string {
	return content.map((block) => (block.type === "text" ? block.text : summaryNoteTexts.image)).join("\n");
}

function newestOf(decisions: readonly string[], { decisions: max, measure }: NoteRoom): string {
	let size = 0;
	const chosen = decisions
		.toReversed()
		.map((decision) => `- ${cutLine(decision, 600)}`)
		.filter((line) => {
			size += measure(`${line}\n`);
			return size <= max;
		});
	const left = decisions.length - chosen.length;
	const gap = left > 0 ? summaryNoteTexts.olderLeftOut(left) : undefined;
	return definedItems([gap, ...chosen.toReversed()]).join("\n");
}
