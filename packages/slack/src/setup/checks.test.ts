import { silentLogger } from "@parley/base";
import { ManualClock } from "@parley/base/testing";
import { commandTable, type Finding } from "@parley/connector";
import { expect, test } from "vitest";
import { scopes } from "../vocabulary/needs.ts";
import type { SlackAnswer } from "../vocabulary/slack-port.ts";
import { examineSlack, runCheck, type SlackChecks } from "./checks.ts";
import { openChecks } from "./open-checks.ts";
import { setupSteps } from "./setup-steps.ts";

type Answers = Readonly<Record<string, SlackAnswer>>;

const ok = (body: Readonly<Record<string, unknown>>): SlackAnswer => ({ type: "ok", body });
const refused = (error: string, body = {}): SlackAnswer => ({ type: "refused", error, body });

const allAnswers: Answers = {
	"auth.test": ok({
		team_id: "T1",
		user_id: "U1",
		bot_id: "B1",
		user: "parley",
		url: "https://acme.slack.com/",
		response_metadata: { scopes: [...scopes] },
	}),
	"apps.connections.open": ok({ url: "wss://example.com" }),
	"users.conversations": ok({ channels: [{ id: "C1" }] }),
	"conversations.history": ok({ messages: Array.from({ length: 16 }), has_more: true }),
};

function looking(answers: Answers = {}, changed: Partial<SlackChecks> = {}): SlackChecks {
	const clock = new ManualClock();
	const all = { ...allAnswers, ...answers };
	const api = { call: async ({ method }: { method: string }) => all[method] ?? refused("unknown_method") };
	return { bot: api, app: api, theirTime: async () => clock.now(), clock, shapes: commandTable, ...changed };
}

const all = (parts: SlackChecks): Promise<Finding[]> => Array.fromAsync(examineSlack(parts));

test("without problems, every check reports ok", async () => {
	const findings = await all(looking());
	expect(findings.map(({ id, status }) => `${id} ${status}`)).toEqual([
		...["slack-token ok", "slack-scopes ok", "slack-transport ok", "slack-clock ok", "slack-rooms ok"],
		"slack-limits ok",
	]);
});

test("without a valid token, no other check runs", async () => {
	const findings = await all(looking({ "auth.test": refused("invalid_auth") }));
	expect(findings).toEqual([
		{ id: "slack-token", status: "fail", what: expect.any(String), fix: expect.stringContaining("xoxb-") },
	]);
});

test("missing scopes are reported with their purpose", async () => {
	const answer = ok({
		response_metadata: { scopes: [...scopes].filter((one) => one !== "files:read") },
	});
	const finding = await runCheck("scopes", looking({ "auth.test": answer }));
	expect(finding).toMatchObject({
		status: "fail",
		what: expect.stringContaining("files:read (read attached files"),
	});
});

test("scopes beyond the manifest are a warning, and missing scopes come first", async () => {
	const granted = (names: readonly string[]) => ok({ response_metadata: { scopes: names } });
	const more = [...[...scopes], "admin.users:write", "files:write.all"];
	const finding = await runCheck("scopes", looking({ "auth.test": granted(more) }));
	expect(finding).toMatchObject({
		status: "warn",
		what: "the bot has scopes that it does not need: admin.users:write, files:write.all",
		fix: expect.stringContaining("parley slack manifest"),
	});
	const other = granted(["admin.users:write", ...[...scopes].slice(1)]);
	expect(await runCheck("scopes", looking({ "auth.test": other }))).toMatchObject({ status: "fail" });
});

test("an unsuitable app token is reported before the wait", async () => {
	const { app: _app, ...without } = looking();
	expect(await runCheck("transport", without)).toMatchObject({
		status: "fail",
		fix: expect.stringContaining("connections:write"),
	});
	const wrong = looking({ "apps.connections.open": refused("missing_scope") });
	expect(await runCheck("transport", wrong)).toMatchObject({ status: "fail" });
});

test("an error in the settings is reported without a request to Slack", async () => {
	const api = { call: () => Promise.reject(new Error("nothing is asked")) };
	const token = { what: "SLACK_BOT_TOKEN is not set" };
	expect(await all(looking({}, { bot: api, wrong: { token } }))).toEqual([
		{ id: "slack-token", status: "fail", ...token, fix: expect.stringContaining("OAuth & Permissions") },
	]);
	const transport = { what: "SLACK_SIGNING_SECRET is not set" };
	expect(await runCheck("transport", looking({}, { app: api, http: {}, wrong: { transport } }))).toEqual({
		id: "slack-transport",
		status: "fail",
		...transport,
		fix: expect.stringMatching(/SLACK_SIGNING_SECRET.*--listen/),
	});
	const own = { what: "--listen here is no address", fix: "write HOST:PORT" };
	expect(await runCheck("transport", looking({}, { http: {}, wrong: { transport: own } }))).toMatchObject(
		own,
	);
	const [first] = setupSteps({
		...looking({}, { bot: api, wrong: { token } }),
		answered: async () => undefined,
		patienceMs: 1000,
	});
	expect(await first?.check(new AbortController().signal)).toMatchObject([token]);
});

test.each([
	["connector", "ok", 'press "Retry"'],
	["another-secret", "fail", "SLACK_SIGNING_SECRET"],
	["another", "fail", "--listen"],
	["nobody", "warn", "parley slack --listen 127.0.0.1:3000"],
	["unknown", "warn", "--listen"],
] as const)("over HTTP, %s at the address is %s", async (by, status, fix) => {
	const { app: _app, ...parts } = looking();
	const http = { probe: async () => ({ at: "127.0.0.1:3000", by }) };
	const finding = await runCheck("transport", { ...parts, http });
	expect(finding).toMatchObject({ status, what: expect.stringContaining("127.0.0.1:3000") });
	expect(finding.fix).toContain(fix);
	expect(finding.fix).not.toContain("SLACK_APP_TOKEN");
});

test.each([
	["not_allowed_token_type", {}, "an app token (xapp-) as SLACK_APP_TOKEN"],
	["missing_scope", { needed: "connections:write" }, 'the app token lacks the scope "connections:write"'],
	["missing_scope", {}, 'with the scope "connections:write"'],
	["socket_mode_disabled", {}, "switch on Socket Mode"],
])("if Slack refuses sockets with %s %j, the finding has the fix", async (error, body, words) => {
	const finding = await runCheck("transport", looking({ "apps.connections.open": refused(error, body) }));
	expect(finding).toMatchObject({ status: "fail", what: expect.stringContaining(words) });
	expect(finding.fix).toContain("settings of the app are on");
});

test("a scope that a method of the bot needs is named as Slack names it", async () => {
	const answer = refused("missing_scope", { needed: "channels:read" });
	expect(await runCheck("rooms", looking({ "users.conversations": answer }))).toMatchObject({
		status: "fail",
		what: expect.stringContaining('the bot token lacks the scope "channels:read"'),
	});
});

test.each([
	["more than a sold app gets", ok({ messages: Array.from({ length: 16 }) }), "ok", "50 history requests"],
	[
		"what a sold app gets",
		ok({ messages: Array.from({ length: 15 }), has_more: true }),
		"warn",
		"one history request",
	],
	["a short channel", ok({ messages: Array.from({ length: 15 }), has_more: false }), "warn", "not checked"],
	["nothing", { type: "rate-limited", retryAfterMs: 60_000 } as const, "warn", "not checked"],
])(
	"if Slack returns %s of a history, the finding names the kind of app",
	async (_, answer, status, words) => {
		const finding = await runCheck("limits", looking({ "conversations.history": answer }));
		expect(finding).toMatchObject({ id: "slack-limits", status, what: expect.stringContaining(words) });
		if (words === "not checked") expect(finding.fix).toContain("Manage Distribution");
	},
);

test.each([
	[10_000, "ok"],
	[60_000, "warn"],
	[400_000, "fail"],
])("a clock that is %i ms off is %s", async (off, status) => {
	const parts = looking();
	const theirTime = async (): Promise<number> => parts.clock.now() + off;
	expect(await runCheck("clock", { ...parts, theirTime })).toMatchObject({ status });
});

test("an uninvited bot gets the instruction", async () => {
	expect(await runCheck("rooms", looking({ "users.conversations": ok({ channels: [] }) }))).toMatchObject({
		status: "warn",
		fix: expect.stringContaining("/invite"),
	});
});

test("with more channels than are read, their number is a minimum", async () => {
	const page = (channels: number, next_cursor: string) => {
		const body = {
			channels: Array.from({ length: channels }, () => ({})),
			response_metadata: { next_cursor },
		};
		return looking({ "users.conversations": ok(body) });
	};
	for (const [channels, cursor, words] of [
		[200, "more", "at least 200 channels"],
		[0, "more", "at least 1 channel"],
		[200, "", "in 200 channels"],
		[1, "", "in 1 channel"],
	] as const) {
		const { status, what } = await runCheck("rooms", page(channels, cursor));
		expect([status, what.endsWith(words)]).toEqual(["ok", true]);
	}
});

test("a failed check is a finding with advice", async () => {
	const limited: SlackAnswer = { type: "rate-limited", retryAfterMs: 30_000 };
	expect(await runCheck("rooms", looking({ "users.conversations": limited }))).toMatchObject({
		status: "fail",
		what: expect.stringContaining("30 seconds"),
		fix: "wait, and try again",
	});
	const away = { call: () => Promise.reject(new Error("no network")) };
	expect(await runCheck("token", looking({}, { bot: away }))).toMatchObject({ status: "fail" });
});

test("the steps of a setup end with an answer, and the first explains how to create the app", async () => {
	const parts = { ...looking(), answered: async () => undefined, patienceMs: 1000 };
	const steps = setupSteps(parts);
	expect(steps.map(({ id }) => id)).toEqual(["token", "transport", "rooms", "answer"]);
	const { signal } = new AbortController();
	for (const step of steps) {
		expect((await step.check(signal)).every(({ status }) => status === "ok")).toBe(true);
	}
	expect(steps[0]?.todo).toContain("parley slack manifest");
	const [overHttp] = setupSteps({ ...parts, http: {} });
	expect(overHttp?.todo).toContain("--public-url");
	expect(setupSteps({ ...parts, http: {} })[1]?.todo).toContain('press "Retry"');
});

test("the last step waits for its time, and has an instruction", async () => {
	const parts = { ...looking(), answered: () => new Promise<void>(() => undefined), patienceMs: 1000 };
	const last = setupSteps(parts).at(-1);
	const checking = last?.check(new AbortController().signal);
	(parts.clock as ManualClock).advance(1000);
	expect(await checking).toMatchObject([{ status: "fail", fix: expect.stringContaining("mention the bot") }]);
});

test("checks make one request each, and an unused address is a finding", async () => {
	const parts = openChecks({
		botToken: "xoxb-1",
		appToken: "xapp-1",
		apiUrl: "http://127.0.0.1:9/api/",
		clock: new ManualClock(),
		log: silentLogger,
	});
	expect(await runCheck("token", parts)).toMatchObject({
		status: "fail",
		what: expect.stringContaining("auth.test"),
	});
	expect(await runCheck("clock", parts)).toMatchObject({
		status: "fail",
		what: "Slack did not answer api.test",
		fix: expect.stringContaining("slack-status.com"),
	});
});
