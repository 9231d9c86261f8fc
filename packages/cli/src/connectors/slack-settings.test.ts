import { expect, test } from "vitest";
import { slackSettings } from "./slack-settings.ts";

const [SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET] = ["xoxb-1", "xapp-1", "secret"];

test("with an app token it is sockets, with a signing secret it is HTTP", () => {
	const sockets = { environment: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } };
	expect(slackSettings(sockets, {})).toEqual({ botToken: "xoxb-1", entrance: { appToken: "xapp-1" } });
	const http = { environment: { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET } };
	const listen = { host: "127.0.0.1", port: 3000 };
	expect(slackSettings(http, { slack: { listen } }).entrance).toEqual({ signingSecret: "secret", listen });
});

test.each([
	["127.0.0.1:80", "127.0.0.1", 80],
	["[::1]:0", "::1", 0],
	["chat.example.com:3000", "chat.example.com", 3000],
])("--listen %s says where, and that it is HTTP although there is an app token", (text, host, port) => {
	const io = { environment: { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET } };
	expect(slackSettings(io, {}, text).entrance).toEqual({ signingSecret: "secret", listen: { host, port } });
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
	["a place that is none", { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, "3000", "--listen 3000 is no address"],
	["a port that is none", { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET }, "a:70000", "is no address"],
])("%s: it says what to set", (_, environment, listen, words) => {
	expect(() => slackSettings({ environment }, {}, listen)).toThrow(words);
});
