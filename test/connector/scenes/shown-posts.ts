import type { Room, Seen, Site } from "./site.ts";
import type { Sight } from "./step.ts";

export const parley = "Parley";

/** Returns the text of a post without its time. */
export function textOfPost(site: Pick<Site, "written">, seen: Seen): string {
	const text = site.written(seen).replace(/^\S+ /, "");
	return readable(text)
		.split("\n")
		.map((line) => line.replace(/^ {4}/, ""))
		.join("\n");
}

/** Removes Markdown escapes, which readers do not see. */
export function readable(text: string): string {
	return text.replace(/\\(?=[!-/:-@[-`{-~])/g, "");
}

export function shownPosts(site: Site, room: Room, viewer?: { readonly id: string }): string[] {
	return room
		.shows(viewer)
		.filter((seen) => seen.author === parley)
		.map((seen) => textOfPost(site, seen));
}

export function has(text: string, sight: Sight): boolean {
	if (typeof sight === "string") return text.includes(sight);
	return sight instanceof RegExp ? sight.test(text) : sight.every((part) => has(text, part));
}
