import { fromRow, type Tx } from "../store/journal.ts";
import type { Recorded, RecordedEvent } from "../vocabulary/event.ts";

/** An event of one type with its `seq` and its time. */
export interface EventOf<Type extends RecordedEvent["type"]> extends Pick<Recorded, "seq" | "at"> {
	readonly event: Extract<RecordedEvent, { type: Type }>;
}

/** Returns the recorded events of one run, limited to the types in `types`, in order. */
export async function readRunEvents<Type extends RecordedEvent["type"]>(
	db: Tx,
	{ sessionId, runId }: { readonly sessionId: string; readonly runId: string },
	types: readonly Type[],
): Promise<EventOf<Type>[]> {
	const rows = await db
		.selectFrom("events")
		.select(["seq", "at", "data"])
		.where("session_id", "=", sessionId)
		.where("type", "in", types)
		// A prefilter in SQL. Each remaining row is checked again.
		.where("data", "like", `%"runId":"${runId}"%`)
		.orderBy("seq")
		.execute();
	return rows
		.map(({ seq, at, data }) => ({
			seq: Number(seq),
			at: Number(at),
			event: fromRow<EventOf<Type>["event"]>(data),
		}))
		.filter(({ event }) => "runId" in event && event.runId === runId);
}
