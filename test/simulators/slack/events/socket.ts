import { ParleyError, parseJson } from "@parley/base";
import type { SlackReply } from "@parley/slack";
import type { WebSocket } from "ws";
import * as z from "zod";
import type { State } from "../platform/state.ts";
import type { Envelope, Receiver, RetryReason } from "./delivery.ts";

/** Reasons why Slack ends a socket: https://docs.slack.dev/apis/events-api/using-socket-mode#disconnect */
export type Goodbye =
	/** The socket will be replaced "in about 10 seconds". */
	| "warning"
	/** Slack replaces the container of the socket. */
	| "refresh_requested"
	/** The app has more than ten sockets. The SDKs know this reason, but the documentation does not mention it. */
	| "too_many_websockets"
	/** An administrator has disabled Socket Mode. */
	| "link_disabled";

const types = { event: "events_api", command: "slash_commands", interactive: "interactive" } as const;
const acknowledgement = z.object({
	envelope_id: z.string(),
	payload: z.record(z.string(), z.unknown()).optional(),
});
/** Milliseconds between the disconnect message and the close of the socket. */
const closesMs = { warning: 10_000, refresh_requested: 10_000, too_many_websockets: 0, link_disabled: 0 };

export interface SocketParts {
	readonly webSocket: WebSocket;
	readonly state: State;
	/** Ids of the envelopes that any socket has sent. */
	readonly sent: Set<string>;
	readonly onClose: () => void;
	readonly onChange: () => void;
}

export class Socket implements Receiver {
	readonly #parts: SocketParts;
	readonly #waiting = new Map<string, (reply: SlackReply) => void>();
	#detach: (() => void) | undefined;
	#isDeaf = false;
	readonly count = { sent: 0, acknowledged: 0 };

	constructor(parts: SocketParts) {
		this.#parts = parts;
		const { webSocket } = parts;
		webSocket.on("message", (data) => this.#receive(String(data)));
		webSocket.on("close", () => {
			this.#detach?.();
			parts.onClose();
		});
	}

	/** Sends `hello`. Calls `detach` when the socket must not receive further events. */
	joins(detach: () => void, connections: number): void {
		const { app } = this.#parts.state;
		this.#detach = detach;
		this.sends({
			...{ type: "hello", num_connections: connections, connection_info: { app_id: app.id } },
			debug_info: { host: "applink-1", started: "2026-01-01 00:00:00.000", build_number: 1 },
		});
	}

	/**
	 * Sends an envelope. Resolves when the app has acknowledged it:
	 * https://docs.slack.dev/apis/events-api/using-socket-mode#events
	 */
	receive({ type, body, attempt }: Envelope, reason?: RetryReason): Promise<SlackReply> {
		const acknowledged = Promise.withResolvers<SlackReply>();
		if (this.#isDeaf) return acknowledged.promise;
		const id = this.#parts.state.ids.create("envelope");
		this.#parts.sent.add(id);
		this.#waiting.set(id, acknowledged.resolve);
		this.count.sent += 1;
		this.sends({
			...{ envelope_id: id, type: types[type], payload: body, accepts_response_payload: type !== "event" },
			...(type === "event" && {
				retry_attempt: attempt,
				retry_reason: reason === "http_timeout" ? "timeout" : (reason ?? ""),
			}),
		});
		return acknowledged.promise;
	}

	/** Sends any frame, including invalid frames. */
	sends(frame: object | string | Buffer): void {
		this.#parts.webSocket.send(
			typeof frame === "string" || Buffer.isBuffer(frame) ? frame : JSON.stringify(frame),
		);
	}

	/** Announces a disconnect and then closes the socket, as Slack does. */
	disconnects(reason: Goodbye): void {
		const { webSocket, state } = this.#parts;
		this.sends({ type: "disconnect", reason, debug_info: { host: "applink-1" } });
		if (reason !== "warning" && reason !== "refresh_requested") this.#detach?.();
		const wait = closesMs[reason];
		if (wait === 0) webSocket.close(1000);
		else {
			const timer = state.clock.after(wait, () => webSocket.close(1000));
			webSocket.once("close", () => timer.cancel());
		}
	}

	cut(): void {
		this.#parts.webSocket.terminate();
	}

	/** Simulates a dead socket: it stays open and answers pings, but sends no events. */
	stopsReceiving(): void {
		this.#isDeaf = true;
	}

	#receive(text: string): void {
		const { state, sent } = this.#parts;
		const read = acknowledgement.safeParse(parsed(text));
		const id = read.data?.envelope_id ?? "";
		const settle = this.#waiting.get(id);
		if (settle) {
			this.#waiting.delete(id);
			this.count.acknowledged += 1;
			settle(read.data?.payload);
			this.#parts.onChange();
		} else if (!sent.has(id)) state.violations.push(`over a socket came ${text.slice(0, 100)}`);
		else state.violations.push(`the envelope ${id} was acknowledged twice, or over another socket`);
	}
}

function parsed(text: string): unknown {
	try {
		return parseJson(text);
	} catch (error) {
		return ParleyError.from(error).message;
	}
}
