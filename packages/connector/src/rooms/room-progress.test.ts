import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import type { KnownSession } from "../subscription/known-sessions.ts";
import { readRoomProgress } from "./room-progress.ts";

const key = { platform: "chat", tenant: "1", channel: "2", number: 1 };

test("each channel reports the messages that its sessions have, except channels without recent use", async () => {
	const [clock, log] = [new ManualClock(), new MemoryLogger()];
	const usedAt = clock.now();
	const sessions: KnownSession[] = [
		{ id: "sess_1", key, usedAt },
		{ id: "sess_2", key: { ...key, thread: "3", number: 2 }, usedAt: usedAt - 25 * 3_600_000 },
		{ id: "sess_3", key: { ...key, channel: "4" }, usedAt },
	];
	const requested: string[] = [];
	const open = [
		{ id: "run_2", message: "m2", about: "" },
		{ id: "run_3", about: "a command" },
	];
	const state = { answers: { open, ended: [{ id: "run_1", message: "m1" }] } };
	const subscriptions = {
		ready: Promise.resolve(),
		known: () => sessions,
		follow: async (id: string) => {
			requested.push(id);
			if (id === "sess_3") throw new Error("it is damaged");
			return { state };
		},
	};
	const room = { tenant: "1", channel: "2", shared: false, kind: "channel" };
	expect(await readRoomProgress(subscriptions, { clock, log })).toEqual([
		{ room, messages: ["m2", "m1"], usedAt },
		{ room: { ...room, thread: "3" }, messages: [], usedAt: usedAt - 25 * 3_600_000 },
		{ room: { ...room, channel: "4" }, messages: [], usedAt },
	]);
	expect(requested).toEqual(["sess_1", "sess_3"]);
	expect(log.records).toMatchObject([{ level: "info", fields: { session: "sess_3" } }]);
});
