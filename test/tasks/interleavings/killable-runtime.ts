import type { Store } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { operator, type SessionEvent, type Tables } from "@parley/core";
import { probeTool, TestRuntime } from "@parley/core/testing";
import { MortalStore } from "./mortal-store.ts";
import { PuppetModel } from "./puppet-model.ts";

/** The database and the files, which outlive a process. */
export interface Storage {
	readonly database: Store<Tables>;
	readonly directory: string;
	/** Start time of the process's clock, in milliseconds since the epoch. */
	readonly now: number;
}

export interface Observer {
	onEvent(event: SessionEvent): void;
	onEffect(callId: string): void;
	onChange(): void;
}

/** One process, from its start to its sudden death. */
export class KillableRuntime {
	readonly t: TestRuntime;
	readonly model: PuppetModel;
	readonly store: MortalStore;
	/** Clock of all timers in the process. Each process has its own clock. */
	readonly clock: ManualClock;

	private constructor(parts: Pick<KillableRuntime, "t" | "model" | "store" | "clock">) {
		this.t = parts.t;
		this.model = parts.model;
		this.store = parts.store;
		this.clock = parts.clock;
	}

	static async begin({ database, directory, now }: Storage, witness: Observer): Promise<KillableRuntime> {
		const model = new PuppetModel(() => witness.onChange());
		const clock = new ManualClock(now);
		const store = new MortalStore(database);
		const run = async ({ callId }: { callId: string }): Promise<string> => {
			witness.onEffect(callId);
			return "it has happened";
		};
		const t = await TestRuntime.open({
			...{ model, clock, directory, database, wrap: () => store },
			tools: [probeTool("effect", { run }), probeTool("gated", { run, classes: ["exec-unsandboxed"] })],
			tasks: { limit: 100_000, workingMs: 1e9 },
		});
		t.runtime.observe(operator, (event) => {
			witness.onEvent(event);
			witness.onChange();
		});
		await t.runtime.start();
		return new KillableRuntime({ t, model, store, clock });
	}

	/** Resolves when the process has not used the database for several ticks. */
	quiet(): Promise<void> {
		return this.store.quiet();
	}

	async pass(ms: number): Promise<void> {
		const piece = 9_000;
		for (let remaining = ms; remaining > 0; remaining -= piece) {
			this.clock.advance(Math.min(piece, remaining));
			await this.quiet();
		}
	}

	/** Kills the process. Resolves when its last database access has ended. */
	async die(): Promise<void> {
		this.store.die();
		await this.quiet();
	}
}
