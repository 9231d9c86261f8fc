import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ParleyError } from "@parley/base";

/**
 * The path of a program: itself where it is absolute, else the first file of that name on `path` that may be executed.
 * Throws `not_found`. Relative entries of `path` are passed over: what they name depends on the directory.
 */
export async function findProgram(name: string, path: string): Promise<string> {
	const candidates = isAbsolute(name)
		? [name]
		: path
				.split(delimiter)
				.filter((directory) => isAbsolute(directory) && !name.includes("/"))
				.map((directory) => join(directory, name));
	for (const candidate of candidates) {
		if (await isProgram(candidate)) return candidate;
	}
	throw new ParleyError(`no program ${JSON.stringify(name)} that may be executed`, { code: "not_found" });
}

async function isProgram(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// Not there, not reachable or not executable are one answer here.
		return false;
	}
}
