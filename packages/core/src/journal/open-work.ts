import type { Store } from "@parley/base";
import { sql } from "kysely";
import type { Tables } from "./tables.ts";

/** What has not come to its end, in all sessions. */
export interface OpenWork {
	readonly active: number;
	readonly queued: number;
	readonly prompts: number;
}

/** Counts it, from indexes that hold nothing else. */
export async function countOpenWork(store: Store<Tables>): Promise<OpenWork> {
	const { runs, prompts } = await store.read(async (db) => ({
		runs: await db
			.selectFrom("runs")
			.select((eb) => ["state", eb.fn.countAll<number>().as("count")])
			// Written out, here and below: a partial index serves only a condition that it can be compared with.
			.where(sql<boolean>`state <> 'ended'`)
			.groupBy("state")
			.execute(),
		prompts: await db
			.selectFrom("prompts")
			.select((eb) => eb.fn.countAll<number>().as("count"))
			.where(sql<boolean>`state = 'open'`)
			.executeTakeFirst(),
	}));
	const inState = (state: string): number => Number(runs.find((row) => row.state === state)?.count ?? 0);
	return { active: inState("active"), queued: inState("queued"), prompts: Number(prompts?.count ?? 0) };
}
