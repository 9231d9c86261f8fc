import { braveOrigin, type SearchSettings } from "@parley/core";
import * as z from "zod";
import { settingRefusalTexts } from "../texts/config/refusals.ts";
import { searchSettingTexts } from "../texts/config/settings.ts";
import { allowedTexts } from "../texts/config/values.ts";
import { parseBaseUrl } from "./base-url.ts";
import { choice, string } from "./setting-types.ts";

const usualKey = "BRAVE_API_KEY";

export const searchSchema = () =>
	z.strictObject({
		provider: choice(["brave", "searxng"] as const).describe(searchSettingTexts.api),
		url: z.exactOptional(
			string(allowedTexts.searchAddress)
				.refine((text) => parseBaseUrl(text) !== undefined, { error: allowedTexts.searchAddress })
				.describe(searchSettingTexts.url({ origin: braveOrigin })),
		),
		key: z.exactOptional(
			string(allowedTexts.searchKeyVariable)
				.regex(/^[A-Za-z_]\w*$/, { error: allowedTexts.searchKeyVariable })
				.describe(searchSettingTexts.key),
		),
	});

type Written = z.output<ReturnType<typeof searchSchema>>;

/** Problem of one setting of `search`: the value is missing or cannot be used. */
export interface SearchProblem {
	readonly name: "url" | "key";
	/** Undefined if the setting is missing. */
	readonly value: string | undefined;
	readonly allowed: string;
	readonly reason?: string;
}

/** Returns the first problem that the schema cannot detect, or undefined if all settings are valid. */
export function searchProblem(
	{ provider, url, key }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): SearchProblem | undefined {
	if (provider === "searxng") {
		if (url === undefined) return { name: "url", value: undefined, allowed: settingRefusalTexts.searxngUrl };
		return key === undefined
			? undefined
			: { name: "key", value: key, allowed: settingRefusalTexts.searxngKey };
	}
	const variable = key ?? usualKey;
	if ((environment[variable] ?? "").trim() !== "") return undefined;
	return {
		name: "key",
		value: variable,
		reason: settingRefusalTexts.noSearchKey,
		allowed: settingRefusalTexts.searchKey,
	};
}

export function readSearch(
	{ provider, url = braveOrigin, key = usualKey }: Written,
	environment: Readonly<Record<string, string | undefined>>,
): SearchSettings {
	if (provider === "searxng") return { provider, url };
	return { provider, url, key: (environment[key] ?? "").trim() };
}
