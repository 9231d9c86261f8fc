import type { Failpoints } from "@parley/base";
import { MemoryLogger, seededIds } from "@parley/base/testing";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { Client, OpenSession } from "@parley/protocol";
import { type RunningSlack, runSlack, type SlackPort, type SlackStatus } from "@parley/slack";
import { InProcessPort } from "../../simulators/slack/in-process.ts";
import type { World } from "../../simulators/slack/world/world.ts";
import type { Fate } from "./life.ts";

export interface SlackLifeParts {
	readonly world: World;
	readonly gateway: ScriptedGateway;
	readonly dataDir: string;
	readonly chance: () => number;
	readonly died: () => void;
}

/** One process of the connector. Once it is dead nothing of it reaches Slack, the gateway or its database any more. */
export class SlackLife implements Failpoints {
	readonly log = new MemoryLogger();
	/** Where it died. */
	end: string | undefined;
	readonly #parts: SlackLifeParts;
	readonly #port: InProcessPort;
	#fate: Fate | undefined;
	#hits = 0;
	#running: RunningSlack | undefined;

	constructor(parts: SlackLifeParts) {
		this.#parts = parts;
		this.#port = new InProcessPort(parts.world);
	}

	async begin(): Promise<void> {
		const { world, gateway, dataDir, chance } = this.#parts;
		this.#running = await runSlack({
			...{ botToken: world.token, gatewayUrl: "http://127.0.0.1:9", gatewayToken: "", dataDir, chance },
			...{ log: this.log, clock: world.clock, ids: seededIds(7), failpoints: this },
			port: this.#guardedPort(),
			gateway: { client: this.#guardedClient(gateway.connect()), files: gateway.files },
		});
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
		this.#port.kill();
		this.#parts.died();
	}

	async status(): Promise<SlackStatus | undefined> {
		return this.#running?.status();
	}

	/** Ends it: in order where it lives, and else what is left of it in this process. */
	async stop(): Promise<void> {
		await this.#running?.stop();
	}

	#demandLife(): void {
		if (this.end !== undefined) throw new Error("dead");
	}

	#guardedPort(): SlackPort {
		const port = this.#port;
		return {
			call: (call) => this.#guarded(() => port.call(call)),
			respond: (...answer) => this.#guarded(() => port.respond(...answer)),
			upload: (...file) => this.#guarded(() => port.upload(...file)),
			download: (...asked) => this.#guarded(() => port.download(...asked)),
			connect: (handlers) => port.connect(handlers),
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
