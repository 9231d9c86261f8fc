import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ParleyError } from "@parley/base";
import { commandTexts } from "./texts.ts";

/**
 * Names of the variables that commands receive from the gateway's environment. None of the variables contains a key.
 */
const allowedNames = [
	"PATH",
	"HOME",
	"LANG",
	"LC_ALL",
	"LC_CTYPE",
	"TERM",
	"TZ",
	"USER",
	"LOGNAME",
	"SHELL",
	"TMPDIR",
] as const;

/** Program directories if the environment has no PATH. */
export const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

const steering =
	/^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PARLEY_.*|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|RUBYOPT|_?JAVA_(?:TOOL_)?OPTIONS)$/;

/**
 * Whether a variable can change which programs run, or how programs run. Text from a model or a repository must not set
 * such a variable.
 */
export function isSteering(name: string): boolean {
	return steering.test(name);
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function allowedEnvironment(environment: Environment): Record<string, string> {
	const allowed: Record<string, string> = {};
	for (const name of allowedNames) {
		const value = environment[name];
		if (value !== undefined) allowed[name] = value;
	}
	return allowed;
}

/**
 * Returns the path of a program. If `name` is absolute, returns `name`. Otherwise returns the first executable file
 * with the name `name` in the directories of `path`. Ignores relative entries of `path`, because their meaning depends
 * on the working directory. Throws `not_found` if there is no executable file.
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
	throw new ParleyError(commandTexts.noProgram(name), { code: "not_found" });
}

async function isProgram(path: string): Promise<boolean> {
	try {
		await access(path, constants.X_OK);
		return (await stat(path)).isFile();
	} catch {
		// A missing or unreachable file is treated like a file that is not executable.
		return false;
	}
}

/**
 * Directories of the system's programs, in the format of PATH. Used to find programs that the sandbox needs, because
 * commands may be able to write to directories in the operator's PATH.
 */
export const SYSTEM_PATH = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";
