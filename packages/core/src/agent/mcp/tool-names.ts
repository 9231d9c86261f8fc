import { createHash } from "node:crypto";
import { mcpSeparator } from "../../vocabulary/mcp/server.ts";
import type { Tool } from "../../vocabulary/tool.ts";

/** Maximum characters of a tool name. All models accept names of this length. */
const longest = 64;
const HASH_LENGTH = 8;

/**
 * Returns a map from the server's own tool names to the names for models. `_` replaces characters that models refuse. A
 * name that is too long or not unique ends with a hash of the server's own tool name.
 */
export function nameTools(server: string, names: readonly string[]): ReadonlyMap<string, string> {
	const plain = new Map(names.map((name) => [name, plainName(server, name)]));
	const count = new Map<string, number>();
	for (const name of plain.values()) count.set(name, (count.get(name) ?? 0) + 1);
	return new Map(
		[...plain].map(([name, shown]) => [
			name,
			shown.length > longest || (count.get(shown) ?? 0) > 1 ? hashedName(shown, name) : shown,
		]),
	);
}

function plainName(server: string, name: string): string {
	return `${server}${mcpSeparator}${name.replaceAll(/[^A-Za-z0-9_-]/gu, "_")}`;
}

function hashedName(shown: string, name: string): string {
	const hash = createHash("sha256").update(name).digest("hex").slice(0, HASH_LENGTH);
	return `${shown.slice(0, longest - HASH_LENGTH - 1)}_${hash}`;
}

/**
 * Returns the normalised names of `tools`, including the alternative names that each tool accepts. Models may spell a
 * name differently: letter case, `_` and `-`.
 */
export function usedNames(tools: readonly Tool[]): ReadonlySet<string> {
	return new Set(tools.flatMap(({ name, accepts }) => [name, ...(accepts?.names ?? [])]).map(spelled));
}

/** Returns a name in lower case without `_` and `-`, so that different spellings are equal. */
export function spelled(name: string): string {
	return name.toLowerCase().replaceAll(/[_-]/g, "");
}
