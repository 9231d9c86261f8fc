import { ParleyError } from "@parley/base";
import type { Config } from "../config/load.ts";
import { readList } from "./discover-model.ts";
import { homeOf, othersOf, type Server } from "./open-server.ts";

/** Report about a provider of the configuration. */
export interface ProviderReport {
	readonly name: string;
	readonly host: string;
	/** Name of the option or variable for the key. Absent for servers without keys. */
	readonly key?: string;
	readonly keyFound: boolean;
	/** Number of models in the provider's list. Absent if the list cannot be read. */
	readonly models?: number;
	readonly problem?: string;
}

/**
 * Returns a report about each provider. For a report, requests the provider's list of models, which costs no tokens.
 * Returns an empty list for the offline model. Never rejects.
 */
export async function reportProviders(config: Config): Promise<ProviderReport[]> {
	if (config.provider === "offline") return [];
	return await Promise.all([homeOf(config), ...othersOf(config)].map(report));
}

async function report(server: Server): Promise<ProviderReport> {
	const { name, baseUrl, apiKey, keyName } = server;
	const known = { name, host: new URL(baseUrl).host, keyFound: apiKey !== undefined };
	const facts = keyName === undefined ? known : { ...known, key: keyName };
	try {
		return { ...facts, models: (await readList(server)).length };
	} catch (reason) {
		// The report omits the advice to choose a model.
		const problem = ParleyError.from(reason).message.replace(/; name the model with --model$/, "");
		return { ...facts, problem };
	}
}
