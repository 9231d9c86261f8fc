import { expect, test } from "vitest";
import { buttons, errorOf, pausedSimulator, section } from "./direct-client.ts";

const metadata = { event_type: "parley_post", event_payload: { nonce: "n1" } };

test("a post is returned with its metadata on request", () => {
	const { app, general } = pausedSimulator();
	const { ts } = app.posts(general, { text: "Hello", blocks: [section("Hello *all*")], metadata });
	const read = (more: object) =>
		Object(app.asks("conversations.history", { channel: general.id, ...more })).messages;
	expect(read({})[0]).not.toHaveProperty("metadata");
	expect(read({ include_all_metadata: true })).toMatchObject([
		{ ts, text: "Hello", metadata, blocks: [{ block_id: expect.any(String) }] },
	]);
});

test("a message posted in a thread is found by the thread's first message", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const answer = app.posts(general.thread(sentMessage), { text: "Hi", metadata });
	app.posts(general.thread(sentMessage), { text: "to all", reply_broadcast: true });
	const args = { channel: general.id, ts: sentMessage.ts, include_all_metadata: true };
	expect(Object(app.asks("conversations.replies", args)).messages).toMatchObject([
		{ ts: sentMessage.ts, thread_ts: sentMessage.ts, reply_count: 2 },
		{ ts: answer.ts, thread_ts: sentMessage.ts, parent_user_id: anna.id, metadata },
		{ subtype: "thread_broadcast" },
	]);
	const texts = Object(app.asks("conversations.history", { channel: general.id })).messages.map(
		({ text }: { readonly text: string }) => text,
	);
	expect(texts).toEqual(["to all", "Hello"]);
});

test("only a top-level message can start a thread", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const answer = app.posts(general.thread(sentMessage), { text: "Hi" });
	const post = (thread_ts: string) =>
		errorOf(app.call("chat.postMessage", { channel: general.id, text: "x", thread_ts }));
	expect(post(answer.ts)).toBe("cannot_reply_to_message");
	expect(simulator.drainViolations()).toMatchObject([expect.stringContaining("is of a reply")]);
	expect(post("1.000001")).toBe("thread_not_found");
	anna.deletes(anna.says("gone", { in: general }));
	expect(post(sentMessage.ts)).toBeUndefined();
});

test("only an edit of the text alone shows as edited, and removes the blocks", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const { ts } = app.posts(general, { text: "One", blocks: [section("One"), buttons("Go")] });
	const update = (more: object) => app.call("chat.update", { channel: general.id, ts, ...more });
	update({ text: "Two", blocks: [section("Two")] });
	expect(general.last()).toMatchObject({ text: "Two", edited: false, changes: 1 });
	update({ text: "Three" });
	expect(general.last()).toMatchObject({ text: "Three", edited: true, controls: [], changes: 2 });
	const sentMessage = anna.says("Mine", { in: general });
	expect(errorOf(app.call("chat.update", { channel: general.id, ts: sentMessage.ts, text: "x" }))).toBe(
		"cant_update_message",
	);
	expect(errorOf(app.call("chat.delete", { channel: general.id, ts: sentMessage.ts }))).toBe(
		"cant_delete_message",
	);
	app.asks("chat.delete", { channel: general.id, ts });
	expect(errorOf(update({ text: "x" }))).toBe("message_not_found");
	expect(simulator.violations).toEqual([]);
});

test("an ephemeral post is visible to one person, and never returned later", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	const note = { channel: general.id, user: anna.id, text: "psst" };
	const { message_ts: ts } = app.asks("chat.postEphemeral", note);
	expect([general.shows(anna).length, general.shows(bob).length, general.shows().length]).toEqual([1, 0, 0]);
	expect(errorOf(app.call("chat.update", { channel: general.id, ts, text: "x" }))).toBe("message_not_found");
	expect(Object(app.asks("conversations.history", { channel: general.id })).messages).toEqual([]);
	const sam = simulator.team("Other").member("Sam");
	expect(errorOf(app.call("chat.postEphemeral", { ...note, user: sam.id }))).toBe("user_not_in_channel");
});

test("the app cannot post in a channel without being a member", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const closed = simulator.home.channel("closed", { private: true, members: [anna], withoutApp: true });
	const open = simulator.home.channel("open", { withoutApp: true });
	const post = (channel: string) => errorOf(app.call("chat.postMessage", { channel, text: "x" }));
	expect([post(closed.id), post(open.id), post("C1")]).toEqual([
		"channel_not_found",
		"not_in_channel",
		"channel_not_found",
	]);
	open.joins();
	expect(post(open.id)).toBeUndefined();
	general.archive();
	expect(post(general.id)).toBe("is_archived");
	open.delete();
	expect(post(open.id)).toBe("channel_not_found");
});

test("an empty or too long post is refused", () => {
	const { simulator, app, general } = pausedSimulator();
	const post = (args: object) => errorOf(app.call("chat.postMessage", { channel: general.id, ...args }));
	expect(post({})).toBe("no_text");
	expect(post({ text: "x".repeat(40_001) })).toBe("msg_too_long");
	const long = Array.from({ length: 5 }, () => section("x".repeat(2900)));
	expect(post({ text: "x", blocks: long })).toBe("msg_blocks_too_long");
	expect(post({ text: "x", metadata: { event_type: "a b", event_payload: {} } })).toBe(
		"invalid_metadata_format",
	);
	expect(simulator.drainViolations()).toHaveLength(3);
});

test("a link to a message contains its thread", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const answer = anna.replies("me", { to: sentMessage });
	const link = (ts: string) =>
		app.asks("chat.getPermalink", { channel: general.id, message_ts: ts })["permalink"];
	expect(link(sentMessage.ts)).toBe(
		`https://home.slack.com/archives/${general.id}/p${sentMessage.ts.replace(".", "")}`,
	);
	expect(link(answer.ts)).toContain(`?thread_ts=${sentMessage.ts}&cid=${general.id}`);
});

test("mentions of a post are recorded, in text, in blocks and by name", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const pinged = (args: object): string[] => {
		const before = simulator.pings.length;
		app.asks("chat.postMessage", { channel: general.id, ...args });
		simulator.state.clock.after(0, () => {});
		return simulator.pings.slice(before).map(({ who }) => who);
	};
	expect(pinged({ text: "<!channel> and <@U0> and &lt;!here&gt;" })).toEqual(["@channel", "@U0"]);
	expect(pinged({ text: "x", blocks: [section(`<@${anna.id}>`)] })).toEqual(["@Anna"]);
	expect(pinged({ text: "x", blocks: [{ type: "markdown", text: "<!here>" }] })).toEqual(["@here"]);
	expect(pinged({ text: "@here @anna", link_names: true })).toEqual(["@here", "@Anna"]);
	expect(pinged({ text: "@here @anna" })).toEqual([]);
});
