import { ManualClock } from "@parley/base/testing";
import { expect } from "vitest";
import { as, type DiscordConnector, discordConnector } from "./discord-connector.ts";
import type { GatewayOptions } from "./gateway.ts";
import { verifiesOn } from "./verifies.ts";

const publicUrl = "https://parley.example";

/** A password prompt in Ada's run, and the address of the page that she requested. */
interface SecretQuestion extends AsyncDisposable {
	readonly d: DiscordConnector;
	readonly token: string;
	readonly url: string;
	/** Sends a request for this public URL directly to the gateway. */
	get(url: string, init?: RequestInit): Promise<Response>;
	post(url: string, value: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
}

async function secretQuestion(options: GatewayOptions = {}): Promise<SecretQuestion> {
	const people = { ada: "member", max: "member", abe: "approver" };
	const d = await discordConnector(people, { ...options, config: { publicUrl } });
	await d.connector.call("open_session", { title: "<b>Ships</b>", ...as("ada") });
	await d.connector.call("send_message", { content: "secret: Key & <i>more</i>?", ...as("ada") });
	const token = String((await d.connector.event("prompt.request")).payload["token"]);
	const page = await d.connector.call("secret_page", { token, ...as("ada") });
	const get: SecretQuestion["get"] = (url, init) =>
		fetch(url.replace(publicUrl, d.gateway.url), { redirect: "error", ...init });
	return {
		...{ d, token, url: String(page["url"]), get },
		post: (url, value, headers = {}) =>
			get(url, { method: "POST", body: new URLSearchParams({ value }), headers }),
		[Symbol.asyncDispose]: () => d[Symbol.asyncDispose](),
	};
}

verifiesOn(
	"ozzie",
	["ask.page", "ask.page-looked"],
	"a person types a password into a page of the gateway, once",
	async () => {
		await using a = await secretQuestion();
		const { connector } = a.d;
		expect(a.url).toMatch(/^https:\/\/parley\.example\/secret\/[\w-]{43}$/);
		for (const method of ["HEAD", "GET", "GET"]) {
			const shown = await a.get(a.url, { method });
			expect(shown.status).toBe(200);
			const html = await shown.text();
			if (method === "HEAD") expect(html).toBe("");
			else expect(html).toContain("Key &amp; &lt;i&gt;more&lt;/i&gt;?");
			expect(html).not.toMatch(/<script|<b>|<i>|javascript:|\son\w+=/i);
			expect(Object.fromEntries(shown.headers)).toMatchObject({
				"content-security-policy": expect.stringMatching(
					/^default-src 'none'; style-src 'sha256-[\w+/]{43}='; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
				),
				...{ "cache-control": "no-store", "referrer-policy": "no-referrer", "x-frame-options": "DENY" },
				...{ "cross-origin-opener-policy": "same-origin", "x-content-type-options": "nosniff" },
			});
		}
		const html = await (await a.get(a.url)).text();
		for (const text of ["&lt;b&gt;Ships&lt;/b&gt;", "ada (discord:111:ada)", "parley.example", "once, until"])
			expect(html).toContain(text);
		const empty = await a.post(a.url, "");
		expect([empty.status, await empty.text()]).toEqual([
			400,
			expect.stringContaining("an answer is required"),
		]);
		const own = { origin: "null", "sec-fetch-site": "same-origin", "sec-fetch-dest": "document" };
		const done = await a.post(a.url, "correct horse & ü=1", own);
		expect([done.status, await done.text()]).toEqual([200, expect.stringContaining("Thank you")]);
		const answer = { token: a.token, value: null, by: "discord:111:ada", cancelled: false };
		await connector.event("prompt.response", answer);
		const { payload } = await connector.event("tool.call", { status: "completed" });
		expect(payload["result"]).toMatch(/^secret:pw_/);
		for (const response of [await a.get(a.url), await a.post(a.url, "other")])
			expect([response.status, await response.text()]).toEqual([
				410,
				expect.stringContaining("already used"),
			]);
		expect(JSON.stringify(a.d.gateway.log.records)).not.toContain("horse");
		expect(JSON.stringify(a.d.gateway.log.records)).not.toContain(a.url.split("/").at(-1));
	},
);

verifiesOn(
	"ozzie",
	["ask.page", "ask.page-over"],
	"a page is for its person, question and time",
	async () => {
		const clock = new ManualClock();
		await using a = await secretQuestion({ clock });
		const { connector, operator } = a.d;
		const page = (person: string, params: object = {}) =>
			connector.call("secret_page", { token: a.token, ...params, ...as(person) });
		const refused = (person: object, token = a.token) =>
			connector.refusal("secret_page", { token, ...person });
		expect(await refused(as("max"))).toMatch(
			/^forbidden: only the requester and approvers of this channel can answer this/,
		);
		expect(await refused(as("abe", "random"))).toBe("prompt not found");
		expect(await refused({})).toMatch(/^forbidden: a connector must name the person/);
		expect(await refused(as("ada"), "prompt_none")).toBe("prompt not found");
		// A second request with the same key returns the same page.
		const stored = await page("ada", { key: "k" });
		expect(await page("ada", { key: "k" })).toEqual(stored);
		expect(stored["url"]).not.toBe(a.url);
		expect(await refused({ key: "k", ...as("abe") })).toMatch(/^invalid params: key "k" was used/);
		const until = new Date(clock.now() + 600_000).toISOString();
		expect(stored["expires_at"]).toBe(until);
		// After a role change, an existing page no longer accepts an answer.
		const memberUrl = String((await page("abe"))["url"]);
		await operator.call("set_person_role", { person: "discord:111:abe", role: "guest" });
		const posted = await a.post(memberUrl, "x");
		expect([posted.status, await posted.text()]).toEqual([403, expect.stringContaining("was not accepted")]);
		const shown = await (await a.get(memberUrl)).text();
		expect(shown).toContain("The page cannot be shown");
		expect(shown).not.toContain("was not accepted");
		// The gateway disconnects clients that send neither a message nor a pong between two pings.
		for (let passed = 0; passed < 599_000; passed += 14_975) {
			clock.advance(14_975);
			for (const client of [connector, operator]) await client.call("whoami");
		}
		expect((await a.get(a.url)).status).toBe(200);
		clock.advance(1_000);
		expect([(await a.get(a.url)).status, (await a.post(a.url, "x")).status]).toEqual([410, 410]);
		const fresh = String((await page("ada"))["url"]);
		await operator.call("prompt_response", { token: a.token, value: "by the operator" });
		expect([(await a.get(fresh)).status, (await a.post(fresh, "x")).status]).toEqual([410, 410]);
		expect(await refused(as("ada"))).toMatch(/^not available: this question is closed/);
		await connector.leave();
		await operator.leave();
		await a.d.gateway.restart();
		expect((await a.get(fresh)).status).toBe(404);
	},
);

verifiesOn("ozzie", ["ask.page-refused"], "a form that the page did not make is refused", async () => {
	await using a = await secretQuestion();
	const status = async (init: RequestInit, url = a.url) => (await a.get(url, init)).status;
	const form = { method: "POST", body: new URLSearchParams({ value: "x" }) };
	for (const headers of [
		{ "x-forwarded-for": "203.0.113.7" },
		{ origin: "https://evil.example" },
		{ origin: "null" },
		{ origin: "null", "sec-fetch-site": "cross-site" },
		{ "sec-fetch-site": "cross-site" },
		{ "sec-fetch-site": "same-site" },
		{ "sec-fetch-dest": "iframe" },
	])
		expect([headers, await status({ ...form, headers })]).toEqual([headers, 403]);
	expect(await status({ headers: { "x-forwarded-for": "203.0.113.7" } })).toBe(403);
	expect(await status({ headers: { "sec-fetch-dest": "image" } })).toBe(403);
	expect(await status({ headers: { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" } })).toBe(
		200,
	);
	expect(await status({ method: "PUT", body: "x" })).toBe(405);
	expect(await status({ method: "POST", body: '{"value":"x"}' })).toBe(415);
	const large = new URLSearchParams({ value: "x".repeat(70_000) });
	expect(await status({ method: "POST", body: large })).toBe(413);
	const long = new URLSearchParams({ value: "x".repeat(4_097) });
	expect(await status({ method: "POST", body: long })).toBe(400);
	const guess = `${publicUrl}/secret/${"x".repeat(43)}`;
	for (let n = 0; n < 10; n++) expect(await status({}, guess)).toBe(404);
	expect(await status({}, guess)).toBe(429);
	// Wrong guesses do not block a visitor with a valid page address.
	expect(await status(form)).toBe(200);
});

verifiesOn("ozzie", ["ask.page-refused"], "without a public address there are no pages", async () => {
	await using d = await discordConnector({ ada: "member" });
	await d.connector.call("open_session", as("ada"));
	await d.connector.call("send_message", { content: "secret: Key?", ...as("ada") });
	const { token } = (await d.connector.event("prompt.request")).payload;
	expect(await d.connector.refusal("secret_page", { token, ...as("ada") })).toBe(
		"not available: browsers cannot reach this gateway, because publicUrl is not set; answer with parley answer",
	);
	expect((await fetch(`${d.gateway.url}/secret/${"x".repeat(43)}`)).status).toBe(401);
});
