import { type Clock, type Failpoints, type Ids, type Logger, ParleyError } from "@parley/base";
import {
	type ChatPlatform,
	Connector,
	type ConnectorStatus,
	Controls,
	commandTable,
	type GatewayFiles,
	type GatewayHistory,
	openGatewayFiles,
	postedIn,
	startRetention,
} from "@parley/connector";
import { type Client, createClient } from "@parley/protocol";
import { Listening } from "./catch-up/listening.ts";
import type { Takers } from "./catch-up/taking.ts";
import { createDiscordPort } from "./client/discord-client.ts";
import { asKitCommand } from "./commands/ask-about-this.ts";
import { keepCommands } from "./commands/command-sync.ts";
import { type ConnectorDatabase, openConnectorDatabase } from "./connector-database.ts";
import { createDiscordPlatform } from "./discord-platform.ts";
import type { DiscordLink, DiscordPort } from "./discord-port.ts";
import { Channels } from "./intake/channels.ts";
import { Intake } from "./intake/intake.ts";
import { Interactions } from "./interactions/interactions.ts";
import { Tickets } from "./interactions/tickets.ts";
import type { OwnAccount } from "./own-account.ts";

/** What a connector for Discord is made of. */
export interface RunDiscordOptions {
	/** The bot's. */
	readonly token: string;
	/** Another `https://discord.com/api`. */
	readonly apiUrl?: string | undefined;
	/** Another `https://cdn.discordapp.com`; that one stays allowed. */
	readonly cdnUrl?: string | undefined;
	/** What Discord allows this bot in a second, over all routes; 50 unless told, which it allows every bot. */
	readonly requestsPerSecond?: number | undefined;
	readonly gatewayUrl: string;
	/** A connector's token for the platform `discord`. */
	readonly gatewayToken: string;
	/** See `ClientOptions` of @parley/protocol. */
	readonly certificate?: string | undefined;
	/** `connectors/discord.sqlite` is kept in it, readable by its owner only. */
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: Clock;
	readonly ids: Ids;
	/** From 0 up to but without 1. */
	readonly chance: () => number;
	/** Called when the connection to Discord has changed; `status` tells how. */
	readonly onLink?: () => void;
	/** Those of the store, the inbox and the outbox. */
	readonly failpoints?: Failpoints;
	/** Discord itself unless told. */
	readonly port?: DiscordPort;
	/** Another one than that of `gatewayUrl`. */
	readonly gateway?: { readonly client: Client; readonly files: GatewayFiles & GatewayHistory };
}

/** How the connector is doing. */
export interface DiscordStatus {
	/** Absent while it connects for the first time. */
	readonly link?: DiscordLink;
	/** Events that were not what Discord documents. */
	readonly malformed: number;
	/** Channels in which something was missed that could not be read yet; it is tried again for as long as it takes. */
	readonly behind: number;
	/** Absent until the bot was ready once. */
	readonly connector?: ConnectorStatus;
}

/** A connector that runs. */
export interface RunningDiscord {
	/** Ends it so that the next one goes on where it was. */
	stop(): Promise<void>;
	status(): Promise<DiscordStatus>;
	/** Resolves when it is of no use any more: with the reason where Discord or the gateway refuses it, without after `stop`. */
	readonly ended: Promise<Error | undefined>;
	/** Resolves when the first answer was posted. */
	readonly answered: Promise<void>;
}

/**
 * Runs the connector. Resolves when its database is open, and waits for Discord and for the gateway by itself; rejects
 * with a `ParleyError` where the database cannot be opened.
 */
export async function runDiscord(options: RunDiscordOptions): Promise<RunningDiscord> {
	const { token, apiUrl, cdnUrl, requestsPerSecond, log, clock } = options;
	const database = await openConnectorDatabase(options);
	try {
		const { sessions } = database;
		const port =
			options.port ?? createDiscordPort({ token, apiUrl, cdnUrl, requestsPerSecond, clock, log, sessions });
		const started = Promise.withResolvers<Started>();
		const takers: Promise<Takers> = started.promise.then(({ connector, intake, interactions }) => ({
			...{ intake, interactions },
			accept: (arrival, key) => connector.accept(asKitCommand(arrival), key),
		}));
		const listening = await Listening.open({ port, database, takers, clock, log });
		const running = new DiscordRun(options, { database, port, started, listening });
		running.begin();
		return running;
	} catch (error) {
		await database.store.close();
		throw error;
	}
}

/** What exists once it is known who the bot is. */
interface Started {
	readonly connector: Connector;
	readonly intake: Intake;
	readonly interactions: Interactions;
}

class DiscordRun implements RunningDiscord {
	readonly #options: RunDiscordOptions;
	readonly #database: ConnectorDatabase;
	readonly #port: DiscordPort;
	readonly #started: PromiseWithResolvers<Started>;
	readonly #listening: Listening;
	readonly #gateway: Client;
	readonly #retention: { stop(): void };
	readonly #stopping = new AbortController();
	readonly #ended = Promise.withResolvers<Error | undefined>();
	readonly #answered = Promise.withResolvers<void>();
	#starting: Promise<void> | undefined;
	#parts: Started | undefined;
	#link: DiscordLink | undefined;
	#syncing: Promise<unknown> = Promise.resolve();

	constructor(
		options: RunDiscordOptions,
		made: {
			readonly database: ConnectorDatabase;
			readonly port: DiscordPort;
			readonly started: PromiseWithResolvers<Started>;
			readonly listening: Listening;
		},
	) {
		const { clock, log, ids } = options;
		const { gatewayUrl: url, gatewayToken, certificate } = options;
		this.#options = options;
		this.#database = made.database;
		this.#port = made.port;
		this.#started = made.started;
		this.#listening = made.listening;
		this.#gateway =
			options.gateway?.client ??
			createClient({
				...{ url, token: gatewayToken, certificate, clock, ids },
				onState: (state, detail) => {
					log.info("the gateway", { state, detail });
					if (state === "closed") this.#end(new ParleyError(detail, { code: "unauthenticated" }));
				},
			});
		this.#retention = startRetention({ store: made.database.store, clock, log });
	}

	get ended(): Promise<Error | undefined> {
		return this.#ended.promise;
	}

	get answered(): Promise<void> {
		return this.#answered.promise;
	}

	/** Connects, which may take as long as it likes. */
	begin(): void {
		const { log } = this.#options;
		this.#port
			.connect({
				dispatch: (event) => this.#listening.dispatch(event),
				link: (link) => this.#linked(link),
			})
			.catch((error: unknown) => {
				log.error("the connection to Discord has failed", { error });
				this.#end(ParleyError.from(error));
			});
	}

	async status(): Promise<DiscordStatus> {
		const parts = this.#parts;
		return {
			...(this.#link && { link: this.#link }),
			behind: this.#listening.behind,
			malformed: (parts?.intake.malformed ?? 0) + (parts?.interactions.malformed ?? 0),
			...(parts && { connector: await parts.connector.status() }),
		};
	}

	async stop(): Promise<void> {
		this.#stopping.abort();
		this.#retention.stop();
		this.#started.reject(new ParleyError("the connector stops", { code: "cancelled" }));
		await this.#starting;
		await this.#listening.stop();
		await this.#parts?.interactions.settled();
		await this.#parts?.connector.stop();
		await this.#syncing;
		// What was not taken comes again: only what was is behind the session that this keeps.
		await this.#port.close();
		await this.#gateway.close();
		await this.#listening.close();
		await this.#database.store.close();
		this.#ended.resolve(undefined);
	}

	#end(reason: Error): void {
		if (this.#stopping.signal.aborted) return;
		this.#options.log.debug("the connector for Discord cannot go on", { error: reason });
		this.#ended.resolve(reason);
	}

	#linked(link: DiscordLink): void {
		const { log } = this.#options;
		this.#link = link;
		this.#listening.linked(link);
		this.#options.onLink?.();
		if (link.state === "lost") log.warn(link.detail);
		if (link.state === "refused") this.#end(new ParleyError(link.detail, { code: "failed_precondition" }));
		if (link.state !== "ready") return;
		log.info("Discord is ready", { user: link.user, resumed: link.resumed });
		this.#starting ??= this.#start({ user: link.user, application: link.application }).catch((reason) => {
			const error = ParleyError.from(reason);
			this.#started.reject(error);
			this.#end(error);
		});
	}

	async #start(self: OwnAccount): Promise<void> {
		const {
			token,
			gatewayUrl: url,
			gatewayToken,
			certificate,
			clock,
			chance,
			log,
			failpoints,
		} = this.#options;
		const { store, commands: memory, audiences } = this.#database;
		const port = this.#port;
		const controls = new Controls(token);
		const tickets = new Tickets();
		const channels = new Channels({ port, clock });
		const files = this.#options.gateway?.files ?? openGatewayFiles({ url, token: gatewayToken, certificate });
		const platform = this.#watched(
			createDiscordPlatform({
				...{ port, self, tickets, clock, log, requestsPerSecond: this.#options.requestsPerSecond },
				...postedIn(store),
				readFile: (fileId, most, signal) => files.download(fileId, most, signal),
			}),
		);
		const connector = await Connector.start({
			...{ store, files, platform, controls, clock, chance, log, gateway: this.#gateway },
			...(failpoints && { failpoints }),
		});
		const intake = new Intake({ self, port, channels, audiences, clock, log });
		const interactions = new Interactions({
			...{ self, port, channels, controls, tickets, clock, log },
			connector: {
				accept: (arrival, key) => connector.accept(asKitCommand(arrival), key),
				complete: (asked) => connector.complete(asked),
			},
		});
		this.#parts = { connector, intake, interactions };
		this.#started.resolve(this.#parts);
		const sync = { port, application: self.application, shapes: commandTable, memory };
		this.#syncing = Promise.all([
			keepCommands(sync, { clock, log, signal: this.#stopping.signal }),
			this.#listening.begin(() => connector.heardRooms()).catch((error: unknown) => this.#notHeard(error)),
		]);
	}

	#notHeard(error: unknown): void {
		if (this.#stopping.signal.aborted) return;
		this.#options.log.warn("what was missed before the database was there could not be read", { error });
	}

	/** Tells when the first answer was posted. */
	#watched(platform: ChatPlatform): ChatPlatform {
		const { surface } = platform;
		return {
			...platform,
			surface: {
				find: (row) => surface.find(row),
				typing: (conversation) => surface.typing(conversation),
				scopes: (request) => surface.scopes(request),
				send: async (row) => {
					const receipt = await surface.send(row);
					if (row.lane === "final") this.#answered.resolve();
					return receipt;
				},
			},
		};
	}
}
