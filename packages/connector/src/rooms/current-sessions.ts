import { hotStatement } from "@parley/base";
import type { ConnectorTables } from "../store/tables.ts";

const selectRoom = hotStatement<
	ConnectorTables,
	{ room: string },
	{ external_key: string; turned_by: string }
>((db, p) => db.selectFrom("rooms").select(["external_key", "turned_by"]).where("room", "=", p("room")));

interface Turn {
	readonly room: string;
	readonly externalKey: string;
	readonly turnedBy: string;
	readonly now: number;
}

const upsertRoom = hotStatement<ConnectorTables, Turn>((db, p) => {
	const turned = { external_key: p("externalKey"), turned_by: p("turnedBy"), changed_at: p("now") };
	return db
		.insertInto("rooms")
		.values({ room: p("room"), ...turned })
		.onConflict((conflict) => conflict.column("room").doUpdateSet(turned));
});

/** The session that a room was turned to, by its external key, and what has turned it. */
export async function readTurn(
	db: Parameters<typeof selectRoom>[0],
	room: string,
): Promise<{ readonly externalKey: string; readonly turnedBy: string } | undefined> {
	const [row] = await selectRoom(db, { room });
	return row && { externalKey: row.external_key, turnedBy: row.turned_by };
}

export async function writeTurn(tx: Parameters<typeof upsertRoom>[0], turn: Turn): Promise<void> {
	await upsertRoom(tx, turn);
}
