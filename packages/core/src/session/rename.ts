import { ParleyError } from "@parley/base";
import type { Keyed } from "./idempotency.ts";
import type { Session } from "./session.ts";

/** Gives a session the title that a person wants: no model replaces it. An empty one lets a model choose again. */
export async function renameSession(_session: Session, _request: Keyed, _title: string): Promise<void> {
	throw new ParleyError("not available", { code: "unimplemented" });
}
