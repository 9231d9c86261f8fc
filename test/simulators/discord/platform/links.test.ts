import { expect, test } from "vitest";
import { pausedSimulator } from "../rest/direct-client.ts";
import { readLink } from "./links.ts";

test("a link to a file is valid until it expires, and only with its signature", () => {
	const { simulator, clock, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("A file", { in: general, attachments: [{ name: "a.txt", content: "abc" }] });
	const { body } = app.get(`/channels/${general.id}/messages/${sentMessage.id}`);
	const { url } = Object(body).attachments[0];
	expect(readLink(simulator.state, url)?.bytes).toEqual(new TextEncoder().encode("abc"));
	expect(readLink(simulator.state, url.replace(/hm=../, "hm=00"))).toBeUndefined();
	expect(readLink(simulator.state, url.replace(/\?.*/, ""))).toBeUndefined();
	clock.advance(24 * 3_600_000);
	expect(readLink(simulator.state, url)).toBeUndefined();
	const later = app.get(`/channels/${general.id}/messages/${sentMessage.id}`).body;
	expect(readLink(simulator.state, Object(later).attachments[0].url)?.name).toBe("a.txt");
});
