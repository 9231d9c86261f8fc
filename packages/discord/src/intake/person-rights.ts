import type { Clock } from "@parley/base";
import type { PersonQuery, PersonRights } from "@parley/connector";
import * as z from "zod";
import type { DiscordRest } from "../vocabulary/discord-port.ts";
import { directTenant } from "../vocabulary/links.ts";
import type { Audiences } from "./audiences.ts";
import { Member } from "./wire.ts";

/** Error codes for an unknown member and an unknown user: topics/opcodes-and-status-codes#json-json-error-codes */
const unknown = z.object({ code: z.union([z.literal(10_007), z.literal(10_013)]) });

const Present = Member.extend({ communication_disabled_until: z.iso.datetime({ offset: true }).nullish() });

export interface PersonRightsParts {
	readonly port: DiscordRest;
	readonly audiences: Audiences;
	readonly clock: Clock;
}

/**
 * Returns the roles of a person who can use the channel, or the reason why the person cannot; see `mayWrite`. In
 * direct messages, a person is present and has no roles. Returns undefined if Discord refuses the request or the bot
 * cannot see the server. Rejects if `signal` aborts or the member request fails.
 */
export async function readPersonRights(
	{ port, audiences, clock }: PersonRightsParts,
	{ user, place }: PersonQuery,
	signal: AbortSignal,
): Promise<PersonRights | undefined> {
	const { tenant, channel, thread } = place;
	if (tenant === directTenant) return { present: true, roles: [], guest: false, shared: false };
	const answer = await port.request({ method: "GET", path: `/guilds/${tenant}/members/${user}` });
	if (answer.status === 404 && unknown.safeParse(answer.body).success)
		return { present: false, reason: "left" };
	const member = answer.status === 200 ? Present.safeParse(answer.body).data : undefined;
	if (!member) return undefined;
	const { roles, communication_disabled_until: until } = member;
	// Timeout of a member on Discord: https://docs.discord.com/developers/resources/guild#guild-member-object
	const isSilenced = until ? Date.parse(until) > clock.now() : false;
	const person = { guild: tenant, channel, user, roles, inThread: thread !== undefined };
	const mayWrite = isSilenced ? false : await audiences.mayWrite(person, signal);
	if (mayWrite === undefined) return undefined;
	return mayWrite
		? { present: true, roles, guest: false, shared: false }
		: { present: false, reason: "no_access" };
}
