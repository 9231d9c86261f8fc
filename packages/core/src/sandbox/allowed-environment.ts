/** Names of the only variables that a command gets from the gateway's environment. None of them holds a key. */
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

export type Environment = Readonly<Record<string, string | undefined>>;

export function allowedEnvironment(environment: Environment): Record<string, string> {
	const allowed: Record<string, string> = {};
	for (const name of allowedNames) {
		const value = environment[name];
		if (value !== undefined) allowed[name] = value;
	}
	return allowed;
}
