import { arrivalCursor } from "../store/retention.ts";
import type { ArrivalParts } from "./arrival-parts.ts";

const hourMs = 3_600_000;

/** A cursor of that name that moves once an hour; undefined where it has moved in this hour, or in that of `at`. */
export async function hourly(
	{ outbox, clock }: Pick<ArrivalParts, "outbox" | "clock">,
	name: string,
	at = clock.now(),
): Promise<{ readonly session: string; readonly seq: number } | undefined> {
	const session = `${arrivalCursor}${name}`;
	const seq = Math.floor(at / hourMs);
	return (await outbox.cursor(session)) < seq ? { session, seq } : undefined;
}
