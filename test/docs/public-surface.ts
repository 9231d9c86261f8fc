import { globSync, readFileSync, writeFileSync } from "node:fs";
import { defined, parseJson } from "@parley/base";
import { type CommandOption, commandTable } from "@parley/connector";
import { eventNames, methods } from "@parley/protocol";
import * as z from "zod";
import { zotCommands, zotEvents } from "../conformance/surface.ts";
import { definedTools } from "../context/defined-tools.ts";
import { httpRoutes } from "../fuzz/http-routes.ts";
import { commandRows } from "./command-table.ts";
import { protoLines, schemaLines } from "./surface-lines.ts";

const root = new URL("../../", import.meta.url);
const recordFile = new URL("public-surface.txt", import.meta.url);

/** The public surface, one item per line, and the number of changelog entries when it was recorded. */
export interface Surface {
	readonly changelogEntries: number;
	readonly lines: readonly string[];
}

/** Lines by the name of the part. `readSurface` adds this name to each line. */
const parts: Readonly<Record<string, () => string[]>> = {
	"chat command": () =>
		commandTable.flatMap(({ name, also, options }) => [
			also === undefined ? `/${name}` : `/${name}, /${also}`,
			...options.flatMap(({ name: option, required, ...limits }) =>
				schemaLines(withoutDescriptions(limits), `/${name} ${option}${required ? "" : "?"}`),
			),
		]),
	command: () =>
		commandRows().flatMap(({ usage, options }) => [usage, ...options.map((each) => `${usage} ${each}`)]),
	configuration: () => schemaLines(parseJson(read("packages/gateway/parley.config.schema.json")), ""),
	environment: () => namesIn(["packages/*/src/**/*.ts"], /"(PARLEY_[A-Z_]+)"/g),
	http: httpRoutes,
	metric: () =>
		[...read("docs/operating.md").matchAll(/^\| `(parley_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(
			([, name = "", kind = "", labels = ""]) => `${name} ${kind} ${labels.trim()}`,
		),
	"ozzie event": () => [...eventNames],
	"ozzie method": () =>
		Object.entries(methods).flatMap(([name, method]) => [
			...schemaLines(schemaOf(method.params), `${name} params`),
			...schemaLines(schemaOf(method.result), `${name} result`),
		]),
	proto: () =>
		globSync("proto/**/*.proto", { cwd: root })
			.sort()
			.flatMap((path) => protoLines(read(path)).map((line) => `${path.slice("proto/".length)} ${line}`)),
	tool: () => definedTools().sort(),
	"zot command": () => Object.keys(zotCommands),
	"zot event": () => Object.keys(zotEvents),
};

function read(path: string): string {
	return readFileSync(new URL(path, root), "utf8");
}

function namesIn(patterns: string[], name: RegExp): string[] {
	const files = globSync(patterns, { cwd: root, exclude: ["**/*.test.ts", "**/testing/**"] });
	return [
		...new Set(files.flatMap((file) => [...read(file).matchAll(name)].map(([, match = ""]) => match))),
	].sort();
}

function withoutDescriptions({
	description,
	choices,
	...limits
}: Omit<CommandOption, "name" | "required">): object {
	return { ...limits, ...defined({ choices: choices?.map(({ value }) => value) }) };
}

function schemaOf(schema: z.ZodType): unknown {
	return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
}

export function readSurface(): Surface {
	const changelogEntries = [...read("CHANGELOG.md").matchAll(/^- /gm)].length;
	const lines = Object.entries(parts).flatMap(([part, list]) => list().map((line) => `${part}: ${line}`));
	return { changelogEntries, lines };
}

const heading = "changelog entries: ";

export function readRecorded(): Surface {
	return parseRecord(readFileSync(recordFile, "utf8"));
}

/** Parses a recorded surface. Throws if the first line does not state the number of changelog entries. */
export function parseRecord(text: string): Surface {
	const [first = "", ...lines] = text.trimEnd().split("\n");
	const digits = first.startsWith(heading) ? first.slice(heading.length) : "";
	if (!/^\d+$/.test(digits)) {
		throw new Error(`the record begins with "${first}": restore its first line "${heading}NUMBER"`);
	}
	return { changelogEntries: Number(digits), lines };
}

/** Returns removed lines with a minus, then added lines with a plus. */
export function changedLines(recorded: Surface, now: Surface): string[] {
	const [before, after] = [new Set(recorded.lines), new Set(now.lines)];
	return [
		...recorded.lines.filter((line) => !after.has(line)).map((line) => `- ${line}`),
		...now.lines.filter((line) => !before.has(line)).map((line) => `+ ${line}`),
	];
}

/**
 * Returns undefined if the surface can be recorded, otherwise the reason. A changed surface requires a new changelog
 * entry.
 */
export function refusal(recorded: Surface, now: Surface): string | undefined {
	const changed = changedLines(recorded, now);
	if (changed.length === 0 || now.changelogEntries > recorded.changelogEntries) return undefined;
	return `The public surface changed, and CHANGELOG.md has no new line: add one.\n${changed.join("\n")}`;
}

export function writeRecorded({ changelogEntries, lines }: Surface): void {
	writeFileSync(recordFile, `${[`${heading}${changelogEntries}`, ...lines].join("\n")}\n`);
}
