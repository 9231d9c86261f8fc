import type { Logger } from "@parley/base";
import { SocketModeClient, type SocketModeOptions } from "@slack/socket-mode";
import type { SlackReply } from "../../slack-port.ts";
import { type Frame, readFrame } from "./frame.ts";
import { ProxiedWay, usesProxies } from "./proxied-way.ts";

export interface Guard {
	readonly log: Logger;
	/** What comes and is a frame that Slack documents. */
	frame(frame: Frame): void;
}

/**
 * Slack's client, behind a guard: some frames that are no envelopes would end the process that reads them. It is never
 * told of a goodbye, because it would close the socket before there is another one.
 */
export class GuardedClient extends SocketModeClient {
	readonly #guard: Guard;
	readonly #way: ProxiedWay | undefined;
	#isEnded = false;

	constructor(options: SocketModeOptions, guard: Guard) {
		const way = usesProxies(process.env) ? new ProxiedWay() : undefined;
		super({ ...options, ...(way && { dispatcher: way.dispatcher }), autoReconnectEnabled: false });
		this.#guard = guard;
		this.#way = way;
		// Without this it would open a socket that nobody wants, where it was ended while it asked Slack for an address.
		this.on("connecting", () => {
			if (this.#isEnded) delete this.websocket;
		});
	}

	/** Ends it for good; resolves when Slack agrees. */
	end(): Promise<void> {
		this.#isEnded = true;
		return this.disconnect();
	}

	/** After `end`: does not wait for Slack any more. */
	drop(): void {
		this.websocket?.disconnect();
		this.#way?.end();
	}

	/** Sends an acknowledgement; false where the socket is gone. */
	acknowledge(id: string, payload: SlackReply): boolean {
		if (this.websocket?.isActive() !== true) return false;
		let failure: Error | undefined;
		this.websocket.send(JSON.stringify({ envelope_id: id, ...(payload && { payload }) }), (error) => {
			failure = error;
		});
		return failure === undefined;
	}

	protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
		try {
			if (typeof data !== "string") return;
			const frame = readFrame(data);
			if (frame.type === "hello") await super.onWebSocketMessage(data, isBinary);
			this.#guard.frame(frame);
		} catch (error) {
			this.#guard.log.warn("Slack sent a frame that it does not document", {
				error,
				length: String(data).length,
			});
		}
	}
}
