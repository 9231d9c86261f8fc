/** The wires there are. Each has a driver, and a place in every requirement. */
export const wires = ["ozzie", "zot", "kontekst", "roz"] as const;
export type Wire = (typeof wires)[number];

/** Whether a wire keeps a promise, or why its messages cannot express it. */
type Kept = "kept" | { readonly cannot: string };

/** A promise to clients of the gateway. */
export interface Requirement {
	readonly promise: string;
	/** The section of the protocol's document, or the ruling, that it comes from; `our own` names one of its page in docs/protocols. */
	readonly source: string;
	readonly wires: { readonly [Name in Wire]: Kept };
}

/** A promise that the Ozzie wire keeps; another one keeps it, too, if `others` says so. */
export function ozzie(source: string, promise: string, others?: Partial<Requirement["wires"]>): Requirement {
	const cannot = "a promise in the words of the Ozzie document";
	return {
		promise,
		source,
		wires: { zot: { cannot }, kontekst: { cannot }, roz: { cannot }, ...others, ozzie: "kept" },
	};
}

/** For a promise that all wires keep. */
export const onEachWire = { zot: "kept", kontekst: "kept", roz: "kept" } as const;

/** A promise that the zot wire keeps. */
export function zot(source: string, promise: string, others?: { readonly ozzie: Kept }): Requirement {
	const cannot = "a promise in the words of the zot document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, kontekst: { cannot }, roz: { cannot }, ...others, zot: "kept" },
	};
}

/** A promise that the kontekst wire keeps. */
export function kontekst(source: string, promise: string): Requirement {
	const cannot = "a promise in the words of the kontekst document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, zot: { cannot }, roz: { cannot }, kontekst: "kept" },
	};
}

/** A promise that the roz wire keeps. */
export function roz(source: string, promise: string): Requirement {
	const cannot = "a promise in the words of the roz document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, zot: { cannot }, kontekst: { cannot }, roz: "kept" },
	};
}
