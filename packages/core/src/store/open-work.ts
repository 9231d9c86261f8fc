import type { Store } from "@parley/base";
import { sql } from "kysely";
import type { TaskState } from "../vocabulary/task.ts";
import type { Tables } from "./tables.ts";

const openTaskStates = ["pending", "running", "waiting", "suspended"] as const satisfies readonly TaskState[];
type OpenTaskState = (typeof openTaskStates)[number];

/** Counts of unfinished work in all sessions. */
export interface OpenWork {
	readonly active: number;
	readonly queued: number;
	readonly prompts: number;
	/** Number of tasks in each state. A running task is also counted as an active run. */
	readonly tasks: Readonly<Record<OpenTaskState, number>>;
}

/** Counts unfinished work. Reads only indexes. */
export async function countOpenWork(store: Store<Tables>): Promise<OpenWork> {
	const { runs, prompts, tasks } = await store.read(async (db) => ({
		runs: await db
			.selectFrom("runs")
			.select((eb) => ["state", eb.fn.countAll<number>().as("count")])
			// The condition is a literal here and below, because SQLite uses a partial index only for a literal condition.
			.where(sql<boolean>`state <> 'ended'`)
			.groupBy("state")
			.execute(),
		prompts: await db
			.selectFrom("prompts")
			.select((eb) => eb.fn.countAll<number>().as("count"))
			.where(sql<boolean>`state = 'open'`)
			.executeTakeFirst(),
		tasks: await db
			.selectFrom("tasks")
			.select((eb) => ["state", eb.fn.countAll<number>().as("count")])
			.where("state", "in", openTaskStates)
			.groupBy("state")
			.execute(),
	}));
	const { pending = 0, running = 0, waiting = 0, suspended = 0 } = byState(tasks);
	const { active = 0, queued = 0 } = byState(runs);
	return {
		active,
		queued,
		prompts: Number(prompts?.count ?? 0),
		tasks: { pending, running, waiting, suspended },
	};
}

type Counts = Readonly<Partial<Record<string, number>>>;

function byState(rows: readonly { readonly state: string; readonly count: number | string }[]): Counts {
	return Object.fromEntries(rows.map(({ state, count }) => [state, Number(count)]));
}
