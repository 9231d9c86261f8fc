import { expect, test } from "vitest";
import { pausedSimulator } from "../rest/direct-client.ts";

test("a post without allowed mentions notifies all mentioned users", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const ops = simulator.home.role("ops", { mentionable: true });
	const bob = simulator.member("Bob");
	const sentMessage = anna.says("Hello", { in: general });
	app.posts(general, {
		content: `<@${bob.id}> <@&${ops.id}>`,
		message_reference: { message_id: sentMessage.id },
	});
	expect(simulator.pings.map(({ who }) => who).sort()).toEqual(["@Anna", "@Bob", "@ops"]);
});

test("`@everyone` notifies only with its permission", () => {
	const { simulator, app, general } = pausedSimulator();
	app.posts(general, { content: "@everyone" });
	expect(simulator.pings).toEqual([]);
	general.permit(simulator.bot, { allow: ["MentionEveryone"] });
	app.posts(general, { content: "@here" });
	expect(simulator.pings).toMatchObject([{ who: "@everyone", by: "create" }]);
});

test("an edit without allowed mentions notifies again", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const none = { allowed_mentions: { parse: [] } };
	const message = app.posts(general, { content: "Hello", ...none });
	const path = `/channels/${general.id}/messages/${message.id}`;
	app.call("PATCH", path, { body: { content: `<@${anna.id}>`, ...none } });
	expect(simulator.pings).toEqual([]);
	app.call("PATCH", path, { body: { content: `<@${anna.id}>!` } });
	expect(simulator.pings).toMatchObject([{ who: "@Anna", by: "edit" }]);
});

test("only listed users and roles are notified", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	app.posts(general, { content: `<@${anna.id}> <@${bob.id}>`, allowed_mentions: { users: [bob.id] } });
	expect(simulator.pings.map(({ who }) => who)).toEqual(["@Bob"]);
});

test("mentions in components also notify", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const components = [{ type: 17, components: [{ type: 10, content: `<@${anna.id}>` }] }];
	app.posts(general, { flags: 1 << 15, components });
	expect(simulator.pings.map(({ who }) => who)).toEqual(["@Anna"]);
});

test("a kind and a list of the same kind exclude each other", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const body = { content: "x", allowed_mentions: { parse: ["users"], users: [anna.id] } };
	expect(app.call("POST", `/channels/${general.id}/messages`, { body }).status).toBe(400);
	expect(simulator.drainViolations()).toEqual(["allowed_mentions: parse and a list exclude each other"]);
});
