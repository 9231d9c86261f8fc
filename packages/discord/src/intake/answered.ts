import { type Clock, delay, ParleyError } from "@parley/base";
import * as z from "zod";
import type { DiscordResponse, DiscordRest } from "../vocabulary/discord-port.ts";

const firstWaitMs = 1000;
const maxWaitMs = 30_000;

const Wait = z.object({ retry_after: z.number().min(0) });

/**
 * Repeats a GET request until Discord executes or refuses it, so that a temporary error loses no event. Missing
 * or unreadable responses and statuses 401, 429 and 5xx are retried. Resolves with the body, or with undefined
 * after a refusal. Rejects only if `signal` aborts.
 */
export async function readUntilAnswered(
	path: string,
	{ port, clock }: { readonly port: DiscordRest; readonly clock: Clock },
	signal: AbortSignal,
): Promise<unknown> {
	for (let tries = 0; ; tries++) {
		signal.throwIfAborted();
		const response = await port.request({ method: "GET", path }).catch(ParleyError.from);
		if (!(response instanceof ParleyError)) {
			if (response.status < 300) return response.body;
			if (response.status < 500 && response.status !== 429 && response.status !== 401) return undefined;
		}
		await delay(clock, waitAfter(response, tries), signal);
	}
}

function waitAfter(response: DiscordResponse | ParleyError, tries: number): number {
	const wait = response instanceof ParleyError ? undefined : Wait.safeParse(response.body).data;
	return wait ? wait.retry_after * 1000 : Math.min(firstWaitMs * 2 ** tries, maxWaitMs);
}
