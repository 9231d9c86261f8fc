/** The wires there are. Each has a driver, and a place in every requirement. */
export const wires = ["ozzie"] as const;
export type Wire = (typeof wires)[number];

/** Something we promise to whoever talks to the gateway. */
export interface Requirement {
	readonly promise: string;
	/** The section of the protocol's document, or the ruling, that it comes from; `our own` names one of ozzie.md. */
	readonly source: string;
	/** Whether a wire keeps the promise, or why its messages cannot express it. */
	readonly wires: { readonly [Name in Wire]: "kept" | { readonly cannot: string } };
}

/** A promise that the Ozzie wire keeps. */
export function ozzie(source: string, promise: string): Requirement {
	return { promise, source, wires: { ozzie: "kept" } };
}
