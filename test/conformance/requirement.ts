/** All wires. Each wire has a driver, and every requirement states whether each wire meets it. */
export const wires = ["ozzie", "zot", "kontekst", "roz"] as const;
export type Wire = (typeof wires)[number];

/**
 * Coverage of a requirement by a wire. `cannot` is the reason why the wire's messages cannot express the
 * requirement.
 */
type Coverage = "kept" | { readonly cannot: string };

export interface Requirement {
	readonly promise: string;
	/**
	 * Sources of the promise: for example a section of the protocol document, a ruling or an observation. `our own`
	 * refers to the protocol's page in docs/protocols.
	 */
	readonly source: string;
	readonly wires: { readonly [Name in Wire]: Coverage };
}

/**
 * Returns a requirement of the Ozzie wire. `others` states its coverage on other wires. By default, no other wire
 * meets it.
 */
export function ozzie(source: string, promise: string, others?: Partial<Requirement["wires"]>): Requirement {
	const cannot = "a promise in the words of the Ozzie document";
	return {
		promise,
		source,
		wires: { zot: { cannot }, kontekst: { cannot }, roz: { cannot }, ...others, ozzie: "kept" },
	};
}

export const onEachWire = { zot: "kept", kontekst: "kept", roz: "kept" } as const;

export function zot(source: string, promise: string, others?: { readonly ozzie: Coverage }): Requirement {
	const cannot = "a promise in the words of the zot document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, kontekst: { cannot }, roz: { cannot }, ...others, zot: "kept" },
	};
}

export function kontekst(source: string, promise: string): Requirement {
	const cannot = "a promise in the words of the kontekst document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, zot: { cannot }, roz: { cannot }, kontekst: "kept" },
	};
}

export function roz(source: string, promise: string): Requirement {
	const cannot = "a promise in the words of the roz document";
	return {
		promise,
		source,
		wires: { ozzie: { cannot }, zot: { cannot }, kontekst: { cannot }, roz: "kept" },
	};
}
