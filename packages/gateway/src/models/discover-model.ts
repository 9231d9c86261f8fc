import { defined, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import type { ProviderConnection } from "../config/provider-connections.ts";
import { modelServerTexts } from "../texts/models/discovery.ts";
import { unreachableReason } from "./unreachable.ts";

/** API version that the SDK of the Messages API sends in its requests. */
const apiVersion = "2026-10-21";
const patienceMs = 5_000;
const maxBytes = 8 * 1024 * 1024;
/** Maximum number of model names in an error. */
const maxListed = 10;

const name = z.string().min(1).max(200);
/**
 * Schema of a number of tokens. Many servers omit the context window or send another value in its place, so an
 * invalid value becomes undefined.
 */
const tokens = z.int().min(1).max(100_000_000).optional().catch(undefined);

/**
 * Schema of the model lists of all APIs except Gemini's. It includes the fields in which OpenRouter, Kimi, Groq,
 * Mistral and vLLM send context windows.
 */
const List = z.object({
	data: z.array(
		z.object({
			id: name,
			context_length: tokens,
			context_window: tokens,
			max_context_length: tokens,
			max_model_len: tokens,
		}),
	),
});

/** Schema of Gemini's model list: https://ai.google.dev/api/models#method:-models.list */
const GeminiList = z.object({ models: z.array(z.object({ name, inputTokenLimit: tokens })) });

export interface ModelServer {
	readonly baseUrl: string;
	/** API of the server. Default: the Messages API. The address of the Messages API has no version. */
	readonly family?: ProviderConnection["family"] | undefined;
	readonly apiKey?: string | undefined;
	/** Name of the option or variable for the key, for messages. */
	readonly keyName?: string | undefined;
}

export interface ListedModel {
	readonly id: string;
	/** Context window in tokens; undefined if the server does not report it. */
	readonly window: number | undefined;
}

export interface Discovered {
	readonly name: string;
	/** All names that the server returned. */
	readonly served: readonly string[];
	/**
	 * Error for a caller that cannot choose a model. Set if the server has several models but not the preferred one. In
	 * this case, `name` is the first model of the server.
	 */
	readonly undecided?: ParleyError;
}

/**
 * Finds the model of a server: the preferred model, or else the only one. Rejects with `failed_precondition`
 * and advice if the list of models cannot be read, is empty, or has several models but not the preferred one.
 */
export async function discoverModel(server: ModelServer, preferred: string | undefined): Promise<Discovered> {
	const found = await discoverModels(server, preferred);
	if (found.undecided) throw found.undecided;
	return found;
}

/**
 * Finds the model as `discoverModel` does, but returns `undecided` instead of rejecting if the server has several
 * models but not the preferred one.
 */
export async function discoverModels(
	server: ModelServer,
	preferred: string | undefined,
): Promise<Discovered> {
	const url = listAddress(server);
	const served = await listModels(server);
	const name = served.find((one) => one === preferred) ?? served[0];
	if (name === undefined) throw unknown(modelServerTexts.noModels({ url }));
	if (name === preferred || served.length === 1) return { name, served };
	const several = modelServerTexts.severalModels({
		url,
		count: served.length,
		names: served.slice(0, maxListed),
	});
	return { name, served, undecided: unknown(several) };
}

/**
 * Returns the names of the models that a server lists. Rejects with `failed_precondition` if the server cannot be
 * reached or sends no list.
 */
export async function listModels(server: ModelServer): Promise<string[]> {
	return [...new Set((await readList(server)).map(({ id }) => id))];
}

/** Returns the address of the list of models. A request for the list costs no tokens. */
export function listAddress({ baseUrl, family = "anthropic" }: ModelServer): string {
	if (family === "anthropic") return `${baseUrl.replace(/\/v1$/, "")}/v1/models`;
	// Without `pageSize`, the list has at most 50 models.
	return family === "google" ? `${baseUrl}/models?pageSize=1000` : `${baseUrl}/models`;
}

/** Returns the headers of a request for the list of models. */
export function listHeaders({ apiKey, family = "anthropic" }: ModelServer): Record<string, string> {
	const bearer = apiKey === undefined ? undefined : `Bearer ${apiKey}`;
	if (family === "google") return defined({ "x-goog-api-key": apiKey });
	if (family !== "anthropic") return defined({ authorization: bearer });
	return { "anthropic-version": apiVersion, ...defined({ authorization: bearer, "x-api-key": apiKey }) };
}

/** Returns the models of a server with their windows. Rejects as `listModels` does. */
export async function readList(server: ModelServer): Promise<ListedModel[]> {
	const url = listAddress(server);
	try {
		const response = await fetch(url, {
			headers: { accept: "application/json", ...listHeaders(server) },
			// A redirect would send the key to another server.
			redirect: "error",
			signal: AbortSignal.timeout(patienceMs),
		});
		if (!response.ok) throw refusal(url, response.status, server);
		return modelsIn(await readText(response), server);
	} catch (cause) {
		if (cause instanceof ParleyError && cause.code === "failed_precondition") throw cause;
		const reason = unreachableReason(cause);
		if (reason === undefined) throw unknown(modelServerTexts.noList({ url }), cause);
		throw failed(modelServerTexts.unreachable({ url, reason }), cause);
	}
}

/** Parses a list of models with their windows. Throws if the text is not a list in the format of the server's API. */
export function modelsIn(text: string, { family }: ModelServer): ListedModel[] {
	const answer = parseJson(text, { maxNodes: 1_000_000 });
	if (family === "google") {
		return GeminiList.parse(answer).models.map((one) => ({
			id: one.name.replace(/^models\//, ""),
			window: one.inputTokenLimit,
		}));
	}
	return List.parse(answer).data.map(({ id, ...one }) => ({
		id,
		window: one.context_length ?? one.context_window ?? one.max_context_length ?? one.max_model_len,
	}));
}

function refusal(url: string, status: number, { apiKey, keyName }: ModelServer): ParleyError {
	if (status !== 401 && status !== 403) return unknown(`${url} answered ${status}`);
	if (apiKey !== undefined) return failed(modelServerTexts.keyRejected({ url, status, keyName }));
	return failed(modelServerTexts.keyRequired({ url, status, keyName }));
}

/** Reads the body as text. Rejects if the body has more than `maxBytes` bytes. */
export async function readText(response: Response): Promise<string> {
	const chunks: Uint8Array[] = [];
	let bytes = 0;
	for await (const chunk of response.body ?? []) {
		bytes += chunk.byteLength;
		if (bytes > maxBytes) throw unknown(modelServerTexts.tooLong({ url: response.url, maxBytes }));
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8");
}

function unknown(reason: string, cause?: unknown): ParleyError {
	return failed(modelServerTexts.chooseModel({ problem: reason }), cause);
}

function failed(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "failed_precondition", ...defined({ cause }) });
}
