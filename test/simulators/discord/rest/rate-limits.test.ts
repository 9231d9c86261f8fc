import { expect, test } from "vitest";
import { defaultSettings } from "../platform/settings.ts";
import { codeOf, DirectClient, pausedSimulator } from "./direct-client.ts";

const body = { content: "x", allowed_mentions: { parse: [] } };

test("a channel accepts five posts in five seconds, and its headers count them", () => {
	const { clock, simulator, app, general } = pausedSimulator();
	const post = (channel = general) => app.call("POST", `/channels/${channel.id}/messages`, { body });
	const remaining = [1, 2, 3, 4, 5].map(() => post().headers["x-ratelimit-remaining"]);
	expect(remaining).toEqual(["4", "3", "2", "1", "0"]);
	clock.advance(2000);
	const refused = post();
	expect(refused.status).toBe(429);
	expect(refused.body).toEqual({
		message: "You are being rate limited.",
		code: 0,
		retry_after: 3,
		global: false,
	});
	expect(refused.headers).toMatchObject({
		"x-ratelimit-limit": "5",
		"x-ratelimit-remaining": "0",
		"x-ratelimit-reset-after": "3.000",
		"x-ratelimit-reset": ((clock.now() + 3000) / 1000).toFixed(3),
		"x-ratelimit-scope": "user",
		"retry-after": "3",
	});
	expect(post(simulator.channel("other")).status).toBe(200);
	clock.advance(3000);
	expect(post().status).toBe(200);
});

test("buckets of different routes have different names, and buckets of one route have the same name", () => {
	const { simulator, app, general } = pausedSimulator();
	const bucket = (method: string, path: string) =>
		app.call(method, path, { body }).headers["x-ratelimit-bucket"];
	const posts = bucket("POST", `/channels/${general.id}/messages`);
	expect(bucket("POST", `/channels/${simulator.channel("other").id}/messages`)).toBe(posts);
	expect(bucket("POST", `/channels/${general.id}/typing`)).not.toBe(posts);
});

test("all requests with the token share a limit, except responses to interactions", () => {
	const { clock, app, general } = pausedSimulator({ settings: { global: { limit: 2, perMs: 1000 } } });
	const look = () => app.get(`/channels/${general.id}`);
	expect([look().status, look().status]).toEqual([200, 200]);
	const refused = look();
	expect([refused.status, Object(refused.body).global]).toEqual([429, true]);
	expect(refused.headers).toMatchObject({ "x-ratelimit-scope": "global", "x-ratelimit-global": "true" });
	expect(app.follows({ record: { token: "none" } }, { method: "POST", body }).status).toBe(404);
	clock.advance(1000);
	expect(look().status).toBe(200);
});

test("writes of all apps to a channel have a shared limit, which does not count as invalid", () => {
	const settings = { buckets: {}, channelWrites: { limit: 1, perMs: 1000 } };
	const { simulator, app, general } = pausedSimulator({ settings });
	const post = () => app.call("POST", `/channels/${general.id}/messages`, { body });
	post();
	const refused = post();
	expect([refused.status, codeOf(refused), refused.headers["x-ratelimit-scope"]]).toEqual([
		429,
		20_028,
		"shared",
	]);
	expect(simulator.rest.limits.invalid).toBe(0);
});

test("401, 403 and 429 count as invalid, and too many of them block all requests", () => {
	const { clock, simulator, app, general } = pausedSimulator({
		settings: { invalid: { limit: 3, perMs: 600_000 } },
	});
	const wrong = { authorization: "Bot wrong" };
	expect(app.call("GET", "/users/@me", wrong).status).toBe(401);
	general.permit(simulator.bot, { deny: ["ViewChannel"] });
	expect(app.get(`/channels/${general.id}`).status).toBe(403);
	expect(app.get("/channels/1").status).toBe(404);
	expect(simulator.rest.limits.invalid).toBe(2);
	app.call("GET", "/users/@me", wrong);
	expect(app.get("/users/@me")).toMatchObject({ status: 429, body: null });
	clock.advance(600_000);
	expect(app.get("/users/@me").status).toBe(200);
});

test("limits can be set for a test", () => {
	const { app, general } = pausedSimulator({ settings: { buckets: {}, bucket: { limit: 1, perMs: 1 } } });
	expect(app.call("POST", `/channels/${general.id}/messages`, { body }).headers["x-ratelimit-limit"]).toBe(
		"1",
	);
	expect(defaultSettings.bucket.limit).toBe(50);
	expect(app).toBeInstanceOf(DirectClient);
});
