import { constants } from "node:os";

const signals = ["SIGTERM", "SIGINT"] as const;

/** Resolves with the first stop signal. A second signal ends the process immediately. */
export function stopSignal(): Promise<NodeJS.Signals> {
	return new Promise((resolve) => {
		let requested = false;
		for (const signal of signals) {
			process.on(signal, () => {
				if (requested) process.exit(128 + constants.signals[signal]);
				requested = true;
				resolve(signal);
			});
		}
	});
}
