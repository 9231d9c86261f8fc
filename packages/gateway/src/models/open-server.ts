import { type Clock, defined, type Logger } from "@parley/base";
import { createAiSdkModel, createAnthropicModel, type Model, type ModelTable } from "@parley/core";
import type { Config } from "../config/load.ts";
import type { MessagesKey } from "../config/provider.ts";
import type { ProviderConnection } from "../config/provider-connections.ts";
import { withListedWindows } from "./listed-windows.ts";

export const anthropic = "anthropic";

/** Address of Anthropic, the vendor of the Messages API. */
const official = "https://api.anthropic.com";

export type Server = ProviderConnection;

/** Returns the main provider. Names of its models have no prefix. */
export function homeOf(config: Config): Server {
	const { provider, connections = [] } = config;
	return connections.find(({ name }) => name === provider) ?? messagesServer(config);
}

/** Returns the other providers. Names of their models have a prefix, such as `gemini/`. */
export function othersOf({ provider, connections = [] }: Config): Server[] {
	return connections.filter(({ name }) => name !== provider);
}

interface MessagesAccess extends MessagesKey {
	readonly baseUrl?: string | undefined;
}

function messagesServer({ baseUrl, apiKey, keyName = "ANTHROPIC_API_KEY" }: MessagesAccess): Server {
	return {
		name: anthropic,
		family: anthropic,
		baseUrl: baseUrl ?? official,
		isOfficial: baseUrl === undefined,
		keyName,
		...defined({ apiKey }),
	};
}

interface ServerDeps {
	readonly table: ModelTable;
	readonly clock: Clock;
	readonly log: Logger;
	readonly defaultModel: string;
	readonly timeouts?: { readonly firstByteMs: number; readonly idleMs: number; readonly totalMs: number };
}

export function openServer({ name, family, isOfficial, ...server }: Server, deps: ServerDeps): Model {
	const { apiKey, baseUrl, traits } = server;
	const key = { apiKey, ...defined({ keyName: server.keyName }) };
	if (family === anthropic) {
		const address = defined({ baseUrl: isOfficial ? undefined : baseUrl });
		return createAnthropicModel({ provider: name, ...key, ...address, ...deps });
	}
	const model = createAiSdkModel({
		provider: name,
		family,
		baseUrl,
		...key,
		...defined({ traits }),
		...deps,
	});
	return withListedWindows(model, { server: { baseUrl, family, apiKey }, ...deps });
}
