import { type Clock, type Failpoints, type Ids, type Logger, ParleyError } from "@parley/base";
import {
	type ChatPlatform,
	Connector,
	type ConnectorStatus,
	Controls,
	type GatewayFiles,
	type GatewayHistory,
	Malformed,
	openGatewayFiles,
	postedIn,
	startRetention,
} from "@parley/connector";
import { type Client, createClient } from "@parley/protocol";
import { CatchUp } from "./catch-up/catch-up.ts";
import { HeardPlaces } from "./catch-up/heard-places.ts";
import { createSlackPort, type SlackTransport } from "./client/slack-client.ts";
import { type ConnectorDatabase, openConnectorDatabase } from "./connector-database.ts";
import { openIntake } from "./intake/open-intake.ts";
import { type Takers, Taking } from "./intake/taking.ts";
import { Interactions } from "./interactions/interactions.ts";
import { createSlackPlatform } from "./slack-platform.ts";
import type { OwnAccount, SlackEnvelope, SlackLink, SlackPort, SlackReply } from "./slack-port.ts";

/** What a connector for Slack is made of. */
export interface RunSlackOptions {
	/** `xoxb-…`. */
	readonly botToken: string;
	/** `xapp-…`: what Slack sends comes through sockets that we open. */
	readonly appToken?: string | undefined;
	/** Without an app token: what Slack sends comes to `listen`, signed with it. */
	readonly signingSecret?: string | undefined;
	readonly listen?: { readonly host: string; readonly port: number } | undefined;
	/** Another `https://slack.com/api/`. */
	readonly apiUrl?: string | undefined;
	readonly gatewayUrl: string;
	/** A connector's token for the platform `slack`. */
	readonly gatewayToken: string;
	/** See `ClientOptions` of @parley/protocol. */
	readonly certificate?: string | undefined;
	/** `connectors/slack.sqlite` is kept in it, readable by its owner only. */
	readonly dataDir: string;
	readonly log: Logger;
	readonly clock: Clock;
	readonly ids: Ids;
	/** From 0 up to but without 1. */
	readonly chance: () => number;
	/** Called when the connection to Slack has changed; `status` tells how. */
	readonly onLink?: () => void;
	/** Those of the store, the inbox and the outbox. */
	readonly failpoints?: Failpoints;
	/** Slack itself unless told. */
	readonly port?: SlackPort;
	/** Another one than that of `gatewayUrl`. */
	readonly gateway?: { readonly client: Client; readonly files: GatewayFiles & GatewayHistory };
}

/** How the connector is doing. */
export interface SlackStatus {
	/** Absent while it connects for the first time. */
	readonly link?: SlackLink;
	/** What was not as Slack documents it. */
	readonly malformed: number;
	/** Channels and threads in which something may have been missed that is still to be read. */
	readonly behind: number;
	/** Absent until the bot was ready once. */
	readonly connector?: ConnectorStatus;
}

/** A connector that runs. */
export interface RunningSlack {
	/** Ends it so that the next one goes on where it was. */
	stop(): Promise<void>;
	status(): Promise<SlackStatus>;
	/** Resolves when it is of no use any more: with the reason where Slack or the gateway refuses it, without after `stop`. */
	readonly ended: Promise<Error | undefined>;
	/** Resolves when the first answer was posted. */
	readonly answered: Promise<void>;
}

/**
 * Runs the connector. Resolves when its database is open, and waits for Slack and for the gateway by itself; rejects with
 * a `ParleyError` where the database cannot be opened or nothing says how Slack reaches it.
 */
export async function runSlack(options: RunSlackOptions): Promise<RunningSlack> {
	const { botToken, apiUrl, clock, chance, log } = options;
	const port =
		options.port ??
		createSlackPort({ botToken, apiUrl, clock, chance, log, transport: transportOf(options) });
	const database = await openConnectorDatabase(options);
	try {
		const started = Promise.withResolvers<Started>();
		const places = await HeardPlaces.open({ store: database.places, clock, log });
		const taking = new Taking({
			...{ takers: started.promise, log },
			passed: (arrival) => places.heard(arrival),
			lost: (body) => catchUp.lost(body),
		});
		const take = (body: unknown, isLast: boolean, seenBefore?: true): Promise<unknown> =>
			taking.event(body, isLast, seenBefore);
		const { alive, begun } = database;
		const catchUp = await CatchUp.open({ port, places, alive, begun, clock, log, take });
		const running = new SlackRun(options, { database, port, started, places, taking, catchUp });
		running.begin();
		return running;
	} catch (error) {
		await database.store.close();
		throw error;
	}
}

/** What exists once it is known who the bot is. */
interface Started extends Takers {
	readonly connector: Connector;
	readonly interactions: Interactions;
}

interface Made {
	readonly database: ConnectorDatabase;
	readonly port: SlackPort;
	readonly started: PromiseWithResolvers<Started>;
	readonly places: HeardPlaces;
	readonly taking: Taking;
	readonly catchUp: CatchUp;
}

class SlackRun implements RunningSlack {
	readonly #options: RunSlackOptions;
	readonly #made: Made;
	readonly #malformed: Malformed;
	readonly #gateway: Client;
	readonly #retention: { stop(): void };
	readonly #stopping = new AbortController();
	readonly #ended = Promise.withResolvers<Error | undefined>();
	readonly #answered = Promise.withResolvers<void>();
	#starting: Promise<void> | undefined;
	#parts: Started | undefined;
	#link: SlackLink | undefined;
	#beginning: Promise<void> = Promise.resolve();

	constructor(options: RunSlackOptions, made: Made) {
		const { clock, log, ids, gatewayUrl: url, gatewayToken: token, certificate } = options;
		this.#options = options;
		this.#made = made;
		this.#malformed = new Malformed("Slack", log);
		this.#gateway =
			options.gateway?.client ??
			createClient({
				...{ url, token, certificate, clock, ids },
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
		const { port, taking, catchUp } = this.#made;
		const take = (envelope: SlackEnvelope): Promise<SlackReply> => {
			catchUp.heard();
			return taking.take(envelope);
		};
		port
			.connect({ take, link: (link) => this.#linked(link), silent: () => catchUp.silent() })
			.catch((error: unknown) => {
				this.#options.log.error("the connection to Slack has failed", { error });
				this.#end(ParleyError.from(error));
			});
	}

	async status(): Promise<SlackStatus> {
		const parts = this.#parts;
		return {
			...(this.#link && { link: this.#link }),
			...{ malformed: this.#malformed.count, behind: this.#made.catchUp.behind },
			...(parts && { connector: await parts.connector.status() }),
		};
	}

	async stop(): Promise<void> {
		const { port, taking, catchUp, places, started, database } = this.#made;
		this.#stopping.abort();
		this.#retention.stop();
		started.reject(new ParleyError("the connector stops", { code: "cancelled" }));
		await this.#starting;
		// What is not taken now Slack sends to the next one.
		await Promise.all([catchUp.stop(), taking.stop(), port.close()]);
		await this.#parts?.interactions.settled();
		await this.#parts?.connector.stop();
		await this.#beginning;
		await this.#gateway.close();
		await places.close();
		await database.store.close();
		this.#ended.resolve(undefined);
	}

	#end(reason: Error): void {
		if (this.#stopping.signal.aborted) return;
		this.#options.log.debug("the connector for Slack cannot go on", { error: reason });
		this.#ended.resolve(reason);
	}

	#linked(link: SlackLink): void {
		const { log, onLink } = this.#options;
		this.#link = link;
		if (!this.#stopping.signal.aborted) this.#made.catchUp.linked(link);
		onLink?.();
		if (link.state === "lost") log.warn(link.detail);
		if (link.state === "refused") this.#end(new ParleyError(link.detail, { code: "failed_precondition" }));
		if (link.state !== "ready") return;
		const { team, name } = link.account;
		log.info("Slack is ready", { team, name });
		this.#starting ??= this.#start(link.account).catch((reason: unknown) => {
			const error = ParleyError.from(reason);
			this.#made.started.reject(error);
			this.#end(error);
		});
	}

	async #start(self: OwnAccount): Promise<void> {
		const { botToken, gatewayUrl: url, gatewayToken: token, certificate } = this.#options;
		const { clock, chance, log, failpoints } = this.#options;
		const { port, database, started } = this.#made;
		const { store } = database;
		const malformed = this.#malformed;
		const controls = new Controls(botToken);
		const files = this.#options.gateway?.files ?? openGatewayFiles({ url, token, certificate });
		const reading = openIntake({ self, port, store, malformed, clock, log });
		const platform = createSlackPlatform({
			...{ port, self, clock, log, signal: this.#stopping.signal },
			nameOf: (id) => reading.people.known(id),
			...postedIn(store),
			readFile: (fileId, most, signal) => files.download(fileId, most, signal),
		});
		const connector = await Connector.start({
			...{ store, files, controls, clock, chance, log, gateway: this.#gateway },
			platform: this.#watched(platform),
			...(failpoints && { failpoints }),
		});
		const accept: Takers["accept"] = async (arrival, key) => {
			await connector.accept(arrival, key);
			// Slack waits for its answer, not for what its button shows.
			if (arrival.type === "stop") void platform.surface.stopped(key.conversation);
		};
		const interactions = new Interactions({
			...{ ...reading, self, port, controls, malformed, accept, clock, log },
		});
		this.#parts = { connector, interactions, accept, intake: reading.intake };
		started.resolve(this.#parts);
		this.#beginning = this.#made.catchUp
			.begin(() => connector.heardRooms())
			.catch((error: unknown) => {
				if (this.#stopping.signal.aborted) return;
				log.warn("what was missed before the database was there could not be read", { error });
			});
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

function transportOf({ appToken, signingSecret, listen }: RunSlackOptions): SlackTransport {
	if (appToken !== undefined) return { type: "sockets", appToken };
	if (signingSecret !== undefined && listen) return { type: "http", signingSecret, listen };
	throw new ParleyError(
		"nothing says how Slack reaches us: give an app token, or a signing secret and where to listen",
		{
			code: "invalid_argument",
		},
	);
}
