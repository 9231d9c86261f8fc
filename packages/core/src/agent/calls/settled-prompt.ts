import { type Clock, ParleyError, type Timer } from "@parley/base";
import { type Asking, findPrompt, isPromptOpen, type PromptRow } from "../../conversation/prompt-rows.ts";
import type { Prompts } from "../../conversation/prompts.ts";
import type { Journal } from "../../store/journal.ts";
import type { Prompt } from "../../vocabulary/prompt.ts";
import type { Run } from "../run/run.ts";
import { approvalTexts } from "./texts.ts";

/** Milliseconds between reads of the prompt, in case a notification is missed. */
const checkMs = 1_500;

interface OpenQuestion {
	readonly prompt: Prompt;
	readonly prompts: Prompts;
	readonly signal: AbortSignal;
}

/**
 * Waits until a prompt is settled, and returns its row. Expires the prompt at its expiry time. Throws `cancelled` if
 * the signal aborts before the prompt is settled.
 */
export async function settled(
	run: Run,
	asking: Asking,
	{ prompt: { token, expiresAt }, prompts, signal }: OpenQuestion,
): Promise<PromptRow> {
	const { clock, journal } = run;
	const { home } = run.session;
	try {
		for (;;) {
			const wake = home.nextWake(token);
			const row = await readPrompt(journal, asking);
			if (row && row.state !== "open") return row;
			if (signal.aborted) throw new ParleyError(approvalTexts.runStopped, { code: "cancelled" });
			if (clock.now() < expiresAt) {
				await waitForSettling(run, wake, { token, ms: expiresAt - clock.now(), signal });
			} else await run.commit(({ tx, record }) => prompts.expire(tx, record, home, token));
		}
	} finally {
		home.wake(token);
	}
}

interface WaitServices {
	readonly clock: Clock;
	readonly journal: Journal;
}

async function waitForSettling(
	services: WaitServices,
	wake: Promise<void>,
	{ token, ms, signal }: { readonly token: string; readonly ms: number; readonly signal: AbortSignal },
): Promise<void> {
	const { promise, resolve } = Promise.withResolvers<void>();
	const stop = (): void => resolve();
	const timer = services.clock.after(ms, stop);
	signal.addEventListener("abort", stop, { once: true });
	const polling = pollPrompt(services, token, stop);
	await Promise.race([wake, promise]);
	polling.cancel();
	timer.cancel();
	signal.removeEventListener("abort", stop);
}

function pollPrompt({ clock, journal }: WaitServices, token: string, onSettled: () => void): Timer {
	let cancelled = false;
	const poll = async (): Promise<void> => {
		// If the store fails, the next read or the expiry ends the wait.
		const open = await journal.store.read((db) => isPromptOpen(db, token)).catch(() => true);
		if (!open) onSettled();
		else if (!cancelled) timer = clock.after(checkMs, () => void poll());
	};
	let timer = clock.after(checkMs, () => void poll());
	return {
		cancel: () => {
			cancelled = true;
			timer.cancel();
		},
	};
}

/** Returns the newest question for the call and the kind in `asking`, if any. */
export function readPrompt({ store }: Journal, asking: Asking): Promise<PromptRow | undefined> {
	return store.read((db) => findPrompt(db, asking));
}
