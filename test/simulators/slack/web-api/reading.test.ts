import { expect, test } from "vitest";
import { fullManifest } from "../platform/manifest.ts";
import { errorOf, pausedSimulator } from "./direct-client.ts";

interface Page {
	readonly messages: readonly Readonly<Record<string, unknown>>[];
	readonly has_more: boolean;
	readonly response_metadata?: { readonly next_cursor: string };
}

test("a thread is read with its authors, files and edits", () => {
	const { app, simulator, anna, general } = pausedSimulator();
	const sentMessage = anna.says("The build fails", {
		in: general,
		attachments: [{ name: "run.log", content: "exit 1" }],
	});
	simulator.member("Bob").replies("since when", { to: sentMessage });
	anna.edits(sentMessage, "The build fails again");
	app.posts(general.thread(sentMessage), { text: "Looking" });
	const args = { channel: general.id, ts: sentMessage.ts };
	const { messages } = Object(app.asks("conversations.replies", args)) as Page;
	expect(messages).toMatchObject([
		{ user: anna.id, text: "The build fails again", edited: { user: anna.id }, files: [{ name: "run.log" }] },
		{ text: "since when", thread_ts: sentMessage.ts, parent_user_id: anna.id },
		{ text: "Looking", bot_id: expect.any(String), app_id: expect.any(String) },
	]);
	expect(messages[1]).not.toHaveProperty("edited");
});

test("a long thread is read in pages", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("0", { in: general });
	for (const text of ["1", "2", "3", "4"]) anna.replies(text, { to: sentMessage });
	const texts: unknown[] = [];
	let cursor: string | undefined = "";
	while (cursor !== undefined) {
		const args = { channel: general.id, ts: sentMessage.ts, limit: 2, ...(cursor !== "" && { cursor }) };
		const page = Object(app.asks("conversations.replies", args)) as Page;
		texts.push(page.messages.map(({ text }) => text));
		expect(page.has_more).toBe(page.response_metadata !== undefined);
		cursor = page.response_metadata?.next_cursor;
	}
	expect(texts).toEqual([["0", "1"], ["2", "3"], ["4"]]);
});

test("a channel is read by a member of it with the scope of its kind", () => {
	const { simulator, app, anna } = pausedSimulator();
	const closed = simulator.home.channel("closed", { private: true, members: [anna] });
	const other = simulator.home.channel("other", { private: true, members: [anna], withoutApp: true });
	const open = simulator.home.channel("open", { withoutApp: true });
	const sentMessage = anna.says("secret", { in: closed });
	const read = (channel: string, ts?: string) => {
		const method = ts === undefined ? "conversations.history" : "conversations.replies";
		return errorOf(app.call(method, { channel, ...(ts !== undefined && { ts }) }));
	};
	expect([read(closed.id), read(closed.id, sentMessage.ts)]).toEqual([undefined, undefined]);
	expect([read(other.id), read(open.id), read(closed.id, "1.1")]).toEqual([
		...["channel_not_found", "not_in_channel", "thread_not_found"],
	]);
	const bot = fullManifest.oauth_config.scopes.bot.filter((scope) => scope !== "groups:history");
	simulator.installs({ ...fullManifest, oauth_config: { scopes: { bot } } });
	expect([read(closed.id), read(closed.id, sentMessage.ts)]).toEqual(["missing_scope", "missing_scope"]);
});
