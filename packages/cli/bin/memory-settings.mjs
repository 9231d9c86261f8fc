/**
 * Commands of the gateway and of connectors, whose processes run for a long time. Other commands do not use these
 * settings.
 */
const longLived = ["start", "gateway", "discord", "slack"];

/**
 * Options for starting Node. The value is the size in megabytes of each half of V8's space for young objects. With the
 * default of 16, V8 fills this space and does not release it. Decision 053 has the numbers. Add an option only if Node
 * still accepts the compiled code of its own modules. Many V8 options lengthen a start by 60 ms of CPU time.
 * `src/gateway/collect-when-idle.ts` sets those options later.
 */
export const options = ["--max-semi-space-size=4"];

/** Environment variables for the C library of Linux: https://man7.org/linux/man-pages/man3/mallopt.3.html */
export const variables = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/**
 * Applies the settings for a command of `longLived`. V8 and the C library read most settings only when a program
 * starts. If a setting is missing, the function replaces this process with a new Node. The operator's own settings
 * stay: options in NODE_OPTIONS or on the command line of Node, and variables. An option that this Node does not
 * support is left out, because Node would not start with it.
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
	// A parent with an IPC channel has passed the channel only to this process. Windows cannot replace a process.
	if (!process.connected && more.length + missing.length > 0) {
		const environment = { ...env, ...Object.fromEntries(missing) };
		process.execve?.(execPath, [execPath, ...execArgv, ...more, ...argv.slice(1)], environment);
	}
}

/** @param {string} option */
function nameOf(option) {
	return option.replaceAll("_", "-").replace(/^-+/, "").replace(/=.*/s, "");
}
