import type { RecordEvents } from "../../conversation/commit.ts";
import type { Session } from "../../conversation/session.ts";
import { type Keyed, type KeyServices, once } from "../../store/idempotency.ts";
import type { Tx } from "../../store/journal.ts";
import { forgetName, indexName } from "../../store/search-texts.ts";
import { oneLine } from "../../text/title-text.ts";

/**
 * Sets the title of a session and returns the stored title in one line. A model does not replace the title, unless the
 * title is empty.
 */
export async function renameSession(
	keys: KeyServices,
	session: Session,
	request: Keyed,
	requested: string,
): Promise<string> {
	const title = oneLine(session.redactor.redact(requested));
	await session.commit((tx, record) =>
		once(tx, request, keys, async () => {
			const by = { title, titled_by: title === "" ? null : ("person" as const) };
			await tx.updateTable("sessions").set(by).where("id", "=", session.id).execute();
			await recordTitle(tx, record, session.id, { title, by: "person" });
		}),
	);
	return title;
}

/** Sets a title that a model wrote. Returns false if a person or a model has already set a title. */
export async function storeTitle(tx: Tx, record: RecordEvents, id: string, title: string): Promise<boolean> {
	const updated = await tx
		.updateTable("sessions")
		.set({ title, titled_by: "model" })
		.where("id", "=", id)
		.where("titled_by", "is", null)
		.executeTakeFirst();
	if (updated.numUpdatedRows === 0n) return false;
	await recordTitle(tx, record, id, { title, by: "model" });
	return true;
}

async function recordTitle(
	tx: Tx,
	record: RecordEvents,
	id: string,
	named: { readonly title: string; readonly by: "person" | "model" },
): Promise<void> {
	const { external_key } = await tx
		.selectFrom("sessions")
		.select("external_key")
		.where("id", "=", id)
		.executeTakeFirstOrThrow();
	await forgetName(tx, id);
	await indexName(tx, id, [named.title, external_key]);
	await record({ type: "session.renamed", ...named });
}
