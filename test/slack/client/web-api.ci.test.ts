import { expect, test } from "vitest";
import { openSlack } from "./open-slack.ts";

test("a response is returned: success, refusal or rate limit", async () => {
	const { simulator, client, general } = await openSlack();
	const { port } = client();
	const post = (text: string) =>
		port.call({ method: "chat.postMessage", args: { channel: general.id, text } });
	expect(await post("Hello")).toMatchObject({ type: "ok", body: { channel: general.id } });
	const users = await port.call({ method: "users.info", args: { user: "U1" } });
	expect(users).toMatchObject({ type: "refused", error: "user_not_found" });
	simulator.network.next("chat.postMessage", { status: 429, retryAfter: 7000 });
	expect(await post("Limited")).toEqual({ type: "rate-limited", retryAfterMs: 7000 });
	const tested = await port.call({ method: "auth.test", args: {} });
	expect(tested).toMatchObject({ body: { response_metadata: { scopes: [...simulator.state.app.scopes] } } });
	expect(general.shows().map(({ text }) => text)).toEqual(["Hello"]);
});

test("without a response the result of a call is unknown, and the call is not repeated", async () => {
	const { simulator, client, general } = await openSlack();
	const { port } = client();
	const faults = [
		{ drop: "before" },
		{ drop: "after-commit" },
		{ status: 503, drop: "after-commit" },
	] as const;
	for (const fault of faults) {
		simulator.network.next("chat.postMessage", fault);
		const posting = port.call({ method: "chat.postMessage", args: { channel: general.id, text: "once" } });
		await expect(posting).rejects.toMatchObject({ code: "unavailable" });
	}
	expect(general.shows()).toHaveLength(2);
	expect(simulator.network.pending).toBe(0);
});

test("arguments arrive unchanged: blocks, metadata, flags and numbers", async () => {
	const { client, general } = await openSlack();
	const { port } = client();
	const text = "<@U1> & ünï \u{1F600}";
	const args = {
		...{ channel: general.id, text: "x", unfurl_links: false, blocks: [{ type: "markdown", text }] },
		metadata: { event_type: "parley_post", event_payload: { nonce: "n1" } },
	};
	expect(await port.call({ method: "chat.postMessage", args })).toMatchObject({ type: "ok" });
	const history = { channel: general.id, limit: 5, include_all_metadata: true };
	const page = await port.call({ method: "conversations.history", args: history });
	expect(page).toMatchObject({ body: { messages: [{ metadata: args.metadata, blocks: [{ text }] }] } });
});

test("a press is answered at its response URL, and a used-up URL is refused with Slack's error", async () => {
	const { client, general, ada, opens, watch } = await openSlack();
	const one = await client().connect();
	await opens(2);
	const interaction = ada.commands("/parley help", {}, { in: general });
	await watch.until("it came", () => one.envelopes.length === 1);
	const { response_url: url } = Object(one.envelopes[0]?.body);
	for (let n = 0; n < 5; n++)
		expect(await one.port.respond(url, { text: `${n}` })).toMatchObject({ type: "ok" });
	expect(await one.port.respond(url, { text: "6" })).toMatchObject({ type: "refused", error: "used_url" });
	expect(interaction.answers()).toHaveLength(5);
});

test("files are uploaded in three steps, and downloaded only with the required scope", async () => {
	const { simulator, client, general } = await openSlack();
	const { port } = client();
	const bytes = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
	const upload = { filename: "all.bin", length: bytes.length };
	const { upload_url: url, file_id: id } = Object(
		Object(await port.call({ method: "files.getUploadURLExternal", args: upload })).body,
	);
	expect(await port.upload(url, bytes.slice(1))).toMatchObject({ type: "refused" });
	expect(await port.upload(url, bytes)).toMatchObject({ type: "ok" });
	const complete = { files: [{ id, title: "All" }], channel_id: general.id };
	expect(await port.call({ method: "files.completeUploadExternal", args: complete })).toMatchObject({
		type: "ok",
	});
	const { file } = Object(Object(await port.call({ method: "files.info", args: { file: id } })).body);
	const { signal } = new AbortController();
	expect(await port.download(file.url_private, 300, signal)).toEqual(Buffer.from(bytes));
	await expect(port.download(file.url_private, 299, signal)).rejects.toMatchObject({
		code: "resource_exhausted",
	});
	const { installed } = { installed: simulator.state.app.scopes };
	simulator.state.app.scopes = new Set([...installed].filter((scope) => scope !== "files:read"));
	await expect(port.download(file.url_private, 300, signal)).rejects.toThrow(
		"the app is not allowed to read files",
	);
});
