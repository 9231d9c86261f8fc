import { expect, test } from "vitest";
import { pausedSimulator } from "./direct-client.ts";
import type { RestRequest } from "./exchange.ts";

function networkSimulator() {
	const parts = pausedSimulator();
	const { simulator, general } = parts;
	const request: RestRequest = {
		...{ method: "POST", path: `/channels/${general.id}/messages`, query: {}, files: [] },
		body: { content: "Hello", allowed_mentions: { parse: [] } },
		authorization: `Bot ${simulator.token}`,
	};
	return {
		...parts,
		send: () => simulator.network.carry(request),
		texts: () => general.shows().map(({ text }) => text),
	};
}

const posts = "POST /channels/{channel_id}/messages";

test("a request that is dropped before it is performed has no effect, and one that is dropped after that has its effect", async () => {
	const { simulator, send, texts } = networkSimulator();
	simulator.network.next(posts, { drop: "before" });
	await expect(send()).rejects.toMatchObject({ code: "unavailable" });
	expect(texts()).toEqual([]);
	simulator.network.next(posts, { drop: "after-commit" });
	await expect(send()).rejects.toMatchObject({ code: "unavailable" });
	expect(texts()).toEqual(["Hello"]);
	expect((await send()).status).toBe(200);
});

test("an error of the server is a response, whether the request was performed or not", async () => {
	const { simulator, send, texts } = networkSimulator();
	simulator.network.next(posts, { status: 502 });
	expect((await send()).status).toBe(502);
	expect(texts()).toEqual([]);
	simulator.network.next(posts, { status: 502, drop: "after-commit" });
	expect((await send()).status).toBe(502);
	expect(texts()).toEqual(["Hello"]);
});

test("a rate limit has its duration and its scope", async () => {
	const { simulator, send, texts } = networkSimulator();
	simulator.network.next(posts, { status: 429, retryAfter: 2500, scope: "shared" });
	const { status, headers, body } = await send();
	expect(status).toBe(429);
	expect(headers).toMatchObject({
		"retry-after": "3",
		"x-ratelimit-scope": "shared",
		"x-ratelimit-reset-after": "2.500",
	});
	expect(body).toMatchObject({ retry_after: 2.5, global: false });
	expect(texts()).toEqual([]);
});

test("a response can be delayed after the request was performed", async () => {
	const { clock, simulator, send, texts } = networkSimulator();
	simulator.network.next(posts, { delayMs: 5000 });
	let answered = false;
	const answer = send().then((response) => {
		answered = true;
		return response;
	});
	await Promise.resolve();
	await Promise.resolve();
	expect([texts(), answered]).toEqual([["Hello"], false]);
	clock.advance(5000);
	expect((await answer).status).toBe(200);
});

test("a fault planned for another route does not occur", async () => {
	const { simulator, send } = networkSimulator();
	simulator.network.next("PATCH *", { drop: "before" });
	expect((await send()).status).toBe(200);
	expect(simulator.network.pending).toBe(1);
	simulator.network.next("* /channels/{channel_id}/messages", { status: 500 });
	expect((await send()).status).toBe(500);
});

test("a chooser decides about every request until `heal`", async () => {
	const { simulator, send } = networkSimulator();
	const requests: string[] = [];
	simulator.network.each((label) => {
		requests.push(label);
		return { status: 503 };
	});
	expect([(await send()).status, (await send()).status]).toEqual([503, 503]);
	expect(requests).toEqual([posts, posts]);
	simulator.network.heal();
	expect((await send()).status).toBe(200);
});
