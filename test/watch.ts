import { afterPatience } from "@parley/base/testing";
import { patienceMs } from "./gateway-process.ts";

/** Lets a test wait for a condition that others may make true: they `notify`, nobody polls. */
export class Watch {
	readonly #looks = new Set<() => void>();

	/** Something has changed. */
	notify(): void {
		for (const look of [...this.#looks]) look();
	}

	/** Resolves as soon as the condition holds; rejects, naming it, when that takes too long for any good reason. */
	async until(what: string, holds: () => boolean): Promise<void> {
		if (holds()) return;
		const { promise, resolve, reject } = Promise.withResolvers<void>();
		const look = (): void => {
			if (holds()) resolve();
		};
		const cancel = afterPatience(patienceMs, () =>
			reject(new Error(`gave up after ${patienceMs / 1000} s of an idle machine: waited until ${what}`)),
		);
		this.#looks.add(look);
		try {
			await promise;
		} finally {
			this.#looks.delete(look);
			cancel();
		}
	}
}
