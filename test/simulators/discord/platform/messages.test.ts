import { expect, test } from "vitest";
import { buttons, codeOf, pausedSimulator } from "../rest/direct-client.ts";

const quiet = { allowed_mentions: { parse: [], replied_user: false } };

test("people see a post of the app", () => {
	const { simulator, app, general } = pausedSimulator();
	app.posts(general, { content: "Hello", ...quiet });
	expect(general.last()).toMatchObject({ author: "Parley", text: "Hello", edited: false });
	simulator.close();
});

test("the same enforced nonce gets the first message within the window, and another one after it", () => {
	const { clock, app, general } = pausedSimulator();
	const body = { content: "Once", nonce: "n-1", enforce_nonce: true, ...quiet };
	const first = app.posts(general, body);
	expect(app.posts(general, { ...body, content: "Twice" })).toMatchObject({ id: first.id, content: "Once" });
	clock.advance(179_000);
	expect(app.posts(general, body).id).toBe(first.id);
	clock.advance(2000);
	expect(app.posts(general, body).id).not.toBe(first.id);
	expect(general.shows()).toHaveLength(2);
});

test("a nonce that is not enforced does not prevent a second post", () => {
	const { app, general } = pausedSimulator();
	const body = { content: "Again", nonce: "n-1", ...quiet };
	app.posts(general, body);
	app.posts(general, body);
	expect(general.shows()).toHaveLength(2);
});

test("the nonce of a deleted message still gets that message", () => {
	const { app, general } = pausedSimulator();
	const body = { content: "Gone", nonce: "n-1", enforce_nonce: true, ...quiet };
	const first = app.posts(general, body);
	app.call("DELETE", `/channels/${general.id}/messages/${first.id}`);
	expect(app.posts(general, body).id).toBe(first.id);
	expect(general.shows()).toEqual([]);
});

test("a nonce is in the response to the creation, and is not stored", () => {
	const { app, general } = pausedSimulator();
	const message = app.posts(general, { content: "Hello", nonce: "n-1", ...quiet });
	expect(message).toHaveProperty("nonce", "n-1");
	expect(app.get(`/channels/${general.id}/messages/${message.id}`).body).not.toHaveProperty("nonce");
	const simulator = pausedSimulator({ settings: { nonceInHistory: true } });
	const posted = simulator.app.posts(simulator.general, { content: "Hello", nonce: "n-2", ...quiet });
	expect(simulator.app.get(`/channels/${simulator.general.id}/messages/${posted.id}`).body).toHaveProperty(
		"nonce",
		"n-2",
	);
});

test("a reply shows its original message, unless that is deleted", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("A question", { in: general });
	const reference = { message_reference: { message_id: sentMessage.id } };
	app.posts(general, { content: "An answer", ...reference, ...quiet });
	expect(general.last().repliesTo).toEqual({ id: sentMessage.id, author: "Anna" });
	anna.deletes(sentMessage);
	const answer = { content: "Too late", ...quiet, ...reference };
	expect(codeOf(app.call("POST", `/channels/${general.id}/messages`, { body: answer }))).toBe(50_035);
	const lenient = { message_reference: { message_id: sentMessage.id, fail_if_not_exists: false } };
	app.posts(general, { ...answer, ...lenient });
	expect(general.last()).not.toHaveProperty("repliesTo");
});

test("an edit changes the given fields, and shows as edited", () => {
	const { clock, app, general } = pausedSimulator();
	const message = app.posts(general, { content: "Before", components: buttons("Go"), ...quiet });
	clock.advance(1000);
	const path = `/channels/${general.id}/messages/${message.id}`;
	app.call("PATCH", path, { body: { content: "After", ...quiet } });
	expect(general.last()).toMatchObject({ text: "After", edited: true, buttons: ["Go"] });
	app.call("PATCH", path, { body: { components: [], ...quiet } });
	expect(general.last()).toMatchObject({ text: "After", buttons: [] });
});

test("files that an edit does not list are removed, and new ones are added", () => {
	const { app, general } = pausedSimulator();
	const bytes = new Uint8Array(3);
	const files = [0, 1].map((index) => ({ index, name: `${index}.txt`, bytes }));
	const message = app.posts(general, { content: "Files", ...quiet }, files);
	const [first] = (message as unknown as { attachments: { id: string }[] }).attachments;
	const path = `/channels/${general.id}/messages/${message.id}`;
	const body = { attachments: [{ id: first?.id }], ...quiet };
	app.call("PATCH", path, { body, files: [{ index: 0, name: "more.txt", bytes }] });
	expect(general.last().attachments).toEqual(["0.txt", "more.txt"]);
	app.call("PATCH", path, { body: { content: "Text", ...quiet } });
	expect(general.last().attachments).toEqual([]);
});

test.each([
	["a.txt", "a.txt"],
	[" My Résumé (1)!.md", "My_Resume_1.md"],
	["../up\\to.txt", "up_to.txt"],
	["_.hidden._", "hidden"],
	["a-b_c  d.tar.gz", "a-b_c_d.tar.gz"],
	["画像.png", "png"],
	["画像", "unknown"],
])("a file that is named %j is shown as %s", (name, shown) => {
	const { app, general } = pausedSimulator();
	app.posts(general, { ...quiet }, [{ index: 0, name, bytes: new Uint8Array(1) }]);
	expect(general.last().attachments).toEqual([shown]);
});

test("messages of another author cannot be edited", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Mine", { in: general });
	const path = `/channels/${general.id}/messages/${sentMessage.id}`;
	expect(codeOf(app.call("PATCH", path, { body: { content: "Yours" } }))).toBe(50_005);
});

test("edits of messages older than an hour have a separate limit", () => {
	const { clock, app, general } = pausedSimulator({ settings: { oldEdits: { limit: 2, perMs: 3_600_000 } } });
	const message = app.posts(general, { content: "Old", ...quiet });
	const edit = () =>
		app.call("PATCH", `/channels/${general.id}/messages/${message.id}`, { body: { content: "x", ...quiet } });
	clock.advance(3_599_000);
	expect([edit(), edit(), edit()].map(({ status }) => status)).toEqual([200, 200, 200]);
	clock.advance(10_000);
	expect([edit(), edit()].map(({ status }) => status)).toEqual([200, 200]);
	const refused = edit();
	expect([refused.status, codeOf(refused)]).toEqual([429, 30_046]);
});

test("missing messages and channels are unknown", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Here", { in: general });
	anna.deletes(sentMessage);
	expect(codeOf(app.get(`/channels/${general.id}/messages/${sentMessage.id}`))).toBe(10_008);
	expect(codeOf(app.get(`/channels/${sentMessage.id}`))).toBe(10_003);
	general.delete();
	expect(codeOf(app.call("POST", `/channels/${general.id}/messages`, { body: { content: "x" } }))).toBe(
		10_003,
	);
});

test("a person without direct messages cannot receive any", () => {
	const { app, anna } = pausedSimulator();
	const opened = app.call("POST", "/users/@me/channels", { body: { recipient_id: anna.id } });
	const { id } = Object(opened.body);
	app.posts({ id }, { content: "Hello", ...quiet });
	expect(anna.dm.shows().map(({ text }) => text)).toEqual(["Hello"]);
	anna.user.acceptsDirect = false;
	const refused = app.call("POST", `/channels/${id}/messages`, { body: { content: "Hello?", ...quiet } });
	expect([refused.status, codeOf(refused)]).toEqual([403, 50_007]);
});

test("messages are listed newest first, before, after and around one", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = ["a", "b", "c", "d", "e"].map((text) => anna.says(text, { in: general }));
	const list = (query: Record<string, string>): string[] => {
		const { body } = app.get(`/channels/${general.id}/messages`, query);
		return (body as { content: string }[]).map(({ content }) => content);
	};
	const id = sentMessage[2]?.id ?? "";
	expect(list({})).toEqual(["e", "d", "c", "b", "a"]);
	expect(list({ limit: "2" })).toEqual(["e", "d"]);
	expect(list({ after: id })).toEqual(["e", "d"]);
	expect(list({ after: sentMessage[0]?.id ?? "", limit: "2" })).toEqual(["c", "b"]);
	expect(list({ before: id, limit: "1" })).toEqual(["b"]);
	expect(list({ around: id, limit: "3" })).toEqual(["d", "c", "b"]);
});

test("the typing indicator lasts ten seconds, and ends with a message", () => {
	const { clock, app, general } = pausedSimulator();
	const type = () => app.call("POST", `/channels/${general.id}/typing`);
	type();
	clock.advance(9999);
	expect(general.typing()).toEqual(["Parley"]);
	clock.advance(1);
	expect(general.typing()).toEqual([]);
	type();
	app.posts(general, { content: "Done", ...quiet });
	expect(general.typing()).toEqual([]);
});

test("a thread is read with its authors, files and edits, by the permissions of its channel", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const question = anna.says("The build fails", { in: general });
	const thread = anna.opensThread("Build", { of: question });
	const sentMessage = anna.says("since when", {
		in: thread,
		attachments: [{ name: "run.log", content: "exit 1" }],
	});
	anna.edits(sentMessage, "Since when?");
	app.posts(thread, { content: "Looking" });
	const list = (query = {}) => Object(app.get(`/channels/${thread.id}/messages`, query)).body;
	expect(list({ limit: "2" })).toMatchObject([
		{ content: "Looking", author: { bot: true }, edited_timestamp: null },
		{ content: "Since when?", author: { id: anna.id }, attachments: [{ filename: "run.log" }] },
	]);
	expect(list({ before: sentMessage.id })).toMatchObject([
		{
			type: 21,
			message_reference: { message_id: question.id },
			referenced_message: { content: "The build fails" },
		},
	]);
	expect(list()[1].edited_timestamp).not.toBeNull();
	general.permit(simulator.home, { deny: ["ReadMessageHistory"] });
	expect(list()).toEqual([]);
	general.permit(simulator.home, { deny: ["ViewChannel"] });
	expect(list().code).toBe(50_001);
});
