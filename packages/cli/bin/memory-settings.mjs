/** Commands with long-lived processes. The others end before these settings make a difference. */
const longLived = ["start", "gateway", "discord", "slack"];

/**
 * Options for the start of Node. The value is the size of each half of the space for young objects, in megabytes. The
 * default of 16 is filled and not released. Decision 053 has the numbers. Add an option only if Node still accepts the
 * compiled code of its own modules: many options of V8 lengthen a start by 60 ms of CPU. Those options are set later, in
 * `src/gateway/collect-when-idle.ts`.
 */
export const options = ["--max-semi-space-size=4"];

/** For the C library of Linux: https://man7.org/linux/man-pages/man3/mallopt.3.html */
export const variables = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/**
 * Applies the settings for long-lived commands. V8 and the C library read most of them only when a program starts, so this
 * starts Node again in this process unless it has them. Settings of the operator stay: an option in NODE_OPTIONS or on the
 * command line of Node, or a variable. An option that this Node does not know is left out: it would not start.
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
	// A parent with an IPC channel has passed it to this process only. Windows cannot replace a process.
	if (!process.connected && more.length + missing.length > 0) {
		const environment = { ...env, ...Object.fromEntries(missing) };
		process.execve?.(execPath, [execPath, ...execArgv, ...more, ...argv.slice(1)], environment);
	}
}

/** @param {string} option */
function nameOf(option) {
	return option.replaceAll("_", "-").replace(/^-+/, "").replace(/=.*/s, "");
}
