import { ParleyError } from "@parley/base";
import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";

/** What a configuration file says, unchecked, and where it says so. */
export interface ConfigFile {
	readonly values: Readonly<Record<string, unknown>>;
	/** `FILE:LINE:COLUMN` of a value or of one item in it; both count from 1. */
	locate(key: string, item?: number): string;
}

/** Reads JSON with comments and trailing commas. Throws `invalid_argument` with line and column. */
export function parseConfigFile(path: string, source: string): ConfigFile {
	const text = source.replace(/^\uFEFF/, "");
	const at = (offset: number): string => {
		const lines = text.slice(0, offset).split("\n");
		return `${path}:${lines.length}:${(lines.at(-1)?.length ?? 0) + 1}`;
	};
	const errors: ParseError[] = [];
	const tree = parseTree(text, errors, { allowTrailingComma: true });
	const [error] = errors;
	if (error !== undefined) throw refused(`${at(error.offset)}: ${inWords(error)}`);
	if (tree?.type !== "object")
		throw refused(`${at(tree?.offset ?? 0)}: the file must hold one object: { … }`);
	const nodes = new Map<string, Node>();
	for (const [key, value] of (tree.children ?? []).map(readProperty)) {
		if (nodes.has(key)) throw refused(`${at(value.offset)}: ${key} is set twice`);
		nodes.set(key, value);
	}
	return {
		values: Object.fromEntries([...nodes].map(([key, node]) => [key, getNodeValue(node)])),
		locate(key, item) {
			const node = nodes.get(key);
			return at((item === undefined ? node : (node?.children?.[item] ?? node))?.offset ?? 0);
		},
	};
}

function readProperty({ children: [key, value] = [] }: Node): [string, Node] {
	if (key === undefined || value === undefined) {
		throw new ParleyError("a property without a value was not reported", { code: "internal" });
	}
	return [String(key.value), value];
}

/** `CommaExpected` → `comma expected`. */
function inWords({ error }: ParseError): string {
	return printParseErrorCode(error)
		.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
		.toLowerCase();
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
