import type { ReplyBlock, WireEvent } from "../anthropic/reply.ts";
import { geminiProblems, signatureOf } from "./gemini-rules.ts";
import {
	type Counted,
	type Head,
	type Issued,
	inPieces,
	type ProviderReply,
	type ProviderWire,
	stopOf,
} from "./wire.ts";

/**
 * Finish reasons by the stop reason of the Messages API:
 * https://ai.google.dev/api/generate-content#FinishReason
 */
const reasons: Readonly<Record<string, string>> = {
	end_turn: "STOP",
	stop_sequence: "STOP",
	tool_use: "STOP",
	max_tokens: "MAX_TOKENS",
	model_context_window_exceeded: "MAX_TOKENS",
	refusal: "SAFETY",
};

const address = /^\/v1beta\/models\/([\w.-]+):streamGenerateContent\?alt=sse$/;

/** Error statuses by HTTP status: https://ai.google.dev/gemini-api/docs/troubleshooting */
const statuses: Readonly<Record<number, string>> = {
	400: "INVALID_ARGUMENT",
	401: "UNAUTHENTICATED",
	403: "PERMISSION_DENIED",
	404: "NOT_FOUND",
	429: "RESOURCE_EXHAUSTED",
	500: "INTERNAL",
	503: "UNAVAILABLE",
};

const codes: Readonly<Record<string, number>> = {
	server_error: 500,
	rate_limit_error: 429,
	invalid_request_error: 400,
	authentication_error: 401,
};

export const geminiWire: ProviderWire = {
	name: "google",
	base: "/v1beta",
	form: {
		frame: ({ data }) => `data: ${JSON.stringify(data)}\n\n`,
		isDelta: ({ event }) => event === "delta",
		errorEvent: ({ type, message }) => {
			const code = codes[type] ?? 500;
			return { event: "error", data: { error: { code, message, status: statuses[code] } } };
		},
		ping: ": keep alive\n\n",
		end: "",
		errorBody: (code, message) =>
			JSON.stringify({ error: { code, message, status: statuses[code] ?? "UNKNOWN" } }),
	},
	modelOf: (url) => address.exec(url)?.[1],
	keyOf: ({ "x-goog-api-key": key }) => (Array.isArray(key) ? key[0] : key),
	completion: '"finishReason":"',
	cachedPart: ({ tools, systemInstruction, contents }) => ({ tools, systemInstruction, contents }),
	problems: geminiProblems,
	events,
	usage,
	models: (names) => ({ models: names.map((name) => ({ name: `models/${name}` })) }),
};

function usage({ input, cached, output, reasoning }: Counted): object {
	return {
		promptTokenCount: input,
		cachedContentTokenCount: cached,
		candidatesTokenCount: output - reasoning,
		thoughtsTokenCount: reasoning,
		totalTokenCount: input + output,
	};
}

function events(reply: ProviderReply, { id, model, counted }: Head, issued: Issued): WireEvent[] {
	const base = { modelVersion: reply.model ?? model, responseId: id };
	const stop = stopOf(reply);
	const report = reply.usage ? reply.usage(counted) : usage(counted);
	const finishReason = stop === null ? undefined : (reasons[stop] ?? stop.toUpperCase());
	const parts = partsOf(reply, id, issued);
	const last = {
		content: { role: "model", parts: [] },
		index: 0,
		...(finishReason === undefined ? {} : { finishReason }),
	};
	return [
		...parts.map((part) => ({
			event: "delta",
			data: { ...base, candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] },
		})),
		{
			event: "stop",
			data: { ...base, candidates: [last], ...(report === undefined ? {} : { usageMetadata: report }) },
		},
	];
}

/**
 * Returns the parts of a reply. A redacted block becomes an empty text with a signature. A reply with thinking has
 * one more signature: at the first call or, without calls, in an empty text at the end of the reply.
 */
function partsOf({ content, cut = inPieces }: ProviderReply, id: string, { seals }: Issued): object[] {
	const thinks = content.some(({ type }) => type === "thinking" || type === "redacted_thinking");
	const firstCall = content.findIndex(({ type }) => type === "tool_use");
	const signature = signatureOf(id);
	if (thinks) seals.set(signature, firstCall < 0 ? "text" : "call");
	const parts = content.flatMap((block, index) => {
		if (block.type === "redacted_thinking") {
			// A signature can be in a part with an empty text: https://ai.google.dev/gemini-api/docs/thought-signatures
			const own = signatureOf(`${id}_${index}`);
			seals.set(own, "text");
			return [{ text: "", thoughtSignature: own }];
		}
		return blockParts(block, cut, thinks && index === firstCall ? signature : "");
	});
	return thinks && firstCall < 0 ? [...parts, { text: "", thoughtSignature: signature }] : parts;
}

function blockParts(
	block: ReplyBlock,
	cut: (text: string) => readonly string[],
	signature: string,
): object[] {
	switch (block.type) {
		case "text":
			return cut(block.text).map((text) => ({ text }));
		case "thinking":
			return cut(block.thinking).map((text) => ({ text, thought: true }));
		case "redacted_thinking":
			return [];
		case "tool_use": {
			const { id, name, json, input = {} } = block;
			// The service sends an object. A string simulates damaged arguments.
			const args = json ?? input;
			return [
				{ functionCall: { id, name, args }, ...(signature === "" ? {} : { thoughtSignature: signature }) },
			];
		}
	}
}
