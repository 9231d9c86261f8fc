import { spawn } from "node:child_process";
import { once } from "node:events";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { binary } from "../gateway-process.ts";
import { Simulator } from "../simulators/discord/platform/simulator.ts";
import { DiscordServer } from "../simulators/discord/server.ts";
import type { SlackServer } from "../simulators/slack/server.ts";
import { Watch } from "../watch.ts";
import { Screen } from "./screen.ts";
import { startSlack } from "./slack-setup.ts";

const root = realpathSync(mkdtempSync("/tmp/parley-chats-"));
const shop = join(root, "shop");
const data = join(root, "data");
const env = {
	PATH: process.env["PATH"] ?? "",
	HOME: root,
	NO_COLOR: "1",
	PARLEY_DATA: data,
	PARLEY_SANDBOX: "off",
	PARLEY_LISTEN: "127.0.0.1:0",
};
const down = "\u001b[B";
const changes = new Watch();
const screens: Screen[] = [];
let discord: DiscordServer;
let slack: SlackServer;

beforeAll(async () => {
	discord = await DiscordServer.start(new Simulator({ settings: { buckets: {} } }));
	slack = await startSlack();
	// A request is complete only after these callbacks have returned.
	discord.simulator.network.each(() => void setImmediate(() => changes.notify()));
	slack.listen(() => void setImmediate(() => changes.notify()));
	for (const folder of [shop, data]) mkdirSync(folder, { mode: 0o700 });
	const { apiUrl, cdnUrl } = discord;
	const settings = { discord: { apiUrl, cdnUrl }, slack: { apiUrl: slack.apiUrl } };
	writeFileSync(join(data, "parley.config.json"), JSON.stringify(settings), { mode: 0o600 });
});

afterAll(async () => {
	for (const screen of screens) screen.close();
	await parley("stop").ended();
	await discord.close();
	await slack.close();
	rmSync(root, { recursive: true, force: true });
});

function parley(...args: readonly string[]): Screen {
	const screen = new Screen({ args, cwd: shop, env });
	screens.push(screen);
	return screen;
}

test("one run of the wizard connects Discord and then Slack, step by step, each until the bot answers", async () => {
	const wizard = parley("setup", "--provider", "offline", "--project", shop, "--sandbox", "preferred");
	await wizard.shows("Set up Discord now?");
	wizard.type(`${down}\r`);
	await wizard.shows("DISCORD_TOKEN (hidden");
	wizard.type(`${discord.simulator.token}\r`);
	await wizard.shows("stored DISCORD_TOKEN");
	await playDiscord(wizard);
	await wizard.shows("Set up Slack now?");
	wizard.type(`${down}\r`);
	await wizard.shows("SLACK_BOT_TOKEN (hidden");
	wizard.type(`${slack.simulator.token}\r`);
	await wizard.shows("SLACK_APP_TOKEN (hidden");
	wizard.type(`${slack.simulator.appToken}\r`);
	await wizard.shows("stored SLACK_APP_TOKEN");
	await playSlack(wizard);
	await wizard.shows("Start the gateway at boot");
	wizard.type("\r");
	expect(await wizard.ended()).toBe(0);
	expect(wizard.text).toMatch(/Discord\s+connected\s+Slack\s+connected\s+Service\s+skipped/);
	const { token, appToken } = slack.simulator;
	const file = join(data, "api-keys.json");
	for (const secret of [discord.simulator.token, token, appToken]) {
		expect(wizard.received).not.toContain(secret);
		expect(readFileSync(file, "utf8")).toContain(secret);
	}
	expect(statSync(file).mode & 0o777).toBe(0o600);
});

test("the next start of the wizard continues at the Discord step if it was stopped there", async () => {
	const flags = ["--provider", "offline", "--project", shop, "--sandbox", "preferred"];
	const first = parley("setup", "--restart", ...flags);
	await first.shows("Set up Discord now?");
	first.type(`${down}\r`);
	await first.shows("DISCORD_TOKEN (hidden");
	first.type("\r");
	await first.shows("mention the bot");
	first.type("\u0003");
	expect(await first.ended()).toBe(130);
	expect(first.text).toContain("Stopped at the step “Discord”");
	const second = parley("setup", ...flags);
	await second.shows("Complete: Model, Directory and permissions");
	await second.shows("Set up Discord now?");
	second.type("\u0003");
	expect(await second.ended()).toBe(130);
});

test("with --yes, the tokens of Slack are stored without a terminal, and later commands use them", async () => {
	const { token, appToken } = slack.simulator;
	const script = join(root, "script");
	mkdirSync(script, { mode: 0o700 });
	const settings = { slack: { apiUrl: slack.apiUrl } };
	writeFileSync(join(script, "parley.config.json"), JSON.stringify(settings), { mode: 0o600 });
	const tokens = { SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken };
	const variables = { ...env, PARLEY_DATA: script };
	const setup = ["setup", "--yes", "--only", "slack"];
	const skipped = await piped([...setup], { ...variables, ...tokens });
	expect(skipped).toMatchObject({ status: 0, stderr: "" });
	expect(skipped.stdout).toMatch(/Slack +skipped/);
	expect(existsSync(join(script, "api-keys.json"))).toBe(false);
	const stored = await piped([...setup, "--slack"], { ...variables, ...tokens });
	expect(stored).toMatchObject({
		status: 0,
		stderr: "stored SLACK_BOT_TOKEN\nstored SLACK_APP_TOKEN\nContinue later with: parley slack setup\n",
	});
	expect(stored.stdout).toMatch(/Slack +tokens stored; not connected yet/);
	const file = join(script, "api-keys.json");
	expect(JSON.parse(readFileSync(file, "utf8"))).toEqual(tokens);
	expect(statSync(file).mode & 0o777).toBe(0o600);
	const doctor = await piped(["slack", "doctor", "--json"], variables);
	const findings: { id: string; status: string }[] = JSON.parse(doctor.stdout);
	expect(findings.map(({ id, status }) => `${id} ${status}`)).toEqual(
		expect.arrayContaining(["slack-token ok", "slack-scopes ok", "slack-transport ok"]),
	);
	const printed = [skipped, stored, doctor].map(({ stdout, stderr }) => stdout + stderr).join("");
	for (const secret of [token, appToken]) expect(printed).not.toContain(secret);
});

/**
 * Runs a command without a terminal, and returns its output and exit code. Must not block, because the simulators
 * run in this process.
 */
async function piped(args: readonly string[], variables: Readonly<Record<string, string>>) {
	const child = spawn(process.execPath, [binary, ...args], { cwd: shop, env: variables });
	child.stdin.end();
	const [stdout, stderr, [status]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { stdout, stderr, status };
}

async function playDiscord(wizard: Screen): Promise<void> {
	const { simulator } = discord;
	const [general, anna] = [simulator.channel("general"), simulator.member("Anna")];
	await wizard.shows("/pair ");
	const [, code = ""] = /\/pair ([A-Z0-9]+) to become/.exec(wizard.text) ?? [];
	anna.commands("/pair", { code }, { in: general });
	await shows(() => general.transcript(anna), "Your role here is owner");
	anna.says("hello", { in: general, mentions: [simulator.bot] });
	await wizard.shows("Setup complete.");
	expect(general.transcript()).toContain("Hello! I am the offline model");
}

async function playSlack(wizard: Screen): Promise<void> {
	const { simulator } = slack;
	const [general, anna] = [simulator.home.channel("general"), simulator.member("Anna")];
	await wizard.shows("/parley pair ");
	const [, code = ""] = /\/parley pair ([A-Z0-9]+) to become/.exec(wizard.text) ?? [];
	anna.commands(`/parley pair ${code}`, {}, { in: general });
	await shows(() => general.transcript(anna), "Your role here is owner");
	anna.says("hello", { in: general, mentions: [simulator.bot] });
	await wizard.shows("Start the gateway at boot");
	expect(general.transcript()).toContain("Hello! I am the offline model");
}

function shows(look: () => string, words: string): Promise<void> {
	return changes.until(`"${words}" is shown`, () => look().includes(words));
}
