import * as z from "zod";
import type { DiscordPort } from "../discord-port.ts";
import type { Mark } from "./high-water.ts";

/** A channel, a thread or direct messages, and after what is read there. */
export type Place = readonly [channel: string, mark: Mark];

const id = z.string().regex(/^\d{1,20}$/);

/** resources/channel#channel-object: the newest message tells whether there is something to be read at all. */
const Written = z.object({ id, last_message_id: id.nullish() });

/** events/gateway-events#guild-create: `threads` are all that are active and that we may see. */
const GuildPlaces = z.object({
	id,
	channels: z.array(z.unknown()).default([]),
	threads: z.array(z.unknown()).default([]),
});

/** Of so many people it is asked whether they have written in private; Discord wants few of these opened at once. */
const mostPeople = 20;

/** The channels and threads of a `GUILD_CREATE` in which something was written after `since`, the newest first. */
export function placesOf(data: unknown, since: string): Place[] {
	const guild = GuildPlaces.safeParse(data).data;
	if (guild === undefined) return [];
	return [...guild.channels, ...guild.threads]
		.map((channel) => Written.safeParse(channel).data)
		.filter((channel) => channel !== undefined)
		.toSorted((one, other) =>
			BigInt(one.last_message_id ?? 0) < BigInt(other.last_message_id ?? 0) ? 1 : -1,
		)
		.flatMap((channel) => newIn(channel, { message: since, guild: guild.id }));
}

/**
 * Direct messages of people in which something was written after `since`. Nobody can ask Discord which ones there are
 * (https://docs.discord.com/developers/resources/user#get-current-user-guilds and its neighbours list none for bots),
 * but those with somebody whose id is known can be opened, which they do not notice. `left`: those of whom Discord does
 * not tell for now.
 */
export async function directPlaces(
	people: readonly string[],
	since: string,
	port: Pick<DiscordPort, "request">,
): Promise<{ readonly places: Place[]; readonly left: readonly string[] }> {
	const places: Place[] = [];
	const left: string[] = [];
	for (const person of people.slice(0, mostPeople)) {
		const body = { recipient_id: person };
		const opening = port.request({ method: "POST", path: "/users/@me/channels", body });
		const answer = await opening.catch(() => undefined);
		if (answer === undefined || answer.status === 429 || answer.status >= 500) left.push(person);
		else places.push(...newIn(Written.safeParse(answer.body).data, { message: since }));
	}
	return { places, left };
}

function newIn(channel: z.output<typeof Written> | undefined, mark: Mark): Place[] {
	const { id: of, last_message_id: last } = channel ?? {};
	return of !== undefined && last && BigInt(last) > BigInt(mark.message) ? [[of, mark]] : [];
}
