/**
 * Requirement ids and wire of one scenario. Without a wire, the scenario runs on every wire that meets these
 * requirements.
 */
export interface Citation {
	readonly wire: string | undefined;
	readonly ids: readonly string[];
}

export function citationsIn(source: string): Citation[] {
	const heads = source.matchAll(/\bverifies(?:On)?\(\s*(?:"([a-z]+)",\s*)?\[([^\]]*)\]/g);
	return [...heads].map(([, wire, ids = ""]) => ({
		wire,
		ids: [...ids.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id),
	}));
}
