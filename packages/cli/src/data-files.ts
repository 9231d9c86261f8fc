import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ParleyError, parseJson } from "@parley/base";
import type { RuntimeFile } from "@parley/gateway";

// The gateway package writes these files and can read them too; loading it would double the time that a command takes
// which only talks to a gateway.

/** What the last gateway on a data directory wrote; undefined where there is nothing that can be understood. */
export async function readRuntimeFile(data: string): Promise<RuntimeFile | undefined> {
	const text = await readIfThere(join(data, "run", "gateway.json"));
	if (text === undefined) return undefined;
	try {
		const content = parseJson(text);
		return isRuntimeFile(content) ? content : undefined;
	} catch (error) {
		if (error instanceof ParleyError) return undefined;
		throw error;
	}
}

/** The operator's token, or undefined where none was minted. Refuses one that other users can read as well. */
export async function readOperatorToken(data: string): Promise<string | undefined> {
	const path = join(data, "tokens", "operator");
	const text = await readIfThere(path);
	if (text === undefined) return undefined;
	const { mode } = await stat(path);
	if ((mode & 0o077) === 0) return text.trim();
	throw new ParleyError(`${path} is open to other users of this machine; type: chmod 600 '${path}'`, {
		code: "failed_precondition",
	});
}

function isRuntimeFile(value: unknown): value is RuntimeFile {
	const { pid, urls, startedAt, version } = Object(value);
	const isText = (item: unknown): boolean => typeof item === "string";
	const hasUrls = Array.isArray(urls) && urls.length > 0 && urls.every(isText);
	return Number.isInteger(pid) && pid > 0 && hasUrls && isText(startedAt) && isText(version);
}

async function readIfThere(path: string): Promise<string | undefined> {
	try {
		return await readFile(path, "utf8");
	} catch (error) {
		const code = error instanceof Error && "code" in error ? error.code : undefined;
		if (code === "ENOENT" || code === "ENOTDIR") return undefined;
		throw error;
	}
}
