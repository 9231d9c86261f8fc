import { once } from "node:events";
import { createServer } from "node:net";
import { commandTable } from "@parley/connector";
import { manifestOf } from "@parley/slack";
import { expect, test as plainTest } from "vitest";
import { documentedArguments } from "../docs/shell-blocks.ts";
import { SlackSetup } from "./slack-setup.ts";

const test = plainTest.extend<{ slack: SlackSetup }>({
	slack: [
		// biome-ignore lint/correctness/noEmptyPattern: a fixture without other fixtures has an empty pattern
		async ({}, use) => {
			await using setup = await SlackSetup.open();
			await use(setup);
		},
		{ scope: "file" },
	],
});

test("help lists the commands, and manifest prints a complete app", async ({ slack }) => {
	const [help, manifest] = await Promise.all([slack.pipe(["--help"]), slack.pipe(["manifest"])]);
	expect(help).toMatchObject({ code: 0, error: "" });
	for (const name of ["setup", "doctor", "manifest", "posts", "SLACK_BOT_TOKEN", "--listen"]) {
		expect(help.out).toContain(name);
	}
	const expected = JSON.parse(manifest.out);
	expect(expected).toEqual(manifestOf({ shapes: commandTable }));
	const installed = structuredClone(expected);
	installed.oauth_config.scopes.bot = ["admin", ...installed.oauth_config.scopes.bot.slice(1)];
	installed.settings.socket_mode_enabled = false;
	const file = slack.writes("installed.json", installed);
	const [same, diff] = await Promise.all([
		slack.pipe(["manifest", "--diff", "-"], {}, manifest.out),
		slack.pipe(["manifest", "--diff", file]),
	]);
	expect(same).toEqual({ code: 0, error: "", out: "the app matches the manifest\n" });
	const scopes = "+ oauth_config.scopes.bot: app_mentions:read\n- oauth_config.scopes.bot: admin";
	expect(diff).toEqual({
		code: 1,
		error: "",
		out: `${scopes}\n~ settings.socket_mode_enabled: false → true\n`,
	});
});

test("unreadable manifests and unusable addresses are refused with advice", async ({ slack }) => {
	const [broken, none, open, ...long] = await Promise.all([
		slack.pipe(["manifest", "--diff", "-"], {}, "_metadata:"),
		slack.pipe(["manifest", "--diff", "-"], {}, "null"),
		slack.pipe(["manifest", "--public-url", "http://chat.example.com"]),
		slack.pipe(["manifest", "--public-url", "https://chat.example.com/slack/events?x=1"]),
		slack.pipe(["manifest", "--public-url", "https://chat.example.com?"]),
	]);
	expect(broken).toMatchObject({ code: 2, out: "", error: expect.stringContaining("App Manifest") });
	expect(none).toMatchObject({
		code: 2,
		out: "",
		error: expect.stringContaining("is not an app manifest"),
	});
	expect(open).toMatchObject({ code: 2, out: "", error: expect.stringContaining("is not an https address") });
	const host = expect.stringContaining("use https://chat.example.com: the connector adds /slack/events");
	for (const end of long) expect(end).toMatchObject({ code: 2, out: "", error: host });
});

test("doctor checks the app in Slack, and prints no token", async ({ slack }) => {
	slack.simulator.channel("general");
	const { SLACK_BOT_TOKEN = "", SLACK_APP_TOKEN = "" } = slack.tokens;
	const wrong = "xoxb-wrong-wrong-wrong";
	const [well, deaf, refused] = await Promise.all([
		slack.pipe(["doctor", "--json"], slack.tokens),
		slack.pipe(["doctor"], { SLACK_BOT_TOKEN }),
		slack.pipe(["doctor"], { SLACK_BOT_TOKEN: wrong, SLACK_APP_TOKEN }),
	]);
	const findings: { id: string; status: string }[] = JSON.parse(well.out);
	expect(findings.map(({ id, status }) => `${id} ${status}`)).toEqual([
		...["slack-token ok", "slack-scopes ok", "slack-transport ok", "slack-clock ok", "slack-rooms ok"],
		...["slack-limits warn", "slack-connector warn"],
	]);
	expect(well).toMatchObject({ code: 0, error: "" });
	expect(deaf.out).toMatch(/^FAIL +slack-transport +.*\n.*set SLACK_APP_TOKEN to it$/m);
	expect(refused.out).toMatch(/^FAIL +slack-token +.*invalid_auth.*\n.*xoxb- from/m);
	expect([deaf.code, refused.code]).toEqual([1, 1]);
	expect(refused.out).not.toContain("slack-scopes");
	for (const token of [SLACK_BOT_TOKEN, SLACK_APP_TOKEN, wrong]) {
		for (const { out } of [well, deaf, refused]) expect(out).not.toContain(token);
	}
});

test("doctor names missing settings without a request to Slack, and checks the transport of the connector", async ({
	slack,
}) => {
	const { SLACK_BOT_TOKEN = "", SLACK_APP_TOKEN = "" } = slack.tokens;
	const both = { SLACK_BOT_TOKEN, SLACK_APP_TOKEN, SLACK_SIGNING_SECRET: "secret-secret" };
	const [none, swapped, http, homeless] = await Promise.all([
		slack.pipe(["doctor"]),
		slack.pipe(["doctor"], { SLACK_BOT_TOKEN: SLACK_APP_TOKEN, SLACK_APP_TOKEN: SLACK_BOT_TOKEN }),
		slack.pipe(["doctor", "--listen", "127.0.0.1:9"], both),
		slack.pipe(["doctor"], { SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET: "secret-secret" }),
	]);
	expect(none.out).toMatch(/^FAIL +slack-token +SLACK_BOT_TOKEN is not set$/m);
	expect(swapped.out).toMatch(/^FAIL +slack-token +SLACK_BOT_TOKEN is not a bot token/m);
	expect(http.out).toMatch(
		/^warn +slack-transport +no server answers at 127\.0\.0\.1:9.*\n.*SLACK_SIGNING_SECRET.*--listen/m,
	);
	expect(http.out).toMatch(/slack-connector .*\n.*SLACK_SIGNING_SECRET and slack\.listen/);
	expect(http.out).not.toContain("SLACK_APP_TOKEN");
	expect(homeless.out).toMatch(/^FAIL +slack-transport +.*requires an address to listen on\n.*--listen 127/m);
	expect([none.code, swapped.code, http.code, homeless.code]).toEqual([1, 1, 0, 1]);
});

test("setup starts without a token, and ends at a failed step that cannot be fixed immediately", async ({
	slack,
}) => {
	const { SLACK_BOT_TOKEN = "" } = slack.tokens;
	const [without, half] = await Promise.all([
		slack.pipe(["setup"]),
		slack.pipe(["setup"], { SLACK_BOT_TOKEN }),
	]);
	expect(without).toMatchObject({ code: 1, error: "" });
	expect(without.out).toMatch(/1\/4 {2}Create the app\n.*parley slack manifest.*\n.*export SLACK_BOT_TOKEN=/);
	expect(half).toMatchObject({ code: 1, error: "" });
	expect(half.out).toMatch(
		/ok +slack-scopes[\s\S]*2\/4 {2}Let it receive messages[\s\S]*FAIL +slack-transport/,
	);
	expect(half.out).not.toContain("3/4");
});

test("setup asks for missing steps, checks again on Enter, and ends with an answer", async () => {
	await using slack = await SlackSetup.withGateway();
	const { simulator } = slack;
	const [general, anna] = [simulator.home.channel("general", { withoutApp: true }), simulator.member("Anna")];
	const { app } = simulator.state;
	const { scopes } = app;
	app.scopes = new Set([...scopes].filter((scope) => scope !== "chat:write"));
	const setup = slack.run(...documentedArguments("slack: parley slack setup"));
	await setup.shows("Press Enter to check again, or Ctrl-C to stop.");
	expect(setup.text).toContain('press "Create New App" and then "From a');
	expect(setup.text).toContain("the bot lacks scopes: chat:write");
	expect(setup.text).not.toContain("2/4");
	app.scopes = scopes;
	setup.type("\r");
	await setup.shows("3/4");
	expect(setup.text).toContain("the connector can open sockets to Slack");
	general.joins();
	await setup.shows("/parley pair ");
	expect(setup.text).toContain("the bot is in 1 channel");
	const [, code = ""] = /\/parley pair ([A-Z0-9]+) to become/.exec(setup.text) ?? [];
	anna.commands(`/parley pair ${code}`, {}, { in: general });
	await slack.shows(() => general.transcript(anna), "Your role here is owner");
	anna.says("hello", { in: general, mentions: [simulator.bot] });
	await setup.shows("Setup complete.");
	expect(await setup.ended()).toBe(0);
	expect(general.transcript()).toContain("Hello! I am the offline model");
});

test("setup over HTTP runs a connector at the given address, and explains how to point Slack to it", async () => {
	await using slack = await SlackSetup.withGateway();
	slack.simulator.home.channel("general");
	slack.settings["SLACK_SIGNING_SECRET"] = "8f742231b10e8888abcd99yyyzzz85a5";
	const port = await freePort();
	const setup = slack.run("slack", "setup", "--listen", `127.0.0.1:${port}`);
	await setup.shows("4/4");
	expect(setup.text).toContain(`the connector answers at 127.0.0.1:${port}`);
	expect(setup.text).toContain('press "Retry"');
	expect(slack.server.sockets.opened).toBe(0);
	setup.type("\u0003");
	expect(await setup.ended()).toBe(130);
});

test("missing tokens and tokens of another kind are reported before any connection", async ({ slack }) => {
	const { SLACK_BOT_TOKEN = "" } = slack.tokens;
	const rows: [args: string[], tokens: Record<string, string>, words: string][] = [
		[[], {}, "SLACK_BOT_TOKEN is not set\n`parley slack setup`"],
		[
			["--listen", "here"],
			{ SLACK_BOT_TOKEN, SLACK_SIGNING_SECRET: "secret" },
			"--listen here is not an address",
		],
	];
	const ends = await Promise.all(rows.map(([args, tokens]) => slack.pipe(args, tokens)));
	for (const [index, [, , words]] of rows.entries()) {
		expect(ends[index]).toEqual({ code: 2, out: "", error: expect.stringContaining(words) });
	}
	expect(slack.server.sockets.opened).toBe(0);
});

async function freePort(): Promise<number> {
	const server = createServer().listen(0, "127.0.0.1");
	await once(server, "listening");
	const address = server.address();
	server.close();
	await once(server, "close");
	if (typeof address !== "object" || address === null) throw new Error("the server has no port");
	return address.port;
}
