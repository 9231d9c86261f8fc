import { type Action, after, atFirst, enabled, isOver, type Standing } from "./standing.ts";

/**
 * All sequences of at most so many actions that make sense, without those that another one begins with. Nothing follows
 * the end of a task but a crash; a crash right after a crash is the same crash.
 */
export function allSequences(most: number): Action[][] {
	const found: Action[][] = [];
	const extend = (at: Standing, sequence: readonly Action[]): void => {
		const next = sequence.length < most ? wanted(at, sequence.at(-1)) : [];
		if (next.length === 0) found.push([...sequence]);
		for (const action of next) extend(after(at, action), [...sequence, action]);
	};
	extend(atFirst, []);
	return found;
}

function wanted(at: Standing, last: Action | undefined): Action[] {
	if (isOver(at.task)) return last === "crash" ? [] : ["crash"];
	return enabled(at).filter((action) => action !== "crash" || last !== "crash");
}
