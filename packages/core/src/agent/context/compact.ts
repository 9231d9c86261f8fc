import { type Logger, ParleyError } from "@parley/base";
import type { Session } from "../../conversation/session.ts";
import type { Journal } from "../../store/journal.ts";
import type { Message } from "../../vocabulary/message.ts";
import { ModelError } from "../../vocabulary/model-error.ts";
import type { RunTranscript } from "../../vocabulary/transcript.ts";
import { type Compaction, type Marks, withCompaction } from "./marks.ts";
import { openDecisions, readQuestions } from "./open-decisions.ts";
import { planCompaction } from "./plan.ts";
import { type Position, until } from "./position.ts";
import { extractOf } from "./record.ts";
import type { Room } from "./room.ts";
import type { MeasuredCompaction, SessionContext } from "./session-context.ts";
import { shortenTo } from "./shorten.ts";
import { type SummaryTask, summarise, summaryReply, type WriteText } from "./summarise.ts";
import { bodyOf, noteOf } from "./summary-note.ts";
import { viewOf } from "./view.ts";

/** A session whose requests are to become smaller. */
export interface CompactionJob {
	readonly runId: string;
	readonly session: Session;
	readonly deps: { readonly journal: Journal; readonly log: Logger };
	readonly signal: AbortSignal;
	readonly context: SessionContext;
	readonly transcript: readonly RunTranscript[];
	readonly room: Room;
	/** Tokens of messages as estimated, and rather too many than too few. */
	readonly tokensOf: (messages: readonly Message[]) => number;
	readonly safeTokensOf: (messages: readonly Message[]) => number;
	readonly write: WriteText;
}

/** Makes the session's requests fit, and records how. */
export async function compact(job: CompactionJob): Promise<void> {
	const { transcript, room, context } = job;
	const plan = planCompaction({ transcript, room, tokensOf: job.safeTokensOf }, context.marks);
	if (!plan.summary) return record(job, plan.compactions);
	let error: string | undefined;
	const text = await noteBefore(job, plan.summary, async (task) => {
		const written = await summaryOrExtract(job, task);
		error = written.error;
		return written.text;
	});
	await record(job, [{ level: "summary", before: plan.summary, text }, ...plan.compactions], error);
}

/** Puts a summary in the place of the whole transcript. Throws where there is none to be had. */
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
	const questions = await readQuestions(job.deps.journal.store, session.id);
	const first = transcript.flatMap(({ messages }) => messages).find(({ role }) => role === "user");
	const kept = viewOf(transcript, withCompaction(context.marks, { level: "summary", before, text: "" }));
	const body = await write({ ...replaced(job, before), length: room.body, measure, instruction: undefined });
	return noteOf(
		{
			first: first?.role === "user" && !kept.includes(first) ? first : undefined,
			decisions: openDecisions(transcript, questions, before),
			body,
		},
		{ ...room, measure },
	);
}

/** Tokens of a summary's request beside its record, by far. */
const summaryOverhead = 500;

/** What a summary takes the place of: results are in it as they were. */
function replaced(
	{ transcript, context, room }: CompactionJob,
	before: Position,
): Pick<SummaryTask, "earlier" | "messages" | "most"> {
	const { summary } = context.marks;
	const marks: Marks = { ...context.marks, results: undefined, shortened: [] };
	const messages = viewOf(until(transcript, before), marks);
	const most = 0.9 * (room.window - summaryReply(room.body)) - summaryOverhead;
	return summary
		? { earlier: bodyOf(textOf(summary.message)), messages: messages.slice(1), most }
		: { earlier: "", messages, most };
}

function textOf(message: Message): string {
	return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

/** Text that takes the place of older messages. `error`: why no model wrote it. */
interface Written {
	readonly text: string;
	readonly error?: string;
}

/** Returns a summary, or an extract of the messages if the model writes none. Throws if the job is cancelled. */
async function summaryOrExtract(job: CompactionJob, task: SummaryTask): Promise<Written> {
	try {
		return { text: await summarise(task, job.write) };
	} catch (error) {
		job.signal.throwIfAborted();
		if (!isOfTheModel(error)) throw error;
		job.deps.log.warn("no summary could be written, an extract takes its place", {
			...{ sessionId: job.session.id, error: ParleyError.from(error) },
		});
		const { earlier, messages, length, measure } = task;
		const before = earlier === "" ? "" : `${shortenTo(earlier, length / 2, measure)}\n`;
		const text = before + extractOf(messages, length - measure(before), measure);
		return { text, error: ParleyError.from(error).message };
	}
}

/** A model that fails, or may not be asked, can be done without; a record that cannot be written cannot. */
function isOfTheModel(error: unknown): boolean {
	return error instanceof ModelError || (error instanceof ParleyError && error.code === "resource_exhausted");
}

/** Stores the compactions with their sizes. `summaryError`: why the summary among them was not written by a model. */
async function record(
	job: CompactionJob,
	compactions: readonly Compaction[],
	summaryError?: string,
): Promise<void> {
	const { context, transcript } = job;
	let { marks } = context;
	let view = viewOf(transcript, marks);
	let tokensBefore = job.tokensOf(view);
	const measured: MeasuredCompaction[] = [];
	for (const compaction of compactions) {
		marks = withCompaction(marks, compaction);
		const messagesBefore = view.length;
		view = viewOf(transcript, marks);
		const tokensAfter = job.tokensOf(view);
		const sizes = { tokensBefore, tokensAfter, messagesBefore, messagesAfter: view.length };
		const error = compaction.level === "summary" ? summaryError : undefined;
		measured.push({ ...compaction, ...sizes, ...(error !== undefined && { error }) });
		tokensBefore = tokensAfter;
	}
	if (measured.length > 0) await context.record(job.runId, measured);
}
