import { constants } from "node:os";

const signals = ["SIGTERM", "SIGINT"] as const;

/** Resolves with the first signal that asks this process to stop; the next one ends it at once. */
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
