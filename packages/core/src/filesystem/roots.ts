import { realpath, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { ParleyError } from "@parley/base";
import { isWithin } from "./paths.ts";

/** Characters of a client's path that a refusal repeats. */
const mostShown = 100;

/** What tools may touch, as the operator said it. */
export interface Roots {
	/** Real paths of `--root`; empty where none was given. */
	readonly given: readonly string[];
	/** The directory that the gateway was started in, used where none was given. */
	readonly current: string;
	/** Never a root, and nothing below it is: the data directory. */
	readonly dataDir: string;
}

/** What the tools of a session may touch, its working directory first; of a chat platform's session nothing else. */
export function toolRoots(
	{ rootDir, place }: { readonly rootDir: string; readonly place: string | undefined },
	given: Roots["given"],
): readonly string[] {
	return place === undefined ? [...new Set([rootDir, ...given])] : [rootDir];
}

/** The working directory for a client's `root_dir`, by the rules of the runtime; throws `invalid_argument`. */
export async function chooseRoot(wanted: string | undefined, roots: Roots): Promise<string> {
	const base = roots.given[0] ?? roots.current;
	if (wanted === undefined || wanted === "") return base;
	const path = await existingDirectory(resolve(base, wanted), wanted);
	if (isWithin(path, roots.dataDir)) throw refused(wanted, "is in the data directory");
	if (roots.given.length > 0 && !roots.given.some((root) => isWithin(path, root))) {
		throw refused(wanted, `is outside the roots ${roots.given.join(", ")}`);
	}
	return path;
}

async function existingDirectory(path: string, wanted: string): Promise<string> {
	if (path.includes("\0")) throw refused(wanted, "is not a path");
	try {
		const real = await realpath(path);
		if ((await stat(real)).isDirectory()) return real;
	} catch (cause) {
		throw refused(wanted, "does not exist", cause);
	}
	throw refused(wanted, "is not a directory");
}

function refused(wanted: string, why: string, cause?: unknown): ParleyError {
	const shown = wanted.length > mostShown ? `${wanted.slice(0, mostShown)}…` : wanted;
	return new ParleyError(`root_dir: ${JSON.stringify(shown)} ${why}`, {
		code: "invalid_argument",
		...(cause !== undefined && { cause }),
	});
}
