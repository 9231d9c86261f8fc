import { expect, test } from "vitest";
import { standingWorld } from "../rest/direct-client.ts";

test("a post without allowed mentions notifies all mentioned users", () => {
	const { world, app, anna, general } = standingWorld();
	const ops = world.home.role("ops", { mentionable: true });
	const bob = world.member("Bob");
	const sentMessage = anna.says("Hello", { in: general });
	app.posts(general, {
		content: `<@${bob.id}> <@&${ops.id}>`,
		message_reference: { message_id: sentMessage.id },
	});
	expect(world.pings.map(({ who }) => who).sort()).toEqual(["@Anna", "@Bob", "@ops"]);
});

test("`@everyone` notifies only with its permission", () => {
	const { world, app, general } = standingWorld();
	app.posts(general, { content: "@everyone" });
	expect(world.pings).toEqual([]);
	general.permit(world.bot, { allow: ["MentionEveryone"] });
	app.posts(general, { content: "@here" });
	expect(world.pings).toMatchObject([{ who: "@everyone", by: "create" }]);
});

test("an edit without allowed mentions notifies again", () => {
	const { world, app, anna, general } = standingWorld();
	const none = { allowed_mentions: { parse: [] } };
	const made = app.posts(general, { content: "Hello", ...none });
	const path = `/channels/${general.id}/messages/${made.id}`;
	app.call("PATCH", path, { body: { content: `<@${anna.id}>`, ...none } });
	expect(world.pings).toEqual([]);
	app.call("PATCH", path, { body: { content: `<@${anna.id}>!` } });
	expect(world.pings).toMatchObject([{ who: "@Anna", by: "edit" }]);
});

test("only listed users and roles are notified", () => {
	const { world, app, anna, general } = standingWorld();
	const bob = world.member("Bob");
	app.posts(general, { content: `<@${anna.id}> <@${bob.id}>`, allowed_mentions: { users: [bob.id] } });
	expect(world.pings.map(({ who }) => who)).toEqual(["@Bob"]);
});

test("mentions in components also notify", () => {
	const { world, app, anna, general } = standingWorld();
	const components = [{ type: 17, components: [{ type: 10, content: `<@${anna.id}>` }] }];
	app.posts(general, { flags: 1 << 15, components });
	expect(world.pings.map(({ who }) => who)).toEqual(["@Anna"]);
});

test("a kind and a list of the same kind exclude each other", () => {
	const { world, app, anna, general } = standingWorld();
	const body = { content: "x", allowed_mentions: { parse: ["users"], users: [anna.id] } };
	expect(app.call("POST", `/channels/${general.id}/messages`, { body }).status).toBe(400);
	expect(world.drainViolations()).toEqual(["allowed_mentions: parse and a list exclude each other"]);
});
