import { createHash } from "node:crypto";
import type {
	Message,
	RawContentBlockDelta,
	RawContentBlockStartEvent,
	RawMessageStreamEvent,
	Usage,
} from "@anthropic-ai/sdk/resources/messages";
import type { ReplyBlock, StreamedReply, WireEvent } from "./reply.ts";

export interface Head {
	readonly id: string;
	readonly model: string;
	readonly usage: Usage;
}

/** Returns the events of a complete reply, including pings. */
export function streamEvents(reply: StreamedReply, { id, model, usage }: Head): WireEvent[] {
	const answering = reply.model ?? model;
	const empty: Message = {
		id,
		type: "message",
		role: "assistant",
		model: answering,
		content: [],
		container: null,
		diagnostics: null,
		stop_details: null,
		stop_reason: null,
		stop_sequence: null,
		usage: { ...usage, output_tokens: 1, output_tokens_details: null },
	};
	const events = [
		wire({ type: "message_start", message: empty }),
		...reply.content.flatMap((block, index) => blockEvents(block, index, reply.cut ?? inPieces)),
		messageDelta(reply, usage),
		wire({ type: "message_stop" }),
	];
	const reported = reply.usage ? events.map((event) => withUsage(event, reply.usage?.(usage))) : events;
	const complete = withPings(reported, reply.pingEvery);
	return reply.edit ? [...reply.edit(complete)] : complete;
}

/** Returns a fake signature that depends on the thinking. */
export function signatureOf(thinking: string): string {
	return createHash("sha512").update(`thinking ${thinking}`).digest("base64");
}

function wire(data: RawMessageStreamEvent): WireEvent {
	return { event: data.type, data };
}

function inPieces(text: string): string[] {
	const signs = [...text];
	const pieces: string[] = [];
	for (let from = 0; from < signs.length; from += 16) pieces.push(signs.slice(from, from + 16).join(""));
	return pieces;
}

type Cut = (text: string) => readonly string[];

function blockEvents(block: ReplyBlock, index: number, cut: Cut): WireEvent[] {
	return [
		wire({ type: "content_block_start", index, content_block: opened(block) }),
		...deltasOf(block, cut).map((delta) => wire({ type: "content_block_delta", index, delta })),
		wire({ type: "content_block_stop", index }),
	];
}

function opened(block: ReplyBlock): RawContentBlockStartEvent["content_block"] {
	switch (block.type) {
		case "text":
			return { type: "text", text: "", citations: null };
		case "thinking":
			return { type: "thinking", thinking: "", signature: "" };
		case "redacted_thinking":
			return block;
		case "tool_use":
			return { type: "tool_use", id: block.id, name: block.name, input: {}, caller: { type: "direct" } };
	}
}

function deltasOf(block: ReplyBlock, cut: Cut): RawContentBlockDelta[] {
	switch (block.type) {
		case "text":
			return cut(block.text).map((text) => ({ type: "text_delta", text }));
		case "thinking":
			return [
				...cut(block.thinking).map((thinking) => ({ type: "thinking_delta" as const, thinking })),
				{ type: "signature_delta", signature: block.signature ?? signatureOf(block.thinking) },
			];
		case "redacted_thinking":
			return [];
		case "tool_use":
			// The service always sends an empty piece first.
			return ["", ...cut(jsonOf(block))].map((json) => ({ type: "input_json_delta", partial_json: json }));
	}
}

function jsonOf({ json, input: reported = {} }: Extract<ReplyBlock, { type: "tool_use" }>): string {
	return json ?? JSON.stringify(reported);
}

function messageDelta(reply: StreamedReply, usage: Usage): WireEvent {
	const called = reply.content.some(({ type }) => type === "tool_use");
	const stop = reply.stop === undefined ? (called ? "tool_use" : "end_turn") : reply.stop;
	const refusal = { type: "refusal" as const, category: null, explanation: null };
	const data = {
		type: "message_delta",
		delta: {
			container: null,
			stop_details: stop === "refusal" ? refusal : null,
			stop_reason: stop,
			stop_sequence: null,
		},
		usage: {
			input_tokens: usage.input_tokens,
			cache_creation_input_tokens: usage.cache_creation_input_tokens,
			cache_read_input_tokens: usage.cache_read_input_tokens,
			output_tokens: usage.output_tokens,
			output_tokens_details: usage.output_tokens_details,
			server_tool_use: null,
		},
	};
	return { event: "message_delta", data };
}

/** Replaces the reported usage of an event. Undefined removes the report. */
function withUsage({ event, data }: WireEvent, usage: unknown): WireEvent {
	if (event === "message_delta") return { event, data: { ...(data as object), usage } };
	if (event !== "message_start") return { event, data };
	const { message } = data as { message: Message };
	return { event, data: { type: event, message: { ...message, usage } } };
}

const ping: WireEvent = { event: "ping", data: { type: "ping" } };

function withPings(events: readonly WireEvent[], every: number | undefined): WireEvent[] {
	let deltas = 0;
	return events.flatMap((event, index) => {
		if (every === undefined) return index === 1 ? [event, ping] : [event];
		if (event.event !== "content_block_delta") return [event];
		deltas += 1;
		return deltas % every === 0 ? [event, ping] : [event];
	});
}
