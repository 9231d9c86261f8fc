import { hotInsert, hotStatement } from "@parley/base";
import type { Kysely } from "kysely";
import type { ConnectorTables, InboundState } from "../store/tables.ts";

type Tx = Kysely<ConnectorTables>;

interface Arrival {
	readonly id: string;
	readonly conversation: string;
	readonly data: string;
	readonly now: number;
}

/** Resolves with the position of what is new, and with nothing for what came before. */
export const insertArrival = hotInsert<ConnectorTables, Arrival, "inbound">("position", (db, p) =>
	db
		.insertInto("inbound")
		.values({
			...{ id: p("id"), conversation: p("conversation"), data: p("data"), changed_at: p("now") },
			...{ state: "waiting", attempts: 0, reason: null },
		})
		.onConflict((conflict) => conflict.column("id").doNothing()),
);

export const updateArrival = hotStatement<
	ConnectorTables,
	{ position: number; state: InboundState; attempts: number; reason: string | null; now: number }
>((db, p) =>
	db
		.updateTable("inbound")
		.set({ state: p("state"), attempts: p("attempts"), reason: p("reason"), changed_at: p("now") })
		.where("position", "=", p("position")),
);

const selectArrival = hotStatement<
	ConnectorTables,
	{ position: number },
	{ id: string; conversation: string; data: string; attempts: number }
>((db, p) =>
	db
		.selectFrom("inbound")
		.select(["id", "conversation", "data", "attempts"])
		.where("position", "=", p("position")),
);

/** One event as it waits. */
export async function readArrival(db: Tx, position: number) {
	const [row] = await selectArrival(db, { position });
	return row;
}

/** What waits, in the order in which it came. */
export async function readWaiting(db: Tx): Promise<{ position: number; conversation: string }[]> {
	return db
		.selectFrom("inbound")
		.select(["position", "conversation"])
		.where("state", "=", "waiting")
		.orderBy("position")
		.execute();
}
