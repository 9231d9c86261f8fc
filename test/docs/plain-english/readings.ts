import { globSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type Exception, isExcepted, isExceptedName } from "./exceptions.ts";
import { adviceFor, identifiersOf } from "./identifiers.ts";
import { markdownProse } from "./markdown-prose.ts";
import { type Kind, type Prose, type Sentence, sentencesOf } from "./prose.ts";
import { rules } from "./rules.ts";
import { type Literals, sourceProse } from "./source-prose.ts";

export const root = fileURLToPath(new URL("../../..", import.meta.url));

export interface Finding {
	readonly file: string;
	readonly line: number;
	readonly kind: Kind;
	readonly rule: string;
	readonly advice: string;
	readonly sentence: string;
}

export interface Reading {
	readonly file: string;
	readonly sentences: Readonly<Record<Kind, number>>;
	readonly findings: readonly Finding[];
}

const patterns = [
	"*.md",
	"{docs,examples,packages/*/src}/**/*.md",
	"packages/*/README.md",
	"{packages/*/src,test,examples}/**/*.ts",
	"{scripts,packages/*/bin}/**/*.mjs",
	"*.config.ts",
];
/** Files that are not checked: installed packages, generated files and test inputs. */
const excluded = ["**/node_modules/**", "**/dist/**", "**/gen/**", "**/fixtures/**", "**/*.golden.md"];

/**
 * Returns the sorted paths of the checked files, relative to the root. With `paths`, only files at or below these
 * paths.
 */
export function checkedFiles(paths: readonly string[] = []): string[] {
	const files = globSync(patterns, { cwd: root, exclude: excluded }).sort();
	if (paths.length === 0) return files;
	return files.filter((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)));
}

/**
 * Checks the sentences and identifiers of a file. The path of the file determines which string literals are checked.
 */
export function checkSource(file: string, source: string, exceptions: readonly Exception[] = []): Reading {
	const sentences = { comments: 0, docs: 0, texts: 0, names: 0, identifiers: 0 };
	const findings: Finding[] = [];
	for (const { name, line } of file.endsWith(".md") ? [] : identifiersOf(file, source)) {
		sentences.identifiers += 1;
		const advice = adviceFor(name);
		if (advice === undefined || isExceptedName(exceptions, file, name)) continue;
		findings.push({ file, line, kind: "identifiers", rule: "identifier", advice, sentence: name });
	}
	for (const sentence of proseOf(file, source).flatMap(sentencesOf)) {
		sentences[sentence.kind] += 1;
		const rule = rules.find(({ breaks }) => breaks(sentence));
		if (rule === undefined || isExcepted(exceptions, file, sentence.text)) continue;
		findings.push(asFinding(file, sentence, rule));
	}
	return { file, sentences, findings };
}

/**
 * Returns the user texts of a file. In a source file, these are messages, labels and prompts. In a Markdown file in
 * `src/`, all prose is user text.
 */
export function userTexts(file: string, source: string): Prose[] {
	return proseOf(file, source).filter(({ kind }) => kind === "texts");
}

function asFinding(
	file: string,
	{ kind, line, text }: Sentence,
	{ name, advice }: { name: string; advice: string },
): Finding {
	return { file, line, kind, rule: name, advice, sentence: text };
}

function proseOf(file: string, source: string): Prose[] {
	if (!file.endsWith(".md")) return sourceProse(file, source, literalsOf(file));
	const prose = markdownProse(source);
	// Markdown files in `src/` contain prompts for models.
	return file.includes("/src/") ? prose.map((part) => ({ ...part, kind: "texts" as const })) : prose;
}

function literalsOf(file: string): Literals {
	if (file.startsWith("test/conformance/requirements/")) return "names";
	return /^test\/|\.test\.ts$|\/testing\//.test(file) ? "titles" : "texts";
}

/** Returns the name of the package or group of a file. `decisions` is separate from the other pages. */
export function packageOf(file: string): string {
	const [first = "", second = ""] = file.split("/");
	if (first === "packages") return second;
	if (file.startsWith("docs/decisions/")) return "decisions";
	return ["test", "examples", "scripts"].includes(first) ? first : file.endsWith(".md") ? "docs" : "scripts";
}
