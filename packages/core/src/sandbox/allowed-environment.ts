/** All that a command may know of the environment: no key of the gateway is among these names. */
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

/** Where programs are looked for when nobody said. */
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
