/** Milliseconds between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000;

/**
 * Waits until a program ends. After `limitMs`, sends it SIGTERM, and 10 s later SIGKILL. With an infinite limit, never
 * stops it.
 * @param {import("node:child_process").ChildProcess} child
 * @param {number} limitMs
 * @returns {Promise<{ code: number, isLate: boolean }>} The code is 1 if a signal ended the program, and 127 if it did
 * not start.
 */
export function endInTime(child, limitMs) {
	let isLate = false;
	/** @type {NodeJS.Timeout | undefined} */
	let last;
	const stop = () => {
		isLate = true;
		child.kill("SIGTERM");
		last = setTimeout(() => child.kill("SIGKILL"), GRACE_MS);
	};
	// Node fires a timer with an infinite delay immediately.
	const limit = Number.isFinite(limitMs) ? setTimeout(stop, limitMs) : undefined;
	return new Promise((resolve) => {
		/** @param {number} code */
		const end = (code) => {
			clearTimeout(limit);
			clearTimeout(last);
			resolve({ code, isLate });
		};
		child.on("error", () => end(127));
		child.on("exit", (code) => end(code ?? 1));
	});
}
