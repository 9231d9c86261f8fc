import { statSync } from "node:fs";
import { resolve } from "node:path";
import { defined, ParleyError } from "@parley/base";
import type { Reasoning } from "@parley/core";
import { errno } from "../data-directory/errno.ts";
import { rpcTexts } from "../texts/rpc.ts";
import { shortenText } from "../wires/zot/codec.ts";
import { reasoningWords } from "../wires/zot/schema.ts";

/** Maximum number of characters of a directory's path in an error. */
const maxShown = 200;

/** Unchecked flags of the command line. */
export interface RpcFlags {
	readonly provider?: string | undefined;
	readonly model?: string | undefined;
	readonly cwd?: string | undefined;
	readonly apiKey?: string | undefined;
	readonly baseUrl?: string | undefined;
	readonly systemPrompt?: string | undefined;
	readonly appendSystemPrompt?: readonly string[] | undefined;
	readonly reasoning?: string | undefined;
	readonly maxSteps?: string | undefined;
	/** Names from `--tools`; false for `--no-tools`. */
	readonly tools?: string | boolean | undefined;
	readonly session?: string | undefined;
	readonly rpcApprovals?: boolean | undefined;
}

/**
 * Parses a client's name for a reasoning effort. Returns undefined without a name. Throws `invalid_argument` for an
 * unknown name.
 */
export function readReasoning(text: string | undefined): Reasoning | undefined {
	if (text === undefined || text === "") return undefined;
	const word = text.toLowerCase();
	const known = Object.entries(reasoningWords).find(([name]) => name === word);
	if (known) return known[1];
	throw refused(
		rpcTexts.reasoning({ value: JSON.stringify(text), allowed: Object.keys(reasoningWords).join(", ") }),
	);
}

/** Parses the maximum number of model calls per prompt. Default: unlimited. */
export function readMaxSteps(text: string | undefined): number {
	if (text === undefined) return Number.MAX_SAFE_INTEGER;
	const steps = /^[1-9]\d{0,8}$/.test(text) ? Number(text) : 0;
	if (steps > 0) return steps;
	throw refused(rpcTexts.maxSteps({ value: JSON.stringify(text) }));
}

/** Parses a list of tool names. Default: all of `known`. Returns none for `--no-tools` and for an empty text. */
export function readTools(given: string | boolean | undefined, known: readonly string[]): readonly string[] {
	if (given === undefined || given === true) return known;
	if (given === false || given === "") return [];
	const names = given.split(",").map((name) => name.trim());
	const unknown = names.filter((name) => !known.includes(name));
	if (unknown.length === 0) return [...new Set(names)];
	throw refused(
		rpcTexts.unknownTools({
			names: unknown.map((name) => JSON.stringify(name)).join(", "),
			allowed: known.join(", "),
		}),
	);
}

/** Returns the absolute path of the agent's working directory. Throws if the path does not name a directory. */
export function readCwd(given: string | undefined, current: string): string {
	const cwd = resolve(current, given === undefined || given === "" ? "." : given);
	if (isDirectory(cwd)) return cwd;
	throw refused(rpcTexts.noWorkingDirectory({ path: shortenText(cwd, maxShown) }));
}

function isDirectory(cwd: string): boolean {
	try {
		return statSync(cwd, { throwIfNoEntry: false })?.isDirectory() ?? false;
	} catch (cause) {
		const reason = errno(cause) ?? rpcTexts.unknownError;
		throw refused(rpcTexts.workingDirectoryUnreadable({ path: shortenText(cwd, maxShown), reason }), cause);
	}
}

function refused(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", ...defined({ cause }) });
}
