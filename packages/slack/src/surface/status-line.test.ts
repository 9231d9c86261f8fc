import { setImmediate as tick } from "node:timers/promises";
import { ManualClock, MemoryLogger } from "@parley/base/testing";
import { expect, test } from "vitest";
import { ok, refused, ScriptedPort } from "../testing/scripted-slack.ts";
import type { SlackAnswer } from "../vocabulary/slack-port.ts";
import { Caller } from "./caller.ts";
import { RateLimits } from "./rate-limits.ts";
import { StatusLine } from "./status-line.ts";

const setStatus = "agents.sessions.setStatus";

function open() {
	const [clock, log, port, stopping] = [
		new ManualClock(),
		new MemoryLogger(),
		new ScriptedPort(),
		new AbortController(),
	];
	const caller = new Caller({ port, limits: new RateLimits(clock), clock, log });
	const line = new StatusLine({ caller, clock, log, signal: stopping.signal });
	const statuses = () => port.calls.map(({ args }) => args["status"]);
	return { clock, log, port, line, statuses, stopping };
}

test("each answer removes its status line, with any number of threads", async () => {
	const { line, port } = open();
	for (let n = 0; n < 50; n++) await line.show(`T1/C1/${n}.1`).catch(() => undefined);
	for (let n = 0; n < 50; n++) await line.posted(`T1/C1/${n}.1`, "final");
	const shown = new Set<unknown>();
	for (const { args } of port.calls) {
		if (args["status"] === "processing") shown.add(args["thread_ts"]);
		else shown.delete(args["thread_ts"]);
	}
	expect(shown.size).toBe(0);
});

test("an answer during the request for the status line removes it after the request", async () => {
	const { line, port, statuses } = open();
	const slow = Promise.withResolvers<SlackAnswer>();
	port.answer(setStatus, () => slow.promise);
	const showing = line.show("T1/C1/1.1");
	await tick();
	const posted = line.posted("T1/C1/1.1", "final");
	await tick();
	expect(statuses()).toEqual(["processing"]);
	slow.resolve(ok());
	await Promise.all([showing, posted]);
	expect(statuses()).toEqual(["processing", "active"]);
});

test("a status line from an earlier process is removed by the next answer, once and without a post", async () => {
	const { line, port, statuses, log } = open();
	port.answer(setStatus, refused("not_an_agent"));
	await line.posted("T1/C1/1.1", "final");
	await line.posted("T1/C1/1.1", "final");
	await line.posted("T1/C1", "final");
	expect(statuses()).toEqual(["active"]);
	expect(log.records.filter(({ level }) => level !== "debug")).toEqual([]);
});

test("a delayed removal happens after the rate limit, unless another run has started", async () => {
	const { line, port, statuses, clock } = open();
	await line.show("T1/C1/1.1");
	port.answer(setStatus, { type: "rate-limited", retryAfterMs: 20_000 });
	const posted = line.posted("T1/C1/1.1", "final");
	await tick();
	clock.advance(20_000);
	await posted;
	expect(statuses()).toEqual(["processing", "active", "active"]);
	await line.show("T1/C1/1.1");
	port.answer(setStatus, new Error("timed out"));
	const again = line.posted("T1/C1/1.1", "final");
	await tick();
	await line.show("T1/C1/1.1");
	clock.advance(5000);
	await again;
	expect(statuses().slice(3)).toEqual(["processing", "active", "processing"]);
});

test("the current step is shown as text, at most every five seconds, and again before Slack removes it", async () => {
	const { line, port, clock } = open();
	const written = () =>
		port.calls.flatMap(({ method, args }) => (method.startsWith("assistant.") ? [args["status"]] : []));
	await line.show("T1/C1/1.1");
	expect(written()).toEqual([]);
	await line.show("T1/C1/1.1", "is thinking…");
	await line.show("T1/C1/1.1", "is writing a.md…");
	expect(port.calls.at(-1)).toEqual({
		method: "assistant.threads.setStatus",
		args: { channel_id: "C1", thread_ts: "1.1", status: "is thinking…" },
	});
	clock.advance(5000);
	await line.show("T1/C1/1.1", "is writing a.md…");
	clock.advance(89_000);
	await line.show("T1/C1/1.1", "is writing a.md…");
	expect(written()).toEqual(["is thinking…", "is writing a.md…"]);
	clock.advance(1000);
	await line.show("T1/C1/1.1", "is writing a.md…");
	expect(written()).toHaveLength(3);
	clock.advance(5000);
	await line.show("T1/C1/1.1", "");
	expect(written().at(-1)).toBe("is working…");
	await line.show("T1/C1", "is thinking…");
	expect(written()).toHaveLength(4);
});

test("the text is written again at once after a post of the run, and not after its last one", async () => {
	const { line, statuses } = open();
	await line.show("T1/C1/1.1", "is thinking…");
	await line.posted("T1/C1/1.1", "milestone");
	expect(statuses()).toEqual(["processing", "is thinking…", "is thinking…"]);
	await line.posted("T1/C1/1.1", "final");
	await line.posted("T1/C1/1.1", "milestone");
	expect(statuses().slice(3)).toEqual(["active"]);
});

test("after a post, no text is written in a thread that has no text or whose run waits for a person", async () => {
	const { line, statuses } = open();
	await line.posted("T1/C1/1.1", "milestone");
	await line.show("T1/C1/1.1");
	await line.posted("T1/C1/1.1", "milestone");
	await line.show("T1/C1/1.1", "is thinking…");
	await line.suspend("T1/C1/1.1");
	await line.posted("T1/C1/1.1", "milestone");
	expect(statuses()).toEqual(["processing", "is thinking…", "suspended"]);
});

test("if Slack refuses the text, the status line is shown without it, and the text is not retried at once", async () => {
	const { line, port, log, clock } = open();
	for (let n = 0; n < 5; n++) port.answer("assistant.threads.setStatus", refused("not_allowed_token_type"));
	for (let n = 0; n < 10; n++) {
		await line.show("T1/C1/1.1", `is writing ${n}…`);
		clock.advance(8000);
	}
	expect(port.calls.map(({ method }) => method)).toEqual([setStatus, "assistant.threads.setStatus"]);
	expect(log.records.filter(({ level }) => level !== "debug")).toEqual([]);
});

test("at the stop, no request is awaited", async () => {
	const { line, port, clock, stopping } = open();
	await line.show("T1/C1/1.1");
	port.answer(setStatus, { type: "rate-limited", retryAfterMs: 20_000 });
	const posted = line.posted("T1/C1/1.1", "final");
	await tick();
	stopping.abort();
	await posted;
	expect(clock.pending).toBe(0);
});

test("a run that waits for a person suspends the session until it works again or ends", async () => {
	const { line, port, statuses, clock } = open();
	await line.show("T1/C1/1.1", "is thinking…");
	for (let n = 0; n < 10; n++) {
		await line.suspend("T1/C1/1.1");
		clock.advance(8000);
	}
	await line.show("T1/C1/1.1", "is thinking…");
	await line.suspend("T1/C1/1.1");
	await line.posted("T1/C1/1.1", "acknowledgement");
	await line.posted("T1/C1/1.1", "final");
	await line.suspend("T1/C1");
	expect(statuses()).toEqual([
		...["processing", "is thinking…", "suspended", "processing", "is thinking…", "suspended", "active"],
	]);
	expect(port.calls.at(-1)).toMatchObject({
		method: setStatus,
		args: { channel_id: "C1", thread_ts: "1.1" },
	});
});

test("a suspension that reaches Slack's rate limit is repeated, and a refused suspension is not", async () => {
	const { line, port, statuses, clock } = open();
	await line.show("T1/C1/1.1");
	port.answer(setStatus, { type: "rate-limited", retryAfterMs: 1000 });
	await line.suspend("T1/C1/1.1").catch(() => undefined);
	clock.advance(8000);
	port.answer(setStatus, refused("not_allowed"));
	await line.suspend("T1/C1/1.1").catch(() => undefined);
	clock.advance(8000);
	await line.suspend("T1/C1/1.1");
	expect(statuses()).toEqual(["processing", "suspended", "suspended"]);
});
