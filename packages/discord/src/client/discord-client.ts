import { DiscordAPIError } from "@discordjs/rest";
import {
	CloseCodes,
	type IShardingStrategy,
	SimpleShardingStrategy,
	WebSocketManager,
	WebSocketShardEvents,
} from "@discordjs/ws";
import { type Clock, delay, type Logger } from "@parley/base";
import {
	GatewayCloseCodes,
	GatewayIntentBits,
	GatewayOpcodes,
	type PresenceUpdateStatus,
} from "discord-api-types/v10";
import * as z from "zod";
import { connectionTexts } from "../texts/connection.ts";
import type {
	DiscordLink,
	DiscordPort,
	DiscordPresence,
	DiscordRequest,
	DiscordResponse,
} from "../vocabulary/discord-port.ts";
import { download } from "./download.ts";
import { closeRefusal } from "./refusals.ts";
import { RestAnswers } from "./rest-answers.ts";
import { ResumableSession, type SessionStore } from "./resumable-session.ts";

export interface DiscordPortOptions {
	readonly token: string;
	/** URL of the API. Default: `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	/** URL with a further origin from which downloads are allowed, in addition to Discord's CDN. */
	readonly cdnUrl?: string | undefined;
	/** Global rate limit of the bot; see `RunDiscordOptions`. */
	readonly requestsPerSecond?: number | undefined;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sessions: SessionStore;
}

type Handlers = Parameters<DiscordPort["connect"]>[0];

/**
 * First and maximum delay in milliseconds between attempts to read the URL of Discord's gateway. discord.js itself
 * retries the connection.
 */
const firstWaitMs = 1000;
const maxWaitMs = 60_000;

/** Maximum time in milliseconds to wait until Discord closes the connection. */
const goodbyeMs = 2000;

/**
 * Intents of the bot. `MessageContent` is privileged. Without it, only direct messages and messages that mention the
 * bot have text: https://docs.discord.com/developers/events/gateway#message-content-intent
 */
const intents =
	GatewayIntentBits.Guilds |
	GatewayIntentBits.GuildMessages |
	GatewayIntentBits.GuildMessageReactions |
	GatewayIntentBits.DirectMessages |
	GatewayIntentBits.DirectMessageReactions |
	GatewayIntentBits.MessageContent;

/**
 * Creates the port to Discord. `connect` resolves when the bot is ready for the first time, when Discord
 * refuses the connection, or when the port is closed.
 */
export function createDiscordPort(options: DiscordPortOptions): DiscordPort {
	return new DiscordClient(options);
}

class DiscordClient implements DiscordPort {
	readonly #options: DiscordPortOptions;
	readonly #rest: RestAnswers;
	readonly #closing = new AbortController();
	readonly #settled = Promise.withResolvers<void>();
	#handlers: Handlers | undefined;
	#state: DiscordLink["state"] | undefined;
	#resumable: ResumableSession | undefined;
	readonly #gateway: WebSocketManager;

	constructor(options: DiscordPortOptions) {
		const { token, apiUrl, requestsPerSecond } = options;
		this.#options = options;
		this.#rest = new RestAnswers(token, apiUrl, requestsPerSecond);
		this.#gateway = new WebSocketManager({
			token,
			intents,
			rest: this.#rest.rest,
			shardCount: 1,
			buildStrategy: (manager) => connectingInBackground(manager, (error) => this.#failed(error)),
			retrieveSessionInfo: () => this.#resumable?.retrieve() ?? null,
			updateSessionInfo: (_shard, session) => this.#resumable?.update(session),
		});
		this.#gateway.on(WebSocketShardEvents.Dispatch, ({ data }) => this.#dispatch(data));
		this.#gateway.on(WebSocketShardEvents.Closed, ({ code }) => this.#ended(code));
		this.#gateway.on(WebSocketShardEvents.Error, ({ error }) => this.#failed(error));
	}

	request(request: DiscordRequest): Promise<DiscordResponse> {
		return this.#rest.request(request);
	}

	download(url: string, maximum: number, signal: AbortSignal): Promise<Uint8Array> {
		return download({ url, maximum, signal, cdnUrl: this.#options.cdnUrl });
	}

	async connect(handlers: Handlers): Promise<void> {
		this.#handlers = handlers;
		this.#resumable = await ResumableSession.open(this.#options);
		const { clock } = this.#options;
		for (let waitMs = firstWaitMs; !(await this.#begin()); waitMs = Math.min(waitMs * 2, maxWaitMs)) {
			// An abort ends the loop, because `#begin` then resolves with true.
			await delay(clock, waitMs, this.#closing.signal).catch(() => undefined);
		}
		await this.#settled.promise;
	}

	present(presence: DiscordPresence): void {
		// The cast is safe because `DiscordPresence` uses the values of the protocol.
		const d = {
			...presence,
			status: presence.status as PresenceUpdateStatus,
			activities: [...presence.activities],
		};
		const send = async (): Promise<void> => this.#gateway.send(0, { op: GatewayOpcodes.PresenceUpdate, d });
		send().catch((error: unknown) => this.#options.log.debug("the presence could not be shown", { error }));
	}

	async close(): Promise<void> {
		this.#closing.abort();
		this.#resumable?.end();
		await this.#leave();
		await this.#resumable?.close();
		this.#rest.close();
		this.#settled.resolve();
	}

	/**
	 * Starts the connection. Resolves with false if the start must be retried. Resolves with true also if Discord
	 * refused the token or the port is closing.
	 */
	async #begin(): Promise<boolean> {
		if (this.#closing.signal.aborted) return true;
		try {
			await this.#gateway.connect();
		} catch (error) {
			if (this.#closing.signal.aborted) return true;
			if (!(error instanceof DiscordAPIError && error.status === 401)) {
				this.#failed(error);
				return false;
			}
			this.#ended(GatewayCloseCodes.AuthenticationFailed);
		}
		return true;
	}

	async #leave(): Promise<void> {
		const over = new AbortController();
		// This code keeps the session. The default code of discord.js, 1000, ends the session.
		const goodbye = this.#gateway.destroy({ code: CloseCodes.Resuming, reason: "back in a moment" });
		await Promise.race([goodbye, delay(this.#options.clock, goodbyeMs, over.signal).catch(() => undefined)]);
		over.abort();
	}

	#dispatch(payload: unknown): void {
		const event = readPayload(payload);
		if (this.#closing.signal.aborted) return;
		if (event === undefined) {
			this.#options.log.warn("an event from Discord lacks a field that all events have, and is ignored");
			return;
		}
		const { t, d, s } = event;
		if (t === "READY") this.#began(d);
		if (t === "RESUMED") this.#resumed();
		const received = this.#handlers?.dispatch({ t, d });
		this.#resumable?.handed(s, received ?? undefined).catch((error: unknown) => {
			this.#options.log.debug("an event from Discord was not accepted, and Discord sends it again", {
				event: t,
				error,
			});
		});
	}

	#began(data: unknown): void {
		const ids = readReady(data);
		if (ids === undefined) {
			this.#lost(connectionTexts.noIds);
			return;
		}
		this.#resumable?.began(ids);
		this.#report({ state: "ready", ...ids, resumed: false });
	}

	#resumed(): void {
		const self = this.#resumable?.self;
		if (self === undefined) {
			this.#lost(connectionTexts.noIds);
			return;
		}
		this.#report({ state: "ready", user: self.user, application: self.application, resumed: true });
	}

	#ended(code: number): void {
		if (this.#closing.signal.aborted) return;
		const refusal = closeRefusal(code);
		if (refusal !== undefined) this.#report({ state: "refused", detail: refusal });
		else this.#lost(connectionTexts.ended({ code }));
	}

	#failed(error: unknown): void {
		if (this.#closing.signal.aborted || this.#state === "refused") return;
		this.#options.log.debug("discord.js reported an error", { error });
		this.#lost(connectionTexts.unreachable({ reason: wordsOf(error) }));
	}

	/** Reports a lost connection once. discord.js reports each attempt. */
	#lost(detail: string): void {
		if (this.#state !== "lost" && this.#state !== "refused") this.#report({ state: "lost", detail });
	}

	#report(link: DiscordLink): void {
		this.#state = link.state;
		this.#handlers?.link(link);
		if (link.state !== "lost") this.#settled.resolve();
	}
}

function connectingInBackground(
	manager: WebSocketManager,
	failed: (error: unknown) => void,
): IShardingStrategy {
	const shards = new SimpleShardingStrategy(manager);
	return {
		spawn: (ids) => shards.spawn(ids),
		// A shard rejects `connect` if its first connection fails, although the shard retries.
		connect: () => void shards.connect().catch(failed),
		destroy: (options) => shards.destroy(options),
		send: (shard, payload) => shards.send(shard, payload),
		fetchStatus: () => shards.fetchStatus(),
	};
}

const Payload = z.object({ t: z.string(), s: z.int(), d: z.unknown() });

function readPayload(payload: unknown): z.output<typeof Payload> | undefined {
	return Payload.safeParse(payload).data;
}

const Ready = z.object({
	user: z.object({ id: z.string() }),
	application: z.object({ id: z.string() }),
});

function readReady(data: unknown): { readonly user: string; readonly application: string } | undefined {
	const ready = Ready.safeParse(data).data;
	return ready && { user: ready.user.id, application: ready.application.id };
}

function wordsOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
