import { expect } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { test } from "./terminal-test.ts";

test("feedback is listed with the reply that it is about", async ({ place }) => {
	const none = place.run("feedback");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("no feedback");
	await using client = await OzzieClient.connect(`http://127.0.0.1:${place.gateway.port}`);
	const session = await client.open({ title: "Greetings" });
	await client.call("send_message", { content: "say: hello" });
	await client.event("assistant.message");
	await client.call("feedback", { rating: "bad", comment: "too short" });
	const listed = place.run("feedback", "--rating", "bad");
	expect(await listed.ended()).toBe(0);
	expect(listed.text).toMatch(/^bad {3}by operator, just now, in sess_\S+ \(Greetings\)\n/);
	expect(listed.text).toContain("\n  reply: [offline] hello\n  comment: too short");
	const good = place.run("feedback", "--rating", "good", "--json");
	expect(await good.ended()).toBe(0);
	expect(good.text).toBe("[]");
	const wrong = place.run("feedback", "--limit", "0");
	expect(await wrong.ended()).toBe(2);
	const other = place.run("feedback", "--session", session, "--json");
	expect(await other.ended()).toBe(0);
	expect(other.text).toContain('"comment": "too short"');
});
