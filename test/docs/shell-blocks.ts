import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** A block of shell commands in a page of `docs/` or `docs/protocols/`. */
export interface ShellBlock {
	/** Page and first line of the block without its comment, for example `backup: parley stop`. */
	readonly key: string;
	readonly script: string;
	/** Whether `<!-- test: NAME -->` precedes the block, which the page's own test then plays. */
	readonly isMarked: boolean;
}

export function shellBlocks(): ShellBlock[] {
	const pages = globSync("docs/{,protocols/}*.md", { cwd: root }).sort();
	return pages.flatMap((page) => blocksOf(page.slice("docs/".length, -".md".length)));
}

function blocksOf(page: string): ShellBlock[] {
	const text = readFileSync(`${root}/docs/${page}.md`, "utf8");
	const blocks = text.matchAll(/(<!-- test: [a-z-]+ -->\n+)?^```sh\n(.*?)^```$/gms);
	return Array.from(blocks, ([, marker, script = ""]) => {
		const [first = ""] = script.split("\n");
		return { key: `${page}: ${first.replace(/\s+# .*/, "")}`, script, isMarked: marker !== undefined };
	});
}

/** A part of a block, and its replacement in a test. */
export type Change = readonly [part: string, played: string];

/**
 * Returns a block with these changes. Throws if no page contains the block, or if the block does not contain a part to
 * change.
 */
export function documented(key: string, changes: readonly Change[] = []): string {
	const block = shellBlocks().find((candidate) => candidate.key === key);
	if (!block) throw new Error(`docs/ has no shell block "${key}"`);
	return changes.reduce((script, [part, other]) => {
		if (!script.includes(part)) throw new Error(`the block "${key}" does not contain "${part}"`);
		// If the replacement is a string, `replaceAll` expands patterns such as `$&` in it.
		return script.replaceAll(part, () => other);
	}, block.script);
}

/** Returns the arguments of a block that consists of one Parley command. Throws for any other block. */
export function documentedArguments(key: string, changes: readonly Change[] = []): string[] {
	const [program, ...args] = documented(key, changes).trim().split(" ");
	if (program !== "parley" || args.some((word) => /[\n"'$\\#]/.test(word)))
		throw new Error(`the block "${key}" is not one command of Parley with plain words`);
	return args;
}
