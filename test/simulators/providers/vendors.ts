import { chatWireOf } from "./chat-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { responsesWireAt } from "./responses-wire.ts";
import { type Fields, fieldsIn, type Issued, type ProviderWire } from "./wire.ts";

export interface Vendor {
	readonly name: string;
	readonly origin: string;
	readonly wire: ProviderWire;
	readonly model: string;
	/** Environment variable of the API key. Undefined for servers that need no key. */
	readonly key?: string;
	readonly environment?: Readonly<Record<string, string>>;
	readonly flags?: readonly string[];
	/** Model properties that an operator must configure. */
	readonly row?: Readonly<Record<string, unknown>>;
	/** Pattern of the request after a reply with reasoning and a call. */
	readonly returned?: RegExp;
}

/**
 * Reports fields with reasoning, which Groq and Mistral refuse: https://console.groq.com/docs/openai,
 * https://docs.mistral.ai/api
 */
function noReasoning(body: Fields): string[] {
	return fieldsIn(body["messages"]).flatMap((message, index) =>
		["reasoning", "reasoning_content", "reasoning_details"].flatMap((key) =>
			message[key] === undefined ? [] : [`messages.${index}: property '${key}' is unsupported`],
		),
	);
}

function onlyEfforts(body: Fields, ...allowed: readonly string[]): string[] {
	const { reasoning_effort: effort } = body;
	return effort === undefined || allowed.includes(String(effort)) ? [] : [`reasoning_effort: ${effort}`];
}

/**
 * Reports user messages that follow a tool message (code 3230), and ids of calls other than nine letters or digits.
 */
function mistralProblems(body: Fields): string[] {
	const messages = fieldsIn(body["messages"]);
	const order = messages.flatMap(({ role }, index) =>
		role === "user" && messages[index - 1]?.["role"] === "tool"
			? ["Unexpected role 'user' after role 'tool'"]
			: [],
	);
	const ids = messages.flatMap(({ tool_calls: calls, tool_call_id: answered }) => [
		...fieldsIn(calls).map(({ id }) => id),
		...(answered === undefined ? [] : [answered]),
	]);
	const wrong = ids.filter((id) => !/^[a-zA-Z0-9]{9}$/.test(String(id)));
	return [
		...noReasoning(body),
		...order,
		...wrong.map((id) => `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9`),
	];
}

/**
 * Reports assistant messages with calls and without reasoning, also in earlier turns: https://platform.kimi.ai/docs
 */
function kimiProblems(body: Fields): string[] {
	return fieldsIn(body["messages"]).flatMap(({ tool_calls: calls, reasoning_content: text }, index) =>
		calls !== undefined && (typeof text !== "string" || text === "")
			? [
					`thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`,
				]
			: [],
	);
}

const format = "anthropic-claude-v1";

/**
 * Returns the pieces of a text with its signature, and an encrypted block:
 * https://openrouter.ai/docs/use-cases/reasoning-tokens
 */
function openRouterReasoning(pieces: readonly string[], id: string, { seals }: Issued): object[] {
	const signature = `signed:${id}`;
	const hidden = { type: "reasoning.encrypted", data: `sealed:${id}`, id: `rs_${id}`, format, index: 1 };
	const text = { type: "reasoning.text", text: pieces.join(""), format, index: 0, signature };
	seals.set(signature, JSON.stringify([sorted(text), sorted(hidden)]));
	return [
		...pieces.map((piece) => ({
			reasoning: piece,
			reasoning_details: [{ type: "reasoning.text", text: piece, format, index: 0 }],
		})),
		{ reasoning_details: [{ type: "reasoning.text", signature, format, index: 0 }] },
		{ reasoning_details: [hidden] },
	];
}

function sorted(fields: Fields): [string, unknown][] {
	return Object.entries(fields).sort(([one], [other]) => (one < other ? -1 : 1));
}

/**
 * Reports reasoning that differs from issued reasoning. After the first reply with reasoning, also reports messages
 * with calls and without reasoning.
 */
function openRouterProblems(body: Fields, { seals }: Issued): string[] {
	const messages = fieldsIn(body["messages"]);
	const known = new Set(seals.values());
	return messages.flatMap(({ reasoning_details: details, tool_calls: calls }, index) => {
		if (details === undefined) {
			return calls !== undefined && seals.size > 0
				? [`messages.${index}: a call without its reasoning_details`]
				: [];
		}
		const given = JSON.stringify(fieldsIn(details).map(sorted));
		return known.has(given) ? [] : [`messages.${index}: Invalid signature in thinking block ${given}`];
	});
}

/** Returns Mistral's reasoning, which is part of the content: https://docs.mistral.ai/capabilities/reasoning */
function mistralReasoning(pieces: readonly string[]): object[] {
	return pieces.map((text) => ({ content: [{ type: "thinking", thinking: [{ type: "text", text }] }] }));
}

const asReasoning = (pieces: readonly string[]): object[] => pieces.map((text) => ({ reasoning: text }));

/** Azure's v1 API: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle */
const azure = {
	name: "azure",
	origin: "https://acme.openai.azure.com",
	wire: responsesWireAt("/openai/v1"),
	key: "AZURE_OPENAI_API_KEY",
	flags: ["--base-url", "https://acme.openai.azure.com/openai/v1"],
	returned: /"type":"reasoning","id":"rs_[^"]*","encrypted_content":"sealed:/,
};

export const vendors: readonly Vendor[] = [
	{
		name: "openai",
		origin: "https://api.openai.com",
		wire: responsesWireAt("/v1"),
		model: "gpt-6.2-sol",
		key: "OPENAI_API_KEY",
		returned: /"type":"reasoning","id":"rs_[^"]*","encrypted_content":"sealed:/,
	},
	{
		name: "gemini",
		origin: "https://generativelanguage.googleapis.com",
		wire: geminiWire,
		model: "gemini-4-hydrogen",
		key: "GEMINI_API_KEY",
		returned: /"thoughtSignature":"/,
	},
	{
		name: "openrouter",
		origin: "https://openrouter.ai",
		wire: chatWireOf({
			base: "/api/v1",
			reasoning: openRouterReasoning,
			problems: openRouterProblems,
			ping: ": OPENROUTER PROCESSING\n\n",
		}),
		model: "anthropic/claude-sonnet-5.5",
		key: "OPENROUTER_API_KEY",
		row: { reasoning: "always" },
		returned: /"reasoning_details":\[\{"type":"reasoning\.text"/,
	},
	{
		name: "mistral",
		origin: "https://api.mistral.ai",
		wire: chatWireOf({
			base: "/v1",
			reasoning: mistralReasoning,
			completeCalls: true,
			problems: (body) => [...mistralProblems(body), ...onlyEfforts(body, "none", "high")],
		}),
		model: "mistral-medium-latest",
		key: "MISTRAL_API_KEY",
		row: { reasoning: "adaptive" },
	},
	{
		name: "groq",
		origin: "https://api.groq.com",
		wire: chatWireOf({
			base: "/openai/v1",
			reasoning: asReasoning,
			problems: (body) => [
				...noReasoning(body),
				...onlyEfforts(body, "none", "default", "low", "medium", "high"),
			],
		}),
		model: "openai/gpt-oss-120b",
		key: "GROQ_API_KEY",
		row: { reasoning: "always" },
	},
	{
		name: "kimi",
		origin: "https://api.kimi.com",
		wire: chatWireOf({ base: "/coding/v1", problems: kimiProblems }),
		model: "kimi-for-coding",
		key: "KIMI_API_KEY",
		returned: /"reasoning_content":"I should look\."/,
	},
	{
		name: "moonshot",
		origin: "https://api.moonshot.ai",
		wire: chatWireOf({ base: "/v1", problems: kimiProblems }),
		model: "kimi-k2.6",
		key: "MOONSHOT_API_KEY",
		returned: /"reasoning_content":"I should look\."/,
	},
	{
		name: "bedrock",
		origin: "https://bedrock-runtime.us-west-2.amazonaws.com",
		wire: chatWireOf({ base: "/openai/v1", problems: noReasoning }),
		model: "openai.gpt-oss-120b-1:0",
		key: "AWS_BEARER_TOKEN_BEDROCK",
		environment: { AWS_REGION: "us-west-2" },
	},
	// Two deployments: the first has the name of its model, and the second has a different name.
	{ ...azure, model: "gpt-6.2-sol" },
	{ ...azure, model: "team-chat", row: { reasoning: "always" } },
	{
		name: "vllm",
		origin: "http://127.0.0.1:8000",
		wire: chatWireOf({ base: "/v1", reasoning: asReasoning }),
		model: "Qwen/Qwen3-8B",
		returned: /"reasoning_content":"I should look\."/,
	},
	{
		name: "lmstudio",
		origin: "http://127.0.0.1:1234",
		wire: chatWireOf({ base: "/v1" }),
		model: "qwen3-8b@q4_k_m",
		returned: /"reasoning_content":"I should look\."/,
	},
	{
		name: "ollama",
		origin: "http://127.0.0.1:11434",
		wire: chatWireOf({ base: "/v1", reasoning: asReasoning, completeCalls: true }),
		model: "qwen3:8b",
		returned: /"reasoning_content":"I should look\."/,
	},
];
