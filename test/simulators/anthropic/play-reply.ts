import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as tick } from "node:timers/promises";
import { type Clock, delay } from "@parley/base";
import type { Break, StatusReply, StreamedReply, WireEvent } from "./reply.ts";

export interface Stage {
	readonly response: ServerResponse;
	readonly requestId: string;
	readonly clock: Clock;
	/** Aborted when the response has ended or the client has disconnected. */
	readonly signal: AbortSignal;
	/** Form of the response. By default, the form of the Messages API. */
	readonly form?: StreamForm;
}

export interface StreamForm {
	readonly frame: (event: WireEvent) => string;
	readonly isDelta: (event: WireEvent) => boolean;
	readonly errorEvent: (
		error: { readonly type: string; readonly message: string },
		requestId: string,
	) => WireEvent;
	readonly ping: string;
	readonly end: string;
	readonly errorBody: (status: number, message: string, requestId: string) => string;
}

const messagesForm: StreamForm = {
	frame: ({ event, data }) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`,
	isDelta: ({ event }) => event === "content_block_delta",
	errorEvent: (error, requestId) => ({
		event: "error",
		data: { type: "error", error, request_id: requestId },
	}),
	ping: 'event: ping\ndata: {"type":"ping"}\n\n',
	end: "",
	errorBody,
};

export async function playStream(
	stage: Stage,
	reply: StreamedReply,
	events: readonly WireEvent[],
): Promise<void> {
	const { response, form = messagesForm } = stage;
	const end = reply.break;
	if (end?.at === "start") return breakOff(stage, end);
	response.writeHead(200, {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache",
		"request-id": stage.requestId,
	});
	response.flushHeaders();
	const shown = end ? upTo(events, end.at, form) : events;
	const frames = shown.map(form.frame);
	if (form.end !== "" && shown.length === events.length) frames.push(form.end);
	for (const packet of packetsOf(reply, frames)) {
		if (reply.everyMs !== undefined)
			await unlessAborted(stage, delay(stage.clock, reply.everyMs, stage.signal));
		if (stage.signal.aborted) return;
		if (!response.write(packet))
			await unlessAborted(stage, once(response, "drain", { signal: stage.signal }));
	}
	if (end) return breakOff(stage, end);
	response.end();
}

async function unlessAborted({ signal }: Stage, awaited: Promise<unknown>): Promise<void> {
	try {
		await awaited;
	} catch (reason) {
		if (!signal.aborted) throw reason;
	}
}

export function playStatus(
	{ response, requestId, form = messagesForm }: Stage,
	{ status, headers, body }: StatusReply,
): void {
	const type = status >= 400 ? { "content-type": "application/json" } : {};
	response.writeHead(status, { ...type, "request-id": requestId, ...headers });
	response.end(body ?? form.errorBody(status, "as the test wants it", requestId));
}

export function errorBody(status: number, message: string, requestId: string): string {
	const type = errorTypes[status] ?? (status >= 500 ? "api_error" : "invalid_request_error");
	return JSON.stringify({ type: "error", error: { type, message }, request_id: requestId });
}

const errorTypes: Readonly<Record<number, string>> = {
	401: "authentication_error",
	402: "billing_error",
	403: "permission_error",
	404: "not_found_error",
	413: "request_too_large",
	429: "rate_limit_error",
	504: "timeout_error",
	529: "overloaded_error",
};

function upTo(events: readonly WireEvent[], at: Break["at"], { isDelta }: StreamForm): readonly WireEvent[] {
	if (typeof at !== "number") return [];
	let left = at;
	const end = events.findIndex((event) => isDelta(event) && left-- === 0);
	return end < 0 ? events : events.slice(0, end);
}

function* packetsOf(reply: StreamedReply, frames: readonly string[]): Generator<Uint8Array> {
	if (!reply.encode && !reply.packets) {
		for (const frame of frames) yield Buffer.from(frame);
		return;
	}
	const body = frames.join("");
	const bytes = reply.encode ? reply.encode(body) : Buffer.from(body);
	yield* reply.packets ? reply.packets(bytes) : [bytes];
}

async function breakOff(stage: Stage, { how, when, pingEveryMs }: Break): Promise<void> {
	const { response, form = messagesForm } = stage;
	// By default, gives the client time to read the written data before the connection closes.
	await (when ?? tick());
	if (how === "hang") return hang(stage, pingEveryMs);
	if (typeof how === "object") {
		response.end(form.frame(form.errorEvent(how, stage.requestId)));
		return;
	}
	if (how === "reset") response.socket?.resetAndDestroy();
	else if (response.headersSent) response.end();
	else response.socket?.end();
}

async function hang(
	{ response, clock, signal, form = messagesForm }: Stage,
	pingEveryMs: number | undefined,
): Promise<void> {
	if (signal.aborted) return;
	const over = once(signal, "abort");
	if (pingEveryMs !== undefined) {
		const ping = (): void => {
			response.write(form.ping);
			timer = clock.after(pingEveryMs, ping);
		};
		let timer = clock.after(pingEveryMs, ping);
		signal.addEventListener("abort", () => timer.cancel());
	}
	await over;
}
