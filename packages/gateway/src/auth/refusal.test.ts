import { once } from "node:events";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { connectPair } from "../testing/socket-pair.ts";
import { type Refusal, sendUpgradeRefusal } from "./refusal.ts";

const refusal: Refusal = {
	status: 429,
	headers: { "retry-after": "7" },
	body: { error: "too many", hint: "später" },
};

test("a refused upgrade is a complete HTTP answer", async () => {
	await using pair = await connectPair();
	sendUpgradeRefusal(pair.accepted, refusal);
	const [head, body = ""] = (await text(pair.client)).split("\r\n\r\n");
	expect(head?.split("\r\n")).toEqual([
		"HTTP/1.1 429 Too Many Requests",
		"retry-after: 7",
		"content-type: application/json",
		`content-length: ${Buffer.byteLength(body)}`,
		"cache-control: no-store",
		"connection: close",
	]);
	expect(body).toBe('{"error":"too many","hint":"später"}');
});

test("a client that does not close its half after a refusal is closed", async () => {
	await using pair = await connectPair();
	// The client reads nothing, so it sees neither the response nor the end.
	sendUpgradeRefusal(pair.accepted, refusal);
	await once(pair.accepted, "close");
	expect(pair.client.destroyed).toBe(false);
});
