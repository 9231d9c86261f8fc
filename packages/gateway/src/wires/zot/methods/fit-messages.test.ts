import { expect, test } from "vitest";
import { encodedBytes } from "../schema.ts";
import { fitMessages } from "./handlers.ts";

const mebibyte = 1024 * 1024;
const message = (text: string) => ({
	role: "user",
	content: [{ type: "text" as const, text }],
	time: "2026-01-01T00:00:00.000Z",
});

test("messages that fit are complete", () => {
	expect(fitMessages([])).toEqual({ messages: [] });
	const messages = [message("a"), message("ü".repeat(7 * mebibyte))];
	expect(fitMessages(messages)).toEqual({ messages });
});

test.each(["x", "ü", '"', "\u0001", "\u2028"])(
	"the newest of too many messages of %j are returned, with the number of the others",
	(char) => {
		const messages = Array.from({ length: 40 }, (_, at) => message(`${at}${char.repeat(mebibyte)}`));
		const fitting = fitMessages(messages);
		expect(fitting.messages.length).toBeGreaterThan(1);
		expect(fitting.messages).toEqual(messages.slice(fitting.omitted));
		const bytes = encodedBytes(fitting);
		expect(bytes).toBeLessThan(15.1 * mebibyte);
		expect(bytes + encodedBytes(messages[0])).toBeGreaterThan(15 * mebibyte);
	},
);

test("a newest message that is too long leaves no messages", () => {
	expect(fitMessages([message("a"), message("x".repeat(16 * mebibyte))])).toEqual({
		messages: [],
		omitted: 2,
	});
});
