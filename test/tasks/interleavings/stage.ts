import { realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { openSqliteStore, type Store } from "@parley/base";
import { openPgliteStore } from "@parley/base/testing";
import { migrations, type Tables } from "@parley/core";
import { memoryDirectory } from "../../faults/memory-directory.ts";
import type { Random } from "../../random.ts";
import { type Action, isShared } from "./expected-state.ts";
import { faultsOf } from "./outcome.ts";
import { SequenceGroup } from "./sequence-group.ts";

export type EngineName = "SQLite" | "PGlite";

/** Maximum number of sequences that run in one process. */
const maxConcurrent = 40;

/**
 * Splits sequences into groups of at most `maxConcurrent`. Within a group, the shared actions have the same
 * indexes.
 */
export function grouped(sequences: readonly (readonly Action[])[]): (readonly Action[])[][] {
	const pattern = (sequence: readonly Action[]): string =>
		sequence.map((action) => (isShared(action) ? action : "own")).join();
	return [...Map.groupBy(sequences, pattern).values()].flatMap((group) => {
		const parts = Math.ceil(group.length / maxConcurrent);
		return Array.from({ length: parts }, (_, part) => group.filter((_one, index) => index % parts === part));
	});
}

export class Stage implements AsyncDisposable {
	readonly #database: Store<Tables>;
	readonly #directory: string;
	#groups = 0;

	private constructor(database: Store<Tables>, directory: string) {
		this.#database = database;
		this.#directory = directory;
	}

	static async open(engine: EngineName): Promise<Stage> {
		const directory = await realpath(await memoryDirectory());
		const file = join(directory, "tasks.sqlite");
		const database =
			engine === "PGlite"
				? await openPgliteStore<Tables>({ migrations })
				: await openSqliteStore<Tables>({ file, migrations });
		return new Stage(database, directory);
	}

	/**
	 * Plays sequences of one pattern, and returns the violated guarantees. With `chance`, the process dies during one of
	 * the steps.
	 */
	async play(sequences: readonly (readonly Action[])[], chance?: Random): Promise<string[]> {
		const place = { database: this.#database, directory: this.#directory };
		const group = await SequenceGroup.create(place, this.#groups++, sequences);
		const length = Math.max(...sequences.map((sequence) => sequence.length));
		const own = [...Array(length).keys()].filter((step) => !isShared(sequences[0]?.[step] ?? "crash"));
		const cut = chance?.pick(own);
		for (let step = 0; step < length; step++) {
			if (chance && step === cut) await group.cutStep(step, chance.below(4 * sequences.length));
			else await group.step(step);
		}
		await group.finish();
		const faults = await faultsOf(group, cut === undefined);
		await group.killable.die();
		return faults;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#database.close();
		await rm(this.#directory, { recursive: true, force: true });
	}
}
