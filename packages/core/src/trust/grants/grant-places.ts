import { ParleyError } from "@parley/base";
import { fromRow, type Tx } from "../../store/journal.ts";
import { findNearMiss } from "../../text/near-miss.ts";
import { visible } from "../../text/visible.ts";
import { isAuthorized } from "../../vocabulary/authorize.ts";
import { type Person, type Principal, placeKey, visibleSessions } from "../../vocabulary/principal.ts";
import type { Tenants } from "../people/tenants.ts";
import { findGrant, type GrantRow } from "./grant-rows.ts";
import { grantRequestTexts } from "./texts.ts";

/**
 * Returns the channels whose grants the principal may see, or undefined for all channels. A person sees their own
 * channel. A connector without a person sees the channels of the guilds and teams that it serves. Any other principal
 * sees the channels of its sessions.
 */
export async function placesOf(
	db: Tx,
	principal: Principal,
	tenants: Tenants,
): Promise<readonly string[] | undefined> {
	if (isAuthorized(principal, "grant.read", { owner: "" })) return undefined;
	if (principal.person) return [placeKey(principal.person.place)];
	if (principal.kind === "connector") return platformPlaces(db, principal, tenants);
	const { owner, ids = [] } = visibleSessions(principal);
	const rows = await db
		.selectFrom("sessions")
		.select("place")
		.distinct()
		.where("place", "is not", null)
		.where((eb) => eb.or([eb("owner", "=", owner), ...ids.map((id) => eb("id", "=", id))]))
		.execute();
	return rows.flatMap(({ place }) => (place === null ? [] : [place]));
}

/** Returns the grant with this id if the principal may see the grant's channel, otherwise undefined. */
export async function grantWithin(
	db: Tx,
	grantId: string,
	principal: Principal,
	tenants: Tenants,
): Promise<GrantRow | undefined> {
	const row = await findGrant(db, grantId);
	if (!row || isAuthorized(principal, "grant.revoke", { owner: "" })) return row;
	return (await placesOf(db, principal, tenants))?.includes(row.place) ? row : undefined;
}

/** Returns the channels with sessions or grants. Includes only channels of guilds and teams that the connector serves. */
async function platformPlaces(db: Tx, principal: Principal, tenants: Tenants): Promise<string[]> {
	const withMessages = db.selectFrom("sessions").select("place").where("place", "is not", null);
	const rows = await withMessages.union(db.selectFrom("channel_grants").select("place")).execute();
	const places = rows.flatMap(({ place }) => place ?? []);
	const serves = await tenants.of(db, principal);
	return places.filter((place) => {
		const [platform = "", tenant = ""] = place.split(":");
		return serves({ platform, tenant });
	});
}

/** Returns the channel of a session, or undefined if the session belongs to no channel. */
export async function channelOfSession(db: Tx, sessionId: string): Promise<string | undefined> {
	const row = await db.selectFrom("sessions").select("place").where("id", "=", sessionId).executeTakeFirst();
	return row?.place ?? undefined;
}

/** Whether people of other organisations were in the channel at the time of the channel's last message. */
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

/**
 * Returns the id of the owner's session in the channel `place`: `current` if that session belongs to the channel,
 * otherwise the session that changed last. Returns undefined if the owner has no session in the channel.
 */
export async function newestSessionIn(
	db: Tx,
	{ place, owner, current = "" }: { place: string; owner: string; current?: string | undefined },
): Promise<string | undefined> {
	const row = await db
		.selectFrom("sessions")
		.select("id")
		.where("place", "=", place)
		.where("owner", "=", owner)
		.orderBy((eb) => eb.case().when("id", "=", current).then(0).else(1).end())
		.orderBy("updated_at", "desc")
		.limit(1)
		.executeTakeFirst();
	return row?.id;
}

const maxCompared = 1_000;

/**
 * Throws `failed_precondition` if the channel has no session, because a mistyped id would trust another
 * channel or none. Suggests a similar channel.
 */
export async function requireAnnounced(db: Tx, place: string): Promise<void> {
	const sessionPlaces = db.selectFrom("sessions").select("place").where("place", "is not", null);
	if (await sessionPlaces.where("place", "=", place).limit(1).executeTakeFirst()) return;
	const known = await sessionPlaces.distinct().limit(maxCompared).execute();
	const near = findNearMiss(
		place,
		known.flatMap((row) => row.place ?? []),
	);
	const question = near === undefined ? grantRequestTexts.checkId : grantRequestTexts.didYouMean(near);
	const message = grantRequestTexts.noConversation(visible(place), question);
	throw new ParleyError(message, { code: "failed_precondition" });
}
