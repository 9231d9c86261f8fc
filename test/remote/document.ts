import { readFileSync } from "node:fs";

/** Returns the block of docs/remote.md after `<!-- test: NAME -->`, unchanged. */
export function documented(name: string): string {
	const markdown = readFileSync(new URL("../../docs/remote.md", import.meta.url), "utf8");
	const block = new RegExp(`^<!-- test: ${name} -->\\n\`\`\`\\w+\\n(.*?)^\`\`\`$`, "ms").exec(markdown);
	if (block?.[1] === undefined) throw new Error(`docs/remote.md has no block ${name}`);
	return block[1];
}

/** Replaces words in a text. Throws if a word is missing, because the document must still contain the tested text. */
export function adapt(text: string, words: Readonly<Record<string, string>>): string {
	return Object.entries(words).reduce((adapted, [from, to]) => {
		if (!adapted.includes(from)) throw new Error(`the documented block does not hold ${from}`);
		return adapted.replaceAll(from, to);
	}, text);
}
