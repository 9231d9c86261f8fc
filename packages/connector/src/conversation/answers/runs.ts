import { defined } from "@parley/base";
import type { PlanStep } from "../tasks/step-lines.ts";

/** A run that has ended. */
interface EndedRun {
	readonly id: string;
	/** The platform's id of the message that the run answers. */
	readonly message?: string;
	/** Author of that message. */
	readonly author?: { readonly id: string; readonly name: string };
}

/** A run that has not ended. */
export interface Run extends EndedRun {
	/** The beginning of what was said, in one line. */
	readonly about: string;
	/** It had to wait for others: a card says so. */
	readonly waited?: true;
	/** The list of its steps, which a card shows. */
	readonly steps?: readonly PlanStep[];
	/** A card tells of calls of its model that failed; whether another one is still being made. */
	readonly retrying?: boolean;
}

/** The messages of a session and the runs that answer them. */
export interface AnswersSlice {
	/** In the order in which they were asked for: the first is at work, the others wait. */
	readonly open: readonly Run[];
	/** The newest ones, the last of them last. */
	readonly ended: readonly EndedRun[];
	/** The run that was asked for last: the gateway makes no other answer again. */
	readonly newest?: string;
	/** When something was said or answered, the last time; in milliseconds since the epoch. */
	readonly usedAt?: number;
}

/** The gateway takes 32 messages behind the one that is answered. */
const mostOpen = 40;
const mostEnded = 8;

/** The run at work. */
export function activeRun({ open }: AnswersSlice): Run | undefined {
	return open[0];
}

/** The newest run that answers a message of the platform; `open` tells whether it has not ended. */
export function runOf(
	{ open, ended }: AnswersSlice,
	message: string,
): (EndedRun & { readonly open: boolean }) | undefined {
	const isOf = (run: EndedRun): boolean => run.message === message;
	const atWork = open.findLast(isOf);
	if (atWork) return { ...kept(atWork), open: true };
	const over = ended.findLast(isOf);
	return over && { ...over, open: false };
}

/** The message of the platform that a run answers, as far back as is remembered. */
export function messageOf({ open, ended }: AnswersSlice, runId: string): string | undefined {
	return [...open, ...ended].find(({ id }) => id === runId)?.message;
}

export function withRun(slice: AnswersSlice, run: Run): AnswersSlice {
	return { ...slice, open: [...slice.open, run].slice(-mostOpen), newest: run.id };
}

/** With what has changed of a run that has not ended. */
export function withChange(slice: AnswersSlice, changed: Run): AnswersSlice {
	return { ...slice, open: slice.open.map((run) => (run.id === changed.id ? changed : run)) };
}

export function withoutRun(slice: AnswersSlice, run: EndedRun): AnswersSlice {
	const open = slice.open.filter(({ id }) => id !== run.id);
	return { ...slice, open, ended: [...slice.ended, kept(run)].slice(-mostEnded) };
}

function kept({ id, message, author }: EndedRun): EndedRun {
	return { id, ...defined({ message, author }) };
}
