import { Posting } from "../platform/posting.ts";
import { DeliveryError, type OutboxRow } from "./surface.ts";

/** What a row shows. Throws `rejected` where that is no `Posting`. */
export function readPosting({ payload, id }: Pick<OutboxRow, "payload" | "id">): Posting {
	const read = Posting.safeParse(payload);
	if (read.success) return read.data;
	const [issue] = read.error.issues;
	throw new DeliveryError(`row ${id} holds no post: ${issue?.path.join(".")}: ${issue?.message}`, {
		kind: "rejected",
	});
}
