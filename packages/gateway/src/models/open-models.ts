import type { Clock, Logger } from "@parley/base";
import { ParleyError } from "@parley/base";
import {
	createAnthropicModel,
	createOfflineModel,
	type Model,
	type ModelTable,
	type ProfileEndpoint,
	preloadAnthropic,
} from "@parley/core";
import type { Config } from "../config/load.ts";
import type { ProviderReason } from "../config/provider.ts";
import { discoverModel } from "./discover-model.ts";
import { readModelTable } from "./read-model-table.ts";

const anthropic = "anthropic";

export interface OpenModelsOptions {
	readonly config: Config;
	readonly clock: Clock;
	readonly log: Logger;
	/** Answers instead of the configured provider. */
	readonly model?: Model | undefined;
}

/** Who answers, and what is known of them. */
export interface Models {
	readonly model: Model;
	/** A name or a tier, where one was chosen. */
	readonly modelName?: string;
	readonly table: ModelTable;
	readonly fallback: readonly string[];
	/** Whether names that the table does not know may be chosen: another server has its own. */
	readonly anyModel: boolean;
	/** The model behind another server, as an agent profile names it; it is asked without a key. */
	readonly modelAt: (endpoint: ProfileEndpoint) => Model;
	/** Host and port of the server, where it is not the provider's own. */
	readonly serverHost: string | undefined;
	readonly providerReason: ProviderReason;
	/** Loads what the first call would have to wait for. */
	readonly preload: () => Promise<void>;
}

/** Rejects with what an operator can mend: an unknown model, a table that cannot be read, a server without a model. */
export async function openModels(options: OpenModelsOptions): Promise<Models> {
	const { config, clock, log } = options;
	const { baseUrl, apiKey, fallback = [] } = config;
	const table = await readModelTable(config);
	const modelAt = endpoints({ table, clock, log });
	const common = { table, modelAt, providerReason: config.providerReason ?? "configured" };
	const inside = { ...common, anyModel: false, serverHost: undefined, preload: async () => undefined };
	if (options.model) {
		const chosen = config.model === undefined ? {} : { modelName: config.model };
		return { ...inside, ...chosen, fallback, model: options.model };
	}
	// Names of models in the configuration are meant for a provider that has several.
	if (config.provider === "offline") return { ...inside, fallback: [], model: createOfflineModel({ clock }) };
	if (baseUrl === undefined) for (const name of fallback) checkKnown(name, "models.fallback", table);
	const modelName = await chooseName(config, table);
	const server = baseUrl === undefined ? {} : { baseUrl };
	const model = createAnthropicModel({ apiKey, ...server, table, clock, log, defaultModel: modelName });
	return {
		...{ ...common, modelName, fallback, anyModel: baseUrl !== undefined, preload: preloadAnthropic },
		model,
		serverHost: baseUrl === undefined ? undefined : new URL(baseUrl).host,
	};
}

async function chooseName({ model, baseUrl, apiKey }: Config, table: ModelTable): Promise<string> {
	if (model === undefined && baseUrl !== undefined) {
		return discoverModel({ baseUrl, apiKey }, table.defaultOf(anthropic)?.id);
	}
	const wanted = model ?? "standard";
	if (baseUrl === undefined) checkKnown(wanted, "model", table);
	return table.find(wanted, anthropic)?.id ?? wanted;
}

function checkKnown(name: string, setting: string, table: ModelTable): void {
	if (table.find(name, anthropic)) return;
	const near = table.near(name, anthropic).join(", ");
	const tiers = table.list(anthropic).flatMap(({ tier, id }) => (tier ? [`${tier} (${id})`] : []));
	const hint = near === "" ? `the tiers are ${tiers.join(", ")}` : `did you mean ${near}?`;
	throw new ParleyError(
		`${setting}: there is no model ${JSON.stringify(name.slice(0, 100))}; ${hint}; ` +
			"one that is newer than this program can be added in models.json of the data directory",
		{ code: "invalid_argument" },
	);
}

/** One model for each server, which keeps its connections. */
function endpoints(
	deps: Pick<OpenModelsOptions, "clock" | "log"> & { readonly table: ModelTable },
): Models["modelAt"] {
	const models = new Map<string, Model>();
	return ({ url, timeoutMs }) => {
		const key = `${timeoutMs} ${url}`;
		const known = models.get(key);
		if (known) return known;
		const timeouts = timeoutMs === undefined ? {} : { timeouts: { firstByteMs: timeoutMs } };
		// The gateway's key is for the gateway's provider alone.
		const model = createAnthropicModel({ ...deps, apiKey: undefined, baseUrl: url, ...timeouts });
		models.set(key, model);
		return model;
	};
}
