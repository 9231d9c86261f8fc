import type { Memory, MemoryScope, NewMemory } from "./memory.ts";

/** Notes that the tools of a run can reach: those of its person, of its channel, and for everyone. */
export interface MemoryDesk {
	/** Whether the session is in a chat, in which other people may write later. */
	readonly inChat: boolean;
	/** Returns the note as it would be stored. Throws like `store`, except for the number of notes. */
	check(note: NewMemory): NewMemory;
	/**
	 * Stores a note with the author and the taint of the run. A repeated call stores one note. Throws `invalid_argument`,
	 * `resource_exhausted` for a limit, and `failed_precondition` for a scope that the run does not have.
	 */
	store(note: NewMemory): Promise<Memory>;
	/** Returns the most relevant notes, or the newest without a query. The session has their taint before they are returned. */
	find(filter: {
		readonly query?: string;
		readonly scope?: MemoryScope | undefined;
		readonly limit: number;
	}): Promise<readonly Memory[]>;
	/** Returns a note that the people of the run may delete. Throws `not_found` and `permission_denied`. */
	deletable(id: string): Promise<Memory>;
	/** Deletes a note. Throws like `deletable`. */
	forget(id: string): Promise<void>;
}
