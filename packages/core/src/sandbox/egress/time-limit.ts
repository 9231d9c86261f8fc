import { type Clock, ParleyError } from "@parley/base";

/** The outcome of the promise, or the signal's reason as soon as it aborts, whatever becomes of the promise. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
	const { promise: aborted, reject } = Promise.withResolvers<never>();
	const stop = (): void => reject(signal.reason);
	signal.addEventListener("abort", stop, { once: true });
	if (signal.aborted) stop();
	try {
		return await Promise.race([promise, aborted]);
	} finally {
		signal.removeEventListener("abort", stop);
	}
}

/** Does the work with a signal that also aborts after `ms`, with `deadline_exceeded` for `what`. */
export async function within<T>(
	{ ms, what, clock }: { readonly ms: number; readonly what: string; readonly clock: Clock },
	signal: AbortSignal,
	work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
	const overtime = new AbortController();
	const timer = clock.after(ms, () =>
		overtime.abort(new ParleyError(`${what} took longer than ${ms / 1000} s`, { code: "deadline_exceeded" })),
	);
	try {
		return await work(AbortSignal.any([signal, overtime.signal]));
	} finally {
		timer.cancel();
	}
}
