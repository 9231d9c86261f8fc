import { ParleyError } from "@parley/base";
import { isForUs, usualFacts } from "../addressing/is-for-us.ts";
import type { Plan } from "../outbox/plan.ts";
import type { Arrival } from "../platform/arrival.ts";
import { arrivalCursor } from "../store/retention.ts";
import { privateAnswer, roomAnswer } from "./answer-rows.ts";
import type { ArrivalParts } from "./arrival-parts.ts";

const notTaken =
	"I could not take this in: something failed on my side, and the operator finds it in the log. Please say it again later.";
const notDone =
	"That did not work: something failed on my side, and the operator finds it in the log. Please try it again later.";

/**
 * Tells who waits for an answer that none will come, because what they have said or pressed is put aside. Where that
 * cannot be written down it rejects with `unavailable`, so that the arrival keeps its turn.
 */
export async function tellPutAside(parts: ArrivalParts, arrival: Arrival, id: string): Promise<void> {
	const told = tellingOf(parts, arrival);
	if (told === undefined) return;
	const cursor = { session: `${arrivalCursor}${id}/aside`, seq: 1 };
	await parts.outbox.plan({ ...told, cursor }).catch((cause: unknown) => {
		const { message } = ParleyError.from(cause);
		throw new ParleyError(`nobody was told that an arrival is put aside: ${message}`, {
			...{ code: "unavailable", cause },
		});
	});
}

function tellingOf({ platform, clock }: ArrivalParts, arrival: Arrival): Omit<Plan, "cursor"> | undefined {
	switch (arrival.type) {
		case "message":
		case "edited": {
			const { room, message, seenBefore: replayed = false } = arrival;
			// What speaks to nobody may be for us in this room: the gateway, which knows, is the one that fails.
			if (!isForUs(arrival, usualFacts).ours) return;
			const now = replayed ? arrival.at : clock.now();
			const rows = roomAnswer({ text: notTaken }, { room, message, now }, platform);
			return { conversation: platform.conversation(room), rows, replayed };
		}
		case "command":
		case "press": {
			const { ticket } = arrival;
			const rows = privateAnswer({ text: notDone }, { ticket, now: clock.now() }, platform);
			return { conversation: `ticket:${ticket.id}`, rows };
		}
		case "deleted":
		case "reaction":
		case "stop":
		case "audience":
			return;
	}
}
