import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok, refused } from "../testing/scripted-slack.ts";

const root = "1767225600.000100";
const reply = {
	type: "message",
	channel: "C1",
	user: "UADA",
	text: "and now?",
	ts: "1767225700.000100",
	thread_ts: root,
};
const thread = `C1-${root}`;

type Reading = Awaited<ReturnType<typeof openReading>>;

async function isOurThread({ inboundOf }: Reading, more: object = {}): Promise<unknown> {
	const { inbound } = await inboundOf({ ...reply, ...more });
	return inbound.type === "message" && inbound.ourThread;
}

function posted(store: Reading["store"], conversation: string, remote: string): Promise<unknown> {
	const row = {
		id: remote,
		session: "s",
		seq: 1,
		lane: "final",
		card: null,
		payload: "{}",
		at: 1,
		state: "confirmed" as const,
		attempts: 1,
		reason: null,
		changed_at: 1,
	};
	return store.commit((tx) =>
		tx
			.insertInto("outbox")
			.values({ ...row, conversation, remote })
			.execute(),
	);
}

test("a thread with a post of Parley, also about a task, is Parley's", async () => {
	for (const conversation of [`T1/C1/${root}`, `T1/C1/${root}#task:1`]) {
		const reading = await openReading();
		await posted(reading.store, conversation, "C1-1767225650.000100");
		expect(await isOurThread(reading)).toBe(true);
		expect(reading.port.methods).not.toContain("conversations.replies");
	}
	const elsewhere = await openReading();
	await posted(elsewhere.store, `T1/C1/${root}0`, "C1-1767225650.000100");
	expect(await isOurThread(elsewhere)).toBe(false);
});

test("a thread below a post of Parley is Parley's, and its messages are replies to the post", async () => {
	const reading = await openReading();
	await posted(reading.store, "T1/C1", thread);
	const { inbound } = await reading.inboundOf(reply);
	expect(inbound).toMatchObject({ ourThread: true, address: { reply: { message: thread, ours: true } } });
});

test("a thread is Parley's if its first message addressed Parley, handled or queued", async () => {
	const reading = await openReading();
	const sentMessage = { message: thread, conversation: `T1/C1/${root}`, person: "{}", at: 1, changed_at: 1 };
	const row = { ...sentMessage, effect: "sent", text: null, session: null, run: null };
	const write = (reason: string): Promise<unknown> =>
		reading.store.commit((tx) =>
			tx
				.insertInto("heard")
				.values({ id: `message:${thread}`, reason, ...row })
				.onConflict((conflict) => conflict.column("id").doUpdateSet({ reason }))
				.execute(),
		);
	await write("unaddressed");
	expect(await isOurThread(reading)).toBe(false);
	await write("mention");
	expect(await isOurThread(reading)).toBe(true);

	const waiting = await openReading();
	const { inbound } = await waiting.inboundOf({
		...reply,
		ts: root,
		thread_ts: undefined,
		text: "<@UBOT> hello",
	});
	await waiting.store.commit((tx) =>
		tx
			.insertInto("inbound")
			.values({
				id: `message:${thread}`,
				conversation: `T1/C1/${root}`,
				data: JSON.stringify(inbound),
				state: "waiting",
				attempts: 0,
				changed_at: 1,
			})
			.execute(),
	);
	expect(await isOurThread(waiting)).toBe(true);
});

test.each([
	["its first message mentions us", { user: "UADA", text: "<@UBOT> hello" }, true],
	["its first message is ours", { user: "UBOT", text: "hello" }, true],
	["we are among those who replied", { user: "UADA", text: "hello", reply_users: ["UADA", "UBOT"] }, true],
	["nothing of that is so", { user: "UADA", text: "hello" }, false],
])("Slack is asked once about a thread that is not in the database: %s", async (_, first, expected) => {
	const reading = await openReading();
	reading.port.answer("conversations.replies", ok({ messages: [{ ts: root, thread_ts: root, ...first }] }));
	expect(await isOurThread(reading)).toBe(expected);
	expect(await isOurThread(reading)).toBe(expected);
	const requests = reading.port.calls.filter(({ method }) => method === "conversations.replies");
	expect(requests).toEqual([
		{ method: "conversations.replies", args: { channel: "C1", ts: root, limit: 1 } },
	]);
});

test("Slack is asked only if necessary, and without a response the message must be redelivered", async () => {
	const reading = await openReading();
	expect(await isOurThread(reading, { text: "<@UADA> hello" })).toBe(false);
	expect(await isOurThread(reading, { bot_id: "B7" })).toBe(false);
	expect(await isOurThread(reading, { channel: "D1" })).toBe(false);
	expect(reading.port.methods).not.toContain("conversations.replies");
	reading.port.answer("conversations.replies", refused("internal_error"));
	await expect(isOurThread(reading)).rejects.toMatchObject({ code: "unavailable" });
});

test("during a rate limit for threads, messages in other threads are handled without a request", async () => {
	const reading = await openReading();
	const { port, clock, log } = reading;
	const requestCount = () => port.methods.filter((method) => method === "conversations.replies").length;
	port.answer("conversations.replies", { type: "rate-limited", retryAfterMs: 30_000 });
	for (let thread = 1; thread <= 60; thread++) {
		expect(await isOurThread(reading, { thread_ts: `${thread}.1` })).toBe(false);
	}
	expect([requestCount(), log.records.length]).toEqual([1, 1]);
	clock.advance(30_000);
	port.answer("conversations.replies", ok({ messages: [{ ts: "1.1", user: "UBOT" }] }));
	expect(await isOurThread(reading, { thread_ts: "1.1" })).toBe(true);
});

test("during a rate limit, a thread is Parley's if its first message addressed Parley, but could not be stored", async () => {
	const reading = await openReading();
	const { port } = reading;
	port.answer("users.info", refused("internal_error"));
	const mention = { ...reply, ts: root, thread_ts: undefined, text: "<@UBOT> hello" };
	await expect(reading.inboundOf(mention)).rejects.toMatchObject({ code: "unavailable" });
	port.answer("conversations.replies", { type: "rate-limited", retryAfterMs: 30_000 });
	expect(await isOurThread(reading, { thread_ts: "1.1" })).toBe(false);
	expect(await isOurThread(reading)).toBe(true);
});

test("a message of an app, or one to another person, does not make its thread Parley's", async () => {
	const reading = await openReading();
	const top = { ...reply, ts: root, thread_ts: undefined };
	await reading.inboundOf({ ...top, bot_id: "B7", text: "<@UBOT> hello" });
	await reading.inboundOf({ ...top, text: "<@UADA> hello" });
	reading.port.answer("conversations.replies", { type: "rate-limited", retryAfterMs: 30_000 });
	expect(await isOurThread(reading)).toBe(false);
});

test("during a short rate limit, a message in an unknown thread must be redelivered", async () => {
	const reading = await openReading();
	const { port, clock } = reading;
	port.answer("conversations.replies", { type: "rate-limited", retryAfterMs: 1000 });
	await expect(isOurThread(reading)).rejects.toMatchObject({ code: "unavailable" });
	await expect(isOurThread(reading)).rejects.toMatchObject({ code: "unavailable" });
	clock.advance(1000);
	port.answer("conversations.replies", ok({ messages: [{ ts: root, user: "UBOT" }] }));
	expect(await isOurThread(reading)).toBe(true);
});

test("a thread that Slack refuses to show is requested again later", async () => {
	const reading = await openReading();
	const { port, clock } = reading;
	port.answer("conversations.replies", refused("not_in_channel"));
	expect(await isOurThread(reading)).toBe(false);
	port.answer("conversations.replies", ok({ messages: [{ ts: root, user: "UBOT" }] }));
	clock.advance(599_000);
	expect(await isOurThread(reading)).toBe(false);
	expect(port.methods.filter((method) => method === "conversations.replies")).toHaveLength(1);
	clock.advance(1000);
	expect(await isOurThread(reading)).toBe(true);
});

test("a reaction belongs to the thread of its message, known from any source", async () => {
	const roomOf = async (reading: Reading, ts: string, channel = "C1"): Promise<unknown> => {
		const item = { type: "message", channel, ts };
		const { inbound } = await reading.inboundOf({
			type: "reaction_added",
			user: "UADA",
			reaction: "x",
			item,
		});
		return inbound.type === "reaction" && inbound.room.thread;
	};
	const reading = await openReading();
	await posted(reading.store, "T1/C1", "C1-5.5");
	await posted(reading.store, `T1/C1/${root}#task:1`, "C1-6.6");
	expect(await roomOf(reading, "5.5")).toBeUndefined();
	expect(await roomOf(reading, "6.6")).toBe(thread);
	expect(reading.port.methods).not.toContain("conversations.replies");
	const shown = (first: object): void =>
		reading.port.answer("conversations.replies", ok({ messages: [first] }));
	shown({ ts: "7.7", thread_ts: root, user: "UBOT" });
	expect(await roomOf(reading, "7.7")).toBe(thread);
	shown({ ts: "8.8", user: "UBOT" });
	expect(await roomOf(reading, "8.8")).toBeUndefined();
	expect(await roomOf(reading, "9.9")).toBe("C1-9.9");
	expect(await roomOf(reading, "9.9", "D1")).toBe("D1-9.9");
});
