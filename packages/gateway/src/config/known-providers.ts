import type { ApiFamily, ServerTraits } from "@parley/core";

/** API family by the API's name in the configuration. */
export const apiNames = {
	"chat-completions": "compatible",
	responses: "openai",
	gemini: "google",
	messages: "anthropic",
} as const satisfies Readonly<Record<string, ApiFamily | "anthropic">>;

export type ApiName = keyof typeof apiNames;

export const apis: readonly ApiName[] = ["chat-completions", "responses", "gemini", "messages"];

/** Provider that can be configured by its name. */
export interface KnownProvider {
	readonly api: ApiName;
	/**
	 * Address of the API. `{NAME}` is replaced with the value of the environment variable NAME. Absent if each account
	 * has its own address.
	 */
	readonly baseUrl?: string;
	/** Variables that can contain the key, in order of precedence. Empty for servers without keys. */
	readonly keys: readonly string[];
	/** Whether the gateway uses the provider without configuration if the first variable contains a usable key. */
	readonly isDiscovered?: boolean;
	readonly traits?: ServerTraits;
}

/** Effort levels that most servers accept. */
const common = ["none", "low", "medium", "high"] as const;
const local: ServerTraits = { efforts: common };
/**
 * Traits of Kimi's servers. The servers require each request to send back the thinking of all tool calls, even of
 * earlier turns: https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model
 */
const kimi: ServerTraits = { returnedThinking: "all", efforts: common };

/**
 * Known providers by name. The addresses and variables come from the documentation of the vendors:
 * - azure: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle (the v1 API).
 * - bedrock: https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html
 * - kimi: https://www.kimi.com/code/docs, and moonshot: https://platform.kimi.ai/docs. kimi and moonshot have
 *   different keys. `MOONSHOT_API_KEY` may also contain the key for kimi, but this variable alone does not choose
 *   kimi.
 * - mistral: https://docs.mistral.ai/api, and groq: https://console.groq.com/docs/openai. mistral and groq refuse
 *   unknown fields of a message.
 */
export const knownProviders = {
	anthropic: {
		api: "messages",
		baseUrl: "https://api.anthropic.com",
		keys: ["ANTHROPIC_API_KEY"],
	},
	openai: {
		api: "responses",
		baseUrl: "https://api.openai.com/v1",
		keys: ["OPENAI_API_KEY"],
		isDiscovered: true,
	},
	gemini: {
		api: "gemini",
		baseUrl: "https://generativelanguage.googleapis.com/v1beta",
		keys: ["GEMINI_API_KEY"],
		isDiscovered: true,
	},
	openrouter: {
		api: "chat-completions",
		baseUrl: "https://openrouter.ai/api/v1",
		keys: ["OPENROUTER_API_KEY"],
		isDiscovered: true,
		traits: { efforts: [...common, "xhigh"] },
	},
	mistral: {
		api: "chat-completions",
		baseUrl: "https://api.mistral.ai/v1",
		keys: ["MISTRAL_API_KEY"],
		traits: { callIds: "short", returnedThinking: "none", efforts: ["none", "high"] },
	},
	groq: {
		api: "chat-completions",
		baseUrl: "https://api.groq.com/openai/v1",
		keys: ["GROQ_API_KEY"],
		traits: { returnedThinking: "none", efforts: common },
	},
	kimi: {
		api: "chat-completions",
		baseUrl: "https://api.kimi.com/coding/v1",
		keys: ["KIMI_API_KEY", "MOONSHOT_API_KEY"],
		isDiscovered: true,
		traits: kimi,
	},
	moonshot: {
		api: "chat-completions",
		baseUrl: "https://api.moonshot.ai/v1",
		keys: ["MOONSHOT_API_KEY"],
		isDiscovered: true,
		traits: kimi,
	},
	bedrock: {
		api: "chat-completions",
		baseUrl: "https://bedrock-runtime.{AWS_REGION}.amazonaws.com/openai/v1",
		keys: ["AWS_BEARER_TOKEN_BEDROCK"],
		traits: { returnedThinking: "none", efforts: common },
	},
	azure: { api: "responses", keys: ["AZURE_OPENAI_API_KEY"] },
	vllm: { api: "chat-completions", baseUrl: "http://127.0.0.1:8000/v1", keys: [], traits: local },
	lmstudio: { api: "chat-completions", baseUrl: "http://127.0.0.1:1234/v1", keys: [], traits: local },
	ollama: { api: "chat-completions", baseUrl: "http://127.0.0.1:11434/v1", keys: [], traits: local },
} as const satisfies Readonly<Record<string, KnownProvider>>;

/** All variables that can contain the key of a provider. */
export const keyVariables: readonly string[] = [
	...new Set(Object.values<KnownProvider>(knownProviders).flatMap(({ keys }) => keys)),
];

export function knownProvider(name: string): KnownProvider | undefined {
	return Object.entries<KnownProvider>(knownProviders).find(([known]) => known === name)?.[1];
}
