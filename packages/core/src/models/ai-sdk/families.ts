import type { LanguageModelV4, SharedV4ProviderOptions } from "@ai-sdk/provider";
import { defined } from "@parley/base";
import { ReasoningDetails } from "./reasoning-details.ts";

/**
 * Families of APIs.
 * - compatible: the Chat Completions API of OpenAI. Many other servers support it.
 * - openai: the Responses API of OpenAI.
 * - google: the Gemini API.
 */
export const apiFamilies = ["compatible", "openai", "google"] as const;
export type ApiFamily = (typeof apiFamilies)[number];

export interface FamilyFacts {
	/** Name of the API in error messages. */
	readonly api: string;
	/** Pattern of the text in the last event of a stream. */
	readonly last: RegExp;
	/** Place of a tool's images: the tool result, or a user message if the API accepts only text in tool results. */
	readonly pictures: "result" | "user";
	/** Whether a text without characters may have metadata, for example a signature at the end of a reply. */
	readonly emptyTexts: boolean;
	/**
	 * Whether an assistant message must follow tool results before the next user message. Chat templates of some models
	 * require the message.
	 */
	readonly answersResults: boolean;
	/** Returns the provider settings of a request. `thinks` is undefined for an unknown model. */
	readonly options: (thinks: boolean | undefined) => SharedV4ProviderOptions;
}

export const families: Readonly<Record<ApiFamily, FamilyFacts>> = {
	compatible: {
		api: "Chat Completions API",
		last: /(?:^|[\r\n])data: ?\[DONE\]/,
		pictures: "user",
		emptyTexts: false,
		answersResults: true,
		options: () => ({}),
	},
	openai: {
		api: "Responses API",
		last: /"type": ?"response\.(?:completed|incomplete|failed)"/,
		pictures: "result",
		emptyTexts: false,
		answersResults: false,
		// Without stored replies, each request repeats the encrypted reasoning. The library recognises only OpenAI's model
		// names, but a deployment can have any name.
		options: (thinks) => ({ openai: { store: false, ...defined({ forceReasoning: thinks }) } }),
	},
	google: {
		api: "Gemini API",
		last: /"finishReason": ?"/,
		pictures: "result",
		emptyTexts: true,
		answersResults: false,
		options: (thinks): SharedV4ProviderOptions =>
			thinks ? { google: { thinkingConfig: { includeThoughts: true } } } : {},
	},
};

export interface Connection {
	readonly family: ApiFamily;
	readonly baseUrl: string;
	readonly apiKey: string | undefined;
	readonly fetch: typeof fetch;
}

/** Placeholder for a missing key. Without a value, some libraries search the environment for a key. */
const NO_KEY = "none";
const keyHeaders = ["authorization", "x-goog-api-key"];

/** Opens a provider's library for one model. The library makes no retries, because callers use only `doStream`. */
export async function openLibrary(connection: Connection, model: string): Promise<LanguageModelV4> {
	const { family, baseUrl: baseURL, apiKey = NO_KEY } = connection;
	const fetch = connection.apiKey === undefined ? withoutKey(connection.fetch) : connection.fetch;
	switch (family) {
		case "compatible": {
			const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
			return createOpenAICompatible({
				name: "compatible",
				baseURL,
				apiKey,
				fetch,
				includeUsage: true,
				metadataExtractor,
			}).chatModel(model);
		}
		case "openai": {
			const { createOpenAI } = await import("@ai-sdk/openai");
			return createOpenAI({ baseURL, apiKey, fetch }).responses(model);
		}
		case "google": {
			const { createGoogle } = await import("@ai-sdk/google");
			return createGoogle({ baseURL, apiKey, fetch }).chat(model);
		}
	}
}

const metadataExtractor = {
	// Parley requests only streamed replies, so this function has nothing to read.
	extractMetadata: async () => undefined,
	createStreamExtractor: () => new ReasoningDetails(),
};

function withoutKey(send: typeof fetch): typeof fetch {
	return (url, init) => {
		const headers = new Headers(init?.headers);
		for (const name of keyHeaders) headers.delete(name);
		return send(url, { ...init, headers });
	};
}
