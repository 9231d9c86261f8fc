import type { Failpoints } from "@parley/base";
import { type ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import type { RunningConnector, RunOptions, RunStatus } from "@parley/connector";
import type { ScriptedGateway } from "@parley/connector/testing";
import type { Client, OpenSession } from "@parley/protocol";

/** Failpoints at which a connector process can die. */
export const places = [
	...["store.commit", "store.committed"],
	...["claim", "claimed", "answered", "look", "looked", "settled"].map((name) => `outbox.${name}`),
	...["draft", "drafted"].map((name) => `outbox.${name}`),
	...["insert", "inserted", "handle", "handled", "done"].map((name) => `inbound.${name}`),
	...["late", "asked"].map((name) => `platform.${name}`),
];

/** Whether a process reaches this failpoint often. A planned death can then use a later hit. */
export function isFrequent(place: string): boolean {
	return place.startsWith("store.") || place.startsWith("platform.");
}

/** Milliseconds after a death at `platform.late` until the platform performs the last request of the dead process. */
const lateMs = 2000;

/** Failpoint at which a process dies, and the hit of this failpoint that kills it. */
export interface Fate {
	readonly place: string;
	readonly hit: number;
}

/**
 * Function that runs `work` unless the process is dead. Rejects if the process is dead, or dies while `work` runs.
 */
export type Guarded = <Value>(work: () => Promise<Value>) => Promise<Value>;

export interface PlatformProcess {
	/** Runs the connector. Each request to the platform passes through `guarded`. */
	run(options: RunOptions, guarded: Guarded): Promise<RunningConnector>;
	/** Closes the process's connection to the platform. */
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

/** One connector process. After its death, requests to the platform and requests of its gateway client fail. */
export class KillableConnector implements Failpoints {
	readonly log = new MemoryLogger();
	/** Failpoint or cause of the death. Undefined while the process is alive. */
	end: string | undefined;
	readonly #parts: KillableConnectorParts;
	/** Number of hits of each failpoint since the start of the process or, if later, the last `arm`. */
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

	async #ask<Value>(work: () => Promise<Value>): Promise<Value> {
		// After a death at `platform.late`, the platform still performs the request.
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
