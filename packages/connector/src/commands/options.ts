import type { HandledEvent } from "../rooms/handler-context.ts";
import { isKeyOfOther } from "../rooms/refusal.ts";

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

/**
 * Removes the object whose id ends with the typed text. Without a single match, the typed text is the id. After a crash, an
 * earlier try may have removed the object: the gateway then knows the key, and the result is `done`.
 */
export async function removeByEnd<Value>(
	typed: string,
	ids: () => Promise<readonly string[]>,
	{ remove, done }: { readonly remove: (id: string) => Promise<Value>; readonly done: Value },
): Promise<Value> {
	const isComplete = /^[a-z]+_[0-9a-z]{26}$/u.test(typed);
	const wanted = typed.toLowerCase();
	const [found, other] = isComplete ? [typed] : (await ids()).filter((id) => id.endsWith(wanted));
	try {
		return await remove(found !== undefined && other === undefined ? found : typed);
	} catch (reason) {
		if (isKeyOfOther(reason)) return done;
		throw reason;
	}
}
