import { EventEmitter } from "node:events";
import { MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { guardProcess } from "./guard-process.ts";

function place() {
	const log = new MemoryLogger();
	const exits: number[] = [];
	const guarded = Object.assign(new EventEmitter(), { exit: (code: number) => void exits.push(code) });
	const release = guardProcess(log, guarded);
	const raise = (stack: string): void => {
		const error = Object.assign(new TypeError("cannot read"), { stack });
		guarded.emit("uncaughtException", error, "unhandledRejection");
	};
	return { log, exits, guarded, release, raise };
}

test.each([
	"TypeError: x\n    at WebSocketShard.onMessage (/app/node_modules/.pnpm/@discordjs+ws@1.2.3/node_modules/@discordjs/ws/dist/index.js:1:1)",
	"TypeError: x\n    at new CommandInteraction (/app/node_modules/discord.js/src/structures/CommandInteraction.js:1:1)",
	"TypeError: x\n    at WebSocketShard$1.onMessage (file:///app/dist/discord.js:1:1)",
	"TypeError: x\n    at async WebSocketShard.onMessage (C:\\app\\run.js:1:1)",
])("a payload that breaks discord.js is logged, and the process continues", (stack) => {
	const { log, exits, raise } = place();
	raise(stack);
	expect(exits).toEqual([]);
	expect(log.records).toMatchObject([{ level: "error", fields: { origin: "unhandledRejection" } }]);
});

test("an unexpected error is logged and ends the process with 1", () => {
	const { log, exits, raise } = place();
	raise("TypeError: x\n    at run (/app/packages/connector/src/outbox/outbox.ts:1:1)");
	expect(exits).toEqual([1]);
	expect(log.records).toMatchObject([{ level: "error" }]);
});

test("the guard can be removed", () => {
	const { guarded, release } = place();
	release();
	expect(guarded.listenerCount("uncaughtException")).toBe(0);
});
