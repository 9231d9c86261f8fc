/** A command block that a test runs, from a Markdown page. */
export interface Block {
	readonly name: string;
	readonly script: string;
}

/**
 * Returns the marked blocks of a page, in order. A marked block is a fence that starts with ```` ```sh ```` and
 * follows `<!-- test: NAME -->`.
 */
export function markedBlocks(markdown: string): Block[] {
	const marked = /^<!-- test: ([a-z-]+) -->\n+```sh\n(.*?)^```$/gms;
	return Array.from(markdown.matchAll(marked), ([, name = "", script = ""]) => ({
		name,
		script: script.trim(),
	}));
}
