import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test, vi } from "vitest";
import type { ModelEvent, ModelRequest } from "../../vocabulary/model.ts";
import { ModelTable, unknownModel } from "../table/model-table.ts";
import { type AiSdkOptions, createAiSdkModel } from "./ai-sdk-model.ts";
import { type ApiFamily, apiFamilies } from "./families.ts";

interface Sent {
	readonly url: string;
	readonly headers: Headers;
	readonly init: RequestInit | undefined;
}

const request: ModelRequest = {
	model: "m",
	system: "",
	messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }],
	tools: [],
	sampling: { topK: 7 },
};

const bodies: Readonly<Record<ApiFamily, string>> = {
	compatible: 'data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
	openai:
		'data: {"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"i"}}\n\n' +
		'data: {"type":"response.output_text.delta","item_id":"i","output_index":0,"delta":"Hello"}\n\n' +
		'data: {"type":"response.completed","response":{}}\n\n',
	google: 'data: {"candidates":[{"content":{"parts":[{"text":"Hello"}]},"finishReason":"STOP"}]}\n\n',
};

function modelOf(family: ApiFamily, options: Partial<AiSdkOptions> = {}) {
	const sent: Sent[] = [];
	const log = new MemoryLogger();
	const answer: typeof fetch = async (url, init) => {
		sent.push({ url: String(url), headers: new Headers(init?.headers), init });
		return new Response(bodies[family], { headers: { "content-type": "text/event-stream" } });
	};
	const model = createAiSdkModel({
		...{ provider: "acme", family, baseUrl: "https://models.test/v1", apiKey: undefined },
		...{ table: new ModelTable([unknownModel("m", "acme")]), clock: new ManualClock(), log, fetch: answer },
		...options,
	});
	return { model, sent, log };
}

async function eventsOf(events: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
	const list: ModelEvent[] = [];
	for await (const event of events) list.push(event);
	return list;
}

const { signal } = new AbortController();

test.each(apiFamilies)(
	"%s: without a key, no header contains a key, not even one of the environment",
	async (family) => {
		for (const name of ["OPENAI_API_KEY", "GOOGLE_GENERATIVE_AI_API_KEY", "OPENAI_BASE_URL"])
			vi.stubEnv(name, "http://x.test");
		try {
			const { model, sent } = modelOf(family);
			expect(model).toMatchObject({ provider: "acme", defaultModel: "m" });
			const events = await eventsOf(model.stream(request, signal));
			expect(events).toContainEqual({ type: "text", text: "Hello" });
			expect(events.at(-1)).toMatchObject({ type: "end", stop: "end_turn" });
			expect(sent).toHaveLength(1);
			expect(sent[0]?.url).toMatch(/^https:\/\/models\.test\/v1\//);
			expect(sent[0]?.init?.redirect).toBe("manual");
			for (const name of ["authorization", "x-goog-api-key"]) expect(sent[0]?.headers.has(name)).toBe(false);
		} finally {
			vi.unstubAllEnvs();
		}
	},
);

test.each([
	["compatible", "authorization", "Bearer key-1"],
	["openai", "authorization", "Bearer key-1"],
	["google", "x-goog-api-key", "key-1"],
] as const)("%s: the key is in its header, and not in the address", async (family, header, value) => {
	const { model, sent } = modelOf(family, { apiKey: "key-1" });
	await eventsOf(model.stream(request, signal));
	expect(sent[0]?.headers.get(header)).toBe(value);
	expect(sent[0]?.url).not.toContain("key-1");
});

test("settings that an API does not have are logged once", async () => {
	const { model, log } = modelOf("compatible");
	await eventsOf(model.stream(request, signal));
	await eventsOf(model.stream(request, signal));
	const dropped = log.records.filter(({ message }) => message.startsWith("settings that"));
	expect(dropped).toMatchObject([{ level: "warn", fields: { model: "m", settings: ["topK"] } }]);
});

test.each<[string, Partial<AiSdkOptions>, RegExp]>([
	["a key with a space", { apiKey: "a b" }, /contains a space/],
	["an address without a scheme", { baseUrl: "models.test" }, /invalid base URL ".*" of acme/],
	["an address with a password", { baseUrl: "https://u:p@models.test" }, /invalid base URL ".*" of acme/],
	["no model", { table: new ModelTable() }, /no model is set, and acme has no default model/],
])("%s is refused", (_, options, message) => {
	expect(() => modelOf("compatible", options)).toThrow(message);
});
