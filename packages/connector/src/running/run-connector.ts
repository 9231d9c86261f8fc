import { defined, ParleyError, type Store } from "@parley/base";
import { type Client, createClient, type PersonCheck } from "@parley/protocol";
import { openGatewayFiles } from "../gateway/gateway-files.ts";
import { checkSendTimes } from "../outbox/machine-start.ts";
import { postedIn } from "../outbox/posted-in.ts";
import { type ConnectorDatabase, openConnectorDatabase } from "../store/connector-database.ts";
import { startRetention } from "../store/retention.ts";
import type { ConnectorTables } from "../store/tables.ts";
import { Connector } from "./connector.ts";
import { HealthReport } from "./health.ts";
import type {
	ConnectorStart,
	PlatformLink,
	PlatformSide,
	ReadyLink,
	SideOpening,
	StartedParts,
} from "./platform-side.ts";
import type { RunningConnector, RunOptions, RunStatus } from "./running-connector.ts";

export interface RunPlatform<Ready extends ReadyLink, Parts extends StartedParts> {
	/** Name in tokens and files, for example `slack`. */
	readonly name: string;
	/** Display name, for example `Slack`. */
	readonly title: string;
	open(opening: SideOpening<Parts>): Promise<PlatformSide<Ready, Parts>>;
}

/**
 * Runs the connector of a platform. Resolves when the database is open and `platform.open` has resolved. The running
 * connector then waits for the platform and the gateway. Rejects with a `ParleyError` if the database cannot be
 * opened. Also rejects as `platform.open` does.
 */
export async function runConnector<Ready extends ReadyLink, Parts extends StartedParts>(
	platform: RunPlatform<Ready, Parts>,
	options: RunOptions,
): Promise<RunningConnector<Ready>> {
	const { name, title } = platform;
	const database = await openConnectorDatabase({ ...options, platform: name });
	await checkSendTimes(database, options.clock);
	const { store, storedValue } = database;
	const [started, stopping] = [Promise.withResolvers<Parts>(), new AbortController()];
	// Prevents an unhandled rejection. Callers that await `started` still receive the rejection.
	started.promise.catch(() => undefined);
	try {
		const { signal } = stopping;
		const side = await platform.open({ ...database, started: started.promise, signal });
		const run = new ConnectorRun({ title, options, store, storedValue, side, started, stopping });
		run.begin();
		return run;
	} catch (error) {
		await store.close();
		throw error;
	}
}

interface RunFields<Ready extends ReadyLink, Parts extends StartedParts> {
	readonly title: string;
	readonly options: RunOptions;
	readonly store: Store<ConnectorTables>;
	readonly storedValue: ConnectorDatabase["storedValue"];
	readonly side: PlatformSide<Ready, Parts>;
	readonly started: PromiseWithResolvers<Parts>;
	readonly stopping: AbortController;
}

class ConnectorRun<Ready extends ReadyLink, Parts extends StartedParts> implements RunningConnector<Ready> {
	readonly #fields: RunFields<Ready, Parts>;
	readonly #gateway: Client;
	readonly #retention: { stop(): void };
	readonly #health: HealthReport;
	readonly #ended = Promise.withResolvers<Error | undefined>();
	#link: PlatformLink<Ready> | undefined;
	#starting: Promise<void> | undefined;
	#parts: Parts | undefined;
	#beside: Promise<unknown> = Promise.resolve();

	constructor(fields: RunFields<Ready, Parts>) {
		const { clock, log, ids, gatewayUrl: url, gatewayToken: token, certificate, gateway } = fields.options;
		this.#fields = fields;
		const { side } = fields;
		this.#health = new HealthReport(clock, (health) => side.showHealth?.(health));
		this.#gateway =
			gateway?.client ??
			createClient({
				url,
				token,
				certificate,
				clock,
				ids,
				// These frames show a growing answer, and the current activity of the agent.
				transient: ["assistant.started", "assistant.stream", "tool.arguments"],
				onPersonCheck: (check) => void this.#answerCheck(check),
				onState: (state, detail) => {
					log.info("the connection to the gateway changed", { state, detail });
					this.#health.gateway(state);
					if (state === "closed") this.#end(new ParleyError(detail, { code: "unauthenticated" }));
				},
			});
		this.#retention = startRetention({ store: fields.store, clock, log });
	}

	get ended(): Promise<Error | undefined> {
		return this.#ended.promise;
	}

	/** Connects to the platform, without a time limit. */
	begin(): void {
		const { title, options, side } = this.#fields;
		side
			.connect((link) => this.#linked(link))
			.catch((error: unknown) => {
				options.log.error(`the connection to ${title} has failed`, { error });
				this.#end(ParleyError.from(error));
			});
	}

	async status(): Promise<RunStatus<Ready>> {
		const parts = this.#parts;
		return {
			...defined({ link: this.#link }),
			malformed: parts?.malformed() ?? 0,
			behind: this.#fields.side.behind,
			...defined({ connector: parts ? await parts.connector.status() : undefined }),
		};
	}

	async stop(): Promise<void> {
		const { side, started, stopping, store } = this.#fields;
		stopping.abort();
		this.#retention.stop();
		this.#health.stop();
		started.reject(new ParleyError("cancelled: the connector is stopping", { code: "cancelled" }));
		await this.#starting;
		await side.stop();
		await this.#parts?.interactions.settled();
		await this.#parts?.connector.stop();
		await this.#beside;
		await side.close();
		await this.#gateway.close();
		await store.close();
		this.#ended.resolve(undefined);
	}

	async #answerCheck({ check_id, ...query }: PersonCheck): Promise<void> {
		const { started, stopping, options } = this.#fields;
		try {
			const parts = await started.promise;
			const now = await parts.personRights(query, stopping.signal);
			if (now === undefined) {
				options.log.warn("the platform did not report the rights of a person", { user: query.user });
				return;
			}
			await this.#gateway.request("report_person", { check_id, ...now });
		} catch (error) {
			if (stopping.signal.aborted) return;
			options.log.warn("the rights of a person could not be reported", { user: query.user, error });
		}
	}

	#end(reason: Error): void {
		const { title, options, stopping } = this.#fields;
		if (stopping.signal.aborted) return;
		options.log.debug(`the connector for ${title} cannot continue`, { error: reason });
		this.#ended.resolve(reason);
	}

	#linked(link: PlatformLink<Ready>): void {
		const { options, side, started } = this.#fields;
		this.#link = link;
		side.linked(link);
		this.#parts?.connector.linked(link.state === "ready");
		options.onLink?.();
		if (link.state === "lost") options.log.warn(link.detail);
		if (link.state === "refused") this.#end(new ParleyError(link.detail, { code: "failed_precondition" }));
		if (link.state !== "ready") return;
		this.#starting ??= this.#start(link).catch((reason: unknown) => {
			const error = ParleyError.from(reason);
			started.reject(error);
			this.#end(error);
		});
	}

	async #start(ready: Ready): Promise<void> {
		const { side, started } = this.#fields;
		const parts = await side.start(ready, this.#connectorStart());
		this.#parts = parts;
		// The connection may have been lost during the start.
		parts.connector.linked(this.#link?.state === "ready");
		started.resolve(parts);
		this.#beside = Promise.all([
			side.syncCommands?.(ready),
			side.readMissed(() => parts.connector.roomProgress()).catch((error: unknown) => this.#notRead(error)),
		]);
	}

	#connectorStart(): ConnectorStart {
		const { options, store, storedValue } = this.#fields;
		const {
			gatewayUrl: url,
			gatewayToken: token,
			certificate,
			clock,
			chance,
			log,
			failpoints,
			joinMs,
		} = options;
		const files = options.gateway?.files ?? openGatewayFiles({ url, token, certificate });
		return {
			store,
			...postedIn(store),
			readFile: (fileId, maximum, signal) => files.download(fileId, maximum, signal),
			connector: (platform, controls) =>
				Connector.start({
					store,
					files,
					platform,
					controls,
					clock,
					chance,
					log,
					gateway: this.#gateway,
					watchedAt: storedValue<number>("watched"),
					modelChanged: (isFailing) => this.#health.model(isFailing),
					...defined({ failpoints, joinMs }),
				}),
		};
	}

	#notRead(error: unknown): void {
		const { options, stopping } = this.#fields;
		if (stopping.signal.aborted) return;
		options.log.warn("messages from before the database existed could not be read", { error });
	}
}
