/** The requirements that one scenario cites, and its wire. Without a wire, the scenario is for all wires. */
export interface Citation {
	readonly wire: string | undefined;
	readonly ids: readonly string[];
}

/** The citations of a scenario file, in `verifies([…], …)` and `verifiesOn("WIRE", […], …)`. */
export function citationsIn(source: string): Citation[] {
	const heads = source.matchAll(/\bverifies(?:On)?\(\s*(?:"([a-z]+)",\s*)?\[([^\]]*)\]/g);
	return [...heads].map(([, wire, ids = ""]) => ({
		wire,
		ids: [...ids.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id),
	}));
}
