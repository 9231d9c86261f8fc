/** Commands whose process lives long. The others end before these settings make a difference. */
const longLived = ["start", "gateway", "discord", "slack"];

/**
 * Options of Node and V8. Decision 053 has the figures.
 *
 * - `--max-semi-space-size`: megabytes of each half of the space for young objects. The default of 16 is filled, and kept.
 * - `--heap-growing-percent`: growth of the heap between two collections. By default it may grow fourfold.
 * - `--expose-gc`: lets an idle process collect its garbage.
 */
export const options = ["--max-semi-space-size=4", "--heap-growing-percent=40", "--expose-gc"];

/** For the C library of Linux: https://man7.org/linux/man-pages/man3/mallopt.3.html */
export const variables = { MALLOC_ARENA_MAX: "2", MALLOC_TRIM_THRESHOLD_: "131072" };

/**
 * Starts Node again in this process, with the settings for long-lived commands, unless it has them. V8 and the C library
 * read them only when a program starts. Settings of the operator stay: an option in NODE_OPTIONS or on the command line
 * of Node, or a variable.
 * @param {string | undefined} command
 */
export function applyMemorySettings(command) {
	const { env, execArgv, argv, execPath } = process;
	// A parent with a channel has given it to this start of Node alone. Windows cannot replace a process.
	if (!longLived.includes(command ?? "") || process.connected || process.execve === undefined) return;
	const given = [...execArgv, ...(env["NODE_OPTIONS"] ?? "").split(" ")].map(nameOf);
	const more = options.filter((option) => !given.includes(nameOf(option)));
	const missing = Object.entries(variables).filter(([name]) => env[name] === undefined);
	if (more.length === 0 && missing.length === 0) return;
	const environment = { ...env, ...Object.fromEntries(missing) };
	process.execve(execPath, [execPath, ...execArgv, ...more, ...argv.slice(1)], environment);
}

/** @param {string} option */
function nameOf(option) {
	return option.replaceAll("_", "-").replace(/^-+/, "").replace(/=.*/s, "");
}
