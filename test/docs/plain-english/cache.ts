import { hash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { kinds } from "./prose.ts";
import type { Reading } from "./readings.ts";

const Kind = z.enum(kinds);
const Stored = z.record(
	z.string(),
	z.object({
		key: z.string(),
		reading: z.object({
			file: z.string(),
			sentences: z.record(Kind, z.int()),
			findings: z.array(
				z.object({
					file: z.string(),
					line: z.int(),
					kind: Kind,
					rule: z.string(),
					advice: z.string(),
					sentence: z.string(),
				}),
			),
		}),
	}),
);

/** Stored results of earlier runs. A result is valid while the content of its file and the rules are unchanged. */
export class ReadingCache {
	readonly #path: string;
	readonly #rules = rulesHash();
	readonly #stored: z.infer<typeof Stored>;

	/** Reads the cache file at `path`. If the file is missing or invalid, the cache is empty. */
	constructor(path: string) {
		this.#path = path;
		this.#stored = readStored(path);
	}

	get(file: string, source: string, read: () => Reading): Reading {
		const key = hash("sha1", `${this.#rules}\n${source}`);
		const stored = this.#stored[file];
		if (stored?.key === key) return stored.reading;
		const reading = read();
		this.#stored[file] = { key, reading: { ...reading, findings: [...reading.findings] } };
		return reading;
	}

	save(): void {
		mkdirSync(dirname(this.#path), { recursive: true });
		const written = `${this.#path}.${process.pid}`;
		writeFileSync(written, JSON.stringify(this.#stored));
		renameSync(written, this.#path);
	}
}

function readStored(path: string): z.infer<typeof Stored> {
	if (!existsSync(path)) return {};
	try {
		return Stored.safeParse(parseJson(readFileSync(path, "utf8"), { maxNodes: 1_000_000 })).data ?? {};
	} catch (error) {
		if (error instanceof ParleyError) return {};
		throw error;
	}
}

function rulesHash(): string {
	const folder = new URL(".", import.meta.url);
	const files = globSync("*.{ts,json}", { cwd: folder }).sort();
	return hash("sha1", files.map((file) => readFileSync(new URL(file, folder), "utf8")).join("\n"));
}
