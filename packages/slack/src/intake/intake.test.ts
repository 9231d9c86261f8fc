import { expect, test } from "vitest";
import { openReading } from "../testing/reading.ts";
import { ok, refused } from "../testing/scripted-slack.ts";

const ts = "1767225600.000100";
const at = 1_767_225_600_000;
const message = { type: "message", channel: "C1", channel_type: "channel", user: "UADA", text: "hello", ts };
const ada = { id: "UADA", name: "Ada", roles: [], guest: false, bot: false };
const room = { tenant: "T1", channel: "C1", thread: `C1-${ts}`, shared: false, kind: "channel" };

test("a top-level message arrives in the thread that it starts, with its author and its time", async () => {
	const { inboundOf } = await openReading();
	expect(await inboundOf(message)).toEqual({
		key: { id: `message:C1-${ts}`, conversation: `T1/C1/${ts}` },
		inbound: {
			type: "message",
			message: `C1-${ts}`,
			text: "hello",
			at,
			attachments: [],
			ourThread: false,
			room,
			person: ada,
			address: { us: false, others: false, everyone: false },
		},
	});
});

test("both events of a mention are the same inbound event, in any order", async () => {
	const sentMessage = { ...message, text: "<@UBOT> hello" };
	const { channel_type: _, ...mention } = { ...sentMessage, type: "app_mention" };
	const [one, other] = [await openReading(), await openReading()];
	const twins = [await one.inboundOf(sentMessage), await one.inboundOf(mention)];
	expect(twins).toEqual(await Promise.all([other.inboundOf(mention), other.inboundOf(sentMessage)]));
	expect(twins[0]).toEqual(twins[1]);
	expect(twins[0]?.inbound).toMatchObject({ text: "hello", address: { us: true } });
	expect(one.port.methods).not.toContain("conversations.replies");
});

test("an edit has its own time, also from both of its events, and a change of the preview is not an edit", async () => {
	const { inboundOf, translate, log } = await openReading();
	const text = "<@UBOT> hallo";
	const edited = { ...message, text, edited: { user: "UADA", ts: "1767225605.000000" } };
	const { channel: _, channel_type: __, ...inner } = edited;
	const change = { type: "message", subtype: "message_changed", channel: "C1", ts: "1767225605.000200" };
	const changed = { ...change, message: inner, previous_message: { ...message } };
	const arrived = await inboundOf(changed);
	expect(arrived.key).toEqual({ id: `edited:C1-${ts}:1767225605.000000`, conversation: `T1/C1/${ts}` });
	expect(arrived.inbound).toMatchObject({
		type: "edited",
		text: "hallo",
		at: at + 5000,
		message: `C1-${ts}`,
	});
	expect((await inboundOf({ ...edited, type: "app_mention" })).key).toEqual(arrived.key);
	const preview = { ...change, message: { ...inner, attachments: [{}] }, previous_message: inner };
	expect(await translate(preview)).toEqual({ ignored: "the text of the message is unchanged" });
	const sameText = { ...change, message: inner, previous_message: { text } };
	expect(await translate(sameText)).toEqual({ ignored: "the text of the message is unchanged" });
	expect(log.records).toEqual([]);
});

test("Slack's own button stops the active run in its thread", async () => {
	const { inboundOf, translate, clock } = await openReading();
	const pressed = { type: "agent_session_stopped", channel: "C1", user: "UADA", thread_ts: ts };
	expect(await inboundOf({ ...pressed, streaming_message_ts: [], event_ts: "1767225601.000000" })).toEqual({
		inbound: { type: "stop", room, person: ada, at: clock.now() },
		key: { id: expect.stringMatching(/^stop:Ev/), conversation: `T1/C1/${ts}` },
	});
	expect(await translate({ ...pressed, thread_ts: 5 })).toEqual({
		ignored: "the data of the event agent_session_stopped is invalid",
	});
});

test("deletions include their thread, also if the message leaves a placeholder", async () => {
	const { inboundOf, clock } = await openReading();
	const deleted = { type: "message", subtype: "message_deleted", channel: "C1", deleted_ts: ts, ts: "2.2" };
	const inThread = { ...deleted, previous_message: { ts, thread_ts: "1.1" } };
	const of = (thread: string) => ({
		inbound: {
			type: "deleted",
			room: { ...room, thread: `C1-${thread}` },
			message: `C1-${ts}`,
			at: clock.now(),
		},
		key: { id: `deleted:C1-${ts}`, conversation: `T1/C1/${thread}` },
	});
	expect(await inboundOf(inThread)).toEqual(of("1.1"));
	expect(await inboundOf(deleted)).toEqual(of(ts));
	const stone = {
		ts,
		thread_ts: ts,
		subtype: "tombstone",
		user: "USLACKBOT",
		text: "This message was deleted.",
	};
	expect(
		await inboundOf({ type: "message", subtype: "message_changed", channel: "C1", message: stone }),
	).toEqual(of(ts));
});

test("a direct message starts a thread, like a message in a channel or a group", async () => {
	const { inboundOf, port } = await openReading();
	const direct = { ...message, channel: "D1", channel_type: "im" };
	expect(await inboundOf(direct)).toMatchObject({
		inbound: { room: { tenant: "T1", channel: "D1", thread: `D1-${ts}`, shared: false, kind: "direct" } },
		key: { conversation: `T1/D1/${ts}` },
	});
	expect((await inboundOf({ ...direct, thread_ts: ts })).key.conversation).toBe(`T1/D1/${ts}`);
	expect((await inboundOf({ ...direct, thread_ts: "1.1" })).inbound).toMatchObject({
		room: { thread: "D1-1.1" },
	});
	expect(port.methods).toEqual(["users.info"]);
	const group = await inboundOf({ ...message, channel: "G1", channel_type: "mpim" });
	expect(group.inbound).toMatchObject({ room: { kind: "group", thread: `G1-${ts}` } });
});

test("guests, external people and unknown people have only their known rights", async () => {
	const { inboundOf, log } = await openReading();
	const author = async (user: string) => (await inboundOf({ ...message, user })).inbound;
	expect(await author("UGUEST")).toMatchObject({ person: { name: "gus", guest: true } });
	expect(await author("UOUT")).toMatchObject({ person: { name: "Olga Out", guest: true } });
	expect(await author("UNONE")).toMatchObject({ person: { id: "UNONE", name: "", guest: true, bot: false } });
	expect(log.records).toMatchObject([{ level: "warn", fields: { user: "UNONE", why: "user_not_found" } }]);
});

test("people of another workspace of the organization that belong to this one are not guests", async () => {
	const { inboundOf, port } = await openReading();
	port.users["UGRID"] = {
		id: "UGRID",
		team_id: "T5",
		name: "grid",
		enterprise_user: { teams: ["T5", "T1"] },
	};
	expect((await inboundOf({ ...message, user: "UGRID" })).inbound).toMatchObject({
		person: { guest: false },
	});
});

test("without a response of Slack, the message must be redelivered", async () => {
	const { inboundOf, port, clock } = await openReading();
	port.answer("users.info", { type: "rate-limited", retryAfterMs: 30_000 });
	await expect(inboundOf(message)).rejects.toMatchObject({ code: "unavailable" });
	port.answer("users.info", refused("internal_error"));
	await expect(inboundOf(message)).rejects.toMatchObject({ code: "unavailable" });
	port.answer("users.info", new Error("ECONNRESET"));
	await expect(inboundOf(message)).rejects.toThrow("ECONNRESET");
	const slow = Promise.withResolvers<never>();
	port.answer("users.info", () => slow.promise);
	const received = inboundOf(message);
	clock.advance(1000);
	await expect(received).rejects.toMatchObject({ code: "unavailable" });
});

test("a message that is read later has its current text, and joins in between are included", async () => {
	const { inboundOf, translate, port } = await openReading();
	const edited = { user: "UADA", ts: "1767225605.000000" };
	expect((await inboundOf({ ...message, edited })).key.id).toBe(`edited:C1-${ts}:${edited.ts}`);
	const joined = { ...message, subtype: "channel_join", text: "<@UADA> has joined the channel" };
	expect(await translate(joined)).toEqual({ ignored: "the person who joined is not a guest" });
	port.answer("users.info", ok({ user: { id: "UGUS", team_id: "T1", is_restricted: true } }));
	expect((await inboundOf({ ...joined, user: "UGUS" })).inbound).toMatchObject({
		type: "audience",
		change: "a guest joined",
	});
});

test("a changed profile of a person is read from its event, without another request", async () => {
	const { inboundOf, translate, port, people } = await openReading();
	expect(people.known("UADA")).toBeUndefined();
	await inboundOf(message);
	expect(people.known("UADA")).toBe("Ada");
	await translate({
		type: "user_change",
		user: { id: "UADA", team_id: "T1", real_name: "Ada L.", is_restricted: true },
	});
	expect((await inboundOf(message)).inbound).toMatchObject({ person: { name: "Ada L.", guest: true } });
	expect(port.methods.filter((method) => method === "users.info")).toHaveLength(1);
});

test("shared channels and channels that Slack does not show are marked as shared", async () => {
	const { inboundOf } = await openReading();
	const shared = async (channel: string, outer: object = {}) => {
		const { inbound } = await inboundOf({ ...message, channel }, outer);
		return inbound.type === "message" && inbound.room.shared;
	};
	expect(await shared("C2")).toBe(true);
	expect(await shared("C9")).toBe(true);
	expect(await shared("C1")).toBe(false);
	expect(await shared("C1", { is_ext_shared_channel: true })).toBe(true);
});

test("files are included; a remote one is requested, and a missing one is omitted", async () => {
	const { inboundOf, port, log } = await openReading();
	const file = { id: "F1", name: "a.png", size: 3, mimetype: "image/png", url_private: "https://files/a" };
	const far = { id: "F2", file_access: "check_file_info" };
	port.answer(
		"files.info",
		ok({ file: { id: "F2", name: "b", size: 4, url_private_download: "https://files/b" } }),
	);
	const files = [file, far, { id: "F3", mode: "tombstone" }, { id: 4 }];
	const { inbound } = await inboundOf({ ...message, subtype: "file_share", text: "", files });
	expect(inbound).toMatchObject({
		attachments: [
			{ id: "F1", name: "a.png", size: 3, type: "image/png", url: "https://files/a" },
			{ id: "F2", name: "b", size: 4, url: "https://files/b" },
		],
	});
	expect(log.records).toMatchObject([{ level: "warn", fields: { event: "file" } }]);
});

test("own messages and those of Slack are ignored, and apps are bots", async () => {
	const { translate, inboundOf } = await openReading();
	for (const own of [{ user: "UBOT" }, { user: undefined, bot_id: "BBOT", subtype: "bot_message" }]) {
		expect(await translate({ ...message, ...own })).toEqual({ ignored: "the bot wrote the message itself" });
	}
	const changed = {
		type: "message",
		subtype: "message_changed",
		channel: "C1",
		message: { ...message, user: "UBOT" },
	};
	expect(await translate(changed)).toEqual({ ignored: "the bot wrote the message itself" });
	expect(await translate({ ...message, subtype: "channel_join" })).toMatchObject({
		ignored: expect.any(String),
	});
	const app = { ...message, user: undefined, bot_id: "B7", subtype: "bot_message", username: "Jenkins" };
	expect((await inboundOf(app)).inbound).toMatchObject({ person: { id: "B7", name: "Jenkins", bot: true } });
	expect((await inboundOf({ ...message, bot_id: "B7" })).inbound).toMatchObject({
		person: { id: "UADA", bot: true },
	});
});

test("each reaction has its meaning, once for each event", async () => {
	const { inboundOf, translate, clock } = await openReading();
	const reaction = { type: "reaction_added", user: "UADA", item: { type: "message", channel: "C1", ts } };
	const of = async (name: string) => (await inboundOf({ ...reaction, reaction: name })).inbound;
	expect(await of("x")).toEqual({
		type: "reaction",
		sign: "stop",
		message: `C1-${ts}`,
		person: ada,
		room,
		at: clock.now(),
	});
	for (const name of ["no_entry", "octagonal_sign"]) expect(await of(name)).toMatchObject({ sign: "stop" });
	for (const name of ["repeat", "arrows_counterclockwise"])
		expect(await of(name)).toMatchObject({ sign: "again" });
	expect((await inboundOf({ ...reaction, reaction: "x" })).key.id).toBe("reaction:Ev1");
	expect(await translate({ ...reaction, reaction: "tada" })).toMatchObject({ ignored: expect.any(String) });
	expect(await translate({ ...reaction, user: "UBOT", reaction: "x" })).toEqual({
		ignored: "the bot added the reaction itself",
	});
	const file = { ...reaction, reaction: "x", item: { type: "file", file: "F1" } };
	expect(await translate(file)).toEqual({ ignored: "the reaction is not to a message" });
});

test("a title that a person changes is an event, and one of the bot is not", async () => {
	const { inboundOf, translate, clock } = await openReading();
	const changed = {
		type: "agent_session_title_changed",
		user: "UADA",
		channel: "C1",
		thread_ts: ts,
		title: "Plans",
	};
	expect((await inboundOf(changed)).inbound).toEqual({
		...{ type: "retitled", person: ada, title: "Plans", at: clock.now() },
		room: { ...room, thread: `C1-${ts}` },
	});
	expect(await translate({ ...changed, user: "UBOT" })).toEqual({
		ignored: "the bot changed the title itself",
	});
});

test("the opened home page and the opened messages are events, and other tabs are not", async () => {
	const { inboundOf, translate, clock } = await openReading();
	const opened = { type: "app_home_opened", user: "UADA", channel: "D1", tab: "home" };
	const direct = { tenant: "T1", channel: "D1", shared: false, kind: "direct" };
	expect(await inboundOf(opened)).toEqual({
		inbound: { type: "home", tab: "page", person: ada, room: direct, at: clock.now() },
		key: { id: "home:Ev1", conversation: "T1/D1" },
	});
	expect((await inboundOf({ ...opened, tab: "messages" })).inbound).toMatchObject({ tab: "messages" });
	expect(await translate({ ...opened, tab: "about" })).toEqual({ ignored: 'the tab "about" is unknown' });
});

test("a malformed event is counted and logged, and does not throw", async () => {
	const { translate, intake, malformed, log } = await openReading();
	const wrong = [
		...[
			{ type: "message" },
			{ type: "message", channel: "C1", user: 7 },
			{ type: "reaction_added", reaction: "x" },
		],
		...[{ type: "message", subtype: "message_changed", channel: "C1" }, { type: "user_change" }],
		...[{ type: "member_joined_channel" }, { type: "channel_rename" }, { type: "channel_shared" }],
		...[
			{ type: "message", subtype: "message_deleted", channel: "C1" },
			{ type: "app_mention", channel: "C1" },
		],
		...[{ type: "channel_id_changed" }, { type: "member_left_channel", channel: "?" }],
	];
	for (const event of wrong)
		expect(await translate(event)).toMatchObject({ ignored: expect.stringContaining("is invalid") });
	for (const body of [null, 7, {}, { event: {} }])
		expect(await intake.translate(body)).toHaveProperty("ignored");
	expect(malformed.count).toBe(wrong.length + 4);
	expect(log.records.length).toBeGreaterThan(5);
});
