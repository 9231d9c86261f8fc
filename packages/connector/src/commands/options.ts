import type { HandledEvent } from "../rooms/handler-context.ts";

/** Returns the trimmed text of an option, or "" for a missing option or a value of another type. */
export function textOf(option: string | number | boolean | undefined): string {
	return typeof option === "string" ? option.trim() : "";
}

/** Maximum number of suggestions that platforms accept. */
export const maxSuggestions = 25;

/**
 * Whether all members of the room can read the answer: true if the command was written as a message outside of direct
 * messages.
 */
export function isPublic({ event, message }: HandledEvent<"command">): boolean {
	return message !== undefined && event.room.kind !== "direct";
}

/** Returns the list number, at most 999, in a text such as `2`, `2.` or `#2`; undefined for other texts. */
export function numberOf(typed: string): number | undefined {
	const digits = /^#?(\d{1,3})\.?$/u.exec(typed.trim())?.[1];
	return digits === undefined ? undefined : Number(digits);
}
