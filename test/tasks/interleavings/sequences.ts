import { type Action, after, atFirst, type ExpectedState, enabled, isOver } from "./expected-state.ts";

/**
 * Returns all sequences of up to `maximum` possible actions, except those that are the start of another sequence.
 * Only a crash may follow the end of a task. A crash never follows a crash, because the second crash would change
 * nothing.
 */
export function allSequences(maximum: number): Action[][] {
	const sequences: Action[][] = [];
	const extend = (at: ExpectedState, sequence: readonly Action[]): void => {
		const next = sequence.length < maximum ? expected(at, sequence.at(-1)) : [];
		if (next.length === 0) sequences.push([...sequence]);
		for (const action of next) extend(after(at, action), [...sequence, action]);
	};
	extend(atFirst, []);
	return sequences;
}

function expected(at: ExpectedState, last: Action | undefined): Action[] {
	if (isOver(at.task)) return last === "crash" ? [] : ["crash"];
	return enabled(at).filter((action) => action !== "crash" || last !== "crash");
}
