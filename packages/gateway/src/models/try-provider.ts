import type { Clock } from "@parley/base";
import type { ProviderChoice } from "../config/provider.ts";
import { errno } from "../data-directory/errno.ts";
import { listAddress, listHeaders } from "./discover-model.ts";

const official = "https://api.anthropic.com";
const patienceMs = 8_000;

export type ProviderAnswer =
	| {
			readonly reached: true;
			readonly url: string;
			readonly status: number;
			/** Time according to the server, in milliseconds since the epoch; whole seconds. */
			readonly serverTime: number | undefined;
			/** Time of the response by our clock. */
			readonly ownTime: number;
			/** Duration of the request in milliseconds, which limits the accuracy of the comparison. */
			readonly durationMs: number;
	  }
	| { readonly reached: false; readonly url: string; readonly reason: string };

/**
 * Requests the configured server's list of models, which costs no tokens. Undefined for the offline model. Never rejects.
 */
export async function tryProvider(
	{ provider, baseUrl = official, apiKey, connections = [] }: ProviderChoice,
	clock: Clock,
): Promise<ProviderAnswer | undefined> {
	if (provider === "offline") return undefined;
	const server = connections.find(({ name }) => name === provider) ?? { baseUrl, apiKey };
	const url = listAddress(server);
	const before = clock.now();
	try {
		const response = await fetch(url, {
			headers: listHeaders(server),
			// A redirect would send the key to another server.
			redirect: "error",
			signal: AbortSignal.timeout(patienceMs),
		});
		await response.body?.cancel();
		const date = Date.parse(response.headers.get("date") ?? "");
		const ownTime = clock.now();
		return {
			reached: true,
			url,
			status: response.status,
			ownTime,
			durationMs: ownTime - before,
			serverTime: Number.isNaN(date) ? undefined : date,
		};
	} catch (error) {
		return { reached: false, url, reason: reasonOf(error) };
	}
}

function reasonOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	if (error.name === "TimeoutError") return `no answer within ${patienceMs / 1000} s`;
	const { cause } = error;
	return errno(cause) ?? (cause instanceof Error ? cause.message : error.message);
}
