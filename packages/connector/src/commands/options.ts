import type { HandledEvent } from "../rooms/handler-context.ts";

/** What was written for an option; empty where nothing was. */
export function textOf(option: string | number | boolean | undefined): string {
	return typeof option === "string" ? option.trim() : "";
}

/** As many as platforms take. */
export const mostSuggestions = 25;

/** Whether the answer is a post that all people of the room read. It is, if the command was written as a message. */
export function isPublic({ event, message }: HandledEvent<"command">): boolean {
	return message !== undefined && event.room.kind !== "direct";
}
