import { readFile } from "node:fs/promises";
import { ParleyError } from "@parley/base";
import { replacePrivateFile } from "@parley/gateway/data";
import type { Io } from "../command-line/io.ts";
import { serviceErrors, serviceFileTexts } from "../texts/service.ts";

/**
 * Resolves with the variables of a file in the format of systemd and `node --env-file`. Resolves with none if the
 * file does not exist.
 */
export async function readEnvironmentFile(file: string): Promise<Record<string, string>> {
	const { parseEnv } = await import("node:util");
	const text = await readIfExists(file);
	const variables = Object.entries(parseEnv(text));
	return Object.fromEntries(
		variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
	);
}

/**
 * Returns the values of the named shell variables. Throws `invalid_argument` if a variable is not set or cannot
 * be stored.
 */
export function chosenVariables(
	names: readonly string[],
	environment: Io["environment"],
): Record<string, string> {
	return Object.fromEntries(names.map((name) => [name, checked(name, environment[name])]));
}

function checked(name: string, value: string | undefined): string {
	if (!/^[A-Za-z_]\w*$/.test(name)) throw refused(serviceErrors.invalidVariable({ name }));
	if (value === undefined || value === "") throw refused(serviceErrors.unsetVariable({ name }));
	// Without quotes, systemd and Node read these characters in the same way.
	if (/^[\w.:/@+=,%?&~-]+$/.test(value)) return value;
	throw refused(serviceErrors.oddValue({ name }));
}

/**
 * Writes the variables into a file that only this user can read. Other lines of the file stay. Resolves with true if
 * this call has changed the file.
 */
export async function storeVariables(
	file: string,
	variables: Readonly<Record<string, string>>,
): Promise<boolean> {
	const before = await readIfExists(file);
	const names = Object.keys(variables);
	const others = before.split("\n").filter((line) => !names.some((name) => line.startsWith(`${name}=`)));
	const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const text = `${(before === "" ? serviceFileTexts.keys : others.join("\n")).trimEnd()}\n${lines.map((line) => `${line}\n`).join("")}`;
	if (before !== "" && names.every((name) => before.split("\n").includes(`${name}=${variables[name]}`)))
		return false;
	await replacePrivateFile(file, text);
	return true;
}

/** Resolves with the text of a file, or "" if it does not exist. */
export async function readIfExists(file: string): Promise<string> {
	return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
		if (error.code === "ENOENT" || error.code === "ENOTDIR") return "";
		throw error;
	});
}

function refused(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}
