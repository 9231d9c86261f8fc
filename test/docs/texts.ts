/**
 * Prints the user texts of packages in one list: messages, errors, labels, log messages and prompts for models.
 *
 * `npm run texts -- [PACKAGE|PATH…] [--json]` prints all texts, or only the texts of these packages or paths. The texts
 * are grouped by folder and file, with their line numbers. `{…}` is a value. Texts of one or two words are excluded.
 * Exits with 2 for a name without texts.
 */
import { readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkedFiles, root, userTexts } from "./plain-english/readings.ts";

interface Text {
	readonly file: string;
	readonly line: number;
	readonly text: string;
}

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: { json: { type: "boolean" } },
});

const texts: Text[] = [];
const unknown: string[] = [];
for (const name of positionals.length === 0 ? [join(root, "packages")] : positionals) {
	const matches = readTexts([`packages/${name}`, relative(root, resolve(name))]);
	texts.push(...matches);
	if (matches.length === 0) unknown.push(name);
}

if (unknown.length > 0) {
	const names = unknown.map((name) => JSON.stringify(name)).join(", ");
	process.stderr.write(`No texts in ${names}: use a package, such as core, or the path of a source.\n`);
	process.exitCode = 2;
} else if (options.json === true) print(JSON.stringify(texts, null, "\t"));
else print([...grouped(texts), `${texts.length} texts`].join("\n"));

function readTexts(paths: readonly string[]): readonly Text[] {
	return checkedFiles(paths).flatMap((file) =>
		userTexts(file, readFileSync(join(root, file), "utf8"))
			.map(({ line, text }) => ({ file, line, text: text.replaceAll(/\s+/g, " ").trim() }))
			.filter(({ text }) => text !== "" && text !== "{…}"),
	);
}

function grouped(all: readonly Text[]): string[] {
	return [...Map.groupBy(all, ({ file }) => dirname(file))].flatMap(([folder, inFolder]) => [
		`# ${folder}`,
		"",
		...[...Map.groupBy(inFolder, ({ file }) => file)].flatMap(([file, inFile]) => [
			file.slice(folder.length + 1),
			...inFile.map(({ line, text }) => `${String(line).padStart(5)}  ${text}`),
			"",
		]),
	]);
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
