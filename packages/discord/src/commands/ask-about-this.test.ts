import type { InboundEventOf } from "@parley/connector";
import { expect, test } from "vitest";
import { asKitCommand } from "./to-discord.ts";

const room = { tenant: "1", channel: "2", shared: false, kind: "channel" } as const;
const person = { id: "7", name: "Ada", roles: [], guest: false, bot: false };
const command: InboundEventOf<"command"> = {
	...{ type: "command", room, person, at: 0, ticket: { id: "9", token: "t", expiresAt: 1 } },
	...{ command: "Ask about this", options: {}, attachments: [], target: { message: "30", text: "hello" } },
};

test("the menu command of a message asks about that message", () => {
	const shape = asKitCommand(command);
	expect(shape).toMatchObject({ command: "ask", target: { message: "30", text: "hello" } });
	expect(shape).toHaveProperty("options.text", expect.stringMatching(/\S/));
});

test("other events stay unchanged", () => {
	const other = { ...command, command: "task new" };
	expect(asKitCommand(other)).toBe(other);
	const deleted = { type: "deleted", room, message: "30", at: 0 } as const;
	expect(asKitCommand(deleted)).toBe(deleted);
});
