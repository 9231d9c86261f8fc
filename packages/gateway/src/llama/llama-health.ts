import { type Clock, defined, parseJson } from "@parley/base";
import * as z from "zod";
import { errno } from "../data-directory/errno.ts";
import { llamaTexts } from "../texts/llama.ts";

/**
 * Milliseconds for a response to a health check. This is less than 2 s, the time limit of Kontekst's status command.
 * That command tries only once.
 */
const PROBE_MS = 1_500;
const MAX_ANSWER = 1 << 20;

/**
 * State of a llama-server according to `GET /health`:
 * - `ready`: the server answers.
 * - `loading`: the server loads its model.
 * - `absent`: no program listens at the address.
 * - `other`: any other response or failure, which `did` describes.
 */
export type LlamaHealth =
	| { readonly state: "ready" | "loading" | "absent" }
	| { readonly state: "other"; readonly did: string };

/**
 * Schema of the response to `GET /health`: https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
 */
const Ready = z.object({ status: z.literal("ok") });
const Loading = z.object({ error: z.object({ code: z.literal(503) }) });
/** Schema of the response to `GET /props`: see the README above. */
const Props = z.object({ default_generation_settings: z.object({ n_ctx: z.int().positive() }) });

export interface LlamaAddress {
	readonly endpoint: string;
	readonly apiKey?: string | undefined;
}

/** Requests the health of the server. Never rejects. Resolves with `absent` when the signal aborts. */
export async function probeLlama(
	{ endpoint }: LlamaAddress,
	clock: Clock,
	signal?: AbortSignal,
): Promise<LlamaHealth> {
	try {
		const { status, text } = await get(`${endpoint}/health`, { clock, signal });
		const schema = status === 503 ? Loading : Ready;
		const known = [200, 503].includes(status) && schema.safeParse(readJson(text)).success;
		if (known) return { state: status === 200 ? "ready" : "loading" };
		return { state: "other", did: llamaTexts.otherHealth({ status }) };
	} catch (reason) {
		return signal?.aborted ? { state: "absent" } : afterFailure(reason);
	}
}

function afterFailure(reason: unknown): LlamaHealth {
	if (reason instanceof Late) return { state: "other", did: llamaTexts.slow({ seconds: PROBE_MS / 1000 }) };
	if (reason instanceof TooLong) return { state: "other", did: llamaTexts.longAnswer };
	const code = reason instanceof Error ? errno(reason.cause) : undefined;
	if (code === "ECONNREFUSED") return { state: "absent" };
	return { state: "other", did: llamaTexts.noHttp({ reason: code }) };
}

/** Returns the context window for one request in tokens, or undefined if it cannot be read. */
export async function readWindow(
	{ endpoint, apiKey }: LlamaAddress,
	clock: Clock,
): Promise<number | undefined> {
	try {
		const { text } = await get(`${endpoint}/props`, { clock, apiKey });
		return Props.parse(readJson(text)).default_generation_settings.n_ctx;
	} catch {
		// Without a value, the gateway assumes the context window of an unknown model.
		return undefined;
	}
}

class Late extends Error {}

class TooLong extends Error {}

interface Asking {
	readonly clock: Clock;
	readonly signal?: AbortSignal | undefined;
	readonly apiKey?: string | undefined;
}

async function get(
	url: string,
	{ clock, signal, apiKey }: Asking,
): Promise<{ readonly status: number; readonly text: string }> {
	const late = new AbortController();
	const timer = clock.after(PROBE_MS, () => late.abort(new Late()));
	try {
		const response = await fetch(url, {
			...defined({ headers: apiKey === undefined ? undefined : { authorization: `Bearer ${apiKey}` } }),
			redirect: "manual",
			signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
		});
		let text = "";
		const decoder = new TextDecoder();
		for await (const chunk of response.body ?? []) {
			text += decoder.decode(chunk, { stream: true });
			if (text.length > MAX_ANSWER) throw new TooLong();
		}
		return { status: response.status, text };
	} finally {
		timer.cancel();
	}
}

function readJson(text: string): unknown {
	try {
		return parseJson(text);
	} catch {
		// The value undefined matches no schema.
		return undefined;
	}
}
