import { expect, test } from "vitest";
import { pausedSimulator } from "../web-api/direct-client.ts";
import type { SimulatorOptions } from "./simulator.ts";

function hearing(options: SimulatorOptions = {}) {
	const parts = pausedSimulator(options);
	const events: Readonly<Record<string, unknown>>[] = [];
	parts.simulator.state.listen((all) => {
		events.push(...all.map(({ body }) => body));
	});
	return { ...parts, events, types: () => events.splice(0).map(({ type, subtype }) => subtype ?? type) };
}

test("members who join and leave, and shared channels, cause events", () => {
	const { simulator, general, types, events } = hearing();
	const other = simulator.team("Other");
	const sam = other.member("Sam");
	general.joins(sam);
	expect(types()).toEqual(["channel_shared", "channel_join", "member_joined_channel"]);
	general.loses(sam);
	expect(types()).toEqual(["member_left_channel"]);
	general.unshares(other);
	expect(events).toMatchObject([
		{ type: "channel_unshared", previously_connected_team_id: other.id, is_ext_shared: false },
	]);
	types();
	general.shares(other);
	expect(events).toMatchObject([
		{ type: "channel_shared", connected_team_id: other.id, channel: general.id },
	]);
});

test("an app that is removed from a channel receives the event of its removal and no later ones", () => {
	const { simulator, anna, general, types } = hearing();
	general.loses();
	anna.says("Hello", { in: general });
	expect(types()).toEqual(["channel_left"]);
	const closed = simulator.home.channel("closed", { private: true, members: [anna] });
	closed.loses();
	expect(types()).toEqual(["group_left"]);
});

test("changes of a channel cause events, which have other names for private channels", () => {
	const { simulator, general, types } = hearing();
	general.rename("new");
	general.archive();
	general.archive(false);
	general.delete();
	expect(types()).toEqual(["channel_rename", "channel_archive", "channel_unarchive", "channel_deleted"]);
	const closed = simulator.home.channel("closed", { private: true });
	closed.archive();
	closed.delete();
	expect(types()).toEqual(["group_archive", "group_deleted"]);
});

test("the app receives only subscribed events that it may read", () => {
	const bot = ["chat:write", "channels:history", "app_mentions:read"];
	const { simulator, anna, general, types } = hearing({
		manifest: {
			oauth_config: { scopes: { bot } },
			settings: { event_subscriptions: { bot_events: ["message.channels", "message.im", "app_mention"] } },
		},
	});
	const sentMessage = anna.says("Hello", { in: general });
	anna.says("Hello", { in: anna.dm });
	anna.says(`Hello ${simulator.mention}`, {
		in: simulator.home.channel("closed", { private: true, members: [anna] }),
	});
	anna.reacts("❌", { on: sentMessage });
	expect(types()).toEqual(["message", "app_mention"]);
});

test("the app receives its own posts, as those of a bot", () => {
	const { simulator, app, general, events } = hearing();
	app.posts(general, { text: `Hello ${simulator.mention}` });
	expect(events).toMatchObject([
		{ type: "message", bot_id: simulator.bot.botId, user: simulator.bot.id, channel: general.id },
	]);
});

test("direct messages need no mention, and an edit that mentions the app causes a mention event", () => {
	const { simulator, anna, general, types, events } = hearing();
	const sentMessage = anna.says(`Hello ${simulator.mention}`, { in: anna.dm });
	expect(types()).toEqual(["message"]);
	anna.edits(sentMessage, "Hello");
	expect(types()).toEqual(["message_changed"]);
	const other = anna.says("Hello", { in: general });
	types();
	anna.edits(other, `Hello ${simulator.mention}`);
	expect(events).toMatchObject([
		{ subtype: "message_changed", hidden: true, message: { ts: other.ts, edited: { user: anna.id } } },
		{ type: "app_mention", ts: other.ts, edited: { user: anna.id } },
	]);
});

test("a link preview is a change without an author", () => {
	const { anna, general, events } = hearing();
	const sentMessage = anna.says("https://example.com/?a&b", { in: general });
	events.splice(0);
	general.unfurls(sentMessage);
	expect(events).toMatchObject([
		{ subtype: "message_changed", message: { text: "<https://example.com/?a&b>" } },
	]);
	expect(Object(events[0]).message).not.toHaveProperty("edited");
	expect(general.last()).toMatchObject({ edited: false, text: "https://example.com/?a&b\nExample" });
});

test("a webhook posts as another service, and a file of another team must be requested", () => {
	const { simulator, app, general, events } = hearing();
	general.receives("CI", "Build failed");
	expect(events).toMatchObject([{ subtype: "bot_message", username: "CI", bot_id: expect.any(String) }]);
	expect(general.last()).toMatchObject({ author: "CI", text: "Build failed" });
	const sam = simulator.team("Other").member("Sam");
	general.joins(sam);
	events.splice(0);
	sam.says("look", { in: general, attachments: [{ name: "a.txt", content: "abc" }] });
	const [file] = Object(events[0]).files;
	expect(file).toMatchObject({ file_access: "check_file_info", mode: "file_access" });
	expect(Object(app.asks("files.info", { file: file.id })).file).toMatchObject({ name: "a.txt", size: 3 });
});

test("several people write to the app in a group conversation", () => {
	const { simulator, anna, events } = hearing();
	const bob = simulator.member("Bob");
	const group = simulator.home.conversation(anna, bob);
	expect(simulator.home.conversation(bob, anna).id).toBe(group.id);
	anna.says(`Hello ${simulator.mention}`, { in: group });
	expect(events).toMatchObject([{ type: "message", channel_type: "mpim" }, { type: "app_mention" }]);
	expect(events.map(({ event_ts }) => event_ts)).toEqual([group.last().ts, group.last().ts]);
});
