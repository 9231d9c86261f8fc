import { constants } from "node:os";

const signals = ["SIGTERM", "SIGINT"] as const;

/** Resolves with the first stop signal. The next one ends the process immediately. */
export function stopSignal(): Promise<NodeJS.Signals> {
	return new Promise((resolve) => {
		let asked = false;
		for (const signal of signals) {
			process.on(signal, () => {
				if (asked) process.exit(128 + constants.signals[signal]);
				asked = true;
				resolve(signal);
			});
		}
	});
}
