import { answerTexts } from "../texts/answers.ts";
import type { Block, Code, TextDocument } from "./document.ts";

/** Code that is shown in its own file. */
export interface Snippet {
	readonly name: string;
	readonly content: string;
	/** Name of the language in Slack's list of file types: https://docs.slack.dev/reference/objects/file-object#types */
	readonly language: string;
}

/** Maximum length of code in a post, in UTF-16 code units. Longer code fills more than a screen. */
const maxCharacters = 3000;
const maxLines = 60;
/** Maximum number of files. Further code stays in the text. */
const maxSnippets = 5;

/** Language for Slack and file extension, by the word after a fence. */
const languages: ReadonlyMap<string, readonly [language: string, extension: string]> = new Map(
	Object.entries({
		c: ["c", "c"],
		cpp: ["cpp", "cpp"],
		css: ["css", "css"],
		diff: ["diff", "diff"],
		go: ["go", "go"],
		html: ["html", "html"],
		java: ["java", "java"],
		javascript: ["javascript", "js"],
		js: ["javascript", "js"],
		json: ["javascript", "json"],
		md: ["markdown", "md"],
		php: ["php", "php"],
		py: ["python", "py"],
		python: ["python", "py"],
		rb: ["ruby", "rb"],
		ruby: ["ruby", "rb"],
		rs: ["rust", "rs"],
		rust: ["rust", "rs"],
		bash: ["shell", "sh"],
		sh: ["shell", "sh"],
		shell: ["shell", "sh"],
		sql: ["sql", "sql"],
		ts: ["typescript", "ts"],
		typescript: ["typescript", "ts"],
		xml: ["xml", "xml"],
		yaml: ["yaml", "yaml"],
		yml: ["yaml", "yml"],
	}),
);

/**
 * Replaces up to five long code blocks. For each block, a sentence with the name of its file is inserted. Code in
 * lists and quotes stays.
 */
export function withoutLongCode(document: TextDocument): {
	readonly document: TextDocument;
	readonly snippets: readonly Snippet[];
} {
	const snippets: Snippet[] = [];
	const blocks = document.blocks.map((block): Block => {
		if (block.type !== "code" || !isLong(block) || snippets.length >= maxSnippets) return block;
		const snippet = snippetOf(block, snippets.length + 1);
		snippets.push(snippet);
		const lines = block.value.split("\n").length;
		const value = answerTexts.snippet({ file: snippet.name, lines });
		return { type: "paragraph", children: [{ type: "emphasis", children: [{ type: "text", value }] }] };
	});
	return snippets.length === 0 ? { document, snippets } : { document: { ...document, blocks }, snippets };
}

function isLong({ value }: Code): boolean {
	return value.length > maxCharacters || value.split("\n").length > maxLines;
}

function snippetOf({ lang = "", value: content }: Code, number: number): Snippet {
	const [language, extension] = languages.get(lang.toLowerCase()) ?? ["text", "txt"];
	return { name: `code-${number}.${extension}`, content, language };
}
