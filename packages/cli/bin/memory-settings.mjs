/** Commands whose processes run for a long time. The settings apply only to these commands. */
const longLived = ["start", "gateway", "discord", "slack"];

/**
 * Options for starting Node. The value is the size in MiB of each semi-space in V8's young generation. V8 fills the
 * default of 16 MiB and does not release it: decision 053. With many V8 options, Node rejects the compiled code of
 * its own modules, and a start takes 60 ms more CPU time. `src/gateway/collect-when-idle.ts` therefore sets further
 * V8 options after the start.
 */
export const options = ["--max-semi-space-size=4"];

/** Environment variables of the GNU C library: https://man7.org/linux/man-pages/man3/mallopt.3.html */
export const variables = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/**
 * Applies the settings for a command of `longLived`. If a setting is missing, replaces this process with a
 * new Node, because V8 and the C library read most settings only at the start. Does nothing on Windows, or if
 * this process has an IPC channel to its parent. Keeps options and variables that the operator has set. Omits
 * options that this Node does not support, because Node would not start with them.
 * @param {string | undefined} command
 * @param {{ options: readonly string[], variables: Readonly<Record<string, string>> }} [settings]
 */
export function applyMemorySettings(command, settings = { options, variables }) {
	if (!longLived.includes(command ?? "")) return;
	const { env, execArgv, argv, execPath } = process;
	const given = [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(" ")].map(nameOf);
	const known = settings.options.filter((option) =>
		process.allowedNodeEnvironmentFlags.has(`--${nameOf(option)}`),
	);
	const more = known.filter((option) => !given.includes(nameOf(option)));
	const missing = Object.entries(settings.variables).filter(([name]) => env[name] === undefined);
	// A new Node would not use the IPC channel of this process. Windows has no `execve`.
	if (!process.connected && more.length + missing.length > 0) {
		const environment = { ...env, ...Object.fromEntries(missing) };
		process.execve?.(execPath, [execPath, ...execArgv, ...more, ...argv.slice(1)], environment);
	}
}

/** @param {string} option */
function nameOf(option) {
	return option.replaceAll("_", "-").replace(/^-+/, "").replace(/=.*/s, "");
}
