import { type Clock, delay, ParleyError } from "@parley/base";

const firstWaitMs = 1_000;
const longestWaitMs = 15_000;

interface Waiting {
	readonly clock: Clock;
	/** Resolves with the reason if the connector is to end. */
	readonly asked: Promise<string>;
	/** Called with the reason after each failed attempt. */
	readonly onWait: (why: string) => Promise<void>;
}

/**
 * Tries `reach` until a gateway answers, after 1 s and then later and later, up to every 15 s. Ends at once if `asked`
 * resolves. Rejects with any error other than `unavailable`.
 */
export async function reachGateway<T>(
	reach: () => Promise<T>,
	{ clock, asked, onWait }: Waiting,
): Promise<{ readonly reached: T } | { readonly ended: string }> {
	const ending = new AbortController();
	const end = asked.then((ended) => {
		ending.abort();
		return { ended };
	});
	const attempt = async (): Promise<{ readonly reached: T } | undefined> => {
		try {
			return { reached: await reach() };
		} catch (reason) {
			if (!(reason instanceof ParleyError) || reason.code !== "unavailable") throw reason;
			await onWait(reason.message);
			return undefined;
		}
	};
	for (let waitMs = firstWaitMs; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
		const result = await Promise.race([attempt(), end]);
		if (result) return result;
		const ended = await Promise.race([delay(clock, waitMs, ending.signal).then(() => undefined), end]);
		if (ended) return ended;
	}
}
