import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { parseJson } from "@parley/base";
import { commandTable } from "@parley/connector";
import { eventNames, methods } from "@parley/protocol";
import * as z from "zod";
import { zotCommands, zotEvents } from "../conformance/surface.ts";
import { definedTools } from "../context/defined-tools.ts";
import { commandRows } from "./command-table.ts";

const root = new URL("../../", import.meta.url);
const recordFile = new URL("public-surface.json", import.meta.url);

/** A hash of each part of the public surface, and the number of entries in the changelog at that time. */
export const Recorded = z.strictObject({
	changelogEntries: z.int(),
	parts: z.record(z.string(), z.string()),
});
export type Recorded = z.infer<typeof Recorded>;

/** Sources of the parts. Descriptions are left out, because another description does not change the surface. */
const parts: Readonly<Record<string, () => unknown>> = {
	chat: () => commandTable.map(({ name, also, options }) => [name, also, options.map(withoutWords)]),
	commands: () => commandRows().map(({ usage, options }) => [usage, options]),
	configuration: () => withoutWords(parseJson(read("packages/gateway/parley.config.schema.json"))),
	environment: () => namesIn(["packages/*/src/**/*.ts"], /"(PARLEY_[A-Z_]+)"/g),
	http: () => namesIn(["packages/gateway/src/wires/http/**/*.ts"], /"(\/(?:api\/[a-z]+|metrics))"/g),
	metrics: () =>
		[...read("docs/operating.md").matchAll(/^\| `(parley_\w+)` \| (\w+) \| ([^|]*)\|/gm)].map(([row]) =>
			row.split("|").slice(1, 4),
		),
	ozzie: () => [
		eventNames,
		Object.entries(methods).map(([name, method]) => [name, schemaOf(method.params), schemaOf(method.result)]),
	],
	protobuf: () =>
		globSync("proto/**/*.proto", { cwd: root })
			.sort()
			.map((path) => read(path).replaceAll(/\/\/.*|\s+/g, "")),
	tools: () => definedTools().sort(),
	zot: () => [Object.keys(zotCommands), Object.keys(zotEvents)],
};

function read(path: string): string {
	return readFileSync(new URL(path, root), "utf8");
}

function namesIn(patterns: string[], name: RegExp): string[] {
	const files = globSync(patterns, { cwd: root, exclude: ["**/*.test.ts", "**/testing/**"] });
	return [
		...new Set(files.flatMap((file) => [...read(file).matchAll(name)].map(([, found = ""]) => found))),
	].sort();
}

function schemaOf(schema: z.ZodType): unknown {
	return withoutWords(z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }));
}

function withoutWords(schema: unknown): unknown {
	if (Array.isArray(schema)) return schema.map(withoutWords);
	if (typeof schema !== "object" || schema === null) return schema;
	const fields = Object.entries(schema).filter(
		([name, value]) => name !== "description" || typeof value !== "string",
	);
	return Object.fromEntries(fields.map(([name, value]) => [name, withoutWords(value)]));
}

/** Reads the surface from the sources. */
export function readSurface(): Recorded {
	const changelogEntries = [...read("CHANGELOG.md").matchAll(/^- /gm)].length;
	const hashes = Object.entries(parts).map(([name, list]) => [name, hash(list())]);
	return { changelogEntries, parts: Object.fromEntries(hashes) };
}

function hash(value: unknown): string {
	return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

export function readRecorded(): Recorded {
	return Recorded.parse(parseJson(readFileSync(recordFile, "utf8")));
}

/** Returns the names of parts that differ. */
export function changedParts(recorded: Recorded, now: Recorded): string[] {
	const names = new Set([...Object.keys(recorded.parts), ...Object.keys(now.parts)]);
	return [...names].filter((name) => recorded.parts[name] !== now.parts[name]);
}

/** Returns the reason why the surface cannot be recorded, or undefined. A change needs another line in the changelog. */
export function refusal(recorded: Recorded, now: Recorded): string | undefined {
	const changed = changedParts(recorded, now);
	if (changed.length === 0 || now.changelogEntries > recorded.changelogEntries) return undefined;
	return `The public surface changed (${changed.join(", ")}), and CHANGELOG.md has no new line: add one.`;
}

export function writeRecorded(surface: Recorded): void {
	writeFileSync(recordFile, `${JSON.stringify(surface, null, "\t")}\n`);
}
