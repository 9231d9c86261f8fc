import type { ReplyBlock, WireEvent } from "../anthropic/reply.ts";
import { openAiError } from "./chat-wire.ts";
import { responsesProblems, sealOf } from "./responses-rules.ts";
import {
	type Counted,
	type Head,
	type Issued,
	inPieces,
	jsonOf,
	type ProviderReply,
	type ProviderWire,
	stopOf,
} from "./wire.ts";

/** Types of delta events: https://developers.openai.com/api/reference/resources/responses/streaming-events */
const deltas = new Set([
	"response.output_text.delta",
	"response.reasoning_summary_text.delta",
	"response.function_call_arguments.delta",
]);

const reasons: Readonly<Record<string, string>> = {
	max_tokens: "max_output_tokens",
	refusal: "content_filter",
	model_context_window_exceeded: "max_output_tokens",
};

/** The wire of OpenAI's Responses API, with `store: false`. */
export const responsesWire: ProviderWire = responsesWireAt("/v1");

export function responsesWireAt(base: string): ProviderWire {
	return {
		name: "openai",
		base,
		form: {
			frame: ({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
			isDelta: ({ event }) => deltas.has(event),
			errorEvent: ({ type, message }) => ({
				event: "error",
				data: { type: "error", sequence_number: 1, error: { type, code: type, message, param: null } },
			}),
			ping: ": keep alive\n\n",
			end: "",
			errorBody: openAiError,
		},
		modelOf: (url, { model }) =>
			url === `${base}/responses` && typeof model === "string" ? model : undefined,
		keyOf: ({ authorization }) => authorization?.replace(/^Bearer /, ""),
		completion: '"type":"response.completed"',
		cachedPart: ({ tools, input }) => ({ tools, input }),
		problems: responsesProblems,
		events,
		usage,
		models: (names) => ({ object: "list", data: names.map((id) => ({ id, object: "model" })) }),
	};
}

function usage({ input, cached, output, reasoning }: Counted): object {
	return {
		input_tokens: input,
		input_tokens_details: { cached_tokens: cached },
		output_tokens: output,
		output_tokens_details: { reasoning_tokens: reasoning },
		total_tokens: input + output,
	};
}

function events(reply: ProviderReply, head: Head, issued: Issued): WireEvent[] {
	const { id, model, counted } = head;
	const response = { id, object: "response", created_at: 1_790_000_000, model: reply.model ?? model };
	const stop = stopOf(reply);
	const reason =
		stop === null || stop === "tool_use" || stop === "end_turn" ? undefined : (reasons[stop] ?? stop);
	const kind = reason === undefined ? "response.completed" : "response.incomplete";
	const report = reply.usage ? reply.usage(counted) : usage(counted);
	const end = {
		...response,
		incomplete_details: reason === undefined ? null : { reason },
		...(report === undefined ? {} : { usage: report }),
	};
	const list = [
		{ type: "response.created", response },
		{ type: "response.in_progress", response },
		...reply.content.flatMap((block, index) =>
			itemEvents(block, { index, id, cut: reply.cut ?? inPieces, issued }),
		),
		{ type: kind, response: end },
	];
	return list.map((data, number) => ({ event: data.type, data: { ...data, sequence_number: number } }));
}

interface Place {
	readonly index: number;
	readonly id: string;
	readonly cut: (text: string) => readonly string[];
	readonly issued: Issued;
}

interface Data {
	readonly type: string;
	readonly [field: string]: unknown;
}

function itemEvents(block: ReplyBlock, place: Place): Data[] {
	const { index: output_index, cut } = place;
	const item_id = `${place.id}_${output_index}`;
	const at = { output_index, item_id };
	switch (block.type) {
		case "text": {
			const item = { type: "message", id: `msg_${item_id}`, role: "assistant" };
			const part = { ...at, item_id: item.id, content_index: 0 };
			return [
				{
					type: "response.output_item.added",
					output_index,
					item: { ...item, status: "in_progress", content: [] },
				},
				...cut(block.text).map((delta) => ({ type: "response.output_text.delta", ...part, delta })),
				{ type: "response.output_text.done", ...part, text: block.text },
				{
					type: "response.output_item.done",
					output_index,
					item: { ...item, status: "completed", content: [] },
				},
			];
		}
		case "thinking":
			return reasoning(block.thinking, place);
		case "redacted_thinking":
			return reasoning("", place);
		case "tool_use": {
			const item = { type: "function_call", id: `fc_${item_id}`, call_id: block.id, name: block.name };
			const json = jsonOf(block);
			const part = { output_index, item_id: item.id };
			return [
				{
					type: "response.output_item.added",
					output_index,
					item: { ...item, arguments: "", status: "in_progress" },
				},
				...cut(json).map((delta) => ({ type: "response.function_call_arguments.delta", ...part, delta })),
				{ type: "response.function_call_arguments.done", ...part, arguments: json },
				{
					type: "response.output_item.done",
					output_index,
					item: { ...item, arguments: json, status: "completed" },
				},
			];
		}
	}
}

function reasoning(text: string, { index: output_index, id, cut, issued }: Place): Data[] {
	const item_id = `rs_${id}_${output_index}`;
	const seal = sealOf(item_id);
	issued.seals.set(seal, item_id);
	const item = { type: "reasoning", id: item_id, summary: [] };
	const part = { item_id, output_index, summary_index: 0 };
	const summary =
		text === ""
			? []
			: [
					{ type: "response.reasoning_summary_part.added", ...part },
					...cut(text).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...part, delta })),
					{ type: "response.reasoning_summary_part.done", ...part },
				];
	return [
		{ type: "response.output_item.added", output_index, item: { ...item, encrypted_content: null } },
		...summary,
		{ type: "response.output_item.done", output_index, item: { ...item, encrypted_content: seal } },
	];
}
