import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemPath } from "../packages/packed.ts";
import { Simulator } from "../simulators/discord/platform/simulator.ts";
import { DiscordServer } from "../simulators/discord/server.ts";
import type { SlackServer } from "../simulators/slack/server.ts";
import { Setup } from "../terminal/setup.ts";
import { startSlack } from "../terminal/slack-setup.ts";
import { PlayedBlock } from "./played-block.ts";
import { type Change, documented } from "./shell-blocks.ts";

const clone = fileURLToPath(new URL("../..", import.meta.url));
const names = { discord: "Discord", slack: "Slack" } as const;
type Platform = keyof typeof names;
let setup: Setup;
let discord: DiscordServer;
let slack: SlackServer;

beforeAll(async () => {
	[setup, discord, slack] = await Promise.all([
		Setup.open(),
		DiscordServer.start(new Simulator({ settings: { buckets: {} } })),
		startSlack(),
	]);
});
afterAll(async () => {
	await setup.close();
	await Promise.all([discord.close(), slack.close()]);
});

function dataOf(name: string): string {
	const data = join(setup.root, name);
	mkdirSync(data, { mode: 0o700 });
	const { apiUrl, cdnUrl } = discord;
	const settings = { discord: { apiUrl, cdnUrl }, slack: { apiUrl: slack.apiUrl } };
	writeFileSync(join(data, "parley.config.json"), JSON.stringify(settings), { mode: 0o600 });
	return data;
}

function play(
	key: string,
	changes: readonly Change[],
	variables: Readonly<Record<string, string>>,
): PlayedBlock {
	const { PATH: _, ...environment } = setup.environment;
	const PATH = [join(clone, "bin"), dirname(process.execPath), ...systemPath].join(delimiter);
	const env = {
		...environment,
		PATH,
		npm_config_update_notifier: "false",
		PARLEY_LOG_LEVEL: "info",
		...variables,
	};
	return new PlayedBlock(documented(key, changes), { cwd: clone, env });
}

async function starts(key: string, platform: Platform, changes: readonly Change[]): Promise<void> {
	const variables = { PARLEY_DATA: dataOf(`${platform}-start`), PARLEY_LISTEN: "127.0.0.1:0" };
	await using block = play(key, changes, variables);
	await block.shows(`${names[platform]} is ready`);
	block.interrupt();
	expect(await block.ended()).toContain("parley listening on ");
}

async function connects(
	key: string,
	platform: Platform,
	tokens: Readonly<Record<string, string>>,
): Promise<void> {
	const create = `parley token create connector ${platform} --platform ${platform} `;
	// A connector on another machine has its own data directory.
	const data = dataOf(`${platform}-elsewhere`);
	const changes: Change[] = [
		[create, `TOKEN=$(${create})`],
		["PARLEY_TOKEN=gw_connector_…", `PARLEY_DATA='${data}' PARLEY_TOKEN="$TOKEN"`],
		["https://parley.example", `http://127.0.0.1:${setup.gateway.port}`],
	];
	await using block = play(key, changes, tokens);
	await block.shows(`${names[platform]} is ready`);
	block.interrupt();
	await block.ended();
}

test("discord: the token starts the connector, and a connector on another machine uses its own token", async () => {
	const { token } = discord.simulator;
	await starts("discord: export DISCORD_TOKEN=YOUR-TOKEN", "discord", [["YOUR-TOKEN", token]]);
	const key = "discord: parley token create connector discord --platform discord";
	await connects(key, "discord", { DISCORD_TOKEN: token });
});

test("slack: the tokens start the connector, and a connector on another machine uses its own token", async () => {
	const { token, appToken } = slack.simulator;
	await starts("slack: export SLACK_BOT_TOKEN=xoxb-YOUR-TOKEN SLACK_APP_TOKEN=xapp-YOUR-TOKEN", "slack", [
		["xoxb-YOUR-TOKEN", token],
		["xapp-YOUR-TOKEN", appToken],
	]);
	const key = "slack: parley token create connector slack --platform slack";
	await connects(key, "slack", { SLACK_BOT_TOKEN: token, SLACK_APP_TOKEN: appToken });
});
