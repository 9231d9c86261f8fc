/**
 * The requirement ids that one scenario cites, and its wire. Without a wire, the scenario runs on all wires that meet
 * these requirements.
 */
export interface Citation {
	readonly wire: string | undefined;
	readonly ids: readonly string[];
}

/** The citations in a scenario file, from `verifies([…], …)` and `verifiesOn("WIRE", […], …)`. */
export function citationsIn(source: string): Citation[] {
	const heads = source.matchAll(/\bverifies(?:On)?\(\s*(?:"([a-z]+)",\s*)?\[([^\]]*)\]/g);
	return [...heads].map(([, wire, ids = ""]) => ({
		wire,
		ids: [...ids.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id),
	}));
}
