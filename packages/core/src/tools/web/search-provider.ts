import { type Clock, ParleyError, parseJson } from "@parley/base";
import * as z from "zod";
import { collect } from "../../sandbox/egress/collect.ts";
import { guardedFetch } from "../../sandbox/egress/guarded-fetch.ts";
import { within } from "../../sandbox/egress/reach.ts";
import { webSearchTexts } from "./texts.ts";

export interface SearchResult {
	readonly title: string;
	readonly url: string;
	readonly text: string;
}

/** Port to a search engine. */
export interface SearchProvider {
	/** Name that people read. */
	readonly title: string;
	/** Scheme, host and port of the server. */
	readonly origin: string;
	/**
	 * Resolves with about `count` results, the best first. Some engines send more. Rejects with the signal's reason if
	 * the signal aborts, and with an error for the model if the search fails.
	 */
	search(query: string, count: number, signal: AbortSignal): Promise<readonly SearchResult[]>;
}

export interface SearchSettings {
	readonly provider: "brave" | "searxng";
	/** URL of the server, without the path of the API. */
	readonly url: string;
	/** API key. Only for Brave. */
	readonly key?: string;
}

/** Origin of Brave Search. A configured search server with another origin is allowed to have a private address. */
export const braveOrigin = "https://api.search.brave.com";

const maxMs = 15_000;
const maxBytes = 2 * 1024 * 1024;

/** Response of `GET /res/v1/web/search`: https://api-dashboard.search.brave.com/documentation */
const braveAnswer = z.object({
	web: z
		.object({
			results: z.array(
				z
					.object({ title: z.string(), url: z.string(), description: z.string().default("") })
					.nullable()
					.catch(null),
			),
		})
		.optional(),
});

/** Response of `GET /search` with `format=json`: https://docs.searxng.org/dev/search_api.html */
const searxngAnswer = z.object({
	results: z.array(
		z.object({ title: z.string(), url: z.string(), content: z.string().nullish() }).nullable().catch(null),
	),
});

interface Api {
	readonly title: string;
	path(query: string, count: number): string;
	headers(key: string): Readonly<Record<string, string>>;
	read(body: unknown): readonly SearchResult[];
	/** Advice for the operator after a refused request. */
	readonly refusal: string;
}

const apis: Readonly<Record<SearchSettings["provider"], Api>> = {
	brave: {
		title: "Brave Search",
		path: (q, count) => {
			const parameters = { q, count: String(count), result_filter: "web", text_decorations: "false" };
			return `res/v1/web/search?${new URLSearchParams(parameters)}`;
		},
		headers: (key) => ({ "x-subscription-token": key }),
		read(body) {
			const results = braveAnswer.parse(body).web?.results ?? [];
			return results.flatMap((one) =>
				one ? [{ title: one.title, url: one.url, text: one.description }] : [],
			);
		},
		refusal: webSearchTexts.checkKey,
	},
	searxng: {
		title: "SearXNG",
		path: (q) => `search?${new URLSearchParams({ q, format: "json" })}`,
		headers: () => ({}),
		read(body) {
			const { results } = searxngAnswer.parse(body);
			return results.flatMap((one) =>
				one ? [{ title: one.title, url: one.url, text: one.content ?? "" }] : [],
			);
		},
		refusal: webSearchTexts.allowJson,
	},
};

/**
 * Creates the port to the operator's search engine. Requests reach only the host of `url`. A host other than Brave's is
 * allowed to have a private address, because the operator configured it. Redirects are not followed, so no other host
 * receives the key.
 */
export function createSearchProvider(
	{ provider, url, key = "" }: SearchSettings,
	clock: Clock,
): SearchProvider {
	const api = apis[provider];
	const base = new URL(url.endsWith("/") ? url : `${url}/`);
	return {
		title: api.title,
		origin: base.origin,
		search: (query, count, signal) =>
			within({ ms: maxMs, subject: webSearchTexts.search, clock }, signal, async (limited) => {
				const guarded = await guardedFetch({
					isPrivateAllowed: (host) => base.origin !== braveOrigin && host === base.hostname,
				});
				try {
					const headers = {
						accept: "application/json",
						"user-agent": "Parley (web_search)",
						...api.headers(key),
					};
					const address = new URL(api.path(query, count), base);
					const response = await guarded.fetch(address, { headers, signal: limited });
					if (response.status !== 200) throw refusedBy(api, response.status);
					return readResults(api, await readText(response));
				} catch (reason) {
					limited.throwIfAborted();
					throw reason;
				} finally {
					await guarded.close();
				}
			}),
	};
}

function readResults(api: Api, text: string): readonly SearchResult[] {
	try {
		return api.read(parseJson(text, { maxNodes: 200_000 }));
	} catch (cause) {
		throw unavailable(webSearchTexts.unreadable(api.title), cause);
	}
}

async function readText({ body }: Response): Promise<string> {
	if (body === null) return "";
	const { bytes, cut } = await collect(body, maxBytes);
	if (cut) throw unavailable(webSearchTexts.tooLong(maxBytes));
	return bytes.toString("utf8");
}

function refusedBy({ title, refusal }: Api, status: number): ParleyError {
	if (status === 422) {
		return unavailable(webSearchTexts.refusedQuery(title, refusal));
	}
	if (status === 401 || status === 403) {
		return unavailable(webSearchTexts.refused(title, status, refusal));
	}
	const advice = status === 429 ? webSearchTexts.tooMany : webSearchTexts.later;
	return unavailable(webSearchTexts.answered(title, status, advice));
}

function unavailable(message: string, cause?: unknown): ParleyError {
	return new ParleyError(message, { code: "unavailable", cause });
}
