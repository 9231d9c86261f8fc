import { expect, test } from "vitest";
import { buttons, pausedSimulator } from "../rest/direct-client.ts";

const quiet = { allowed_mentions: { parse: [] } };

test("people write, edit, delete and react, and see each other's actions", () => {
	const { simulator, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	const sentMessage = anna.says("Hello", { in: general, mentions: [bob, simulator.bot] });
	expect(sentMessage.text).toBe("@Bob @Parley Hello");
	bob.reacts("👍", { on: sentMessage });
	anna.edits(sentMessage, "Hello all");
	expect(general.shows(bob)).toMatchObject([
		{ author: "Anna", text: "Hello all", edited: true, reactions: { "👍": 1 } },
	]);
	expect(() => bob.edits(sentMessage, "Mine")).toThrow("authored by another user");
	anna.deletes(sentMessage);
	expect(general.shows()).toEqual([]);
});

test("a person can only do what the client allows", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const secret = simulator.channel("secret");
	secret.permit(simulator.home, { deny: ["ViewChannel"] });
	secret.permit(simulator.bot, { allow: ["ViewChannel"] });
	app.posts(secret, { content: "Sure?", components: buttons("Yes"), ...quiet });
	expect(() => anna.clicks("Yes")).toThrow("Anna sees nothing to press that says Yes");
	expect(() => anna.says("Hi", { in: secret })).toThrow("Missing Access");
	const row = buttons("Off");
	Object.assign(row[0]?.components[0] ?? {}, { disabled: true });
	app.posts(general, { content: "Over", components: row, ...quiet });
	expect(() => anna.clicks("Off")).toThrow("sees nothing to press");
	expect(general.last().buttons).toEqual([]);
});

test("by default, the newest message with the button is pressed", () => {
	const { app, anna, general } = pausedSimulator();
	const first = app.posts(general, { content: "One", components: buttons("Go"), ...quiet });
	const second = app.posts(general, { content: "Two", components: buttons("Go"), ...quiet });
	expect(anna.clicks("Go").record.message?.id).toBe(second.id);
	expect(anna.clicks("Go", { on: first }).record.message?.id).toBe(first.id);
	expect(anna.clicks("Go", { in: general }).record.data).toMatchObject({ custom_id: "id of Go" });
});

test("a press can cross an edit or a deletion: it has the old components, and a component that never existed cannot be pressed", () => {
	const { app, anna, general } = pausedSimulator();
	const on = app.posts(general, { content: "Sure?", components: buttons("Yes"), ...quiet });
	expect(() => anna.clicksLate("Yes", { on })).toThrow("can be pressed as usual");
	const path = `/channels/${general.id}/messages/${on.id}`;
	app.call("PATCH", path, { body: { content: "Done", components: buttons("Again"), ...quiet } });
	expect(() => anna.clicks("Yes", { on })).toThrow("sees nothing to press");
	expect(() => anna.clicksLate("No", { on })).toThrow("has never seen a button there that says No");
	const late = anna.clicksLate("Yes", { on });
	expect(late.record.data).toMatchObject({ custom_id: "id of Yes" });
	expect(late.record.pressedOn).toMatchObject(buttons("Yes"));
	app.call("DELETE", path);
	const answer = { type: 4, data: { content: "Too late", flags: 64 } };
	expect(app.answers(anna.clicksLate("Again", { on }), answer).status).toBeLessThan(300);
	expect(general.shows(anna).map(({ text }) => text)).toEqual(["Too late"]);
});

test("a person selects up to the maximum of options", () => {
	const { app, anna, general } = pausedSimulator();
	const options = ["A", "B", "C"].map((label) => ({ label, value: label.toLowerCase() }));
	const choice = { type: 3, custom_id: "c", placeholder: "Which?", min_values: 1, max_values: 2, options };
	app.posts(general, { content: "Choose", components: [{ type: 1, components: [choice] }], ...quiet });
	expect(anna.chooses(["A", "C"]).record.data).toMatchObject({ values: ["a", "c"] });
	expect(() => anna.chooses(["A", "B", "C"])).toThrow("Anna must choose 1 to 2, not 3");
	expect(() => anna.chooses("D")).toThrow("sees nothing to press");
	expect(general.last().controls).toMatchObject([
		{ kind: "choice", label: "Which?", options: ["A", "B", "C"] },
	]);
});

test("roles, guests and other bots have names", () => {
	const { simulator, app } = pausedSimulator();
	const bob = simulator.member("Bob", { roles: ["ops"], guest: true });
	const other = simulator.member("Otherbot", { bot: true });
	const member = (id: string) => Object(app.get(`/guilds/${simulator.home.id}/members/${id}`).body);
	expect(member(bob.id)).toMatchObject({ roles: [simulator.home.role("ops").id], flags: 16 });
	expect(member(other.id).user).toMatchObject({ bot: true });
	const second = simulator.guild("Second");
	expect(second.member("Bob", { is: bob }).id).toBe(bob.id);
});

test("a role has the given permissions, and a webhook posts as another service", () => {
	const { simulator, app, general } = pausedSimulator();
	const role = simulator.home.role("ops", { permissions: ["Administrator"] });
	const bob = simulator.member("Bob", { roles: ["ops"] });
	general.permit(simulator.home, { deny: ["SendMessages"] });
	expect(bob.says("Hi", { in: general }).text).toBe("Hi");
	simulator.home.permits(role, []);
	expect(() => bob.says("Hi", { in: general })).toThrow("Missing Permissions");
	const { id } = general.receives("CI", "Build failed");
	expect(general.last()).toMatchObject({ author: "CI", text: "Build failed" });
	const read = Object(app.get(`/channels/${general.id}/messages/${id}`).body);
	expect(read).toMatchObject({ webhook_id: expect.any(String), author: { bot: true } });
	expect(read).not.toHaveProperty("application_id");
	simulator.close();
});

test("the preview of a link changes a message without an edit", () => {
	const { anna, general } = pausedSimulator();
	const sentMessage = anna.says("https://example.com/", { in: general });
	general.unfurls(sentMessage);
	expect(general.last()).toMatchObject({ edited: false, text: "https://example.com/\nExample" });
});

test("mentions and times are shown as people read them", () => {
	const { simulator, clock, app, anna, general } = pausedSimulator();
	const role = simulator.home.role("ops");
	const at = clock.now() / 1000;
	const stamps = `<t:${at + 300}:R> <t:${at - 7200}:R> <t:${at}:f> <t:${at}:t>`;
	app.posts(general, { content: `<@${anna.id}> <@&${role.id}> <#${general.id}> ${stamps}`, ...quiet });
	expect(general.last().text).toBe("@Anna @ops #general in 5 minutes 2 hours ago 2026-01-01 00:00 00:00");
});

test("a transcript shows the view of a person, with threads below their messages", () => {
	const { clock, app, anna, general } = pausedSimulator();
	const sentMessage = anna.says("Please tidy up", { in: general });
	clock.advance(1500);
	const card = app.posts(general, {
		...{
			content: "On it\nsoon",
			components: buttons("Stop"),
			message_reference: { message_id: sentMessage.id },
			...quiet,
		},
	});
	app.call("POST", `/channels/${general.id}/messages/${card.id}/threads`, { body: { name: "Tidy up" } });
	app.posts(general.thread("Tidy up"), { content: "Step 1", ...quiet });
	app.answers(anna.clicks("Stop"), { type: 4, data: { content: "Stopped", flags: 64 } });
	expect(general.transcript(anna)).toBe(
		[
			"== #general",
			"00:00:00 Anna",
			"    Please tidy up",
			"00:00:01 Parley (to Anna)",
			"    On it",
			"    soon",
			"    [Stop]",
			"    thread: Tidy up",
			"    | 00:00:01 Parley",
			"    |     Step 1",
			"00:00:01 Parley (only you)",
			"    Stopped",
		].join("\n"),
	);
	expect(general.transcript()).not.toContain("Stopped");
});

test("simulators with the same seed are equal, and with another seed they differ", () => {
	const token = (seed: number): string => pausedSimulator({ seed }).simulator.token;
	expect(token(7)).toBe(token(7));
	expect(token(7)).not.toBe(token(8));
});

test("closing a simulator throws its violations", () => {
	const { simulator, app } = pausedSimulator();
	app.get("/nowhere");
	expect(() => simulator.close()).toThrow("there is no GET /nowhere");
	simulator.close();
});
