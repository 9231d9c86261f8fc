import { expect, test } from "vitest";
import { standingWorld } from "../rest/direct-client.ts";
import { readLink } from "./links.ts";

test("a link to a file is valid until it expires, and only with its signature", () => {
	const { world, clock, app, anna, general } = standingWorld();
	const sentMessage = anna.says("A file", { in: general, attachments: [{ name: "a.txt", content: "abc" }] });
	const { body } = app.get(`/channels/${general.id}/messages/${sentMessage.id}`);
	const { url } = Object(body).attachments[0];
	expect(readLink(world.state, url)?.bytes).toEqual(new TextEncoder().encode("abc"));
	expect(readLink(world.state, url.replace(/hm=../, "hm=00"))).toBeUndefined();
	expect(readLink(world.state, url.replace(/\?.*/, ""))).toBeUndefined();
	clock.advance(24 * 3_600_000);
	expect(readLink(world.state, url)).toBeUndefined();
	const later = app.get(`/channels/${general.id}/messages/${sentMessage.id}`).body;
	expect(readLink(world.state, Object(later).attachments[0].url)?.name).toBe("a.txt");
});
