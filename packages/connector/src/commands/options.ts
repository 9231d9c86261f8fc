import type { HandledEvent } from "../rooms/handler-context.ts";

/** The text of an option; empty if it is missing. */
export function textOf(option: string | number | boolean | undefined): string {
	return typeof option === "string" ? option.trim() : "";
}

/** Maximum of the platforms. */
export const maxSuggestions = 25;

/** Whether all members of the room can read the answer, because the command was written as a message. */
export function isPublic({ event, message }: HandledEvent<"command">): boolean {
	return message !== undefined && event.room.kind !== "direct";
}

/** The number in a list that a text such as `2` or `#2` means; undefined for other texts. */
export function numberOf(typed: string): number | undefined {
	const digits = /^#?(\d{1,3})\.?$/u.exec(typed.trim())?.[1];
	return digits === undefined ? undefined : Number(digits);
}
