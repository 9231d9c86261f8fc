import { expect } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { RozStream } from "../conformance/drivers/roz-client.ts";
import { test } from "./terminal-test.ts";

test("feedback is listed with the reply that it is about", async ({ setup }) => {
	const none = setup.run("feedback");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("no feedback");
	await using client = await OzzieClient.connect(`http://127.0.0.1:${setup.gateway.port}`);
	const session = await client.open({ title: "Greetings" });
	await client.call("send_message", { content: "say: hello" });
	await client.event("assistant.message");
	await client.call("feedback", { rating: "bad", comment: "too short" });
	const listed = setup.run("feedback", "--rating", "bad");
	expect(await listed.ended()).toBe(0);
	expect(listed.text).toMatch(/^bad {3}by operator, just now, in sess_\S+ \(Greetings\)\n/);
	expect(listed.text).toContain("\n  reply: [offline] hello\n  comment: too short");
	const good = setup.run("feedback", "--rating", "good", "--json");
	expect(await good.ended()).toBe(0);
	expect(good.text).toBe("[]");
	const wrong = setup.run("feedback", "--limit", "0");
	expect(await wrong.ended()).toBe(2);
	const other = setup.run("feedback", "--session", session, "--json");
	expect(await other.ended()).toBe(0);
	expect(other.text).toContain('"comment": "too short"');
});

test("feedback of a roz client is listed with the reply of its message", async ({ setup }) => {
	const url = `http://127.0.0.1:${setup.gateway.port}`;
	await using stream = new RozStream(url);
	const { sessionId } = await stream.start();
	stream.say("say: hello", { messageId: "m1" });
	await stream.until("turnComplete");
	stream.send({ feedback: { messageId: "m1", rating: "up" } });
	await using client = await OzzieClient.connect(url);
	let stored: unknown[] = [];
	while (stored.length === 0) stored = [(await client.call("list_feedback", {}))["feedback"]].flat();
	const listed = setup.run("feedback", "--session", String(sessionId));
	expect(await listed.ended()).toBe(0);
	expect(listed.text).toMatch(/^good {2}by operator, just now, in [0-9a-f-]{36}/);
	expect(listed.text).toContain("\n  reply: [offline] hello");
});
