import { expect, test } from "vitest";
import { fullManifest } from "../platform/manifest.ts";
import { errorOf, pausedSimulator } from "./direct-client.ts";

test("a call needs the token of its kind", () => {
	const { simulator, app } = pausedSimulator();
	expect(errorOf(app.call("auth.test", {}, ""))).toBe("not_authed");
	expect(errorOf(app.call("auth.test", {}, "xoxb-other"))).toBe("invalid_auth");
	expect(errorOf(app.call("auth.test", {}, simulator.state.app.appToken))).toBe("not_allowed_token_type");
	expect(errorOf(app.call("apps.connections.open"))).toBe("not_allowed_token_type");
	expect(app.call("apps.connections.open", {}, simulator.appToken).body["url"]).toMatch(/^wss:/);
	simulator.home.removesApp();
	expect(errorOf(app.call("auth.test"))).toBe("account_inactive");
});

test("a missing scope is named together with the granted ones", () => {
	const { app, anna, general } = pausedSimulator({
		manifest: { oauth_config: { scopes: { bot: ["channels:read", "im:write"] } } },
	});
	const needed = (method: string, args: object) => app.call(method, { ...args }).body;
	expect(needed("chat.postMessage", { channel: general.id, text: "x" })).toEqual({
		...{ ok: false, error: "missing_scope", needed: "chat:write", provided: "channels:read,im:write" },
	});
	expect(needed("conversations.history", { channel: general.id })).toMatchObject({
		needed: "channels:history",
	});
	expect(needed("conversations.info", { channel: anna.dm.id })).toMatchObject({ needed: "im:read" });
	expect(needed("conversations.info", { channel: general.id })).toMatchObject({ ok: true });
});

test("an argument that is unknown, missing or of another type is an error", () => {
	const { simulator, app } = pausedSimulator();
	expect(errorOf(app.call("users.info", { user: "U1", users: "U2" }))).toBe("invalid_arguments");
	expect(errorOf(app.call("users.info"))).toBe("invalid_arguments");
	expect(errorOf(app.call("conversations.members", { channel: 7 }))).toBe("invalid_arguments");
	expect(errorOf(app.call("users.infos"))).toBe("unknown_method");
	expect(simulator.drainViolations()).toHaveLength(4);
});

test("arguments are accepted as forms too, with JSON for values that are not text", () => {
	const { simulator } = pausedSimulator();
	const fields = { channel: "C1", text: "[7]", blocks: '[{"type":"divider"}]', unfurl_links: "false" };
	expect(simulator.api.readForm("chat.postMessage", fields)).toEqual({
		...{ channel: "C1", text: "[7]", blocks: [{ type: "divider" }], unfurl_links: false },
	});
	expect(simulator.api.readForm("conversations.history", { channel: "C1", limit: "5" })).toEqual({
		channel: "C1",
		limit: 5,
	});
});

test("each method has a limit of calls per minute, and a refusal has the wait", () => {
	const { clock, app, general } = pausedSimulator({ settings: { tiers: { 1: 1, 2: 1, 3: 2, 4: 4 } } });
	const ask = () => app.call("conversations.info", { channel: general.id });
	ask();
	clock.advance(10_000);
	ask();
	expect(ask()).toEqual({
		status: 429,
		headers: { "retry-after": "50" },
		body: { ok: false, error: "ratelimited" },
	});
	expect(app.call("conversations.members", { channel: general.id }).status).toBe(200);
	clock.advance(50_000);
	expect([ask().status, ask().status]).toEqual([200, 429]);
});

test("posts are limited separately in each channel", () => {
	const { clock, simulator, app, general } = pausedSimulator({
		settings: { posts: { limit: 1, perMs: 1000 } },
	});
	const random = simulator.channel("random");
	app.posts(general, { text: "one" });
	expect(app.call("chat.postMessage", { channel: general.id, text: "two" }).status).toBe(429);
	app.posts(random, { text: "one" });
	clock.advance(1000);
	app.posts(general, { text: "two" });
	expect(general.shows()).toHaveLength(2);
});

test("a commercial app has lower limits for reads", () => {
	const { clock, app, anna, general } = pausedSimulator({ settings: { app: "commercial" } });
	for (let turn = 0; turn < 20; turn++) anna.says(String(turn), { in: general });
	const read = app.call("conversations.history", { channel: general.id, limit: 100 });
	expect(Object(read.body).messages).toHaveLength(15);
	expect(app.call("conversations.history", { channel: general.id }).status).toBe(429);
	clock.advance(60_000);
	expect(app.call("conversations.history", { channel: general.id }).status).toBe(200);
});

test("history is returned in pages, newest first, and between two times", () => {
	const { app, anna, general } = pausedSimulator();
	const sentMessages = ["a", "b", "c", "d"].map((text) => anna.says(text, { in: general }));
	const read = (more: object) => Object(app.asks("conversations.history", { channel: general.id, ...more }));
	const texts = (page: { readonly messages: readonly { readonly text: string }[] }) =>
		page.messages.map(({ text }) => text).join("");
	const first = read({ limit: 3 });
	expect([texts(first), first.has_more]).toEqual(["dcb", true]);
	const second = read({ limit: 3, cursor: first.response_metadata.next_cursor });
	expect([texts(second), second.has_more]).toEqual(["a", false]);
	const between = { oldest: sentMessages[1]?.ts, latest: sentMessages[3]?.ts };
	expect([texts(read(between)), texts(read({ ...between, inclusive: true }))]).toEqual(["c", "dcb"]);
});

test("people have their kinds, including guests and people of other teams", () => {
	const { simulator, app, anna } = pausedSimulator();
	const info = (user: string) => Object(app.asks("users.info", { user })).user;
	expect(info(anna.id)).toMatchObject({
		name: "anna",
		is_restricted: false,
		team_id: simulator.home.id,
		is_bot: false,
	});
	expect(info(anna.id)).not.toHaveProperty("is_stranger");
	const one = simulator.member("Gus", { guest: "one channel" });
	expect(info(one.id)).toMatchObject({ is_restricted: true, is_ultra_restricted: true });
	anna.becomes("guest");
	expect(info(anna.id)).toMatchObject({ is_restricted: true, is_ultra_restricted: false });
	const other = simulator.team("Other");
	expect(info(other.member("Sam").id)).toMatchObject({ is_stranger: true, team_id: other.id });
	const bot = simulator.member("Robo", { bot: true });
	expect(Object(app.asks("bots.info", { bot: bot.user.botId })).bot).toMatchObject({ user_id: bot.id });
	expect(app.asks("team.info")["team"]).toMatchObject({ id: simulator.home.id, domain: "home" });
});

test("channels have their kind and the teams that share them", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const bob = simulator.member("Bob");
	const info = (id: string) => Object(app.asks("conversations.info", { channel: id })).channel;
	expect(info(general.id)).toMatchObject({ is_channel: true, is_private: false, is_ext_shared: false });
	expect(info(anna.dm.id)).toMatchObject({ is_im: true, user: anna.id });
	expect(info(simulator.home.conversation(anna, bob).id)).toMatchObject({ is_mpim: true, is_private: true });
	const other = simulator.team("Other");
	general.offers(other);
	expect(info(general.id)).toMatchObject({ is_ext_shared: false, is_pending_ext_shared: true });
	general.joins(other.member("Sam"));
	expect(info(general.id)).toMatchObject({ is_ext_shared: true, is_pending_ext_shared: false });
	expect(Object(app.asks("conversations.members", { channel: general.id })).members).toHaveLength(4);
	const { channel } = Object(app.asks("conversations.open", { users: anna.id }));
	expect(channel.id).toBe(anna.dm.id);
	const robo = simulator.member("Robo", { bot: true });
	expect(errorOf(app.call("conversations.open", { users: robo.id }))).toBe("cannot_dm_bot");
});

test("reactions are added and removed once", () => {
	const { app, anna, general } = pausedSimulator();
	const { ts: timestamp } = anna.says("Hello", { in: general });
	const react = (what: "add" | "remove", name: string) =>
		errorOf(app.call(`reactions.${what}`, { channel: general.id, timestamp, name }));
	expect([react("add", "eyes"), react("add", "eyes"), react("add", "👀")]).toEqual([
		...[undefined, "already_reacted", "invalid_name"],
	]);
	expect(general.last().reactions).toEqual({ "👀": 1 });
	expect([react("remove", "eyes"), react("remove", "eyes")]).toEqual([undefined, "no_reaction"]);
});

test("a manifest is read and validated with its own token", () => {
	const { simulator, app } = pausedSimulator();
	const { app: record } = simulator.state;
	const ask = (method: string, args: object) => app.call(method, { ...args }, record.configToken).body;
	expect(ask("apps.manifest.export", { app_id: record.id })).toMatchObject({ manifest: fullManifest });
	expect(ask("apps.manifest.export", { app_id: "A1" })).toMatchObject({ error: "invalid_app_id" });
	const manifest = { display_information: { name: "Parley" } };
	expect(ask("apps.manifest.validate", { manifest })).toMatchObject({ ok: true });
	expect(ask("apps.manifest.validate", { manifest: { ...manifest, features: 7 } })).toMatchObject({
		ok: false,
	});
	simulator.drainViolations();
});

test("the status of the app stays in a thread until it is changed or the app replies", () => {
	const { clock, app, anna, general } = pausedSimulator();
	const sentMessages = anna.says("Hello", { in: general });
	const where = { channel_id: general.id, thread_ts: sentMessages.ts };
	app.asks("agents.sessions.setStatus", { ...where, status: "processing" });
	expect([general.typing(), general.thread(sentMessages).statuses()]).toEqual([["Parley"], ["is working…"]]);
	app.asks("agents.sessions.setStatus", { ...where, status: "active" });
	expect(general.typing()).toEqual([]);
	const error = (args: object) =>
		errorOf(app.call("agents.sessions.setStatus", { status: "active", ...args }));
	expect(error({ channel_id: general.id })).toBe("missing_thread_ts");
	expect(error({ ...where, status: "busy" })).toBe("invalid_status");
	app.asks("assistant.threads.setStatus", { ...where, status: "thinks" });
	clock.advance(119_999);
	expect(general.typing()).toEqual(["Parley"]);
	clock.advance(1);
	expect(general.typing()).toEqual([]);
	app.asks("assistant.threads.setStatus", { ...where, status: "thinks" });
	app.posts(general.thread(sentMessages), { text: "Done" });
	expect(general.typing()).toEqual([]);
});

test("the channels of a user are listed by type, each with its scope", () => {
	const { simulator, app, anna, general } = pausedSimulator();
	const [quiet, old] = [simulator.home.channel("quiet", { private: true }), simulator.channel("old")];
	simulator.home.channel("without", { withoutApp: true });
	old.archive();
	anna.dm.shows();
	const ids = (args: object) =>
		Object(app.call("users.conversations", { ...args }).body)
			["channels"].map(Object)
			.map(({ id }: { id: string }) => id);
	expect(ids({})).toEqual([general.id, old.id]);
	const types = "public_channel,private_channel";
	expect(ids({ types, exclude_archived: true })).toEqual([general.id, quiet.id]);
	expect(ids({ types: "im" })).toEqual([anna.dm.id]);
	expect(errorOf(app.call("users.conversations", { types: "dm" }))).toBe("invalid_types");
	simulator.state.app.scopes = new Set(["channels:read"]);
	expect(app.call("users.conversations", { types }).body).toMatchObject({ needed: "groups:read" });
});
