import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

/** Maximum number of matches, entries and directory levels in a search. */
const maxMatches = 50;
const maxEntries = 20_000;
const maxDepth = 8;
/** Directories that are not searched, because they contain many files that people rarely name. */
const passedOver: readonly string[] = [
	"node_modules",
	".git",
	"dist",
	"build",
	"target",
	".venv",
	"__pycache__",
];

/**
 * Returns paths relative to `root` that complete a text, at most `maxMatches`:
 * - entries whose names start with the text after the last slash, in the directory before that slash
 * - if no entry matches, files whose path contains the text, in any letter case
 *
 * Directories end with `/`. Hidden entries are returned only if the text after the last slash begins with a dot.
 * Paths with whitespace or a control character are omitted.
 */
export function fileNames(root: string, text: string): string[] {
	const directory = text.slice(0, text.lastIndexOf("/") + 1);
	const beginning = text.slice(directory.length);
	const listed = entriesOf(join(root, directory))
		.filter(({ name }) => name.startsWith(beginning) && (beginning.startsWith(".") || !name.startsWith(".")))
		.map((entry) => `${directory}${nameOf(entry)}`)
		.toSorted();
	const found = listed.length > 0 || text === "" ? listed : searchFiles(root, text.toLowerCase());
	return found.filter((path) => !/[\s\p{Cc}]/u.test(path)).slice(0, maxMatches);
}

/**
 * Returns the paths of files below `root` that contain `text`, which must be in lower case. Files near the root
 * are first.
 */
function searchFiles(root: string, text: string): string[] {
	const found: string[] = [];
	let level: readonly string[] = [""];
	let seen = 0;
	for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
		const next: string[] = [];
		for (const directory of level) {
			const paths = searchedIn(root, directory);
			seen += paths.length;
			next.push(...paths.filter((path) => path.endsWith("/")));
			found.push(...paths.filter((path) => !path.endsWith("/") && path.toLowerCase().includes(text)));
			if (found.length >= maxMatches || seen > maxEntries) return found;
		}
		level = next;
	}
	return found;
}

function searchedIn(root: string, directory: string): string[] {
	return entriesOf(join(root, directory))
		.filter(({ name }) => !name.startsWith(".") && !passedOver.includes(name))
		.map((entry) => `${directory}${nameOf(entry)}`);
}

/** Returns the entries of the directory, or none if it cannot be read. */
function entriesOf(directory: string): Dirent[] {
	try {
		return readdirSync(directory, { withFileTypes: true });
	} catch {
		return [];
	}
}

function nameOf(entry: Dirent): string {
	return entry.isDirectory() ? `${entry.name}/` : entry.name;
}
