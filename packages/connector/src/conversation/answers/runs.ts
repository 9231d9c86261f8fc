import { defined } from "@parley/base";
import { answerCard } from "../../platform/answer-card.ts";
import type { PlanStep } from "../tasks/step-lines.ts";
import type { RunPart } from "./run-parts.ts";

interface EndedRun {
	readonly id: string;
	/** Platform id of the message that the run answers. */
	readonly message?: string;
	/** Author of that message. */
	readonly author?: { readonly id: string; readonly name: string };
}

export interface Run extends EndedRun {
	/** The start of the message, in one line. */
	readonly about: string;
	/** Time of the message, in milliseconds since the epoch. */
	readonly at?: number;
	/** Event of the message. */
	readonly seq?: number;
	/** The message was queued, and has a card. */
	readonly waited?: true;
	/** Reactions to the message show its state. Its notices are only for rooms in which the connector may not react. */
	readonly reacts?: true;
	/** While the message is queued, its author can add it to the active run. */
	readonly offers?: true;
	/** Platform ids of messages that joined the run and show its state by reactions. */
	readonly joined?: readonly string[];
	/** Steps of the run, shown in a card. */
	readonly steps?: readonly PlanStep[];
	/** A card shows failed model calls. True while a retry is pending. */
	readonly retrying?: boolean;
	/** A schedule started the run. Its answer is posted complete. */
	readonly scheduled?: true;
	/** Texts and tool calls since the last question. */
	readonly parts?: readonly RunPart[];
	/** Number of questions so far. After each, the answer grows in another post, below the question. */
	readonly questions?: number;
}

/** The messages of a session and the runs that answer them. */
export interface AnswersSlice {
	/** In order: the first is active, the others are queued. */
	readonly open: readonly Run[];
	/** The newest runs, the last one at the end. */
	readonly ended: readonly EndedRun[];
	/** The newest run: only its answer can be repeated. */
	readonly newest?: string;
	/** Last message or answer, in milliseconds since the epoch. */
	readonly usedAt?: number;
}

/** Larger than the queue of the gateway, which has 32 messages and the active one. */
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

/** Returns the newest run of a platform message. `open`: whether it has not ended. */
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

/** Returns the platform message of a run, if it is still known. */
export function messageOf({ open, ended }: AnswersSlice, runId: string): string | undefined {
	return [...open, ...ended].find(({ id }) => id === runId)?.message;
}

export function withRun(slice: AnswersSlice, run: Run): AnswersSlice {
	return { ...slice, open: [...slice.open, run].slice(-maxOpen), newest: run.id };
}

/** Replaces an open run. */
export function withChange(slice: AnswersSlice, changed: Run): AnswersSlice {
	return { ...slice, open: slice.open.map((run) => (run.id === changed.id ? changed : run)) };
}

/** Removes the mark that the active message was queued, because its notice is deleted. */
export function withActive(slice: AnswersSlice): AnswersSlice {
	const [first, ...others] = slice.open;
	if (first?.waited === undefined) return slice;
	const { waited: _, ...active } = first;
	return { ...slice, open: [active, ...others] };
}

/** Moves a queued message into the run `host`. */
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
