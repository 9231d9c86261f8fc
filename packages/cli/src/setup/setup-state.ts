import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseJson } from "@parley/base";
import { replacePrivateFile } from "@parley/gateway/settings";

export const steps = ["model", "directory", "discord", "slack", "service"] as const;

export type Step = (typeof steps)[number];

/** Results of complete steps, by the name of the step. */
export type Results = Readonly<Partial<Record<Step, readonly string[]>>>;

function fileIn(data: string): string {
	return join(data, "setup.json");
}

/**
 * Resolves with the results of an incomplete setup. Resolves with none without such a setup, and if the file
 * cannot be read, because all steps can be repeated.
 */
export async function readState(data: string): Promise<Results> {
	try {
		const text = await readFile(fileIn(data), "utf8");
		const { results }: { results?: unknown } = Object(parseJson(text));
		const entries = steps.map((step) => [step, Object(results)[step]] as const);
		return Object.fromEntries(entries.filter(([, result]) => isTexts(result)));
	} catch {
		return {};
	}
}

export async function writeState(data: string, results: Results): Promise<void> {
	await replacePrivateFile(fileIn(data), `${JSON.stringify({ results }, undefined, "\t")}\n`);
}

/** Deletes the state of a complete setup, so that the next setup begins with the first step. */
export async function endState(data: string): Promise<void> {
	await rm(fileIn(data), { force: true });
}

function isTexts(value: unknown): value is readonly string[] {
	return Array.isArray(value) && value.every((item) => typeof item === "string");
}
