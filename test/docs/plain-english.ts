/**
 * Checks the English of comments, pages, texts, test titles and identifiers against rules that a program can check.
 *
 * `node test/docs/plain-english.ts [PATH…]` prints each finding with its rule. `--summary` prints a table, and `--json`
 * prints findings as JSON. `--check` exits with 1 if a package has more findings of a kind than its recorded maximum.
 * `--record` lowers the maxima to the current numbers.
 */
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { ReadingCache } from "./plain-english/cache.ts";
import { readExceptions } from "./plain-english/exceptions.ts";
import { compare, countsOf, lowered, readMaxima, writeMaxima } from "./plain-english/ratchet.ts";
import { checkedFiles, checkSource, type Finding, root } from "./plain-english/readings.ts";
import { presentAndGoals, summary } from "./plain-english/summary.ts";

const { values: options, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		summary: { type: "boolean" },
		json: { type: "boolean" },
		check: { type: "boolean" },
		record: { type: "boolean" },
	},
});

const exceptions = readExceptions();
const paths = positionals.map((path) => relative(root, resolve(path)));
const cache = new ReadingCache(join(root, "node_modules/.cache/parley/plain-english.json"));
const readings = checkedFiles(paths).map((file) => {
	const source = readFileSync(join(root, file), "utf8");
	return cache.get(file, source, () => checkSource(file, source, exceptions));
});
cache.save();
const counts = countsOf(readings);
const findings = readings.flatMap(({ findings }) => findings);

if (options.record === true) writeMaxima(lowered(counts, readMaxima()));
else if (options.check === true) check();
else if (options.json === true) print(JSON.stringify(findings, null, "\t"));
else if (options.summary === true) print(summary(counts));
else print([...findings.map(asLine), `${findings.length} findings in ${readings.length} files`].join("\n"));

function check(): void {
	const { risen, fallen } = compare(counts, readMaxima());
	print(presentAndGoals(counts));
	for (const { name, kind, findings, maximum } of risen)
		print(
			`${name}: ${findings} ${kind} break a rule of plain English, and the recorded maximum is ${maximum}`,
		);
	if (risen.length > 0) {
		print(
			"Rewrite the new sentences. `node test/docs/plain-english.ts PATH` prints each sentence and its rule.",
		);
		process.exitCode = 1;
	} else if (fallen.length > 0) {
		const fewer = fallen.reduce((sum, { findings, maximum }) => sum + maximum - findings, 0);
		print(
			`${fewer} findings fewer than recorded: record them with \`node test/docs/plain-english.ts --record\``,
		);
	}
}

function asLine({ file, line, rule, advice, sentence }: Finding): string {
	return `${file}:${line}: ${sentence}\n    ${rule}: ${advice}`;
}

function print(text: string): void {
	process.stdout.write(`${text}\n`);
}
