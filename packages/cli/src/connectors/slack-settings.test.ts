import { expect, test } from "vitest";
import { slackSettings, trySlackSettings } from "./slack-settings.ts";

const [SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET] = ["xoxb-1", "xapp-1", "secret"];

test("uses sockets with an app token, and HTTP with a signing secret", () => {
	const sockets = { environment: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } };
	expect(slackSettings(sockets, {})).toEqual({ botToken: "xoxb-1", transport: { appToken: "xapp-1" } });
	const http = { environment: { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET } };
	const listen = { host: "127.0.0.1", port: 3000 };
	expect(slackSettings(http, { slack: { listen } }).transport).toEqual({ signingSecret: "secret", listen });
});

test.each([
	["127.0.0.1:80", "127.0.0.1", 80],
	["[::1]:0", "::1", 0],
	["chat.example.com:3000", "chat.example.com", 3000],
])("uses HTTP at --listen %s also with an app token", (text, host, port) => {
	const io = { environment: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } };
	expect(slackSettings(io, {}, text).transport).toEqual({ signingSecret: "secret", listen: { host, port } });
});

test.each([
	["no bot token", {}, undefined, "SLACK_BOT_TOKEN is not set"],
	["blanks for one", { SLACK_BOT_TOKEN: " " }, undefined, "SLACK_BOT_TOKEN is not set"],
	["another kind of token", { SLACK_BOT_TOKEN: "xoxp-1", SLACK_APP_TOKEN }, undefined, "begins with xoxb-"],
	["no way in", { SLACK_BOT_TOKEN }, undefined, "SLACK_APP_TOKEN (or SLACK_SIGNING_SECRET) is not set"],
	["the bot's token twice", { SLACK_BOT_TOKEN, SLACK_APP_TOKEN: "xoxb-1" }, undefined, "begins with xapp-"],
	["HTTP without a place", { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, undefined, "--listen 127.0.0.1:3000"],
	[
		"a place without a secret",
		{ SLACK_BOT_TOKEN, SLACK_APP_TOKEN },
		":3000",
		"SLACK_SIGNING_SECRET is not set",
	],
	[
		"a place that is none",
		{ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET },
		"3000",
		"--listen 3000 is not an address",
	],
	["a port that is none", { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, "a:70000", "is not an address"],
])("rejects %s and names the required setting", (_, environment, listen, words) => {
	expect(() => slackSettings({ environment }, {}, listen)).toThrow(words);
});

test.each([
	["nothing", {}, undefined, { token: "SLACK_BOT_TOKEN is not set", transport: "SLACK_APP_TOKEN" }],
	[
		"tokens that were swapped",
		{ SLACK_BOT_TOKEN: "xapp-1", SLACK_APP_TOKEN: "xoxb-1" },
		undefined,
		{ token: "begins with xoxb-", transport: "begins with xapp-" },
	],
	["no place", { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, undefined, { transport: "address to listen on" }],
	["no secret", { SLACK_BOT_TOKEN, SLACK_APP_TOKEN }, "a:1", { transport: "SLACK_SIGNING_SECRET" }],
])("returns errors and valid settings with %s set", (name, environment, listen, wrong) => {
	const found = trySlackSettings({ environment }, {}, listen);
	const words = Object.entries(wrong).map(([check, what]) => [
		check,
		expect.objectContaining({ what: expect.stringContaining(what) }),
	]);
	expect(found.wrong).toEqual(Object.fromEntries(words));
	expect(found.botToken !== undefined).toBe(!("token" in wrong));
	expect(found.transport).toBeUndefined();
	expect(found.isHttp).toBe(["no place", "no secret"].includes(name));
});

test.each([
	["two tokens", { SLACK_BOT_TOKEN, SLACK_APP_TOKEN }, undefined],
	["all", { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET }, undefined],
	["all, and --listen,", { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET }, "a:1"],
])("uses the transport of the connector with %s set", (_, environment, listen) => {
	const { isHttp, ...found } = trySlackSettings({ environment }, {}, listen);
	expect(found).toEqual({ ...slackSettings({ environment }, {}, listen), wrong: {} });
	expect(isHttp).toBe(listen !== undefined);
});

test("returns a specific hint as the fix", () => {
	const io = { environment: { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET } };
	expect(trySlackSettings(io, {}).wrong.transport?.fix).toContain("--listen 127.0.0.1:3000");
	expect(trySlackSettings({ environment: {} }, {}).wrong.token).not.toHaveProperty("fix");
});
