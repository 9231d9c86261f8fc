import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { defined, type Failpoints, noFailpoints, openSqliteStore, type Store } from "@parley/base";
import { ManualClock, MemoryLogger, seededIds } from "@parley/base/testing";
import { Runtime } from "../runtime.ts";
import type { RuntimeOptions } from "../runtime-options.ts";
import type { Keyed } from "../store/idempotency.ts";
import { migrations } from "../store/migrations/migrations.ts";
import type { Tables } from "../store/tables.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { Model } from "../vocabulary/model.ts";
import { operator, type Principal } from "../vocabulary/principal.ts";
import type { Sandboxes } from "../vocabulary/sandbox.ts";
import { SecretBox } from "../vocabulary/secrets.ts";
import { noSandboxes } from "./no-sandboxes.ts";

export interface TestRuntimeOptions
	extends Partial<Omit<RuntimeOptions, "store" | "clock" | "ids" | "log" | "sandbox" | "secrets" | "roots">> {
	readonly model: Model;
	/** Directory of an earlier runtime. The new runtime continues the earlier runtime's work. */
	readonly directory?: string;
	readonly clock?: ManualClock;
	readonly failpoints?: Failpoints;
	readonly database?: Store<Tables>;
	/** Wraps the store that the runtime uses. */
	readonly wrap?: (store: Store<Tables>) => Store<Tables>;
	/** Sandboxes of commands. Default: commands run without a sandbox. */
	readonly sandbox?: Sandboxes;
	/** Values of `--root`. Default: none. */
	readonly roots?: readonly string[];
	/** Template of the system prompt. Default: a short one. `built-in` is the template of the product. */
	readonly systemTemplate?: string;
}

interface RuntimeParts {
	readonly runtime: Runtime;
	readonly store: Store<Tables>;
	readonly clock: ManualClock;
	readonly log: MemoryLogger;
	readonly directory: string;
}

/**
 * Runtime with a manual clock and seeded ids. Default: a new temporary directory, and a SQLite file as the
 * store.
 */
export class TestRuntime {
	readonly runtime: Runtime;
	readonly store: Store<Tables>;
	readonly clock: ManualClock;
	readonly log: MemoryLogger;
	/** Directory with `work`, the working directory of sessions, and `data` with the database. */
	readonly directory: string;

	private constructor(parts: RuntimeParts) {
		this.runtime = parts.runtime;
		this.store = parts.store;
		this.clock = parts.clock;
		this.log = parts.log;
		this.directory = parts.directory;
	}

	/** Opens the store and creates the runtime. To continue unfinished work, call `runtime.start()`. */
	static async open(options: TestRuntimeOptions): Promise<TestRuntime> {
		const { model, clock = new ManualClock(), failpoints = noFailpoints, tools = builtinTools() } = options;
		const directory = options.directory ?? (await mkdtemp(join(await realpath(tmpdir()), "parley-core-")));
		const current = join(directory, "work");
		const dataDir = join(directory, "data");
		for (const path of [current, dataDir]) await mkdir(path, { recursive: true });
		const file = databaseIn(directory);
		const store = options.database ?? (await openSqliteStore<Tables>({ file, migrations, failpoints }));
		const used = options.wrap?.(store) ?? store;
		const log = new MemoryLogger();
		// Ids must differ from the ids of an earlier start.
		const ids = seededIds(clock.now() + (await countEvents(store)));
		const { directory: _directory, wrap: _wrap, systemTemplate: _template, ...chosen } = options;
		const runtime = new Runtime({
			...chosen,
			store: used,
			clock,
			log,
			failpoints,
			model,
			tools,
			ids,
			sandbox: options.sandbox ?? noSandboxes(clock),
			secrets: new SecretBox(Buffer.alloc(32, 1)),
			roots: { given: options.roots ?? [], current, dataDir },
			...defined({
				systemTemplate:
					options.systemTemplate !== "built-in" ? (options.systemTemplate ?? "You help.") : undefined,
			}),
		});
		return new TestRuntime({ runtime, store, clock, log, directory });
	}

	async create(principal: Principal = operator): Promise<string> {
		const { id } = await this.runtime.create(unkeyed(principal), {});
		return id;
	}

	/** Sends a message as the operator. Resolves with the id of the run. */
	async send(sessionId: string, content: string): Promise<string> {
		const { runId } = await this.runtime.send(unkeyed(), sessionId, { content });
		return runId;
	}

	/** Waits until file operations and the work that follows them are probably done. */
	async settle(): Promise<void> {
		// File operations take more ticks on a busy machine.
		do {
			for (let turn = 0; turn < 20; turn++) await tick();
		} while (hasOpenFileRequests());
	}

	/** Stops all runs and closes the store. Does not delete the directory. */
	async stop(): Promise<void> {
		let stopped = false;
		const drained = this.runtime.drain(0).then(() => {
			stopped = true;
		});
		while (!stopped) {
			this.clock.advance(0);
			await tick();
		}
		await drained;
		await this.store.close();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
		await rm(this.directory, { recursive: true, force: true });
	}
}

export function unkeyed(principal: Principal = operator): Keyed {
	return { principal, key: undefined, method: "test", params: {} };
}

export function databaseIn(directory: string): string {
	return join(directory, "data", "parley.sqlite");
}

async function countEvents(store: Store<Tables>): Promise<number> {
	const rows = await store.read((db) => db.selectFrom("events").select("id").execute());
	return rows.length;
}

function hasOpenFileRequests(): boolean {
	return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}
