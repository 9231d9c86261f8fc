import { afterPatience } from "@parley/base/testing";
import { patienceMs } from "./gateway-process.ts";

/** Lets tests wait for a condition without polling. `notify` must be called after each change. */
export class Watch {
	readonly #checks = new Set<() => void>();

	/** Checks the conditions of all pending `until` calls. */
	notify(): void {
		for (const check of [...this.#checks]) check();
	}

	/**
	 * Resolves when the condition is true. After `patience` milliseconds, scaled to the speed of the machine, rejects
	 * with an error that contains `condition`.
	 */
	async until(condition: string, isTrue: () => boolean, patience = patienceMs): Promise<void> {
		if (isTrue()) return;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const check = (): void => {
			if (isTrue()) resolve();
		};
		const cancel = afterPatience(patience, () =>
			reject(new Error(`gave up after ${patience / 1000} s of an idle machine: waited until ${condition}`)),
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
