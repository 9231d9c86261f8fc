import { expect, test } from "vitest";
import { type BackgroundCommand, commandsText } from "./background-command.ts";

const ended = (n: number): BackgroundCommand => ({
	n,
	command: `build ${n}`,
	startedAt: 0,
	endedAt: 1,
	ending: { reason: "exited", code: 0 },
});

test("the text names running commands and the last 20 that ended, and counts the others", () => {
	const running = { n: 1, command: "serve", startedAt: 0 };
	const lines = commandsText([running, ...Array.from({ length: 25 }, (_, n) => ended(n + 2))]).split("\n");
	expect(lines.slice(1, 4)).toEqual([
		"[5 earlier commands have ended too]",
		'[1: "serve", running]',
		'[7: "build 7", ended with exit code 0]',
	]);
	expect(lines).toHaveLength(23);
	expect(commandsText(Array.from({ length: 21 }, (_, n) => ended(n)))).toContain(
		"[1 earlier command has ended too]",
	);
	expect(commandsText([ended(1)])).not.toContain("earlier");
});
