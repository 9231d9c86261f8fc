import { type PastCompaction, readCompactions } from "../../agent/context/session-context.ts";
import { noReductions, type Reductions, viewOf, withCompaction } from "../../agent/context/view.ts";
import { shownContent } from "../../agent/replies/live-reply.ts";
import { historyFor, toRunRow } from "../../conversation/queue.ts";
import type { Session } from "../../conversation/session.ts";
import type { Files } from "../../files/files.ts";
import { withImages } from "../../files/images.ts";
import { fromRow, type Journal, type Tx } from "../../store/journal.ts";
import type { Message } from "../../vocabulary/message.ts";
import type { Step } from "../../vocabulary/step.ts";
import { messagesOf, type RunMessage, type RunTranscript } from "../../vocabulary/transcript.ts";

/** A message of a transcript. `at` is its time in milliseconds since the epoch. */
export interface TimedMessage {
	readonly message: Message;
	readonly at: number;
	/** True in the history with which a session was created. A client imported this history, or a fork copied it. */
	readonly imported?: true;
}

interface TimedStep {
	readonly step: Step;
	readonly at: number;
}

/**
 * Returns the transcript of a session as the model currently sees it: with summaries, and with the progress of an active
 * run. Omits recalled notes, and secrets in arguments and thinking.
 */
export async function readTranscript(
	{ journal, files }: { readonly journal: Journal; readonly files: Files },
	session: Session,
): Promise<TimedMessage[]> {
	const { runs, steps, compactions } = await journal.store.read((db) => readRows(db, session.id));
	const byRun = Map.groupBy(steps, (step) => step.run_id);
	const times = new Map<Message, Origin>();
	let transcript: readonly RunTranscript[] = [];
	for (const row of runs) {
		const own = (byRun.get(row.id) ?? []).map(({ data, at }) => ({
			step: fromRow<Step>(data),
			at: Number(at),
		}));
		// The run is queued, or ended before it started.
		if (own.length === 0) continue;
		const run = await withImages(files, toRunRow(row));
		const messages = messagesOf(
			{ ...run, options: undefined },
			// Readers of the transcript see the original messages, without recalled notes.
			own.map(({ step }) => step).filter(({ kind }) => kind !== "recalled"),
		);
		recordTimes(times, messages, { run, sentAt: Number(row.created_at), steps: own });
		transcript = [...historyFor(run, transcript), { ordinal: run.ordinal, messages }];
	}
	return timedView(transcript, compactions, times).map(({ message, ...origin }) => ({
		message: shown(message, session),
		...origin,
	}));
}

/** Reads all rows in the caller's transaction, so that the rows are consistent. */
async function readRows(db: Tx, sessionId: string) {
	const ofSession = db.selectFrom("runs").where("session_id", "=", sessionId);
	return {
		runs: await ofSession.selectAll().orderBy("ordinal").execute(),
		steps: await db
			.selectFrom("steps")
			.select(["run_id", "data", "at"])
			.where("run_id", "in", ofSession.select("id"))
			.orderBy("n")
			.execute(),
		compactions: await readCompactions(db, sessionId),
	};
}

type Origin = Omit<TimedMessage, "message">;

interface Timed {
	readonly run: RunMessage;
	readonly sentAt: number;
	readonly steps: readonly TimedStep[];
}

/**
 * Adds the time of each message to `times`. A user message has the time at which it was sent or added to the
 * run. A reply has the time of its step, and results have the time of the last result.
 */
function recordTimes(
	times: Map<Message, Origin>,
	messages: readonly Message[],
	{ run, sentAt, steps }: Timed,
): void {
	const replies = new Map<unknown, number>();
	const results = new Map<string, number>();
	const own = run.retryOf === undefined ? [sentAt] : [];
	for (const { step, at } of steps) {
		if (step.kind === "steered") own.push(at);
		else if (step.kind === "reply") replies.set(step.content, at);
		else if (step.kind === "result") results.set(step.callId, at);
	}
	const imported = steps[0]?.step.kind === "imported" && { imported: true as const };
	let last = sentAt;
	for (const message of messages) {
		last = timeOf(message) ?? last;
		times.set(message, { at: last, ...imported });
	}

	function timeOf(message: Message): number | undefined {
		if (message.role === "user") return own.shift();
		if (message.role === "assistant") return replies.get(message.content);
		const known = message.content.flatMap(({ callId }) => results.get(callId) ?? []);
		return known.length > 0 ? Math.max(...known) : undefined;
	}
}

/**
 * Returns the messages that the model sees, with their times. A shortened message gets the time of the original message
 * at the same position.
 */
function timedView(
	transcript: readonly RunTranscript[],
	compactions: readonly PastCompaction[],
	times: ReadonlyMap<Message, Origin>,
): TimedMessage[] {
	const reductions = compactions.reduce<Reductions>(withCompaction, noReductions);
	const unreduced = viewOf(transcript, { ...noReductions, summary: reductions.summary });
	const summaryAt = compactions.findLast(({ level }) => level === "summary")?.at ?? 0;
	return viewOf(transcript, reductions).map((message, index) => {
		const original = unreduced[index];
		const origin = (original && times.get(original)) ?? { at: summaryAt };
		return { message, ...origin };
	});
}

function shown(message: Message, { redactor }: Session): Message {
	if (message.role !== "assistant") return message;
	return { ...message, content: shownContent(message.content, redactor) };
}
