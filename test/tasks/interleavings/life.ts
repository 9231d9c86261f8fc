import type { Store } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { operator, type SessionEvent, type Tables } from "@parley/core";
import { probeTool, TestRuntime } from "@parley/core/testing";
import { MortalStore } from "./mortal-store.ts";
import { PuppetModel } from "./puppet-model.ts";

/** What outlives a process: its database and its files. */
export interface Remains {
	readonly database: Store<Tables>;
	readonly directory: string;
	/** Milliseconds since the epoch. */
	readonly now: number;
}

/** Who is told of what happens in a life. */
export interface Witness {
	onEvent(event: SessionEvent): void;
	/** The effect of a call has happened. */
	onEffect(callId: string): void;
	onChange(): void;
}

/** One life of a process, from its start to a death that nobody announces. */
export class Life {
	readonly t: TestRuntime;
	readonly model: PuppetModel;
	readonly store: MortalStore;
	/** Everything that is still to happen to it happens on this clock, which stands still after its death. */
	readonly clock: ManualClock;

	private constructor(parts: Pick<Life, "t" | "model" | "store" | "clock">) {
		this.t = parts.t;
		this.model = parts.model;
		this.store = parts.store;
		this.clock = parts.clock;
	}

	static async begin({ database, directory, now }: Remains, witness: Witness): Promise<Life> {
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
		return new Life({ t, model, store, clock });
	}

	/** Resolves when everything has happened that waits for nothing but its turn. */
	quiet(): Promise<void> {
		return this.store.quiet();
	}

	/** Lets time pass in pieces that leave room for what has to happen in it. */
	async pass(ms: number): Promise<void> {
		const piece = 9_000;
		for (let left = ms; left > 0; left -= piece) {
			this.clock.advance(Math.min(piece, left));
			await this.quiet();
		}
	}

	/** Dies here and now; resolves when nothing of it is on its way any more. */
	async die(): Promise<void> {
		this.store.die();
		await this.quiet();
	}
}
