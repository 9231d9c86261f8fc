import { hotStatement, parseJson } from "@parley/base";
import type { Kysely } from "kysely";
import * as z from "zod";
import type { TypedResponse } from "../conversation/questions/typed-answer.ts";
import type { ConnectorTables } from "../store/tables.ts";

const StoredResponse = z.object({
	value: z.exactOptional(z.string()),
	values: z.exactOptional(z.array(z.string())),
	text: z.exactOptional(z.string()),
	cancelled: z.exactOptional(z.literal(true)),
	reason: z.exactOptional(z.string()),
}) satisfies z.ZodType<TypedResponse>;

/**
 * A message that answers a question. The record is stored before the gateway gets the answer. A later process then
 * repeats the same request, even if the question was closed in the meantime.
 */
export interface TypedRecord {
	/** Id of the inbound event. */
	readonly event: string;
	readonly session: string;
	readonly token: string;
	readonly response: TypedResponse;
}

type Row = ConnectorTables["typed"];

const upsert = hotStatement<ConnectorTables, Row>((db, p) => {
	const typed = {
		session: p("session"),
		token: p("token"),
		response: p("response"),
		changed_at: p("changed_at"),
	};
	return db
		.insertInto("typed")
		.values({ event: p("event"), ...typed })
		.onConflict((conflict) => conflict.column("event").doUpdateSet(typed));
});

export async function writeTypedRecord(
	tx: Kysely<ConnectorTables>,
	{ event, session, token, response }: TypedRecord,
	now: number,
): Promise<void> {
	await upsert(tx, { event, session, token, response: JSON.stringify(response), changed_at: now });
}

export async function readTypedRecord(
	db: Kysely<ConnectorTables>,
	event: string,
): Promise<TypedRecord | undefined> {
	const row = await db
		.selectFrom("typed")
		.select(["session", "token", "response"])
		.where("event", "=", event)
		.executeTakeFirst();
	return row && { ...row, event, response: StoredResponse.parse(parseJson(row.response)) };
}
