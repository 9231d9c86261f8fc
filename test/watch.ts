import { afterPatience } from "@parley/base/testing";
import { patienceMs } from "./gateway-process.ts";

/** Lets a test wait for a condition without polling. Each change is reported with `notify`. */
export class Watch {
	readonly #checks = new Set<() => void>();

	/** Checks the conditions of all waiting calls. */
	notify(): void {
		for (const check of [...this.#checks]) check();
	}

	/**
	 * Resolves when the condition is true. Rejects with an error that names the condition after `patience` milliseconds,
	 * scaled to the speed of the machine.
	 */
	async until(what: string, isTrue: () => boolean, patience = patienceMs): Promise<void> {
		if (isTrue()) return;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const check = (): void => {
			if (isTrue()) resolve();
		};
		const cancel = afterPatience(patience, () =>
			reject(new Error(`gave up after ${patience / 1000} s of an idle machine: waited until ${what}`)),
		);
		this.#checks.add(check);
		try {
			await promise;
		} finally {
			this.#checks.delete(check);
			cancel();
		}
	}
}
