import { ParleyError } from "@parley/base";
import { activeRun } from "../conversation/answers/runs.ts";
import { openQuestions } from "../conversation/questions/questions.ts";
import type { Person, Room } from "../platform/inbound-event.ts";
import type { RoomContext } from "../rooms/handler-context.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { Subscriptions } from "../subscription/subscriptions.ts";

/** Maximum number of channels of a home page, in addition to the person's direct messages. */
const maxChannels = 10;

export interface HomeParts {
	readonly context: RoomContext;
	readonly subscriptions: Subscriptions;
}

/** A channel, or the direct messages of a person, with its sessions that have open work. */
export interface HomePlace {
	readonly room: Room;
	readonly sessions: readonly RoomSession[];
}

/** The direct messages of a person, and the channels with open work that the person may read now. */
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
 * Waits for the work. Resolves with undefined if the gateway refuses the work to the person, and rejects for other errors.
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
 * Room of a control on a home page: the room of its session, if the person may read that room now, and otherwise
 * undefined. For a session that the connector does not know, returns the room of the home page.
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
