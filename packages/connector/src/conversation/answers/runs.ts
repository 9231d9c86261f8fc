import { defined } from "@parley/base";
import { answerCard } from "../../platform/answer-card.ts";
import type { PlanStep } from "../tasks/step-lines.ts";
import type { RunPart } from "./run-parts.ts";

interface EndedRun {
	readonly id: string;
	/** Platform id of the message that the run answers. */
	readonly message?: string;
	readonly author?: { readonly id: string; readonly name: string };
}

export interface Run extends EndedRun {
	/** Start of the message in one line. For a scheduled run, the title of the schedule. */
	readonly about: string;
	/** Time of the message, in milliseconds since the epoch. */
	readonly at?: number;
	/** `seq` of the `user.message` event. */
	readonly seq?: number;
	/** Whether the message is queued. Absent for the active message. */
	readonly waited?: true;
	/**
	 * Whether reactions show the state of the message. Without `offers`, a notice then appears only in rooms in which the
	 * connector may not react.
	 */
	readonly reacts?: true;
	/** Whether the author of the queued message can add it to the active run. */
	readonly offers?: true;
	/** Platform ids of messages that joined the run. Reactions to these messages show the state of the run. */
	readonly joined?: readonly string[];
	readonly steps?: readonly PlanStep[];
	/** Whether a retry of a model call is pending. Present if a card shows failed model calls. */
	readonly retrying?: boolean;
	/**
	 * Whether a schedule started the run. The answer of a scheduled run is posted only when the answer is complete.
	 */
	readonly scheduled?: true;
	/** Texts and tool calls since the last question, and the calls that were open at the last question. */
	readonly parts?: readonly RunPart[];
	/** Number of questions so far. After each question, the answer grows in another post below the question. */
	readonly questions?: number;
}

/** The messages of a session and the runs that answer them. */
export interface AnswersSlice {
	/** Runs that have not ended. The first run is active, and the other runs are queued. */
	readonly open: readonly Run[];
	/** The most recently ended runs, the newest last. */
	readonly ended: readonly EndedRun[];
	/** Id of the newest run: only its answer can be repeated. */
	readonly newest?: string;
	/** Time of the last message or answer, in milliseconds since the epoch. */
	readonly usedAt?: number;
}

/** Maximum number of open runs. The gateway allows one active run and 32 queued messages in a session. */
const maxOpen = 40;
const maxEnded = 8;

export function cardOfRun({
	id,
	questions = 0,
}: {
	readonly id: string;
	readonly questions?: number;
}): string {
	return answerCard(questions === 0 ? id : `${id}~${questions}`);
}

export function activeRun({ open }: AnswersSlice): Run | undefined {
	return open[0];
}

/** Returns the newest run of a platform message. `open`: whether the run has not ended. */
export function runOf(
	{ open, ended }: AnswersSlice,
	message: string,
): (EndedRun & { readonly open: boolean }) | undefined {
	const isOf = (run: EndedRun): boolean => run.message === message;
	const atWork = open.findLast(isOf);
	if (atWork) return { ...storedRun(atWork), open: true };
	const over = ended.findLast(isOf);
	return over && { ...over, open: false };
}

/** Returns the platform message of a run; undefined if the run is no longer known. */
export function messageOf({ open, ended }: AnswersSlice, runId: string): string | undefined {
	return [...open, ...ended].find(({ id }) => id === runId)?.message;
}

export function withRun(slice: AnswersSlice, run: Run): AnswersSlice {
	return { ...slice, open: [...slice.open, run].slice(-maxOpen), newest: run.id };
}

export function withChange(slice: AnswersSlice, changed: Run): AnswersSlice {
	return { ...slice, open: slice.open.map((run) => (run.id === changed.id ? changed : run)) };
}

/** Marks the message of the first open run, which is now active, as no longer queued. */
export function withActive(slice: AnswersSlice): AnswersSlice {
	const [first, ...others] = slice.open;
	if (first?.waited === undefined) return slice;
	const { waited: _, ...active } = first;
	return { ...slice, open: [active, ...others] };
}

/** Ends `run`, because its queued message has joined the run `host`. */
export function withJoined(slice: AnswersSlice, run: Run, host: string): AnswersSlice {
	const left = withoutRun(slice, run);
	const newest = left.newest === run.id ? (left.open.at(-1)?.id ?? host) : left.newest;
	const { message } = run;
	const open = left.open.map((each) =>
		each.id === host && run.reacts && message !== undefined
			? { ...each, joined: [...(each.joined ?? []), message].slice(-maxOpen) }
			: each,
	);
	return { ...left, open, ...defined({ newest }) };
}

export function withoutRun(slice: AnswersSlice, run: EndedRun): AnswersSlice {
	const open = slice.open.filter(({ id }) => id !== run.id);
	return { ...slice, open, ended: [...slice.ended, storedRun(run)].slice(-maxEnded) };
}

function storedRun({ id, message, author }: EndedRun): EndedRun {
	return { id, ...defined({ message, author }) };
}
