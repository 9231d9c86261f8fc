import { braveOrigin, type SearchSettings } from "@parley/core";
import * as z from "zod";
import { parseBaseUrl } from "./base-url.ts";
import { choice, string } from "./setting-types.ts";

const address = "an http or https address, such as http://127.0.0.1:8888";
const variableName = "the name of a variable of the environment, such as BRAVE_API_KEY";

const usualKey = "BRAVE_API_KEY";

export const searchSchema = () =>
	z.strictObject({
		provider: choice(["brave", "searxng"] as const).describe(
			"API of the search engine: brave is Brave Search and needs a key. searxng is your own SearXNG, whose settings must allow the format json.",
		),
		url: z.exactOptional(
			string(address)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: address })
				.describe(
					`Address of the search engine, which may be in your own network. Required for searxng. Default for brave: ${braveOrigin}.`,
				),
		),
		key: z.exactOptional(
			string(variableName)
				.regex(/^[A-Za-z_]\w*$/, { error: variableName })
				.describe(
					"Name of the variable of the environment that has the key of Brave Search. Default: BRAVE_API_KEY.",
				),
		),
	});

type Written = z.output<ReturnType<typeof searchSchema>>;

/** A setting of `search` that cannot be used. */
export interface SearchProblem {
	readonly name: "url" | "key";
	readonly value: string;
	readonly allowed: string;
}

/** The first problem that needs more than the schema; undefined without one. */
export function searchProblem(
	{ provider, url, key }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): SearchProblem | undefined {
	if (provider === "searxng") {
		if (url === undefined) return { name: "url", value: "", allowed: `${address}, for searxng` };
		return key === undefined ? undefined : { name: "key", value: key, allowed: "no key for searxng" };
	}
	const variable = key ?? usualKey;
	if ((environment[variable] ?? "").trim() !== "") return undefined;
	return {
		name: "key",
		value: variable,
		allowed: "a variable that the gateway has, with the key of Brave Search",
	};
}

export function readSearch(
	{ provider, url = braveOrigin, key = usualKey }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): SearchSettings {
	if (provider === "searxng") return { provider, url };
	return { provider, url, key: (environment[key] ?? "").trim() };
}
