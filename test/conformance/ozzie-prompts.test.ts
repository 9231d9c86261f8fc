import { readdir, readFile } from "node:fs/promises";
import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { type EventFrame, OzzieClient } from "./drivers/ozzie-client.ts";
import { TestGateway } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const hour = 60 * 60 * 1000;

async function ask(client: OzzieClient, content: string): Promise<EventFrame["payload"]> {
	await client.call("send_message", { content });
	return (await client.event("prompt.request")).payload;
}

verifiesOn(
	"ozzie",
	["prompt.changed", "prompt.changed-refused"],
	"a person approves a call with other arguments",
	async () => {
		await using gateway = await TestGateway.start();
		await using client = await OzzieClient.connect(gateway.url);
		await using other = await OzzieClient.connect(gateway.url);
		const session = await client.open();
		await other.open({ session_id: session });
		const { token } = await ask(client, "run: echo one");
		const approve = { token, value: true };
		const refused: [object, RegExp][] = [
			[{ ...approve, arguments: { program: "echo two" } }, /^invalid params: arguments: .*cmd/],
			[{ ...approve, arguments: { cmd: "git push --force" } }, /cannot be undone/],
			[{ ...approve, arguments: ["echo two"] }, /^invalid params: arguments/],
		];
		for (const [params, error] of refused) {
			expect(await client.refusal("prompt_response", params)).toMatch(error);
		}
		expect(await client.arrived()).toEqual([]);
		await client.call("prompt_response", { ...approve, arguments: { cmd: "echo two" }, key: "k" });
		await client.call("prompt_response", { ...approve, arguments: { cmd: "echo two" }, key: "k" });
		for (const each of [client, other]) {
			const { payload } = await each.event("prompt.response");
			const by = "operator";
			expect(payload).toEqual({ token, value: true, cancelled: false, by, arguments: { cmd: "echo two" } });
			const done = await each.event("tool.call", { status: "completed" });
			expect(done.payload["result"]).toBe(
				'[the person who approved this changed the arguments to {"cmd":"echo two"}]\ntwo\n',
			);
			await each.event("assistant.message", { error: "" });
		}
	},
);

verifiesOn("ozzie", ["prompt.reminder"], "all clients get a reminder of an open question", async () => {
	const clock = new ManualClock();
	await using gateway = await TestGateway.start({ clock });
	await using client = await OzzieClient.connect(gateway.url);
	const session = await client.open();
	const { token, label, context } = await ask(client, "ask: Who are you?");
	const { expires_at } = Object(context);
	await client.arrived();
	const run_id = expect.stringMatching(/^run_/);
	await client.leave();
	// A client that joins receives the open questions. The second reminder is stored while no client is connected.
	clock.advance(12 * hour - 1);
	await using back = await OzzieClient.connect(gateway.url);
	await back.open({ session_id: session });
	await back.event("prompt.request", { token });
	clock.advance(1);
	const half = await back.event("prompt.reminder");
	expect(half.payload).toEqual({ token, label, expires_at, run_id });
	await back.leave();
	clock.advance(10 * hour);
	await using late = await OzzieClient.connect(gateway.url);
	await late.open({ session_id: session, after_seq: half.seq });
	expect((await late.event("prompt.reminder")).payload).toEqual(half.payload);
	await late.call("prompt_response", { token, value: "Ada" });
	await late.event("assistant.message", { error: "" });
});

verifiesOn("ozzie", ["prompt.hidden"], "a secret in a call is never shown", async () => {
	await using gateway = await TestGateway.start();
	await using client = await OzzieClient.connect(gateway.url);
	const received: string[] = [];
	client.socket.on("message", (data) => received.push(data.toString()));
	await client.open();
	const secret = `ghp_${"abcdefghijklmnopqrstuvwxyz0123456789"}`;
	// In a user's own message, the gateway redacts only registered secrets.
	await client.call("send_message", { content: `write: token.txt <<< ${secret}` });
	received.splice(0);
	const question = await client.event("prompt.request");
	expect(question.payload["context"]).toMatchObject({
		...{ arguments: { path: "token.txt", content: "[redacted]" }, allow_session: false },
		notes: expect.arrayContaining(["[redacted] replaces a secret: the call itself contains the secret"]),
	});
	await client.call("prompt_response", { token: question.payload["token"], value: true });
	await client.event("assistant.message", { error: "" });
	expect(await readFile(gateway.path("work", "token.txt"), "utf8")).toBe(secret);
	const shown = received.filter((frame) => !frame.includes('"user.message"'));
	expect(shown.length).toBeGreaterThan(4);
	for (const frame of shown) expect(frame).not.toContain(secret);
	const events = await (await fetch(`${gateway.url}/api/events?type=prompt.request&type=tool.call`)).text();
	expect(events).not.toContain(secret);
	expect(await readdir(gateway.path("work"))).toEqual(["token.txt"]);
});
