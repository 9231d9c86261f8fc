import { ParleyError } from "@parley/base";
import { activeRun } from "../conversation/answers/runs.ts";
import { openQuestions } from "../conversation/questions/questions.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** Maximum number of channels on a home page, in addition to the person's direct messages. */
const maxChannels = 10;

export interface HomeParts {
	readonly context: RoomContext;
	readonly subscriptions: Subscriptions;
}

/** A channel, or the direct messages of a person, and the sessions there that have open work. */
export interface HomePlace {
	readonly room: Room;
	readonly sessions: readonly RoomSession[];
}

/**
 * Resolves with the person's direct messages, and with the channels that have open work and are readable for the
 * person now. Checks at most `maxChannels` channels.
 */
export async function placesOf(
	{ context: { platform }, subscriptions }: HomeParts,
	person: Person,
	home: Room,
): Promise<readonly HomePlace[]> {
	await subscriptions.ready;
	const byChannel = new Map<string, RoomSession[]>([[home.channel, []]]);
	for (const { id, key } of subscriptions.known()) {
		const read = subscriptions.session(id);
		const isOfOther = key.person !== undefined && key.person !== person.id;
		if (read === undefined || key.tenant !== home.tenant || isOfOther || !hasWork(read)) continue;
		byChannel.set(key.channel, [...(byChannel.get(key.channel) ?? []), read]);
	}
	const places: HomePlace[] = [];
	for (const [channel, sessions] of [...byChannel].slice(0, maxChannels + 1)) {
		const room =
			channel === home.channel ? home : await platform.readable?.(person, { tenant: home.tenant, channel });
		if (room !== undefined) places.push({ room, sessions });
	}
	return places;
}

function hasWork({ state }: RoomSession): boolean {
	const { answers, questions, tasks, trust } = state;
	const isTrusted = trust.open !== undefined;
	return (
		activeRun(answers) !== undefined ||
		openQuestions(questions).length > 0 ||
		tasks.live.length > 0 ||
		isTrusted
	);
}

/**
 * Resolves with the result of `work`, or with undefined if `work` rejects with `permission_denied`. Rejects with any
 * other error.
 */
export async function ifAllowed<Value>(work: Promise<Value>): Promise<Value | undefined> {
	try {
		return await work;
	} catch (reason) {
		if (ParleyError.from(reason).code !== "permission_denied") throw reason;
		return undefined;
	}
}

/**
 * Returns the room of a control's session, or undefined if the person may not read that room now. For an
 * unknown session, and for a session in the direct messages, returns the room of the home page.
 */
export async function roomOfControl(
	{ context: { platform }, subscriptions }: HomeParts,
	{ person, room, session }: { readonly person: Person; readonly room: Room; readonly session: string },
): Promise<Room | undefined> {
	await subscriptions.ready;
	const key = subscriptions.withId(session)?.key;
	if (key === undefined || key.channel === room.channel) return room;
	return platform.readable?.(person, { tenant: key.tenant, channel: key.channel });
}
