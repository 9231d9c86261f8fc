import { isAuthorized } from "../authorize.ts";
import { fromRow, type Tx } from "../journal/journal.ts";
import { type Person, type Principal, placeKey, visibleTo } from "../principal.ts";

/** The channels whose grants the principal may see: undefined for all, else those of the sessions that it may see. */
export async function placesOf(db: Tx, principal: Principal): Promise<readonly string[] | undefined> {
	if (isAuthorized(principal, "grant.read", { owner: "" })) return undefined;
	if (principal.person) return [placeKey(principal.person.place)];
	const { owner, ids = [] } = visibleTo(principal);
	const rows = await db
		.selectFrom("sessions")
		.select("place")
		.distinct()
		.where("place", "is not", null)
		.where((eb) => eb.or([eb("owner", "=", owner), ...ids.map((id) => eb("id", "=", id))]))
		.execute();
	return rows.flatMap(({ place }) => (place === null ? [] : [place]));
}

/** Whether people of other organisations were in the channel when somebody was last heard there. */
export async function wasShared(db: Tx, place: string): Promise<boolean> {
	const row = await db
		.selectFrom("runs")
		.innerJoin("sessions", "sessions.id", "runs.session_id")
		.select("runs.actor")
		.where("sessions.place", "=", place)
		.where("runs.actor", "is not", null)
		.orderBy("runs.created_at", "desc")
		.limit(1)
		.executeTakeFirst();
	return row?.actor ? fromRow<Person>(row.actor).place.shared : false;
}
