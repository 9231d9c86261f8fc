import type { Logger, Store } from "@parley/base";
import type { Controls } from "../controls/controls.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { ConnectorTables } from "../store/tables.ts";
import type { RoomSession } from "../subscription/session-subscription.ts";
import type { RoomDesk } from "./handler-context.ts";
import { type Heard, readHeard } from "./heard.ts";
import { onBehalf } from "./on-behalf.ts";
import { type SayingParts, say } from "./say.ts";
import type { SeldomHeard } from "./seldom-heard.ts";

/** Parts of the context of a connector. */
export interface ContextParts extends SayingParts {
	readonly store: Store<ConnectorTables>;
	readonly seldomHeard: SeldomHeard;
	readonly controls: Controls;
	readonly platform: ChatPlatform;
	readonly log: Logger;
}

/** Handler context of a connector: requests on behalf of people, in the rooms and sessions of its platform. */
export function openContext(parts: ContextParts): RoomDesk {
	const { gateway, controls, platform, clock, log, rooms, feed, store, seldomHeard } = parts;
	const inRoom = async (message: string, room: Parameters<RoomDesk["heard"]>[0]): Promise<Heard[]> =>
		store.read((db) => readHeard(db, { conversation: platform.conversation(room), message, limit: 20 }));
	/** In other channels and threads people learn of their own messages alone. */
	const ownElsewhere = async (
		of: { readonly message: string } | { readonly ending: string },
		person: string,
	): Promise<Heard | undefined> => {
		const heard = await store.read((db) => readHeard(db, { ...of, limit: 20 }));
		return heard.find((one) => one.person.id === person);
	};
	return {
		...{ gateway, controls, platform, clock, log, onBehalf },
		sessionOf: (person, room, key): Promise<RoomSession> => rooms.current(person, room, key),
		session: (id) => feed.session(id),
		async roomOf(session) {
			await feed.ready;
			return feed.withId(session)?.key;
		},
		turnTo: (person, room, choice) => rooms.turnTo(person, room, choice),
		whoami: (person, room) => rooms.whoami(person, room),
		sessions: (person, room) => rooms.list(person, room),
		say: (person, room, words) => say(parts, person, room, words),
		async edited(room, message) {
			return (await inRoom(message, room)).find(({ text }) => text !== undefined)?.text;
		},
		async heard(room, { message, ending, person }) {
			if (message !== undefined) {
				const named = (await inRoom(message, room))[0] ?? (await ownElsewhere({ message }, person));
				return named ?? (ending === undefined ? undefined : ownElsewhere({ ending }, person));
			}
			const conversation = platform.conversation(room);
			const newest = await store.read((db) => readHeard(db, { conversation, limit: 100 }));
			const own = newest.filter((heard) => heard.person.id === person && heard.effect !== "command");
			return own[0];
		},
		stop(person, room, { key, at }) {
			const conversation = platform.conversation(room);
			return seldomHeard.stop({ conversation, at }, async () => {
				let stopped = false;
				for (const sessionId of await rooms.stoppable(person, room)) {
					const params = { key: `${key}/${sessionId}`, ...onBehalf(person, room) };
					const { status } = await gateway.request("cancel_turn", params, { sessionId });
					stopped ||= status === "cancelled";
				}
				const effect = stopped ? "stopped" : "nothing-to-stop";
				const heard = {
					...({ id: `stop:${key}`, message: key, reason: "mention" } as const),
					...({ conversation, effect, person, at } as const),
				};
				await store.commit((tx) => seldomHeard.write(tx, heard));
				return stopped;
			});
		},
	};
}
