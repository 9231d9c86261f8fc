import type { Channel } from "../../simulators/discord/people/channel.ts";
import type { Shown } from "../../simulators/discord/people/shown.ts";
import { messageText } from "../../simulators/discord/people/transcript.ts";
import type { Sight } from "./step.ts";

/** A post as a person reads it, without the time. */
export function look(shown: Shown): string {
	const text = messageText(shown).replace(/^\S+ /, "");
	return readable(text)
		.split("\n")
		.map((line) => line.replace(/^ {4}/, ""))
		.join("\n");
}

/** Without what escapes marks, which nobody reads. */
export function readable(text: string): string {
	return text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
}

/** What one author wrote in a room, as somebody sees it. */
export function looks(room: Channel, author: string, viewer?: { readonly id: string }): string[] {
	return room
		.shows(viewer)
		.filter((shown) => shown.author === author)
		.map(look);
}

export function has(text: string, sight: Sight): boolean {
	if (typeof sight === "string") return text.includes(sight);
	return sight instanceof RegExp ? sight.test(text) : sight.every((part) => has(text, part));
}
