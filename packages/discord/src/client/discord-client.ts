import { type Clock, delay, type Logger } from "@parley/base";
import { Client, CloseCodes, DiscordjsErrorCodes } from "discord.js";
import { GatewayCloseCodes } from "discord-api-types/v10";
import type { DiscordLink, DiscordPort, DiscordRequest, DiscordResponse } from "../discord-port.ts";
import { download } from "./download.ts";
import { intents } from "./intents.ts";
import { readPayload, readReady } from "./payload.ts";
import { type Connections, QuietSharding } from "./quiet-sharding.ts";
import { refusalOf } from "./refusals.ts";
import { RestAnswers, restOptions } from "./rest-answers.ts";
import { SessionKeeper } from "./session-keeper.ts";
import type { SessionStore } from "./session-store.ts";

/** What Discord is reached with. */
export interface DiscordPortOptions {
	readonly token: string;
	/** Another `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	/** Another `https://cdn.discordapp.com`; that one stays allowed. */
	readonly cdnUrl?: string | undefined;
	/** See `RunDiscordOptions`. */
	readonly requestsPerSecond?: number | undefined;
	readonly clock: Clock;
	readonly log: Logger;
	readonly sessions: SessionStore;
}

type Handlers = Parameters<DiscordPort["connect"]>[0];

/** Between tries to begin, doubled each time. Once begun, discord.js tries every half second by itself. */
const firstWaitMs = 1000;
const mostWaitMs = 60_000;

/** So long Discord may take to say goodbye. */
const goodbyeMs = 2000;

/** Discord through discord.js. `connect` resolves when the bot is ready for the first time, refused or closed. */
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
	#keeper: SessionKeeper | undefined;
	#client: Client | undefined;
	#connections: Connections | undefined;

	constructor(options: DiscordPortOptions) {
		this.#options = options;
		this.#rest = new RestAnswers(options.token, options.apiUrl, options.requestsPerSecond);
	}

	request(request: DiscordRequest): Promise<DiscordResponse> {
		return this.#rest.request(request);
	}

	download(url: string, most: number, signal: AbortSignal): Promise<Uint8Array> {
		return download({ url, most, signal, cdnUrl: this.#options.cdnUrl });
	}

	async connect(handlers: Handlers): Promise<void> {
		this.#handlers = handlers;
		this.#keeper = await SessionKeeper.open(this.#options);
		const { clock } = this.#options;
		for (let waitMs = firstWaitMs; !(await this.#begin()); waitMs = Math.min(waitMs * 2, mostWaitMs)) {
			// That it is time to stop shows in the signal.
			await delay(clock, waitMs, this.#closing.signal).catch(() => undefined);
		}
		await this.#settled.promise;
	}

	async close(): Promise<void> {
		this.#closing.abort();
		this.#keeper?.end();
		await this.#leave();
		await this.#client?.destroy();
		await this.#keeper?.close();
		this.#rest.close();
		this.#settled.resolve();
	}

	/** Lets discord.js connect; false where that has to be begun again. */
	async #begin(): Promise<boolean> {
		if (this.#closing.signal.aborted) return true;
		const { token, apiUrl } = this.#options;
		this.#client = new Client({
			intents,
			rest: restOptions(apiUrl),
			ws: { buildStrategy: (connections) => this.#watch(connections) },
		});
		try {
			await this.#client.login(token);
			return true;
		} catch (error) {
			if (this.#closing.signal.aborted) return true;
			if (isTokenRefused(error)) {
				this.#ended(GatewayCloseCodes.AuthenticationFailed);
				return true;
			}
			this.#failed(error);
			return false;
		}
	}

	#watch(connections: Connections): QuietSharding {
		this.#connections = connections;
		connections.options.retrieveSessionInfo = () => this.#keeper?.retrieve() ?? null;
		connections.options.updateSessionInfo = (_shard, session) => this.#keeper?.update(session);
		return new QuietSharding(connections, {
			dispatch: (payload) => this.#dispatch(payload),
			closed: (code) => this.#ended(code),
			failed: (error) => this.#failed(error),
		});
	}

	/** With a code after which Discord keeps the session; discord.js ends it with 1000, and 1000 ends the session. */
	async #leave(): Promise<void> {
		const over = new AbortController();
		const goodbye = this.#connections?.destroy({ code: CloseCodes.Resuming, reason: "back in a moment" });
		await Promise.race([goodbye, delay(this.#options.clock, goodbyeMs, over.signal).catch(() => undefined)]);
		over.abort();
	}

	#dispatch(payload: unknown): void {
		const event = readPayload(payload);
		if (this.#closing.signal.aborted) return;
		if (event === undefined) {
			this.#options.log.warn("an event of Discord lacks what every event has, and is left out");
			return;
		}
		const { t, d, s } = event;
		if (t === "READY") this.#began(d);
		if (t === "RESUMED") this.#resumed();
		const taken = this.#handlers?.dispatch({ t, d });
		this.#keeper?.handed(s, taken ?? undefined).catch((error: unknown) => {
			this.#options.log.debug("an event of Discord was not taken, and comes again", { event: t, error });
		});
	}

	#began(data: unknown): void {
		const ids = readReady(data);
		if (ids === undefined) {
			this.#failed(new Error("READY does not say who the bot is"));
			return;
		}
		this.#keeper?.began(ids);
		this.#tell({ state: "ready", ...ids, resumed: false });
	}

	#resumed(): void {
		const self = this.#keeper?.self;
		if (self === undefined) {
			this.#failed(new Error("RESUMED came without a session"));
			return;
		}
		this.#tell({ state: "ready", user: self.user, application: self.application, resumed: true });
	}

	#ended(code: number): void {
		if (this.#closing.signal.aborted) return;
		const refusal = refusalOf(code);
		if (refusal !== undefined) this.#tell({ state: "refused", detail: refusal });
		else this.#lost(`the connection to Discord has ended with code ${code}, and is made again`);
	}

	#failed(error: unknown): void {
		if (this.#closing.signal.aborted || this.#state === "refused") return;
		this.#options.log.debug("discord.js failed", { error });
		this.#lost(`Discord cannot be reached, and is tried again: ${wordsOf(error)}`);
	}

	/** Once: while it is away, discord.js tells of each try. */
	#lost(detail: string): void {
		if (this.#state !== "lost" && this.#state !== "refused") this.#tell({ state: "lost", detail });
	}

	#tell(link: DiscordLink): void {
		this.#state = link.state;
		this.#handlers?.link(link);
		if (link.state !== "lost") this.#settled.resolve();
	}
}

function isTokenRefused(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === DiscordjsErrorCodes.TokenInvalid;
}

function wordsOf(error: unknown): string {
	return error instanceof Error ? error.message : String(error);
}
