import type { Failpoints } from "@parley/base";
import { MemoryLogger, seededIds } from "@parley/base/testing";
import type { ScriptedGateway } from "@parley/connector/testing";
import { type DiscordPort, type RunningDiscord, runDiscord } from "@parley/discord";
import type { Client, OpenSession } from "@parley/protocol";
import { GatewayIntentBits } from "discord-api-types/v10";
import { InProcessPort } from "../../simulators/discord/in-process.ts";
import type { World } from "../../simulators/discord/world/world.ts";
import type { KeptSession } from "./kept-session.ts";

const intents =
	GatewayIntentBits.Guilds |
	GatewayIntentBits.GuildMessages |
	GatewayIntentBits.GuildMessageReactions |
	GatewayIntentBits.DirectMessages |
	GatewayIntentBits.DirectMessageReactions |
	GatewayIntentBits.MessageContent;

/** Where a process of the connector can die. */
export const places = [
	...["store.commit", "store.committed"],
	...["claim", "claimed", "answered", "look", "looked", "settled"].map((name) => `outbox.${name}`),
	...["insert", "inserted", "handle", "handled", "done"].map((name) => `inbound.${name}`),
];

/** The place where a process dies, and at which hit of it. */
export interface Fate {
	readonly place: string;
	readonly hit: number;
}

export interface LifeParts {
	readonly world: World;
	readonly gateway: ScriptedGateway;
	readonly session: KeptSession;
	readonly dataDir: string;
	readonly chance: () => number;
	readonly died: () => void;
}

/** One process of the connector. Once it is dead nothing of it reaches Discord, the gateway or its database any more. */
export class Life implements Failpoints {
	readonly log = new MemoryLogger();
	/** Where it died. */
	end: string | undefined;
	readonly #parts: LifeParts;
	readonly #port: InProcessPort;
	#fate: Fate | undefined;
	#hits = 0;
	#running: RunningDiscord | undefined;

	constructor(parts: LifeParts) {
		this.#parts = parts;
		this.#port = new InProcessPort(parts.world, { intents, sessions: parts.session.store });
	}

	async begin(): Promise<void> {
		const { world, gateway, dataDir, chance } = this.#parts;
		const running = await runDiscord({
			...{ token: world.token, gatewayUrl: "http://127.0.0.1:9", gatewayToken: "", dataDir, chance },
			...{
				log: this.log,
				clock: world.clock,
				ids: seededIds(7),
				failpoints: this,
				port: this.#guardedPort(),
			},
			gateway: { client: this.#guardedClient(gateway.connect()), files: gateway.files },
		});
		this.#running = running;
	}

	/** From now on it dies where it is fated to. */
	arm(fate: Fate): void {
		this.#fate = fate;
	}

	reach(name: string): void {
		this.#demandLife();
		if (name !== this.#fate?.place) return;
		this.#hits += 1;
		if (this.#hits === this.#fate.hit) this.die(name);
		this.#demandLife();
	}

	die(where: string): void {
		this.end ??= where;
		this.#parts.session.end();
		this.#port.kill();
		this.#parts.died();
	}

	async status(): Promise<Awaited<ReturnType<RunningDiscord["status"]>> | undefined> {
		return this.#running?.status();
	}

	/** Ends it: in order where it lives, and else what is left of it in this process. */
	async stop(): Promise<void> {
		await this.#running?.stop();
	}

	#demandLife(): void {
		if (this.end !== undefined) throw new Error("dead");
	}

	#guardedPort(): DiscordPort {
		const port = this.#port;
		return {
			request: (request) => this.#guarded(() => port.request(request)),
			download: (...asked) => this.#guarded(() => port.download(...asked)),
			connect: ({ dispatch, link }) =>
				port.connect({ dispatch: this.#parts.session.watched(dispatch), link }),
			close: () => port.close(),
		};
	}

	#guardedClient(client: Client): Client {
		return {
			request: (...asked) => this.#guarded(() => client.request(...asked)),
			open: (...asked) => this.#guarded(async () => this.#guardedReader(await client.open(...asked))),
			close: () => client.close(),
		};
	}

	#guardedReader(reader: OpenSession): OpenSession {
		const isDead = (): boolean => this.end !== undefined;
		return {
			...{ id: reader.id, status: reader.status, lastSeq: reader.lastSeq },
			async *events() {
				for await (const event of reader.events()) {
					if (isDead()) return;
					yield event;
				}
			},
			close: () => reader.close(),
		};
	}

	async #guarded<Value>(work: () => Promise<Value>): Promise<Value> {
		this.#demandLife();
		try {
			return await work();
		} finally {
			this.#demandLife();
		}
	}
}
