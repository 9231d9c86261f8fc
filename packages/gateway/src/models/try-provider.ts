import { type Clock, defined } from "@parley/base";
import type { ProviderChoice } from "../config/provider.ts";
import { listAddress, listHeaders, type ModelServer, modelsIn, readText } from "./discover-model.ts";
import { unreachableReason } from "./unreachable.ts";

const official = "https://api.anthropic.com";
const patienceMs = 8_000;

export type ProviderAnswer =
	| {
			readonly reached: true;
			readonly url: string;
			readonly status: number;
			/** Names of the server's models, if the server sent a list. */
			readonly models?: readonly string[];
			/** Time according to the server, in milliseconds since the epoch, with a precision of seconds. */
			readonly serverTime: number | undefined;
			/** Time of the response by this machine's clock, in milliseconds since the epoch. */
			readonly ownTime: number;
			/** Duration of the request in milliseconds. A comparison of the clocks is only as accurate as this duration. */
			readonly durationMs: number;
	  }
	| { readonly reached: false; readonly url: string; readonly reason: string };

/**
 * Requests the configured server's list of models, which costs no tokens. Resolves with facts about the response or
 * the failure, or with undefined for the offline model. Never rejects.
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
		const models = await listed(response, server);
		const date = Date.parse(response.headers.get("date") ?? "");
		const ownTime = clock.now();
		return {
			reached: true,
			url,
			status: response.status,
			ownTime,
			durationMs: ownTime - before,
			serverTime: Number.isNaN(date) ? undefined : date,
			...defined({ models }),
		};
	} catch (error) {
		return { reached: false, url, reason: reasonOf(error) };
	}
}

/** Returns the names of the listed models, or undefined if the response is not a list of models. */
async function listed(response: Response, server: ModelServer): Promise<string[] | undefined> {
	if (!response.ok) {
		await response.body?.cancel();
		return undefined;
	}
	// The time limit of the request ends a slow body, too.
	const text = await readText(response).catch(() => "");
	try {
		return modelsIn(text, server).map(({ id }) => id);
	} catch {
		return undefined;
	}
}

function reasonOf(error: unknown): string {
	const { cause, message } = error instanceof Error ? error : { cause: undefined, message: String(error) };
	return unreachableReason(error) ?? (cause instanceof Error ? cause.message : message);
}
