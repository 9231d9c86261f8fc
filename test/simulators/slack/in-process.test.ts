import type { SlackEnvelope, SlackLink, SlackReply } from "@parley/slack";
import { expect, test } from "vitest";
import { InProcessPort } from "./in-process.ts";
import { storeUpload } from "./platform/files.ts";
import { pausedSimulator } from "./web-api/direct-client.ts";

async function turns(): Promise<void> {
	for (let turn = 0; turn < 8; turn++) await Promise.resolve();
}

async function connected(receive: (envelope: SlackEnvelope) => Promise<SlackReply> = async () => undefined) {
	const parts = pausedSimulator();
	const port = new InProcessPort(parts.simulator);
	const received: SlackEnvelope[] = [];
	const links: SlackLink[] = [];
	await port.connect({
		receive: (envelope) => {
			received.push(envelope);
			return receive(envelope);
		},
		link: (link) => void links.push(link),
	});
	return { ...parts, port, received, links };
}

test("a connected app learns its identity and receives events", async () => {
	const { simulator, links, received, anna, general } = await connected();
	const { app, team } = simulator.state;
	const account = {
		team: team.id,
		user: app.user.id,
		bot: app.botId,
		name: "parley",
		url: "https://home.slack.com/",
	};
	expect(links).toEqual([{ state: "ready", account }]);
	anna.says("Hello", { in: general });
	await turns();
	expect(received).toMatchObject([
		{ type: "event", attempt: 0, body: { event: { type: "message", text: "Hello" } } },
	]);
});

test("an invalid or revoked token is refused", async () => {
	const { simulator } = pausedSimulator();
	const states: SlackLink[] = [];
	const handlers = { receive: async () => undefined, link: (link: SlackLink) => void states.push(link) };
	await new InProcessPort(simulator, { token: "xoxb-no" }).connect(handlers);
	simulator.home.revokesTokens();
	await new InProcessPort(simulator).connect(handlers);
	expect(states).toEqual([
		{ state: "refused", detail: "invalid_auth" },
		{ state: "refused", detail: "token_revoked" },
	]);
});

test("a lost connection returns after a second and continues", async () => {
	const { clock, simulator, links, received, anna, general } = await connected();
	simulator.delivery.drop();
	expect(links.at(-1)).toMatchObject({ state: "lost" });
	anna.says("Hello", { in: general });
	await turns();
	clock.advance(1000);
	await turns();
	expect(links.at(-1)).toMatchObject({ state: "ready" });
	clock.advance(60_000);
	await turns();
	expect(received).toMatchObject([{ attempt: 2 }]);
});

test("a refusal and a rate limit are returned, and a missing response rejects", async () => {
	const { simulator, port } = await connected();
	expect(await port.call({ method: "users.info", args: { user: "U1" } })).toMatchObject({
		...{ type: "refused", error: "user_not_found" },
	});
	simulator.network.next("users.info", { status: 429, retryAfter: 2500 });
	expect(await port.call({ method: "users.info", args: { user: "U1" } })).toEqual({
		...{ type: "rate-limited", retryAfterMs: 3000 },
	});
	simulator.network.next("users.info", { status: 503 });
	await expect(port.call({ method: "users.info", args: { user: "U1" } })).rejects.toMatchObject({
		code: "unavailable",
	});
});

test("a killed process acknowledges no event, and the next one receives its events", async () => {
	const open = Promise.withResolvers<undefined>();
	const { clock, simulator, port, received, anna, general } = await connected(() => open.promise);
	anna.says("Hello", { in: general });
	await turns();
	expect(received).toHaveLength(1);
	port.kill();
	open.resolve(undefined);
	await turns();
	const again: SlackEnvelope[] = [];
	const receive = async (envelope: SlackEnvelope) => {
		again.push(envelope);
		return undefined;
	};
	await new InProcessPort(simulator).connect({ receive, link: () => {} });
	clock.advance(60_000);
	await turns();
	expect(again.length + received.length).toBe(2);
	expect(Object(again[0]?.body).event_id).toBe(Object(received[0]?.body).event_id);
});

test("closing waits for received events and refuses later ones", async () => {
	const open = Promise.withResolvers<undefined>();
	const { clock, simulator, port, anna, general, received } = await connected(() => open.promise);
	anna.says("Hello", { in: general });
	await turns();
	let isClosed = false;
	const closing = port.close().then(() => {
		isClosed = true;
	});
	anna.says("More", { in: general });
	await turns();
	expect([isClosed, received.length]).toEqual([false, 1]);
	open.resolve(undefined);
	await closing;
	expect(simulator.delivery.connections).toBe(0);
	await expect(port.call({ method: "auth.test", args: {} })).rejects.toMatchObject({ code: "unavailable" });
	simulator.close();
	expect(clock.pending).toBe(0);
});

test("a file is uploaded in three steps, and downloaded only with the token", async () => {
	const { simulator, port, app, anna, general } = await connected();
	const bytes = new TextEncoder().encode("one\ntwo\n");
	const response = await port.call({
		method: "files.getUploadURLExternal",
		args: { filename: "a.txt", length: 8 },
	});
	const { upload_url: url, file_id: id } = Object(response).body;
	const complete = {
		files: [{ id, title: "Notes" }],
		channel_id: general.record.id,
		initial_comment: "Here",
	};
	expect(app.call("files.completeUploadExternal", complete).body["error"]).toBe("file_not_found");
	expect(await port.upload(url, bytes.slice(1))).toMatchObject({ type: "refused" });
	expect(await port.upload(url, bytes)).toMatchObject({ type: "ok" });
	app.asks("files.completeUploadExternal", complete);
	expect(general.last()).toMatchObject({ author: "Parley", text: "Here", attachments: ["Notes"] });
	const { file } = Object(app.asks("files.info", { file: id }));
	expect(file.shares.public[general.record.id]).toMatchObject([{ ts: general.last().ts }]);
	const { signal } = new AbortController();
	expect(await port.download(file.url_private, 100, signal)).toEqual(bytes);
	await expect(port.download(file.url_private, 7, signal)).rejects.toMatchObject({
		code: "resource_exhausted",
	});
	const foreign = port.download("https://example.com/files-pri/T-F/a", 100, signal);
	await expect(foreign).rejects.toMatchObject({ code: "permission_denied" });
	const stranger = new InProcessPort(simulator, { token: "xoxb-no" });
	await expect(stranger.download(file.url_private, 100, signal)).rejects.toThrow("login page");
	anna.says("mine", { in: general, attachments: [{ name: "b.txt", content: "b" }] });
	expect(general.last().attachments).toEqual(["b.txt"]);
});

test("the alternative text of an image is limited, and another file with one is not shown", () => {
	const { simulator, app, general } = pausedSimulator();
	const shares = (filename: string, alt_txt: string): unknown => {
		const { upload_url: url, file_id: id } = app.asks("files.getUploadURLExternal", {
			...{ filename, length: 1, alt_txt },
		});
		storeUpload(simulator.state, String(url), new Uint8Array(1));
		return app.asks("files.completeUploadExternal", { files: [{ id }], channel_id: general.id });
	};
	shares("a.txt", "a text");
	expect(general.shows()).toEqual([]);
	shares("a.png", "an image");
	expect(general.last().attachments).toEqual(["a.png"]);
	expect(() => shares("b.png", "x".repeat(1001))).toThrow("alt_txt_too_large");
	expect(() => app.asks("files.getUploadURLExternal", { filename: "a", length: 1, alt_text: "" })).toThrow();
	simulator.drainViolations();
});

test("a file may appear in its channel only after a while", () => {
	const { clock, simulator, app, general } = pausedSimulator({ settings: { shareMs: 2000 } });
	const { upload_url: url, file_id: id } = app.asks("files.getUploadURLExternal", {
		filename: "a.txt",
		length: 1,
	});
	storeUpload(simulator.state, String(url), new Uint8Array(1));
	app.asks("files.completeUploadExternal", { files: [{ id }], channel_id: general.id });
	expect(general.shows()).toEqual([]);
	clock.advance(2000);
	expect(general.last().attachments).toEqual(["a.txt"]);
});
