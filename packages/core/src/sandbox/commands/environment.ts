import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ParleyError } from "@parley/base";
import { commandTexts } from "./texts.ts";

/** Names of variables that commands receive from the gateway's environment. None of them contains a key. */
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
 * Whether a variable can change which programs run, or how they run. No text of a model or repository may set these
 * variables.
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
 * Returns the path of a program: `name` if it is absolute, otherwise the first executable file of that name on `path`.
 * Ignores relative entries of `path`, because they depend on the directory. Throws `not_found` if there is no such
 * program.
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
 * Directories of the system's programs. They replace the operator's PATH for programs that the sandbox needs,
 * because commands may be able to write to directories in that PATH.
 */
export const SYSTEM_PATH = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";
