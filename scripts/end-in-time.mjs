/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000;

/**
 * Waits until a program ends. After `limitMs` it gets SIGTERM, and 10 s later SIGKILL. An infinite limit never ends it.
 * @param {import("node:child_process").ChildProcess} child
 * @param {number} limitMs
 * @returns {Promise<{ code: number, isLate: boolean }>} The code is 1 if a signal ended it, and 127 if it did not start.
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
	// Node fires a timer of an infinite delay at once.
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
