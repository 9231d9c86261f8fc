import { expect, test } from "vitest";
import { codeOf, pausedSimulator } from "../rest/direct-client.ts";
import { may } from "./permissions.ts";

test("overwrites apply to `@everyone`, then to roles, then to the member", () => {
	const { simulator, general } = pausedSimulator();
	const bob = simulator.member("Bob", { roles: ["ops", "muted"] });
	const can = () => may(simulator.state, bob.user, general.record, "SendMessages");
	expect(can()).toBe(true);
	general.permit(simulator.home, { deny: ["SendMessages"] });
	expect(can()).toBe(false);
	general.permit(simulator.home.role("ops"), { allow: ["SendMessages"] });
	expect(can()).toBe(true);
	general.permit(simulator.home.role("muted"), { deny: ["SendMessages"] });
	// If several roles have overwrites, an allow has precedence over a deny.
	expect(can()).toBe(true);
	general.permit(bob, { deny: ["SendMessages"] });
	expect(can()).toBe(false);
});

test("an administrator and the owner have all permissions", () => {
	const { simulator, general } = pausedSimulator();
	general.permit(simulator.home, { deny: ["ViewChannel", "SendMessages"] });
	simulator.home.role("admin", { permissions: ["Administrator"] });
	const bob = simulator.member("Bob", { roles: ["admin"] });
	expect(may(simulator.state, bob.user, general.record, "ManageMessages")).toBe(true);
	expect(may(simulator.state, simulator.member("Carl").user, general.record, "SendMessages")).toBe(false);
});

test("a post to an invisible channel gets the error Missing Access, and a post to a read-only channel gets Missing Permissions", () => {
	const { simulator, app, general } = pausedSimulator();
	const post = () => app.call("POST", `/channels/${general.id}/messages`, { body: { content: "x" } });
	general.permit(simulator.bot, { deny: ["SendMessages"] });
	expect([post().status, codeOf(post())]).toEqual([403, 50_013]);
	general.permit(simulator.bot, { deny: ["ViewChannel"] });
	expect([post().status, codeOf(post())]).toEqual([403, 50_001]);
});

test.each([
	["SendMessagesInThreads", "SendMessages"],
	["SendMessages", "SendMessagesInThreads"],
] as const)("in a thread %s applies, not %s", (needed, other) => {
	const { simulator, app, anna, general } = pausedSimulator();
	const thread = anna.opensThread("Talk", { in: general });
	const inThread = needed === "SendMessagesInThreads";
	const place = inThread ? thread : general;
	const post = () => app.call("POST", `/channels/${place.id}/messages`, { body: { content: "x" } }).status;
	general.permit(simulator.bot, { deny: [other] });
	expect(post()).toBe(200);
	general.permit(simulator.bot, { deny: [needed] });
	expect(post()).toBe(403);
});

test("files, threads, history and reactions have separate permissions", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const messages = `/channels/${general.id}/messages`;
	const files = [{ index: 0, name: "f", bytes: new Uint8Array(1) }];
	const emoji = encodeURIComponent("🔁");
	const attempts = {
		AttachFiles: () => app.call("POST", messages, { body: {}, files }),
		ReadMessageHistory: () => app.get(`${messages}/${sentMessage.id}`),
		CreatePublicThreads: () =>
			app.call("POST", `${messages}/${sentMessage.id}/threads`, { body: { name: "T" } }),
		AddReactions: () => app.call("PUT", `${messages}/${sentMessage.id}/reactions/${emoji}/@me`),
	} as const;
	for (const [permission, attempt] of Object.entries(attempts)) {
		// The cast is safe because the keys are permissions.
		general.permit(simulator.bot, { deny: [permission as keyof typeof attempts] });
		expect([permission, codeOf(attempt())]).toEqual([permission, 50_013]);
	}
});

test("an edit needs the permission for files only if it adds one", () => {
	const { simulator, app, general } = pausedSimulator();
	const sentMessage = app.posts(general, { content: "One" });
	const path = `/channels/${general.id}/messages/${sentMessage.id}`;
	const files = [{ index: 0, name: "f", bytes: new Uint8Array(1) }];
	general.permit(simulator.bot, { deny: ["AttachFiles"] });
	expect(codeOf(app.call("PATCH", path, { body: { content: "Two" }, files }))).toBe(50_013);
	expect(app.call("PATCH", path, { body: { content: "Three" } }).status).toBe(200);
});

test("without the permission, embeds are removed", () => {
	const { simulator, app, general } = pausedSimulator();
	general.permit(simulator.bot, { deny: ["EmbedLinks"] });
	app.posts(general, { content: "Text", embeds: [{ description: "More" }] });
	expect(general.last().text).toBe("Text");
});

test("a timed-out member reads and cannot write", () => {
	const { simulator, clock, anna, general } = pausedSimulator();
	simulator.state.member(simulator.home.record, anna.id).silentUntil = clock.now() + 60_000;
	expect(may(simulator.state, anna.user, general.record, "ViewChannel")).toBe(true);
	expect(() => anna.says("Hm", { in: general })).toThrow("Missing Permissions");
	clock.advance(60_000);
	expect(anna.says("Hm", { in: general }).text).toBe("Hm");
});

test("without the permission for history, a channel is empty, and replies are refused", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Hello", { in: general });
	const messages = `/channels/${general.id}/messages`;
	const body = { content: "Hi", message_reference: { message_id: sentMessage.id } };
	general.permit(simulator.bot, { deny: ["ReadMessageHistory"] });
	expect(app.get(messages)).toMatchObject({ status: 200, body: [] });
	const refused = app.call("POST", messages, { body });
	expect([refused.status, codeOf(refused)]).toEqual([403, 160_002]);
	general.permit(simulator.bot, { deny: ["ViewChannel"] });
	expect(codeOf(app.get(messages))).toBe(50_001);
});
