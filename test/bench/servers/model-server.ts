import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { answerParent } from "../measure/answer-parent.ts";

let requestBody: unknown;

/**
 * A minimal server of the Messages API. The last text of the conversation is an order. `words N` requests a reply of
 * N deltas; `paced N MS` requests the same reply with one delta every MS milliseconds. `input BYTES` requests one
 * tool call. The `content` of its input has BYTES bytes, in deltas of 20 bytes. If the request ends with a tool
 * result, the reply is one word. `GET` returns the last request body, which a floor then sends.
 */
const server = createServer((request, response) => {
	if (request.method === "GET") response.end(JSON.stringify(requestBody));
	else void json(request).then((body) => reply(body, response));
});

server.listen(0, "127.0.0.1", () => {
	const { port } = server.address() as AddressInfo;
	answerParent(port, async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
});

function reply(body: unknown, response: ServerResponse): void {
	requestBody = body;
	answer(orderOf(body), response);
}

function orderOf(body: unknown): string[] {
	const { messages = [] } = Object(body);
	const content: unknown = messages.at(-1)?.content;
	const block: unknown = Array.isArray(content) ? content.at(-1) : { type: "text", text: content };
	const { type, text } = Object(block);
	return type === "text" ? String(text).split(" ") : ["words", "1"];
}

function event(type: string, data: object): string {
	return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const usage = {
	input_tokens: 100,
	output_tokens: 1,
	cache_creation_input_tokens: 0,
	cache_read_input_tokens: 0,
};
const message = { id: "msg_1", type: "message", role: "assistant", model: "bench", content: [], usage };
const begin = event("message_start", { message: { ...message, stop_reason: null, stop_sequence: null } });
const end = (reason: string): string =>
	event("content_block_stop", { index: 0 }) +
	event("message_delta", {
		delta: { stop_reason: reason, stop_sequence: null },
		usage: { output_tokens: 1 },
	}) +
	event("message_stop", {});
const textStart = event("content_block_start", { index: 0, content_block: { type: "text", text: "" } });
const word = event("content_block_delta", { index: 0, delta: { type: "text_delta", text: " word" } });

function answer([kind, size, ms]: readonly string[], response: ServerResponse): void {
	response.writeHead(200, { "content-type": "text/event-stream" });
	const count = Number(size);
	if (kind === "words") response.end(begin + textStart + word.repeat(count) + end("end_turn"));
	else if (kind === "paced") pace(response, count, Number(ms));
	else response.end(begin + toolInput(count) + end("tool_use"));
}

function pace(response: ServerResponse, count: number, ms: number): void {
	response.write(begin + textStart);
	const began = performance.now();
	let sent = 0;
	const timer = setInterval(() => {
		const due = Math.min(count, Math.floor((performance.now() - began) / ms));
		for (; sent < due; sent++) response.write(word);
		if (sent < count) return;
		clearInterval(timer);
		response.end(end("end_turn"));
	}, 1);
}

const deltas = new Map<number, string>();

function toolInput(bytes: number): string {
	const known = deltas.get(bytes);
	if (known !== undefined) return known;
	const input = JSON.stringify({ content: "x".repeat(bytes) });
	const block = { type: "tool_use", id: "toolu_1", name: "nothing", input: {} };
	let text = event("content_block_start", { index: 0, content_block: block });
	for (let at = 0; at < input.length; at += 20) {
		const delta = { type: "input_json_delta", partial_json: input.slice(at, at + 20) };
		text += event("content_block_delta", { index: 0, delta });
	}
	deltas.set(bytes, text);
	return text;
}
