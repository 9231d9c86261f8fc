import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import { builtinModels, type ModelInfo, ModelTable, modelsFromFile } from "@parley/core";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { modelServerTexts } from "../texts/models/discovery.ts";

function namesIn(value: unknown) {
	// `modelsFromFile` checks the other fields.
	const name = z.object({ id: z.string(), provider: z.string().default("anthropic") });
	return z.object({ models: z.array(name) }).parse(value).models;
}

export interface KnownModels {
	readonly table: ModelTable;
	/** Models from the operator's file. */
	readonly own: readonly ModelInfo[];
}

interface ModelFiles {
	readonly data: string;
	/** Path of the operator's file. Default: `models.json` in the data directory. */
	readonly modelsFile?: string | undefined;
}

/**
 * Reads the built-in model table, with the changes in the operator's file, if this file exists. Rejects with
 * `invalid_argument` for an unreadable or invalid file. The error names the file and, if known, the position.
 */
export async function readModelTable({ data, modelsFile }: ModelFiles): Promise<KnownModels> {
	const path = modelsFile ?? join(data, "models.json");
	const text = read(path, modelsFile === undefined);
	if (text === undefined) return { table: new ModelTable(builtinModels), own: [] };
	const value = parse(text, path);
	const known = modelsFromFile(value, path);
	const named = namesIn(value);
	const isOwn = ({ id, provider }: ModelInfo): boolean =>
		named.some((row) => row.id === id && row.provider === provider);
	return { table: new ModelTable(known), own: known.filter(isOwn) };
}

function read(path: string, mayBeMissing: boolean): string | undefined {
	try {
		return readFileSync(path, "utf8");
	} catch (cause) {
		if (mayBeMissing && errno(cause) === "ENOENT") return undefined;
		throw refused(modelServerTexts.fileUnreadable({ path, reason: errno(cause) }), cause);
	}
}

function parse(text: string, path: string): unknown {
	try {
		return parseJson(text.replace(/^\uFEFF/, ""));
	} catch (cause) {
		throw refused(modelServerTexts.fileInvalid({ path, reason: ParleyError.from(cause).message }), cause);
	}
}

function refused(message: string, cause: unknown): ParleyError {
	return new ParleyError(message, { code: "invalid_argument", cause });
}
