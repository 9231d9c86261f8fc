import { ParleyError } from "@parley/base";
import type { Keyed } from "./idempotency.ts";
import type { Session } from "./session.ts";

/**
 * Deletes a session with everything that belongs to it. Throws `failed_precondition` while something runs or waits there,
 * unless forced: then that is stopped first.
 */
export async function removeSession(_session: Session, _request: Keyed, _force: boolean): Promise<void> {
	throw new ParleyError("not available", { code: "unimplemented" });
}
