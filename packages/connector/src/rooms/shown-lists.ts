import { type Cache, type Clock, createCache } from "@parley/base";
import type { Person, Room } from "../platform/inbound-event.ts";

export type ListKind = "task" | "schedule" | "note" | "conversation";

interface Reader {
	readonly person: Person;
	readonly room: Room;
}

interface ShownList {
	readonly order: number;
	readonly ids: readonly string[];
}

const maxLists = 10_000;
/** Time in milliseconds in which a person can use the numbers of a list. */
const retentionMs = 24 * 3_600_000;

/**
 * Lists that commands have shown. A number refers to the object that the person saw, even if the list has changed since.
 * After a restart, a person must request the list again.
 */
export class ShownLists {
	readonly #lists: Cache<string, ShownList>;
	#shown = 0;

	constructor(clock: Clock) {
		this.#lists = createCache({ clock, max: maxLists, retentionMs });
	}

	/** Records a list. `isPublic`: whether all members of the room can read it. */
	show(
		kind: ListKind,
		reader: Reader,
		list: { readonly ids: readonly string[]; readonly isPublic: boolean },
	): void {
		this.#shown++;
		const { ids, isPublic } = list;
		this.#lists.set(keyOf(kind, reader.room, isPublic ? "" : reader.person.id), { order: this.#shown, ids });
	}

	/**
	 * Returns the id of the object with this number in the newest list of this kind that the person saw in the
	 * room. Returns undefined for an unknown number. Numbers start at 1.
	 */
	find(kind: ListKind, { person, room }: Reader, number: number): string | undefined {
		const own = this.#lists.get(keyOf(kind, room, person.id));
		const common = this.#lists.get(keyOf(kind, room, ""));
		const newest = (own?.order ?? 0) > (common?.order ?? 0) ? own : common;
		return newest?.ids[number - 1];
	}
}

function keyOf(kind: ListKind, { tenant, channel, thread }: Room, person: string): string {
	// Only lists of conversations depend on the thread.
	return JSON.stringify([kind, tenant, channel, kind === "conversation" ? (thread ?? "") : "", person]);
}
