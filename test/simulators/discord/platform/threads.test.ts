import { MessageType } from "discord-api-types/v10";
import { expect, test } from "vitest";
import { codeOf, pausedSimulator } from "../rest/direct-client.ts";

function threadSimulator() {
	const parts = pausedSimulator();
	const { app, general } = parts;
	const card = app.posts(general, { content: "The card" });
	const opened = app.call("POST", `/channels/${general.id}/messages/${card.id}/threads`, {
		body: { name: "Work" },
	});
	return { ...parts, card, opened, thread: general.thread("Work") };
}

test("a thread has the id of its message, which shows it", () => {
	const { general, card, opened, thread } = threadSimulator();
	expect([opened.status, thread.id]).toEqual([201, card.id]);
	expect(general.last()).toMatchObject({ text: "The card", thread: "Work" });
});

test("a message has one thread", () => {
	const { app, general, card } = threadSimulator();
	const again = app.call("POST", `/channels/${general.id}/messages/${card.id}/threads`, {
		body: { name: "Work" },
	});
	expect([again.status, codeOf(again)]).toEqual([400, 160_004]);
});

test("a thread is archived after its time without messages, and a post unarchives it", () => {
	const { clock, app, thread } = threadSimulator();
	clock.advance(1440 * 60_000 - 1);
	expect(thread.archived).toBe(false);
	clock.advance(1);
	expect(thread.archived).toBe(true);
	app.posts(thread, { content: "Morning" });
	expect(thread.archived).toBe(false);
});

test("in an archived thread, edits, deletions and reactions are refused", () => {
	const { app, thread } = threadSimulator();
	const post = app.posts(thread, { content: "Step 1" });
	thread.archive();
	const path = `/channels/${thread.id}/messages/${post.id}`;
	const answers = [
		app.call("PATCH", path, { body: { content: "Step 2" } }),
		app.call("DELETE", path),
		app.call("PUT", `${path}/reactions/${encodeURIComponent("🔁")}/@me`),
	];
	expect(answers.map(codeOf)).toEqual([50_083, 50_083, 50_083]);
	expect(app.call("PATCH", `/channels/${thread.id}`, { body: { archived: false } }).status).toBe(200);
	expect(app.call("PATCH", path, { body: { content: "Step 2" } }).status).toBe(200);
});

test("a locked thread accepts no posts, and only managers of threads can unarchive it", () => {
	const { simulator, app, general, thread } = threadSimulator();
	thread.archive({ locked: true });
	const post = () => app.call("POST", `/channels/${thread.id}/messages`, { body: { content: "Hello" } });
	expect(codeOf(post())).toBe(160_005);
	const wake = () =>
		app.call("PATCH", `/channels/${thread.id}`, { body: { archived: false, locked: false } });
	expect(codeOf(wake())).toBe(50_013);
	general.permit(simulator.bot, { allow: ["ManageThreads"] });
	expect([wake().status, post().status]).toEqual([200, 200]);
});

test("in a locked, active thread, only managers of threads write and edit, and deletions are allowed", () => {
	const { simulator, app, general, thread } = threadSimulator();
	const [messages, body] = [`/channels/${thread.id}/messages`, { content: "Hello" }];
	const sent = app.call("POST", messages, { body }).body as { id: string };
	const path = `${messages}/${sent.id}`;
	thread.lock();
	expect(codeOf(app.call("POST", messages, { body }))).toBe(160_005);
	expect(codeOf(app.call("PATCH", path, { body }))).toBe(160_005);
	const open = () => app.call("PATCH", `/channels/${thread.id}`, { body: { archived: false } });
	expect(codeOf(open())).toBe(50_013);
	general.permit(simulator.bot, { allow: ["ManageThreads"] });
	expect([app.call("PATCH", path, { body }).status, open().status]).toEqual([200, 200]);
	general.permit(simulator.bot, {});
	expect(app.call("DELETE", path).status).toBe(204);
	thread.reopen();
	expect(app.call("POST", messages, { body }).status).toBe(200);
});

test("only the creator of a thread renames and archives it", () => {
	const { simulator, app, anna, general, thread } = threadSimulator();
	const change = (id: string) =>
		app.call("PATCH", `/channels/${id}`, { body: { name: "Done", archived: true } });
	expect(change(thread.id).status).toBe(200);
	expect([thread.name, thread.archived]).toEqual(["Done", true]);
	const hers = anna.opensThread("Hers", { of: anna.says("Mine", { in: general }) });
	expect(codeOf(change(hers.id))).toBe(50_013);
	simulator.close();
});

test("the app can rename a thread twice in ten minutes, and each new name is a message", () => {
	const { app, anna, thread, clock } = threadSimulator();
	const rename = (name: string) => app.call("PATCH", `/channels/${thread.id}`, { body: { name } });
	expect([rename("One").status, rename("One").status, rename("Two").status]).toEqual([200, 200, 200]);
	const refused = rename("Three");
	expect([refused.status, refused.body]).toMatchObject([429, { retry_after: 600, global: false }]);
	thread.rename("Hers", anna);
	clock.advance(600_000);
	expect(rename("Three").status).toBe(200);
	const names = thread.record.messages.filter(({ type }) => type === MessageType.ChannelNameChange);
	expect(names.map(({ author, content }) => [author.name, content])).toEqual(
		[["One"], ["Two"], ["Hers", "Anna"], ["Three"]].map(([name, by = names[0]?.author.name]) => [by, name]),
	);
});

test("a change of an archived thread must unarchive it", () => {
	const { app, thread } = threadSimulator();
	thread.archive();
	expect(codeOf(app.call("PATCH", `/channels/${thread.id}`, { body: { name: "New" } }))).toBe(50_083);
	const both = { name: "New", archived: false };
	expect(app.call("PATCH", `/channels/${thread.id}`, { body: both }).status).toBe(200);
});

test("active threads are listed until they are archived", () => {
	const { simulator, app, thread } = threadSimulator();
	const list = () => Object(app.get(`/guilds/${simulator.home.id}/threads/active`).body).threads.length;
	expect(list()).toBe(1);
	thread.archive();
	expect(list()).toBe(0);
});

test("a thread without a message has a separate id", () => {
	const { simulator, anna, general } = pausedSimulator();
	const thread = anna.opensThread("Talk", { in: general });
	anna.says("Hello", { in: thread });
	expect(thread.shows().map(({ text }) => text)).toEqual(["Hello"]);
	expect(general.shows()).toEqual([]);
	simulator.close();
});
