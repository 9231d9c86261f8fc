import { isAbsolute, join, relative } from "node:path";
import { ParleyError } from "@parley/base";
import { compileGlob } from "../filesystem/glob.ts";
import { isWithin, looseForm } from "../filesystem/paths.ts";
import { matchesWithin } from "./commands/places.ts";
import { policyFileTexts } from "./texts.ts";

/** Path pattern of a rule. Paths and roots are absolute. */
export interface PathPattern {
	/** Pattern as written in the rule. */
	readonly text: string;
	/** Whether the pattern matches the path or one of the path's parent directories. */
	fits(path: string, roots: readonly string[]): boolean;
	/**
	 * Whether the pattern fits the path, or another spelling of the path that a file system or a shell could treat as
	 * equal.
	 */
	mayMatch(path: string, roots: readonly string[]): boolean;
	/** Whether the pattern can match the directory or a path below it. */
	mayMatchBelow(directory: string, roots: readonly string[]): boolean;
}

/**
 * Compiles a path pattern as `compileGlob` does. The pattern is relative to each root, or absolute if it begins with a
 * slash. A pattern that matches a directory also matches everything below the directory. Throws `invalid_argument` for
 * an invalid pattern.
 */
export function compilePath(text: string): PathPattern {
	if (text.startsWith("~")) {
		throw new ParleyError(policyFileTexts.homePattern(text), {
			code: "invalid_argument",
		});
	}
	const absolute = text.startsWith("/");
	const inner = text.replace(/^(?:\/|\.\/)+|^\.$/, "").replace(/(?:\/\*\*|\/)+$/, "");
	const isAll = inner === "" || inner === "**";
	// A pattern without a slash, or with a leading `**/`, matches names at any depth.
	const floats = !absolute && !isAll && (!text.includes("/") || inner.startsWith("**/"));
	const compile = (glob: string): Matches => {
		if (isAll) return () => true;
		if (floats) return compileGlob(glob);
		const matches = compileGlob(`root/${glob}`);
		return (path) => matches(`root/${path}`);
	};
	const head = floats ? "" : headOf(inner);
	const exact = { matches: compile(inner), isAll, head };
	const careful = { matches: compile(looseForm(inner)), isAll, head: looseForm(head) };
	const basesOf = (roots: readonly string[]): readonly string[] => (absolute ? ["/"] : roots);
	const headsOf = (roots: readonly string[]): string[] =>
		(floats ? ["/"] : basesOf(roots)).map((base) => looseForm(join(base, head)));
	return {
		text,
		fits: (path, roots) => basesOf(roots).some((base) => fitsFrom(base, path, exact)),
		mayMatch(path, roots) {
			const loose = looseForm(path);
			const bases = floats ? [...roots, "/"] : basesOf(roots);
			if (bases.some((base) => fitsFrom(looseForm(base), loose, careful))) return true;
			return head !== "" && isShellPattern(path) && headsOf(roots).some((one) => matchesWithin(loose, one));
		},
		mayMatchBelow(directory, roots) {
			const loose = looseForm(directory);
			return headsOf(roots).some((one) => isWithin(one, loose) || isWithin(loose, one));
		},
	};
}

type Matches = (path: string) => boolean;

function fitsFrom(
	base: string,
	path: string,
	{ matches, isAll, head }: { readonly matches: Matches; readonly isAll: boolean; readonly head: string },
): boolean {
	if (!isAbsolute(path) || !isWithin(path, base)) return false;
	if (isAll) return true;
	// Excludes most paths before the slower pattern match.
	if (head !== "" && !isWithin(path, join(base, head))) return false;
	const names = relative(base, path).split("/");
	return names[0] !== "" && names.some((_, index) => matches(names.slice(0, index + 1).join("/")));
}

/** Returns the leading directories of a pattern, up to the first part with a variable. */
function headOf(inner: string): string {
	const names = inner.split("/");
	const varies = names.findIndex((name) => /[*?[\]{}\\]/.test(name));
	return (varies === -1 ? names : names.slice(0, varies)).join("/");
}

function isShellPattern(path: string): boolean {
	return /[*?[]/.test(path);
}
