import { type Clock, delay, type Logger, ParleyError, type Timer } from "@parley/base";
import * as z from "zod";
import { connectionTexts } from "../texts/connection.ts";
import type { OwnAccount, SlackAnswer, SlackCall, SlackLink, SlackPort } from "../vocabulary/slack-port.ts";
import { readAccount, type Tried } from "./account.ts";
import { boltApp, SlackReceiver } from "./bolt-app.ts";
import { download } from "./download.ts";
import { slackLogger } from "./slack-logger.ts";
import { HttpTransport } from "./transport/http-transport.ts";
import type { Suspicion } from "./transport/silence-watch.ts";
import { SocketPair } from "./transport/socket-pair.ts";
import type { Deliver, Transport } from "./transport/transport.ts";
import { WebCalls, webOptions } from "./web-calls.ts";
import { respond, upload } from "./web-requests.ts";

/** Transport of deliveries: Socket Mode, or HTTP. */
export type SlackTransport =
	| { readonly type: "sockets"; readonly appToken: string }
	| {
			readonly type: "http";
			readonly signingSecret: string;
			readonly listen: { readonly host: string; readonly port: number };
	  };

export interface SlackPortOptions {
	readonly botToken: string;
	readonly transport: SlackTransport;
	/** URL of the API. Default: `https://slack.com/api/`. Files and `response_url`s may also be on this host. */
	readonly apiUrl?: string | undefined;
	readonly clock: Clock;
	/** Returns a random number of at least 0 and below 1. */
	readonly chance: () => number;
	readonly log: Logger;
}

type Handlers = Parameters<SlackPort["connect"]>[0];

const firstWaitMs = 1000;
const maxWaitMs = 60_000;
/** Methods that create a post about which Slack sends an event. */
const echoed: ReadonlySet<string> = new Set(["chat.postMessage"]);

/**
 * Creates the port to Slack. `connect` resolves when the transport has started, after a refusal of the token, or
 * when the port closes. `connect` rejects if the HTTP transport cannot listen.
 */
export function createSlackPort(options: SlackPortOptions): SlackPort {
	return new SlackClient(options);
}

class SlackClient implements SlackPort {
	readonly #options: SlackPortOptions;
	readonly #calls: WebCalls;
	readonly #pendingCalls: PendingCalls;
	readonly #closing = new AbortController();
	#connecting: Promise<void> | undefined;
	#receiver: SlackReceiver | undefined;
	#state: SlackLink["state"] | undefined;
	/** Start of the last silence that led to a warning. */
	#warnedOf: number | undefined;

	constructor(options: SlackPortOptions) {
		const { botToken, apiUrl, log, clock } = options;
		this.#options = options;
		this.#pendingCalls = new PendingCalls(clock);
		this.#calls = new WebCalls(botToken, webOptions(apiUrl, slackLogger(log), this.#pendingCalls.signal));
	}

	async call(call: SlackCall): Promise<SlackAnswer> {
		const answer = await this.#pendingCalls.run(() => this.#calls.call(call));
		if (answer.type === "ok" && echoed.has(call.method)) this.#receiver?.posted();
		return answer;
	}

	respond(url: string, body: Readonly<Record<string, unknown>>): Promise<SlackAnswer> {
		const { signal } = this.#pendingCalls;
		return this.#pendingCalls.run(() => respond(url, body, { apiUrl: this.#options.apiUrl, signal }));
	}

	upload(url: string, bytes: Uint8Array): Promise<SlackAnswer> {
		const { signal } = this.#pendingCalls;
		return this.#pendingCalls.run(() => upload(url, bytes, { apiUrl: this.#options.apiUrl, signal }));
	}

	download(url: string, maximum: number, callerSignal: AbortSignal): Promise<Uint8Array> {
		const { apiUrl, botToken: token } = this.#options;
		const signal = AbortSignal.any([callerSignal, this.#pendingCalls.signal]);
		return this.#pendingCalls.run(() => download({ url, token, maximum, signal, apiUrl }));
	}

	connect(handlers: Handlers): Promise<void> {
		this.#connecting = this.#connect(handlers);
		return this.#connecting;
	}

	async close(): Promise<void> {
		this.#closing.abort();
		this.#pendingCalls.end();
		// The caller of `connect` gets the error.
		await this.#connecting?.catch(() => undefined);
		await this.#receiver?.stop();
	}

	async #connect(handlers: Handlers): Promise<void> {
		const { botToken, apiUrl, log, clock, chance } = this.#options;
		const { signal } = this.#closing;
		const calls = new WebCalls(botToken, webOptions(apiUrl, slackLogger(log), signal));
		const report = (link: SlackLink): void => this.#report(handlers, link);
		for (let waitMs = firstWaitMs; !signal.aborted; waitMs = Math.min(waitMs * 2, maxWaitMs)) {
			const tried = await calls.call({ method: "auth.test", args: {} }).then(readAccount, lostBy);
			if ("account" in tried) return this.#receive(tried.account, handlers);
			if ("refused" in tried) return report({ state: "refused", detail: tried.refused });
			report({ state: "lost", detail: connectionTexts.notConnected({ reason: tried.lost }) });
			// An abort ends the delay, and then the loop.
			await delay(clock, waitMs / 2 + (waitMs / 2) * chance(), signal).catch(() => undefined);
		}
	}

	async #receive(account: OwnAccount, handlers: Handlers): Promise<void> {
		const { log } = this.#options;
		if (this.#closing.signal.aborted) return;
		const receiver = new SlackReceiver({
			log,
			transport: (deliver) =>
				this.#transport(
					async (body, attempt) => {
						if (readAppNotice(body, account) !== "limited") return deliver(body, attempt);
						log.warn(
							"Slack limits the events of this app, because there are too many: some may arrive late or not at all",
						);
						return undefined;
					},
					account,
					handlers,
				),
			// An event is handled even if Bolt does not know it, because the intake has its own schemas.
			unread: (body, attempt) =>
				handlers.receive({ type: "event" in body ? "event" : "unread", body, attempt }),
		});
		this.#receiver = receiver;
		const app = boltApp({
			account,
			receiver,
			logger: slackLogger(log),
			receive: handlers.receive,
			uninstalled: (body) => {
				if (readAppNotice(body, account) === "removed") void this.#checkToken(handlers);
			},
		});
		await app.start();
	}

	#transport(deliver: Deliver, account: OwnAccount, handlers: Handlers): Transport {
		const { transport, apiUrl, clock, chance, log } = this.#options;
		const ready = (): void => this.#report(handlers, { state: "ready", account });
		const suspected = (suspicion: Suspicion): void => this.#suspected(suspicion, handlers);
		if (transport.type === "http") {
			const { signingSecret, listen } = transport;
			return new HttpTransport({
				signingSecret,
				listen,
				deliver,
				suspected,
				clock,
				log,
				ready: (port) => {
					log.info("listening for requests of Slack", { host: listen.host, port });
					ready();
				},
			});
		}
		const options = webOptions(apiUrl, slackLogger(log), this.#closing.signal);
		const calls = new WebCalls(transport.appToken, options);
		return new SocketPair({
			openConnection: () => calls.call({ method: "apps.connections.open", args: {} }),
			deliver,
			ready,
			suspected,
			clock,
			chance,
			log,
			lost: (detail) => this.#report(handlers, { state: "lost", detail }),
			refused: (detail) => this.#report(handlers, { state: "refused", detail }),
		});
	}

	async #checkToken(handlers: Handlers): Promise<void> {
		// A notice of removal may be older than a new installation of the app.
		const tried = await this.call({ method: "auth.test", args: {} }).then(readAccount, lostBy);
		if ("refused" in tried) this.#report(handlers, { state: "refused", detail: tried.refused });
		else this.#options.log.warn("Slack reported that the app was removed, but still accepts its token");
	}

	/** Logs a suspicion, with at most one warning for each silence, and calls `silent`. */
	#suspected({ reason, since, isLikely }: Suspicion, handlers: Handlers): void {
		const { log } = this.#options;
		const words = "events from Slack might be missing";
		if (isLikely && since !== this.#warnedOf) {
			this.#warnedOf = since;
			log.warn(words, { reason, since });
		} else log.debug(words, { reason, since });
		handlers.silent?.();
	}

	#report(handlers: Handlers, link: SlackLink): void {
		if (this.#closing.signal.aborted || link.state === this.#state || this.#state === "refused") return;
		this.#state = link.state;
		handlers.link(link);
	}
}

function lostBy(reason: unknown): Tried {
	return { lost: ParleyError.from(reason).message };
}

/** Notice that Slack limits the rate of events: https://docs.slack.dev/apis/events-api#rate-limiting */
const Limited = z.object({ type: z.literal("app_rate_limited") });

/**
 * Notice that the app was removed or that tokens were revoked. `tokens_revoked` names the owners of the tokens:
 * https://docs.slack.dev/reference/events/app_uninstalled, https://docs.slack.dev/reference/events/tokens_revoked
 */
const Removed = z.object({
	team_id: z.string().optional(),
	event: z.discriminatedUnion("type", [
		z.object({ type: z.literal("app_uninstalled") }),
		z.object({
			type: z.literal("tokens_revoked"),
			tokens: z.object({ bot: z.array(z.string()).default([]) }),
		}),
	]),
});

/** Notice that Slack limits the rate of events, or that the token may be invalid. */
type AppNotice = "limited" | "removed";

/** Parses a notice. Returns undefined for other events, and for removals that concern another workspace or token. */
export function readAppNotice(body: unknown, { team, user }: OwnAccount): AppNotice | undefined {
	if (Limited.safeParse(body).success) return "limited";
	const removed = Removed.safeParse(body).data;
	if (removed === undefined || (removed.team_id ?? team) !== team) return undefined;
	const { event } = removed;
	return event.type === "app_uninstalled" || event.tokens.bot.includes(user) ? "removed" : undefined;
}

/** Milliseconds for which pending calls may continue after `end`. */
const graceMs = 5000;

/** Pending calls to Slack. Some calls take minutes, so they are aborted some seconds after `end`. */
export class PendingCalls {
	readonly #clock: Clock;
	readonly #over = new AbortController();
	#running = 0;
	/** Time at which pending calls are aborted, on the monotonic clock. Undefined before `end`. */
	#endsAt: number | undefined;
	#timer: Timer | undefined;

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	/** Returns the signal that aborts pending calls after the grace period. */
	get signal(): AbortSignal {
		return this.#over.signal;
	}

	async run<Result>(call: () => Promise<Result>): Promise<Result> {
		this.#running += 1;
		this.#wait();
		try {
			return await call();
		} finally {
			this.#running -= 1;
			this.#wait();
		}
	}

	end(): void {
		this.#endsAt ??= this.#clock.monotonic() + graceMs;
		this.#wait();
	}

	#wait(): void {
		if (this.#running > 0 && this.#endsAt !== undefined) {
			const leftMs = this.#endsAt - this.#clock.monotonic();
			this.#timer ??= this.#clock.after(leftMs, () => {
				this.#over.abort(new ParleyError("cancelled: the connector is stopping", { code: "cancelled" }));
			});
		} else {
			this.#timer?.cancel();
			this.#timer = undefined;
		}
	}
}
