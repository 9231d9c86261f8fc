import { expect, test } from "vitest";
import { markdownDialect } from "../text/markdown-dialect.ts";
import { closedNote } from "./closed-note.ts";

const rest = " of your request, because it is closed. My answer:";

test("the note above a copy links to the closed thread, if it has an address", () => {
	const link = "https://discord.com/channels/2/3";
	const linked = `I can no longer write in the [channel or thread](${link})${rest}`;
	expect(closedNote(link, markdownDialect)).toBe(linked);
	expect(closedNote(undefined, markdownDialect)).toBe(
		`I can no longer write in the channel or thread${rest}`,
	);
});
