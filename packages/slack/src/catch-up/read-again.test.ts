import { expect, test } from "vitest";
import { lost, minute, openCatchUp, ready, stamp } from "../testing/catching-up.ts";
import { ok } from "../testing/scripted-slack.ts";

test("a thread that was read is read again for newly missed messages", async () => {
	const { catchUp, pass, port, clock } = await openCatchUp({ aliveFor: 10 * minute });
	const root = stamp(clock.now() - 2 * minute);
	const page = ok({ messages: [{ ts: root, latest_reply: root }] });
	port.answer("conversations.history", page);
	port.answer(
		"conversations.replies",
		{ type: "rate-limited", retryAfterMs: 2 * minute },
		ok({ messages: [] }),
	);
	catchUp.linked(ready);
	await pass(5000);
	const first = stamp(clock.now() - 5000);
	expect(port.calls.map(({ args }) => args["ts"])).toEqual([undefined, root]);
	port.answer("conversations.history", page);
	catchUp.linked(lost);
	clock.now = (
		(now) => () =>
			now() + 5 * minute
	)(clock.now.bind(clock));
	const back = stamp(clock.now());
	catchUp.linked(ready);
	await pass(5 * minute);
	const read = port.calls.filter(({ args }) => args["ts"] === root).map(({ args }) => args["latest"]);
	expect(read).toEqual([first, first, back]);
});

test("all missed messages of a waiting thread are read at once", async () => {
	const { catchUp, pass, port, clock } = await openCatchUp({
		aliveFor: 10 * minute,
		places: [{ channel: "D1" }],
	});
	const root = stamp(clock.now() - 2 * minute);
	const page = ok({ messages: [{ ts: root, latest_reply: root }] });
	port.answer("conversations.history", { type: "rate-limited", retryAfterMs: 2 * minute }, page, page);
	catchUp.linked(ready);
	await pass(minute);
	const lostAt = stamp(clock.now());
	expect(catchUp.lost({ event: { type: "message", channel: "D1", ts: root } })).toBe(true);
	await pass(3 * minute);
	const read = port.calls.filter(({ args }) => args["ts"] === root).map(({ args }) => args["latest"]);
	expect([read, catchUp.behind]).toEqual([[lostAt], 0]);
});
