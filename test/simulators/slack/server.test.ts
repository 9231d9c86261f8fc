import { ManualClock } from "@parley/base/testing";
import { WebClient } from "@slack/web-api";
import { expect, onTestFinished, test } from "vitest";
import { Simulator } from "./platform/simulator.ts";
import { SlackServer } from "./server.ts";

async function serving() {
	const simulator = new Simulator({ clock: new ManualClock() });
	const server = await SlackServer.start(simulator);
	onTestFinished(() => server.close());
	const [general, anna] = [simulator.channel("general"), simulator.member("Anna")];
	const post = async (
		path: string,
		body: string | Uint8Array<ArrayBuffer>,
		headers: Record<string, string> = {},
	) => {
		const url = path.startsWith("http") ? path : `${server.apiUrl}${path}`;
		const response = await fetch(url, { method: "POST", body, headers });
		return { status: response.status, headers: response.headers, text: await response.text() };
	};
	const authorization = `Bearer ${simulator.token}`;
	const call = async (method: string, args: Readonly<Record<string, string>>) => {
		const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
		return JSON.parse((await post(method, `${new URLSearchParams(args)}`, headers)).text);
	};
	return { simulator, server, general, anna, post, call, authorization };
}

test("arguments are sent as a form or as JSON, the token in a header or in the form", async () => {
	const { simulator, general, post, authorization } = await serving();
	const channel = general.id;
	const form = { authorization, "content-type": "application/x-www-form-urlencoded" };
	const json = { authorization, "content-type": "application/json; charset=utf-8" };
	const blocks = [{ type: "divider" }];
	const fields = { channel, text: "a form", blocks: JSON.stringify(blocks), unfurl_links: "false" };
	await post("chat.postMessage", `${new URLSearchParams(fields)}`, form);
	await post("chat.postMessage", JSON.stringify({ channel, text: "JSON", blocks }), json);
	const inForm = { "content-type": form["content-type"] };
	await post(
		"chat.postMessage",
		`${new URLSearchParams({ channel, text: "token", token: simulator.token })}`,
		inForm,
	);
	expect(general.shows().map(({ content }) => content)).toEqual(["a form", "JSON", "token"]);
	expect(JSON.parse((await post("auth.test", "", inForm)).text)).toEqual({ ok: false, error: "not_authed" });
});

test("a response has the scopes of its token, and the duration of a limit", async () => {
	const { simulator, post, authorization } = await serving();
	const scopes = async (token: string) =>
		(await post("auth.test", "", { authorization: token })).headers.get("x-oauth-scopes");
	expect(await scopes(authorization)).toBe([...simulator.state.app.scopes].join(","));
	expect(await scopes(`Bearer ${simulator.appToken}`)).toBe("connections:write");
	simulator.network.next("auth.test", { status: 429, retryAfter: 2500 });
	const { status, headers, text } = await post("auth.test", "", { authorization });
	expect([status, headers.get("retry-after"), JSON.parse(text).error]).toEqual([429, "3", "ratelimited"]);
	expect((await post("api.test", "")).text).toBe('{"ok":true}');
});

test("the connection ends if no response arrives, whether or not the call was made", async () => {
	const { simulator, general, call } = await serving();
	for (const drop of ["before", "after-commit"] as const) {
		simulator.network.next("chat.postMessage", { drop });
		await expect(call("chat.postMessage", { channel: general.id, text: drop })).rejects.toThrow(
			"fetch failed",
		);
	}
	expect(general.shows().map(({ text }) => text)).toEqual(["after-commit"]);
});

test("bytes are uploaded to the given address, and downloaded from the file's only with the token", async () => {
	const { general, call, post, authorization } = await serving();
	const { upload_url, file_id: id } = await call("files.getUploadURLExternal", {
		filename: "a.txt",
		length: "3",
	});
	expect(await post(upload_url, "four")).toMatchObject({ status: 400 });
	expect(await post(upload_url, new Uint8Array([97, 98, 99]))).toMatchObject({ status: 200, text: "OK - 3" });
	await call("files.completeUploadExternal", { files: JSON.stringify([{ id }]), channel_id: general.id });
	const { file } = await call("files.info", { file: id });
	const read = async (headers: Record<string, string>) => {
		const response = await fetch(file.url_private, { headers });
		return [response.status, response.headers.get("content-type"), await response.text()];
	};
	expect(await read({ authorization })).toEqual([200, "text/plain", "abc"]);
	expect(await read({})).toEqual([200, "text/html; charset=utf-8", expect.stringContaining("Sign in")]);
	const [status] = await fetch(`${file.url_private.replace(id, "F0")}`).then(({ status }) => [status]);
	expect(status).toBe(404);
});

test("a command accepts five responses at its response URL", async () => {
	const { general, anna, post } = await serving();
	const interaction = anna.commands("/parley help", {}, { in: general });
	const answers = [];
	for (let n = 0; n < 6; n++)
		answers.push(await post(interaction.record.responseUrl ?? "", JSON.stringify({ text: `${n}` })));
	expect(answers.slice(0, 5).every(({ status, text }) => status === 200 && text === "ok")).toBe(true);
	expect(answers[5]).toMatchObject({ status: 404, text: '{"ok":false,"error":"used_url"}' });
	expect(interaction.answers()).toHaveLength(5);
});

test("the streamer of Slack's own client starts, appends and stops", async () => {
	const { simulator, server, general, anna } = await serving();
	const thread = general.thread(anna.says("Hello", { in: general }));
	const client = new WebClient(simulator.token, { slackApiUrl: server.apiUrl, retryConfig: { retries: 0 } });
	const streamer = client.chatStream({
		...{ channel: general.id, thread_ts: String(thread.threadTs), task_display_mode: "plan", buffer_size: 8 },
		...{ recipient_user_id: anna.id, recipient_team_id: simulator.home.id },
	});
	await streamer.append({ markdown_text: "One, two, " });
	await streamer.append({ markdown_text: "three" });
	const task = { type: "task_update", id: "t1", title: "Count", status: "in_progress" } as const;
	await streamer.append({ chunks: [{ type: "plan_update", title: "Counting" }, task] });
	expect(thread.last()).toMatchObject({ streaming: true, content: "One, two, three" });
	const { message } = await streamer.stop({ chunks: [{ ...task, status: "complete" }] });
	expect(message?.streaming_state).toBe("completed");
	expect(thread.last().text).toBe("One, two, three\n(plan: Counting)\n✅ Count");
	expect(thread.states(thread.last()).map(({ by }) => by)).toEqual(["create", "append", "stop"]);
});
