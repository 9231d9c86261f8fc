import { ParleyError } from "@parley/base";
import type { Taint } from "./taint.ts";
import { memoryLimitTexts } from "./texts.ts";

export const memoryScopes = ["user", "channel", "everyone"] as const;
export type MemoryScope = (typeof memoryScopes)[number];

interface MemorySubject {
	readonly scope: MemoryScope;
	/** Person or principal for scope `user`, channel for scope `channel`, or "" for a note for all people. */
	readonly subject: string;
}

/** A note about a person or a channel, or for all people. */
export interface Memory extends MemorySubject {
	readonly id: string;
	/** Person or principal whose run or request wrote the note. */
	readonly author: string;
	/**
	 * Session of the run that wrote the note. If the run belongs to a task, the session that owns the task. The session may
	 * have been deleted. Absent if a client stored the note.
	 */
	readonly sessionId?: string;
	/** Taint of the session or request that wrote the note. A run that reads the note adds this taint to its session. */
	readonly taint: Taint;
	readonly text: string;
	readonly tags: readonly string[];
	/** Milliseconds since the epoch. */
	readonly createdAt: number;
}

/** Person and channel whose notes a run or a request can read, in addition to the notes for all people. */
export interface MemoryReader {
	readonly user?: string | undefined;
	readonly channel?: string | undefined;
}

export interface NewMemory {
	readonly scope: MemoryScope;
	readonly text: string;
	readonly tags: readonly string[];
}

export const memoryLimits = {
	/** Maximum characters of a note. */
	text: 2_000,
	/** Maximum tags of a note, and maximum characters of a tag. */
	tags: 8,
	tag: 40,
	/** Maximum notes about one person, about one channel, and for all people. */
	notes: 500,
} as const;

const controls = /(?![\n\t])\p{Cc}/gu;

/**
 * Returns the note in its stored form: trimmed, and without control characters other than line feeds and tabs. Each tag is one
 * line, and there are no duplicate tags. Throws `invalid_argument` if the note is blank or exceeds a limit.
 */
export function checkMemory({ scope, text: given, tags: requested }: NewMemory): NewMemory {
	const text = given.replaceAll(/\r\n?/g, "\n").replaceAll(controls, "").trim();
	const inOneLine = (tag: string): string => tag.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();
	const tags = [...new Set(requested.map(inOneLine).filter((tag) => tag !== ""))];
	if (text === "") throw invalid(memoryLimitTexts.empty);
	if (text.length > memoryLimits.text) {
		throw invalid(memoryLimitTexts.tooLong(text.length, memoryLimits.text));
	}
	if (tags.length > memoryLimits.tags) {
		throw invalid(memoryLimitTexts.tooManyTags(tags.length, memoryLimits.tags));
	}
	const long = tags.find((tag) => tag.length > memoryLimits.tag);
	if (long !== undefined) {
		throw invalid(memoryLimitTexts.longTag(long.length, long.slice(0, memoryLimits.tag), memoryLimits.tag));
	}
	return { scope, text, tags };
}

/**
 * Returns the subject of the reader's notes in the scope. Throws `failed_precondition` if the reader has no subject in
 * the scope.
 */
export function subjectOf(scope: MemoryScope, { user, channel }: MemoryReader): string {
	if (scope === "everyone") return "";
	const subject = scope === "user" ? user : channel;
	if (subject !== undefined) return subject;
	const message = scope === "channel" ? memoryLimitTexts.noChannel : memoryLimitTexts.noUser;
	throw new ParleyError(message, { code: "failed_precondition" });
}

export function isReadable({ scope, subject }: MemorySubject, reader: MemoryReader): boolean {
	if (scope === "everyone") return true;
	return subject === (scope === "user" ? reader.user : reader.channel);
}

export function unknownMemory(id: string): ParleyError {
	return new ParleyError(memoryLimitTexts.notFound(id), { code: "not_found" });
}

function invalid(message: string): ParleyError {
	return new ParleyError(message, { code: "invalid_argument" });
}

/**
 * Access to notes for the tools of a run: notes about the run's person, notes of the run's channel, and notes for all
 * people.
 */
export interface MemoryAccess {
	/** Whether the session belongs to a channel. In such a session, other people may write later. */
	readonly inChat: boolean;
	/** Returns the note in its stored form. Throws like `store`, but does not check the number of notes. */
	check(note: NewMemory): NewMemory;
	/**
	 * Stores a note with the author and the taint of the run. A repeated call stores no second note. Throws:
	 * - `invalid_argument` if the note is blank or exceeds a limit
	 * - `resource_exhausted` if there are too many notes
	 * - `failed_precondition` if the run has no subject in the note's scope
	 */
	store(note: NewMemory): Promise<Memory>;
	/**
	 * Returns the most relevant notes. Without a query, returns the newest notes. Before that, adds the taint of the
	 * returned notes to the session.
	 */
	find(filter: {
		readonly query?: string;
		readonly scope?: MemoryScope | undefined;
		readonly limit: number;
	}): Promise<readonly Memory[]>;
	/**
	 * Returns a note that the run may delete. Throws `not_found` if the run cannot read the note, and `permission_denied` if
	 * the run may not delete it.
	 */
	deletable(id: string): Promise<Memory>;
	/** Deletes a note. Throws like `deletable`. */
	forget(id: string): Promise<void>;
}
