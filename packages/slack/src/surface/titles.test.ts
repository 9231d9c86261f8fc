import { ManualClock, MemoryLogger } from "@parley/base/testing";
import type { OutboxRow } from "@parley/connector";
import { expect, test } from "vitest";
import { refused, ScriptedPort } from "../testing/scripted-slack.ts";
import { Caller } from "./caller.ts";
import { RateLimits } from "./rate-limits.ts";
import { showTitle } from "./titles.ts";

const rename = "agents.sessions.rename";
const place = { channel_id: "C1", thread_ts: "1.1" };

function open() {
	const [clock, log, port] = [new ManualClock(), new MemoryLogger(), new ScriptedPort()];
	const caller = new Caller({ port, limits: new RateLimits(clock), clock, log });
	const row = (conversation: string): OutboxRow => ({
		...{ id: "s/1/0", nonce: "n", conversation, lane: "progress", payload: {}, at: 0, attempt: 1 },
	});
	const show = (conversation = "T1/C1/1.1#title") => showTitle(caller, row(conversation), "Plans");
	return { port, show };
}

test("the title of a thread is set, and a missing session is created with it", async () => {
	const { port, show } = open();
	await show();
	port.answer(rename, refused("session_not_found"));
	await show();
	expect(port.calls).toEqual([
		{ method: rename, args: { ...place, title: "Plans" } },
		{ method: rename, args: { ...place, title: "Plans" } },
		{ method: "agents.sessions.setStatus", args: { ...place, status: "active", title: "Plans" } },
	]);
});

test("a refused title does not count as a lost post, and a channel has no title", async () => {
	const { port, show } = open();
	port.answer(rename, refused("not_allowed"));
	await expect(show()).resolves.toMatchObject({ remote: expect.any(String) });
	await show("T1/C1#title");
	expect(port.calls).toHaveLength(1);
	port.answer(rename, new Error("timed out"));
	await expect(show()).rejects.toMatchObject({ kind: "unknown" });
});
