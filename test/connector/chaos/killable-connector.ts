import type { Failpoints } from "@parley/base";
import { type ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import type { RunningConnector, RunOptions, RunStatus } from "@parley/connector";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { Client, OpenSession } from "@parley/protocol";

/** Places at which a process of the connector can die. */
export const places = [
	...["store.commit", "store.committed"],
	...["claim", "claimed", "answered", "look", "looked", "settled"].map((name) => `outbox.${name}`),
	...["draft", "drafted"].map((name) => `outbox.${name}`),
	...["insert", "inserted", "handle", "handled", "done"].map((name) => `inbound.${name}`),
	...["late", "asked"].map((name) => `platform.${name}`),
];

/** Whether a process reaches this place often. A death may then be planned for a later hit. */
export function isFrequent(place: string): boolean {
	return place.startsWith("store.") || place.startsWith("platform.");
}

/** Milliseconds from the death of a process until the platform carries out a request that the process had sent. */
const lateMs = 2000;

/** The place at which a process dies, and the number of hits until then. */
export interface Fate {
	readonly place: string;
	readonly hit: number;
}

/** Runs work while the process lives. After its death, the promise rejects. */
export type Guarded = <Value>(work: () => Promise<Value>) => Promise<Value>;

export interface PlatformProcess {
	/** Runs the connector. Each request to the platform passes through `guarded`. */
	run(options: RunOptions, guarded: Guarded): Promise<RunningConnector>;
	/** Cuts the process's connection to the platform. */
	kill(): void;
}

export interface KillableConnectorParts {
	readonly process: PlatformProcess;
	readonly gateway: ScriptedGateway;
	readonly clock: ManualClock;
	readonly dataDir: string;
	readonly chance: () => number;
	readonly died: () => void;
}

/**
 * One process of the connector. After its death, the process no longer reaches the platform, the gateway or its
 * database.
 */
export class KillableConnector implements Failpoints {
	readonly log = new MemoryLogger();
	/** Place or cause of the death. Undefined while the process lives. */
	end: string | undefined;
	readonly #parts: KillableConnectorParts;
	/** Number of hits of each place since the start of the process, or since it was last armed. */
	readonly reached = new Map<string, number>();
	#fate: Fate | undefined;
	#running: RunningConnector | undefined;

	constructor(parts: KillableConnectorParts) {
		this.#parts = parts;
	}

	async begin(): Promise<void> {
		const { process, gateway, clock, dataDir, chance } = this.#parts;
		const options = {
			...{ gatewayUrl: "http://127.0.0.1:9", gatewayToken: "", dataDir, chance },
			...{ log: this.log, clock, ids: seededIds(7), failpoints: this },
			gateway: { client: this.#guardedClient(gateway.connect()), files: gateway.files },
		};
		this.#running = await process.run(options, (work) => this.#guarded(() => this.#ask(work)));
	}

	/** Plans the death of the process at a place. */
	arm(fate: Fate): void {
		this.#fate = fate;
		this.reached.clear();
	}

	reach(name: string): void {
		this.#throwIfDead();
		if (!this.#isFated(name)) return;
		this.die(name);
		this.#throwIfDead();
	}

	/** Records a hit of a place. Returns true if the process must die there. */
	#isFated(name: string): boolean {
		const hits = (this.reached.get(name) ?? 0) + 1;
		this.reached.set(name, hits);
		return name === this.#fate?.place && hits === this.#fate.hit;
	}

	die(where: string): void {
		this.end ??= where;
		this.#parts.process.kill();
		this.#parts.died();
	}

	async status(): Promise<RunStatus | undefined> {
		return this.#running?.status();
	}

	/**
	 * Stops the connector if it is alive. Otherwise releases the resources that the dead connector still has in the
	 * test process.
	 */
	async stop(): Promise<void> {
		await this.#running?.stop();
	}

	#throwIfDead(): void {
		if (this.end !== undefined) throw new Error("dead");
	}

	#guardedClient(client: Client): Client {
		return {
			request: (...args) => this.#guarded(() => client.request(...args)),
			open: (...args) => this.#guarded(async () => this.#guardedReader(await client.open(...args))),
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

	/** Sends a request to the platform. The platform may carry it out after the death of the process. */
	async #ask<Value>(work: () => Promise<Value>): Promise<Value> {
		if (this.#isFated("platform.late")) {
			this.die("platform.late");
			// A dead process does not read the response.
			this.#parts.clock.after(lateMs, () => void work().catch(() => undefined));
			this.#throwIfDead();
		}
		const answer = await work();
		this.reach("platform.asked");
		return answer;
	}

	async #guarded<Value>(work: () => Promise<Value>): Promise<Value> {
		this.#throwIfDead();
		try {
			return await work();
		} finally {
			this.#throwIfDead();
		}
	}
}
