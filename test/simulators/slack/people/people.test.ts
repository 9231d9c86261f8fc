import { expect, test } from "vitest";
import { buttons, pausedSimulator, section } from "../web-api/direct-client.ts";

test("people write, edit, delete and react, and see each other's actions", () => {
	const { simulator, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	const sentMessage = anna.says("Hello <b> & more", { in: general, mentions: [bob, simulator.bot] });
	expect(sentMessage.text).toBe("@Bob @Parley Hello <b> & more");
	expect(sentMessage.content).toBe(`<@${bob.id}> ${simulator.mention} Hello &lt;b&gt; &amp; more`);
	bob.reacts("👍", { on: sentMessage });
	anna.edits(sentMessage, "Hello all");
	expect(general.shows(bob)).toMatchObject([
		{ author: "Anna", text: "Hello all", edited: true, reactions: { "👍": 1 } },
	]);
	bob.unreacts("👍", { on: sentMessage });
	expect(general.last().reactions).toEqual({});
	expect(() => bob.edits(sentMessage, "Mine")).toThrow("cant_update_message");
	expect(() => bob.deletes(sentMessage)).toThrow("cant_delete_message");
	anna.deletes(sentMessage);
	expect(general.shows()).toEqual([]);
});

test("a message can be forwarded, and apps can attach content", () => {
	const { simulator, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	const sentMessage = bob.says("The disk & all", { in: general });
	expect(anna.says("look", { in: anna.dm, forwards: sentMessage }).text).toBe("look\nBob\nThe disk & all");
	expect(anna.says("", { in: general, mentions: [simulator.bot], forwards: sentMessage }).author).toBe(
		"Anna",
	);
	const alert = general.receives("Monitor", "", { attachments: [{ title: "web-1", text: "is down" }] });
	expect(alert).toMatchObject({ author: "Monitor", text: "web-1\nis down" });
	const forwards = simulator.state.channels.get(anna.dm.id)?.messages.at(-1)?.attachments;
	expect(forwards).toMatchObject([{ is_share: true, author_name: "Bob", text: "The disk &amp; all" }]);
});

test("replies are in the thread, and in the channel if they are broadcast", () => {
	const { simulator, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Who is there?", { in: general });
	anna.replies("me", { to: sentMessage });
	const answer = anna.says("and I", { in: general, replyTo: sentMessage, broadcast: true });
	expect(general.shows().map(({ text }) => text)).toEqual(["Who is there?", "and I"]);
	const thread = general.thread(sentMessage);
	expect(thread.shows().map(({ text }) => text)).toEqual(["me", "and I"]);
	// A reply to a reply is in the same thread as the first message.
	anna.replies("so do we", { to: answer });
	anna.says("all of us", { in: thread });
	expect(thread.shows()).toHaveLength(4);
	expect(thread).toMatchObject({ id: sentMessage.id, name: "Who is there?" });
	expect(simulator.threads().map(({ id }) => id)).toEqual([sentMessage.id]);
	expect(anna.opensThread("Any", { of: answer }).id).toBe(sentMessage.id);
});

test("a deleted message with replies leaves a placeholder", () => {
	const { anna, general } = pausedSimulator();
	const sentMessage = anna.says("Delete me", { in: general });
	anna.replies("why?", { to: sentMessage });
	anna.deletes(sentMessage);
	expect(general.shows()).toMatchObject([{ text: "This message was deleted.", replies: 1 }]);
	expect(general.thread(sentMessage).shows()).toMatchObject([{ text: "why?" }]);
});

test("a person can only do what the client allows", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const secret = simulator.home.channel("secret", { private: true });
	app.posts(secret, { text: "Sure?", blocks: [buttons("Yes")] });
	expect(() => anna.clicks("Yes")).toThrow("Anna sees nothing to press that says Yes");
	expect(() => anna.says("Hi", { in: secret })).toThrow("not_in_channel");
	secret.joins(anna);
	expect(anna.clicks("Yes").state).toBe("waiting");
	general.archive();
	expect(() => anna.says("Hi", { in: general })).toThrow("is_archived");
	const sentMessage = anna.says("Hi", { in: secret });
	expect(() => anna.commands("/parley help", {}, { in: secret.thread(sentMessage) })).toThrow(
		"no commands in threads",
	);
});

test("the button of an active session stops the session, which stays active until the app ends it", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const thread = general.thread(anna.says("Hello", { in: general }));
	const emitted: object[] = [];
	simulator.state.listen((events) => emitted.push(...events.map(({ body }) => body)));
	expect(() => anna.stopsSession(thread)).toThrow("no_stop_button");
	const where = { channel_id: general.id, thread_ts: thread.threadTs };
	app.asks("agents.sessions.setStatus", { ...where, status: "processing" });
	anna.stopsSession(thread);
	expect(emitted).toMatchObject([
		{
			...{ type: "agent_session_stopped", channel: general.id, user: anna.id },
			...{ thread_ts: thread.threadTs, streaming_message_ts: [] },
		},
	]);
	expect(thread.statuses()).toEqual(["is working…"]);
	expect(() => simulator.team("Other").member("Sam").stopsSession(thread)).toThrow("not_in_channel");
});

test("by default, the newest message with the button is pressed", () => {
	const { app, anna, general } = pausedSimulator();
	const first = app.posts(general, { text: "One", blocks: [section("One"), buttons("Go")] });
	const second = app.posts(general, { text: "Two", blocks: [buttons("Go")] });
	expect(anna.clicks("Go").record.message?.ts).toBe(second.ts);
	expect(anna.clicks("Go", { on: first }).record.message?.ts).toBe(first.ts);
	expect(general.shows().map(({ text, buttons: labels }) => [text, labels])).toEqual([
		["One", ["Go"]],
		["", ["Go"]],
	]);
});

test("a client that has not received an edit or deletion sends a press with the content that it shows", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const emitted: object[] = [];
	simulator.state.listen((events) => emitted.push(...events.map(({ body }) => body)));
	const on = app.posts(general, { text: "Sure?", blocks: [section("Sure?"), buttons("Yes")] });
	expect(() => anna.clicksLate("Yes", { on })).toThrow("can be pressed as usual");
	const edit = { channel: general.id, ts: on.ts };
	app.asks("chat.update", { ...edit, text: "Done", blocks: [buttons("Again")] });
	app.asks("chat.update", { ...edit, text: "Over", blocks: [section("Over")] });
	expect(() => anna.clicks("Yes", { on })).toThrow("sees nothing to press");
	expect(() => anna.clicksLate("No", { on })).toThrow("has never seen a button there that says No");
	expect(() => simulator.team("Other").member("Sam").clicksLate("Yes", { on })).toThrow(
		"has seen no message",
	);
	expect(anna.clicksLate("Yes", { on }).state).toBe("waiting");
	expect(emitted.at(-1)).toMatchObject({
		...{ type: "block_actions", actions: [{ action_id: "id of Yes", value: "Yes" }] },
		container: { type: "message", message_ts: on.ts, channel_id: general.id },
		message: { ts: on.ts, text: "Sure?", blocks: [section("Sure?"), buttons("Yes")] },
	});
	app.asks("chat.delete", edit);
	const late = anna.clicksLate("Again", { on });
	expect(emitted.at(-1)).toMatchObject({ message: { ts: on.ts, text: "Done", blocks: [buttons("Again")] } });
	expect(app.responds(late, { text: "Too late", response_type: "ephemeral" }).status).toBe(200);
	expect(general.shows(anna)).toMatchObject([{ text: "Too late", ephemeral: true }]);
});

test("a person selects up to the maximum of options", () => {
	const { app, anna, general } = pausedSimulator();
	const options = ["A", "B", "C"].map((text) => ({ text: { type: "plain_text", text }, value: text }));
	const choice = {
		type: "static_select",
		action_id: "c",
		placeholder: { type: "plain_text", text: "Which?" },
		options,
	};
	const many = { ...choice, type: "multi_static_select", action_id: "m", max_selected_items: 2 };
	const one = app.posts(general, { text: "Choose", blocks: [{ type: "actions", elements: [choice] }] });
	const more = app.posts(general, { text: "Choose", blocks: [{ type: "actions", elements: [many] }] });
	expect(anna.chooses("A", { on: one }).record.kind).toBe("press");
	expect(() => anna.chooses(["A", "B"], { on: one })).toThrow("Anna must choose 1 to 1, not 2");
	expect(anna.chooses(["A", "B"], { on: more }).failed).toBe(false);
	expect(() => anna.chooses(["A", "B", "C"], { on: more })).toThrow("Anna must choose 1 to 2, not 3");
	expect(() => anna.chooses("D")).toThrow("sees nothing to press");
	expect(general.last().controls).toMatchObject([
		{ kind: "choice", label: "Which?", options: ["A", "B", "C"] },
	]);
});

test("mentions, links and times are shown as people read them", () => {
	const { simulator, clock, app, anna, general } = pausedSimulator();
	const at = clock.now() / 1000;
	const text = `<@${anna.id}> <#${general.id}> <!date^${at + 300}^{ago}|soon> <!date^${at}^{date_short_pretty} {time}|then>`;
	app.posts(general, { text: `${text} <https://a.example/?b&amp;c|here> &lt;b&gt;` });
	expect(general.last().text).toBe(
		"@Anna #general in 5 minutes 2026-01-01 00:00 [here](https://a.example/?b&c) <b>",
	);
	expect(simulator.pings).toMatchObject([{ who: "@Anna", by: "create" }]);
});

test("a transcript shows the view of a person, with threads below their messages", () => {
	const { clock, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Please tidy up", { in: general });
	clock.advance(1500);
	const blocks = [section("On it\nsoon"), { type: "divider" }, buttons("Stop")];
	app.posts(general.thread(sentMessage), { text: "On it", blocks });
	const note = { channel: general.record.id, user: anna.id, text: "Only for you" };
	app.asks("chat.postEphemeral", note);
	expect(general.transcript(anna)).toBe(
		[
			"== #general",
			"00:00:00 Anna",
			"    Please tidy up",
			"    | 00:00:01 Parley",
			"    |     On it",
			"    |     soon",
			"    |     ---",
			"    |     [Stop]",
			"00:00:01 Parley (only you)",
			"    Only for you",
		].join("\n"),
	);
	expect(general.transcript()).not.toContain("Only for you");
});

test("edits after the allowed time are refused", () => {
	const { clock, anna, general } = pausedSimulator({ settings: { editWindowMs: 60_000 } });
	const sentMessage = anna.says("Hello", { in: general });
	clock.advance(60_000);
	expect(anna.edits(sentMessage, "Hello all").text).toBe("Hello all");
	clock.advance(1);
	expect(() => anna.edits(sentMessage, "Too late")).toThrow("edit_window_closed");
});

test("simulators with the same seed are equal, and with another seed they differ", () => {
	const token = (seed: number): string => pausedSimulator({ seed }).simulator.token;
	expect(token(7)).toBe(token(7));
	expect(token(7)).not.toBe(token(8));
});

test("closing a simulator throws its violations", () => {
	const { simulator, app } = pausedSimulator();
	app.call("chat.nowhere");
	expect(() => simulator.close()).toThrow("there is no method chat.nowhere");
	simulator.close();
});
