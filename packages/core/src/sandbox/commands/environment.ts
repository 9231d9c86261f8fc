import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";
import { ParleyError } from "@parley/base";
import { commandTexts } from "./texts.ts";

/** Names of the variables that a command gets from the gateway's environment. None of them contains a key. */
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

/** Directories of programs if the environment has no PATH. */
export const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/** Variables that control the shell, the dynamic linker, interpreters and Parley itself. */
const steering =
	/^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|PARLEY_.*|LD_.*|DYLD_.*|NODE_OPTIONS|PYTHONSTARTUP|PYTHONHOME|PERL5OPT|RUBYOPT|_?JAVA_(?:TOOL_)?OPTIONS)$/;

/** Whether a variable decides what a program does beyond its own settings. No text of a model or a repository may set it. */
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
 * Path of a program: an absolute path itself, else the first executable file of that name on `path`. Throws `not_found`.
 * Relative entries of `path` are ignored, because they depend on the directory.
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
		// Programs that are missing, unreachable or not executable have the same result.
		return false;
	}
}

/** Directories of the system. A command may be able to write to a directory in its own PATH. */
export const SYSTEM_PATH = "/usr/bin:/usr/local/bin:/bin:/run/current-system/sw/bin";
