import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as tick } from "node:timers/promises";
import { type Clock, delay } from "@parley/base";
import type { Break, StatusReply, StreamedReply, WireEvent } from "./reply.ts";

export interface Stage {
	readonly response: ServerResponse;
	readonly requestId: string;
	readonly clock: Clock;
	/** Aborts when the client has gone. */
	readonly gone: AbortSignal;
}

/** Text of an event on the wire. */
function frame({ event, data }: WireEvent): string {
	return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** Streams the events up to the break of the reply, in the pieces that the reply defines. */
export async function playStream(
	stage: Stage,
	reply: StreamedReply,
	events: readonly WireEvent[],
): Promise<void> {
	const { response } = stage;
	const end = reply.break;
	if (end?.at === "start") return breakOff(stage, end);
	response.writeHead(200, {
		"content-type": "text/event-stream; charset=utf-8",
		"cache-control": "no-cache",
		"request-id": stage.requestId,
	});
	response.flushHeaders();
	const shown = end ? upTo(events, end.at) : events;
	for (const packet of packetsOf(reply, shown)) {
		if (reply.everyMs !== undefined) await unlessGone(stage, delay(stage.clock, reply.everyMs, stage.gone));
		if (stage.gone.aborted) return;
		if (!response.write(packet)) await unlessGone(stage, once(response, "drain", { signal: stage.gone }));
	}
	if (end) return breakOff(stage, end);
	response.end();
}

/** Stops waiting when the client disconnects. */
async function unlessGone({ gone }: Stage, awaited: Promise<unknown>): Promise<void> {
	try {
		await awaited;
	} catch (reason) {
		if (!gone.aborted) throw reason;
	}
}

export function playStatus({ response, requestId }: Stage, { status, headers, body }: StatusReply): void {
	const type = status >= 400 ? { "content-type": "application/json" } : {};
	response.writeHead(status, { ...type, "request-id": requestId, ...headers });
	response.end(body ?? errorBody(status, "as the test wants it", requestId));
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

/** The events before the break: with 3, up to the third delta. */
function upTo(events: readonly WireEvent[], at: Break["at"]): readonly WireEvent[] {
	if (typeof at !== "number") return [];
	let left = at;
	const end = events.findIndex(({ event }) => event === "content_block_delta" && left-- === 0);
	return end < 0 ? events : events.slice(0, end);
}

function* packetsOf(reply: StreamedReply, events: readonly WireEvent[]): Generator<Uint8Array> {
	if (!reply.encode && !reply.packets) {
		for (const event of events) yield Buffer.from(frame(event));
		return;
	}
	const whole = events.map(frame).join("");
	const bytes = reply.encode ? reply.encode(whole) : Buffer.from(whole);
	yield* reply.packets ? reply.packets(bytes) : [bytes];
}

async function breakOff(stage: Stage, { how, when, pingEveryMs }: Break): Promise<void> {
	const { response } = stage;
	// The client can read what was written before the connection closes.
	await (when ?? tick());
	if (how === "hang") return hang(stage, pingEveryMs);
	if (typeof how === "object") {
		response.end(frame({ event: "error", data: { type: "error", error: how, request_id: stage.requestId } }));
		return;
	}
	if (how === "reset") response.socket?.resetAndDestroy();
	else if (response.headersSent) response.end();
	else response.socket?.end();
}

async function hang({ response, clock, gone }: Stage, pingEveryMs: number | undefined): Promise<void> {
	if (gone.aborted) return;
	const over = once(gone, "abort");
	if (pingEveryMs !== undefined) {
		const ping = (): void => {
			response.write(frame({ event: "ping", data: { type: "ping" } }));
			timer = clock.after(pingEveryMs, ping);
		};
		let timer = clock.after(pingEveryMs, ping);
		gone.addEventListener("abort", () => timer.cancel());
	}
	await over;
}
