import type { CompactionLevel } from "../../vocabulary/context-snapshot.ts";
import type { UserMessage } from "../../vocabulary/message.ts";
import { isBefore, type Position } from "./position.ts";

/** One step that made a session's requests smaller, for good. */
export interface Compaction {
	readonly level: CompactionLevel;
	/** Applies to everything before this place. */
	readonly before: Position;
	/**
	 * summary: the text that replaces everything before. tool_results: how many characters of each result remain, or null
	 * for one
	 * line that describes it. thinking: null.
	 */
	readonly text: string | null;
}

/** Combined effect of all compactions of a session. */
export interface Marks {
	/** Results before it are one line each. */
	readonly results: Position | undefined;
	/** Replies before it are without their thinking. */
	readonly thinking: Position | undefined;
	/** Results before it have at most so many characters. */
	readonly shortened: readonly { readonly before: Position; readonly characters: number }[];
	/** Stands for everything before it. */
	readonly summary: { readonly before: Position; readonly message: UserMessage } | undefined;
}

export const noMarks: Marks = { results: undefined, thinking: undefined, shortened: [], summary: undefined };

/** The marks after one more compaction. None ever moves back. */
export function withCompaction(marks: Marks, { level, before, text }: Compaction): Marks {
	if (level === "thinking") return { ...marks, thinking: later(marks.thinking, before) };
	if (level === "summary") {
		return { ...marks, summary: { before, message: { role: "user", content: [textBlock(text ?? "")] } } };
	}
	if (text === null) return { ...marks, results: later(marks.results, before) };
	return { ...marks, shortened: [...marks.shortened, { before, characters: Number(text) }] };
}

/** First unchanged position. Undefined if nothing was changed. */
export function reachOf({ results, thinking, shortened, summary }: Marks): Position | undefined {
	const places = [results, thinking, summary?.before, ...shortened.map(({ before }) => before)];
	return places.reduce((last, place) => (place ? later(last, place) : last), undefined);
}

function later(one: Position | undefined, other: Position): Position {
	return one && isBefore(other, one) ? one : other;
}

function textBlock(text: string): { readonly type: "text"; readonly text: string } {
	return { type: "text", text };
}
