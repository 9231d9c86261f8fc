import { expect, test } from "vitest";
import { chooseProvider } from "./provider.ts";
import type { ProviderConnection } from "./provider-connections.ts";
import type { Settings } from "./schema.ts";

type Environment = Readonly<Record<string, string>>;

const key = "sk-0123456789abcdef";
const ANTHROPIC_API_KEY = "sk-ant-real-0123456789";

function connections(settings: Settings, environment: Environment = {}): readonly ProviderConnection[] {
	return chooseProvider(settings, environment).connections ?? [];
}

test.each<[string, Settings, Environment, Partial<ProviderConnection>]>([
	[
		"openai",
		{ provider: "openai" },
		{ OPENAI_API_KEY: key },
		{ family: "openai", baseUrl: "https://api.openai.com/v1", apiKey: key, isOfficial: true },
	],
	[
		"gemini",
		{ provider: "gemini" },
		{ GEMINI_API_KEY: key },
		{ family: "google", baseUrl: "https://generativelanguage.googleapis.com/v1beta", apiKey: key },
	],
	[
		"openrouter",
		{ provider: "openrouter" },
		{ OPENROUTER_API_KEY: key },
		{ family: "compatible", baseUrl: "https://openrouter.ai/api/v1", keyName: "OPENROUTER_API_KEY" },
	],
	[
		"mistral",
		{ provider: "mistral" },
		{ MISTRAL_API_KEY: key },
		{
			family: "compatible",
			baseUrl: "https://api.mistral.ai/v1",
			traits: { callIds: "short", returnedThinking: "none" },
		},
	],
	["groq", { provider: "groq" }, { GROQ_API_KEY: key }, { baseUrl: "https://api.groq.com/openai/v1" }],
	[
		"kimi",
		{ provider: "kimi" },
		{ MOONSHOT_API_KEY: key },
		{ family: "compatible", baseUrl: "https://api.kimi.com/coding/v1", keyName: "MOONSHOT_API_KEY" },
	],
	[
		"moonshot",
		{ provider: "moonshot" },
		{ MOONSHOT_API_KEY: key },
		{ family: "compatible", baseUrl: "https://api.moonshot.ai/v1", keyName: "MOONSHOT_API_KEY" },
	],
	[
		"bedrock",
		{ provider: "bedrock" },
		{ AWS_BEARER_TOKEN_BEDROCK: key, AWS_REGION: "eu-west-1" },
		{ baseUrl: "https://bedrock-runtime.eu-west-1.amazonaws.com/openai/v1", apiKey: key },
	],
	[
		"azure",
		{
			provider: "azure",
			models: { providers: { azure: { baseUrl: "https://r.openai.azure.com/openai/v1/" } } },
		},
		{ AZURE_OPENAI_API_KEY: key },
		{ family: "openai", baseUrl: "https://r.openai.azure.com/openai/v1", isOfficial: false },
	],
	[
		"azure",
		{ provider: "azure", baseUrl: "https://r.openai.azure.com" },
		{ AZURE_OPENAI_API_KEY: key },
		{ family: "openai", baseUrl: "https://r.openai.azure.com/openai/v1", apiKey: key },
	],
	["vllm", { provider: "vllm" }, {}, { family: "compatible", baseUrl: "http://127.0.0.1:8000/v1" }],
	["lmstudio", { provider: "lmstudio" }, {}, { baseUrl: "http://127.0.0.1:1234/v1" }],
	["ollama", { provider: "ollama" }, {}, { baseUrl: "http://127.0.0.1:11434/v1" }],
	[
		"openai",
		{ provider: "openai", baseUrl: "http://127.0.0.1:9/v1" },
		{},
		// Servers other than the vendor's usually have the older API.
		{ family: "compatible", baseUrl: "http://127.0.0.1:9/v1", isOfficial: false },
	],
	[
		"mine",
		{
			provider: "mine",
			models: { providers: { mine: { api: "messages", baseUrl: "http://10.0.0.2/v1", key: "MINE" } } },
		},
		{ MINE: key },
		{ family: "anthropic", baseUrl: "http://10.0.0.2/v1", apiKey: key, keyName: "MINE" },
	],
])("%s with %j", (name, settings, environment, expected) => {
	expect(chooseProvider(settings, environment)).toMatchObject({
		provider: name,
		providerReason: "configured",
	});
	expect(connections(settings, environment)[0]).toMatchObject({ name, ...expected });
});

test("keys of the environment are found, and Anthropic's has precedence", () => {
	const keys = { OPENAI_API_KEY: key, GEMINI_API_KEY: key, OPENROUTER_API_KEY: key };
	expect(chooseProvider({}, keys)).toMatchObject({ provider: "openai", providerReason: "key" });
	expect(connections({}, keys).map(({ name }) => name)).toEqual(["openai", "gemini", "openrouter"]);
	expect(chooseProvider({}, { ...keys, ANTHROPIC_API_KEY })).toMatchObject({
		provider: "anthropic",
		apiKey: ANTHROPIC_API_KEY,
		connections: [{ name: "openai" }, { name: "gemini" }, { name: "openrouter" }],
	});
	expect(chooseProvider({ provider: "gemini" }, { ...keys, ANTHROPIC_API_KEY })).toMatchObject({
		provider: "gemini",
		connections: [{ name: "gemini" }],
	});
	// An invalid key for another program must not prevent the start of the gateway.
	expect(chooseProvider({}, { OPENAI_API_KEY: "changeme", GEMINI_API_KEY: " " })).toMatchObject({
		provider: "offline",
	});
	expect(chooseProvider({ provider: "offline" }, keys)).toEqual({
		provider: "offline",
		providerReason: "configured",
	});
});

test("a configured provider is used if there is no key of Anthropic", () => {
	const settings = { models: { providers: { ollama: {} } } };
	expect(chooseProvider(settings, { OPENAI_API_KEY: key })).toMatchObject({
		provider: "ollama",
		providerReason: "configured",
		connections: [{ name: "ollama" }],
	});
});

test.each<[string, Settings]>([
	["a provider", { provider: "groq" }],
	["a known provider", { provider: "openrouter" }],
	["a server", { baseUrl: "http://127.0.0.1:8080" }],
	["a server of anthropic", { provider: "anthropic", baseUrl: "http://127.0.0.1:8080" }],
	["a local model server", { llama: {} }],
])("if the operator names %s, only configured providers are available in addition", (_, settings) => {
	const keys = { OPENAI_API_KEY: key, OPENROUTER_API_KEY: key, GROQ_API_KEY: key, ANTHROPIC_API_KEY };
	const further = (providers: NonNullable<Settings["models"]>["providers"]): readonly string[] =>
		connections({ ...settings, models: { providers } }, keys)
			.map(({ name }) => name)
			.filter((name) => name !== settings.provider);
	expect(further({})).toEqual([]);
	expect(further({ openai: {} })).toEqual(["openai"]);
});

test("an entry opens Anthropic beside a named provider, at its own address and with its own key", () => {
	const settings = { provider: "groq", models: { providers: { anthropic: {} } } };
	expect(connections(settings, { GROQ_API_KEY: key, ANTHROPIC_API_KEY })[1]).toEqual({
		name: "anthropic",
		family: "anthropic",
		baseUrl: "https://api.anthropic.com",
		isOfficial: true,
		apiKey: ANTHROPIC_API_KEY,
		keyName: "ANTHROPIC_API_KEY",
	});
	// The key of the flag belongs to Groq, the first provider.
	const [first, second] = chooseProvider(settings, { ANTHROPIC_API_KEY: key }, "--api-key").connections ?? [];
	expect(first).toMatchObject({ name: "groq", apiKey: key });
	expect(second).toMatchObject({ name: "anthropic" });
	expect(second).not.toHaveProperty("apiKey");
});

test("the key of a vendor goes to another address only if it is named, or the address came with the provider", () => {
	const baseUrl = "https://models.example.org/v1";
	const first = (settings: Settings): ProviderConnection | undefined =>
		connections(settings, { OPENAI_API_KEY: key, AWS_BEARER_TOKEN_BEDROCK: key })[0];
	const openai = (entry: object): Settings => ({ models: { providers: { openai: entry } } });
	expect(first(openai({ baseUrl }))).toMatchObject({ name: "openai", baseUrl });
	expect(first(openai({ baseUrl }))).not.toHaveProperty("apiKey");
	expect(first({ provider: "openai", ...openai({ baseUrl }) })).not.toHaveProperty("apiKey");
	expect(first(openai({ baseUrl, key: "OPENAI_API_KEY" }))).toMatchObject({ apiKey: key });
	expect(first({ provider: "openai", baseUrl })).toMatchObject({ apiKey: key });
	const official = { baseUrl: "https://api.openai.com/v1/" };
	expect(first(openai(official))).toMatchObject({ apiKey: key, isOfficial: true, family: "openai" });
	const bedrock = (region: string): Settings => ({
		models: {
			providers: { bedrock: { baseUrl: `https://bedrock-runtime.${region}.amazonaws.com/openai/v1` } },
		},
	});
	expect(first(bedrock("eu-west-1"))).toMatchObject({ apiKey: key });
	expect(first(bedrock("evil.example.org/x"))).not.toHaveProperty("apiKey");
});

test("an invalid key of Anthropic is ignored if another provider is named", () => {
	for (const text of ["changeme", "sk-ant one"]) {
		const environment = { OPENAI_API_KEY: key, ANTHROPIC_API_KEY: text };
		expect(chooseProvider({ provider: "openai" }, environment)).not.toHaveProperty("apiKey");
	}
});

test("the key of a flag belongs to the named provider", () => {
	const environment = { ANTHROPIC_API_KEY: key };
	const choice = chooseProvider({ provider: "kimi" }, environment, "--api-key");
	expect(choice).toMatchObject({ connections: [{ name: "kimi", apiKey: key, keyName: "--api-key" }] });
	expect(choice).not.toHaveProperty("apiKey");
});

test.each<[string, Settings, Environment, RegExp]>([
	["no key", { provider: "openai" }, {}, /^provider openai needs a key: set OPENAI_API_KEY/],
	["a placeholder", { provider: "openai" }, { OPENAI_API_KEY: "changeme" }, /OPENAI_API_KEY is "changeme"/],
	["no region", { provider: "bedrock" }, { AWS_BEARER_TOKEN_BEDROCK: key }, /set AWS_REGION/],
	[
		"a region with an address",
		{ provider: "bedrock" },
		{ AWS_REGION: "a.b/c" },
		/invalid region "a.b\/c" in AWS_REGION/,
	],
	[
		"no address",
		{ provider: "azure" },
		{ AZURE_OPENAI_API_KEY: key },
		/models\.providers\.azure\.baseUrl is missing/,
	],
	[
		"a key without encryption",
		{ provider: "openai", baseUrl: "http://models.example.org/v1" },
		{ OPENAI_API_KEY: key },
		/^"http:\/\/models\.example\.org\/v1" is not allowed for --base-url: .*without encryption/,
	],
	[
		"a key without encryption in the list of providers",
		{ models: { providers: { mine: { baseUrl: "http://models.example.org/v1", key: "MINE" } } } },
		{ MINE: key },
		/^"http:\/\/models\.example\.org\/v1" is not allowed for models\.providers\.mine\.baseUrl: /,
	],
	[
		"a local server of the Messages API too",
		{ provider: "openai", llama: {} },
		{ OPENAI_API_KEY: key },
		/llama/,
	],
	[
		"Anthropic beside a server of that name",
		{ baseUrl: "http://127.0.0.1:8080", models: { providers: { anthropic: {} } } },
		{ ANTHROPIC_API_KEY },
		/models\.providers\.anthropic cannot be used together with baseUrl/,
	],
])("%s is refused", (_, settings, environment, message) => {
	expect(() => chooseProvider(settings, environment)).toThrow(message);
});

test("each variable of Kimi finds the service that gives its keys", () => {
	const names = (environment: Environment) => connections({}, environment).map(({ name }) => name);
	expect(names({ KIMI_API_KEY: key })).toEqual(["kimi"]);
	expect(names({ MOONSHOT_API_KEY: key })).toEqual(["moonshot"]);
	expect(names({ KIMI_API_KEY: key, MOONSHOT_API_KEY: key })).toEqual(["kimi", "moonshot"]);
});

test.each(["--base-url", "models.providers.azure.baseUrl"])(
	"an address of the older API of Azure is refused with the right one: %s",
	(place) => {
		const address = "https://r.openai.azure.com/openai/deployments/d";
		const settings: Settings =
			place === "--base-url"
				? { provider: "azure", baseUrl: address }
				: { provider: "azure", models: { providers: { azure: { baseUrl: address } } } };
		expect(() => connections(settings, { AZURE_OPENAI_API_KEY: key })).toThrow(
			`is not allowed for ${place}: only the v1 API of Azure is supported; allowed: https://r.openai.azure.com/openai/v1,`,
		);
	},
);
