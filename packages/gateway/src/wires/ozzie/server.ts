import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { type Clock, type Logger, parseJson, type Timer } from "@parley/base";
import { byItself, type Runtime } from "@parley/core";
import type { ResponseFrame } from "@parley/protocol";
import { maxRequestBytes } from "@parley/protocol";
import { type WebSocket, WebSocketServer } from "ws";
import { chooseSubprotocol } from "../../auth/credentials.ts";
import type { Caller } from "../../auth/forwarding.ts";
import type { OpenConnections } from "../../auth/open-connections.ts";
import { type Refusal, sendUpgradeRefusal } from "../../auth/refusal.ts";
import type { WireCounts } from "../../metrics/client-metrics.ts";
import type { SecretPages } from "../../secret-page/secret-pages.ts";
import { ozzieErrorTexts } from "../../texts/wires/ozzie.ts";
import { sharedErrorTexts } from "../../texts/wires/shared.ts";
import { FrameWriter, frameText, WriteBatch } from "../../transport/frame-writer.ts";
import { OutgoingAccount } from "../../transport/outgoing-account.ts";
import type { ErrorRedactor } from "../shared/error-text.ts";
import { RateLimit } from "../shared/rate-limit.ts";
import { weightOf } from "../shared/wire-event.ts";
import type { OzzieEvent } from "./codec.ts";
import { type Outgoing, OzzieConnection } from "./connection.ts";
import type { FrameShape } from "./envelope.ts";
import { type RequestedEnvelope, readEnvelope } from "./envelope.ts";
import { EnvelopeFrames, envelopeAnswer } from "./envelope-frames.ts";
import { EventFrames } from "./event-frames.ts";
import { Pace } from "./pace.ts";

/** Milliseconds between pings. A client that sends neither a message nor a pong between two pings is disconnected. */
const pingMs = 20_000;
/** Number of clients that are pinged before other work can run. */
const pingedAtOnce = 200;
/** Ping frame without payload: RFC 6455, section 5.5.2. */
const pingFrame = Buffer.from([0x89, 0]);
/** Milliseconds for a client to answer a close before its socket is destroyed. */
const closeMs = 2_000;
/** Private close code for a token that has become invalid: RFC 6455, section 7.4.2. */
const tokenRevoked = 4001;
/**
 * Milliseconds for a slow client to answer a close. The time is longer because the client first reads all earlier
 * frames.
 */
const slowCloseMs = 15_000;

const stopping: Refusal = {
	status: 503,
	headers: {},
	body: { error: "draining", hint: sharedErrorTexts.stoppingHint },
};

export interface OzzieServerOptions {
	readonly runtime: Runtime;
	readonly clock: Clock;
	readonly log: Logger;
	readonly anyModel?: boolean;
	readonly counts?: WireCounts;
	/** Redactor of error texts. If it is absent, clients get the texts unchanged. */
	readonly redactor?: ErrorRedactor;
	/** Registry that closes a connection when the token of its client becomes invalid. */
	readonly openConnections?: OpenConnections;
	readonly secretPages?: SecretPages | undefined;
}

interface Upgraded extends Caller {
	readonly socket: Duplex;
	readonly envelope: RequestedEnvelope;
}

interface Client {
	readonly ws: WebSocket;
	readonly writer: FrameWriter;
	readonly connection: OzzieConnection;
	alive: boolean;
}

interface Encoder {
	event(event: OzzieEvent): Buffer;
	response(frame: ResponseFrame): Buffer;
}

interface ClientOutOptions {
	readonly writer: FrameWriter;
	readonly pace: Pace;
	readonly encoders: { readonly [Name in FrameShape]: Encoder };
	readonly close: Outgoing["close"];
}

class ClientOut implements Outgoing {
	readonly close: Outgoing["close"];
	readonly #writer: FrameWriter;
	readonly #pace: Pace;
	readonly #encoders: ClientOutOptions["encoders"];
	#encoder: Encoder;

	constructor({ writer, pace, encoders, close }: ClientOutOptions) {
		this.#writer = writer;
		this.#pace = pace;
		this.#encoders = encoders;
		this.#encoder = encoders.flat;
		this.close = close;
	}

	response(frame: ResponseFrame): void {
		if (!frame.ok) this.#pace.failed();
		this.#writer.write(this.#encoder.response(frame), "required");
	}

	event(event: OzzieEvent): void {
		this.#writer.write(this.#encoder.event(event), weightOf(event));
	}

	drained(): Promise<void> {
		return this.#writer.drained();
	}

	reading(on: boolean): void {
		this.#pace.full(!on);
	}

	shape(envelope: FrameShape): void {
		this.#encoder = this.#encoders[envelope];
	}
}

export class OzzieServer {
	readonly wire = "ozzie";
	readonly #options: OzzieServerOptions;
	readonly #clients = new Set<Client>();
	readonly #batch = new WriteBatch();
	readonly #account = new OutgoingAccount();
	readonly #encoders: { readonly flat: Encoder; readonly both: Encoder };
	readonly #rateLimit: RateLimit;
	readonly #wss = new WebSocketServer({
		noServer: true,
		clientTracking: false,
		perMessageDeflate: false,
		maxPayload: maxRequestBytes,
		maxFragments: 256,
		maxBufferedChunks: 1024,
		handleProtocols: chooseSubprotocol,
	});
	readonly #onDropped = (): void => {
		this.#options.counts?.dropped(1);
		this.#sample("frame.drop", "left out");
	};
	#pings: Timer | undefined;
	#served = 0;
	#left = Promise.resolve();
	#closed = false;

	constructor(options: OzzieServerOptions) {
		this.#options = options;
		this.#rateLimit = new RateLimit(options.clock, () => options.counts?.rateLimited());
		const [flat, both] = [new EventFrames(options.clock), new EnvelopeFrames(options.clock)];
		this.#encoders = {
			flat: {
				event: (event) => flat.frame(event),
				response: (frame) => frameText(JSON.stringify(frame)),
			},
			both: { event: (event) => both.frame(event), response: envelopeAnswer },
		};
	}

	get clients(): number {
		return this.#clients.size;
	}

	get waitingBytes(): number {
		return this.#account.total;
	}

	/**
	 * Serves an upgrade request that has been checked and authenticated. Refuses the request with 400 for an unknown
	 * envelope, and with 503 after a call of `close`.
	 */
	accept(request: IncomingMessage, socket: Duplex, head: Buffer, caller: Caller): void {
		const envelope = this.#closed ? stopping : readEnvelope(request);
		const principal = { ...caller.principal, via: this.wire };
		if (typeof envelope === "object") sendUpgradeRefusal(socket, envelope);
		else
			this.#wss.handleUpgrade(request, socket, head, (ws) =>
				this.#serve(ws, { ...caller, principal, socket, envelope }),
			);
	}

	/** Answers pending requests, and closes every connection with 1001. Resolves when all connections are closed. */
	async close(): Promise<void> {
		this.#closed = true;
		this.#pings?.cancel();
		const disconnected = [...this.#clients].map(
			(client) => new Promise<void>((resolve) => client.ws.once("close", () => resolve())),
		);
		for (const client of this.#clients)
			void client.connection.finish().then(() => this.#shut(client, 1001, ozzieErrorTexts.stopping));
		await Promise.all(disconnected);
		await this.#left;
	}

	#serve(ws: WebSocket, { socket, peer, principal, confidential, envelope }: Upgraded): void {
		const { runtime, clock, log, anyModel = false, counts } = this.#options;
		this.#served += 1;
		const logFields = { wire: "ozzie", connection: this.#served, principal: principal.id, peer };
		const [batch, account, rateLimit] = [this.#batch, this.#account, this.#rateLimit];
		const onOverflow = (): void => {
			counts?.slowReader();
			this.#sample("reader.slow", "closed");
			log.warn("closing a client that reads too slowly", logFields);
			this.#shut(client, 1013, ozzieErrorTexts.tooSlow);
		};
		const writer = new FrameWriter({
			socket,
			batch,
			account,
			clock,
			onOverflow,
			onDropped: this.#onDropped,
		});
		const pace = new Pace(clock, (on) => (on ? ws.resume() : ws.pause()));
		const close = (code: number, reason: string): void => this.#shut(client, code, reason);
		const out = new ClientOut({ writer, pace, close, encoders: this.#encoders });
		const connection = new OzzieConnection({
			runtime,
			principal,
			confidential,
			log,
			rateLimit,
			out,
			now: () => clock.now(),
			anyModel,
			envelope,
			counts,
			redactor: this.#options.redactor,
			secretPages: this.#options.secretPages,
		});
		const client: Client = { ws, writer, connection, alive: true };
		this.#clients.add(client);
		this.#pings ??= clock.after(pingMs, () => void this.#ping());
		ws.on("pong", () => {
			client.alive = true;
		});
		ws.on("message", (data, isBinary) => {
			client.alive = true;
			// The cast is safe because the default `binaryType` makes every message one Buffer.
			this.#receive(client, data as Buffer, isBinary);
		});
		ws.on("error", (error) => log.debug("the socket of a client failed", { error }));
		log.info("client connected", logFields);
		const release = this.#options.openConnections?.register(principal, () => this.#closeRevoked(client));
		ws.on("close", (code) => {
			release?.();
			pace.end();
			log.info("client disconnected", { ...logFields, code });
			this.#remove(client);
		});
	}

	#sample(action: string, decision: string): void {
		const entry = { action, object: this.wire, decision };
		this.#options.runtime.trust.audit.sample({ ...byItself, ...entry });
	}

	#receive(client: Client, data: Buffer, isBinary: boolean): void {
		if (isBinary && !isJson(data)) this.#shut(client, 1003, ozzieErrorTexts.binary);
		else client.connection.receive(data.toString("utf8"));
	}

	/**
	 * Closes the connection of a client after all earlier frames are sent. Destroys the socket if the client does not
	 * answer the close in time.
	 */
	#shut(client: Client, code: number, reason: string): void {
		client.writer.finish();
		client.ws.close(code, reason);
		const patienceMs = code === 1013 ? slowCloseMs : closeMs;
		const cut = this.#options.clock.after(patienceMs, () => client.ws.terminate());
		client.ws.once("close", () => cut.cancel());
	}

	/**
	 * Closes the connection of a client whose token is no longer valid. Answers the request in progress if it ends
	 * within `closeMs`. Drops waiting requests.
	 */
	#closeRevoked(client: Client): void {
		const { promise, resolve } = Promise.withResolvers<void>();
		const patience = this.#options.clock.after(closeMs, resolve);
		void client.connection.abandon().then(resolve);
		void promise.then(() => {
			patience.cancel();
			this.#shut(client, tokenRevoked, ozzieErrorTexts.tokenRevoked);
		});
	}

	#remove(client: Client): void {
		client.writer.end();
		this.#clients.delete(client);
		if (this.#clients.size === 0) {
			this.#pings?.cancel();
			this.#pings = undefined;
		}
		const left = client.connection.close().catch((error: unknown) => {
			this.#options.log.error("closing a connection failed", { error });
		});
		this.#left = Promise.all([this.#left, left]).then(() => undefined);
	}

	/** Pings all clients in groups, because thousands of pings at once would delay every client. */
	async #ping(): Promise<void> {
		this.#pings = this.#options.clock.after(pingMs, () => void this.#ping());
		let pinged = 0;
		for (const client of [...this.#clients]) {
			if (!client.alive) client.ws.terminate();
			else {
				client.alive = false;
				client.writer.write(pingFrame, "required");
			}
			if (++pinged % pingedAtOnce === 0) await setImmediate();
		}
	}
}

function isJson(data: Buffer): boolean {
	if (!isUtf8(data)) return false;
	try {
		parseJson(data.toString("utf8"));
		return true;
	} catch {
		// The caller refuses the message, and does not need the position of the error.
		return false;
	}
}
