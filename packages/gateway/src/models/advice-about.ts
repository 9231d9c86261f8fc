import { knownProvider } from "../config/known-providers.ts";
import type { ProviderChoice } from "../config/provider.ts";
import { modelServerTexts } from "../texts/models/discovery.ts";

/**
 * Returns a function that gives advice about a model name such as `openai/gpt-x`. The function returns undefined
 * unless the prefix is a known provider that the gateway does not use.
 */
export function adviceAbout({ provider: home, connections = [] }: ProviderChoice) {
	const used = new Set([home, ...connections.map(({ name }) => name)]);
	return (name: string): string | undefined => {
		const end = name.indexOf("/");
		const provider = name.slice(0, Math.max(0, end));
		const known = knownProvider(provider);
		if (!known || used.has(provider) || name.length === end + 1) return undefined;
		const [key] = known.keys;
		const isEnough = known.isDiscovered === true && (home === "anthropic" || home === "offline");
		if (key === undefined) return modelServerTexts.needsEntry({ provider });
		return (isEnough ? modelServerTexts.needsKey : modelServerTexts.needsKeyAndEntry)({ provider, key });
	};
}
