import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { Setup } from "../terminal/setup.ts";
import { played } from "./block-tests.ts";
import { CommandHere } from "./command-here.ts";
import { PlayedBlock } from "./played-block.ts";
import { type Change, documented } from "./shell-blocks.ts";

/** Directory with the programs of MCP servers. */
const servers = fileURLToPath(new URL("../node_modules/.bin", import.meta.url));
let setup: Setup;
let command: CommandHere;
let shop: string;
let session: string;
/** Token of a connector for the Discord server 100. */
let connectorToken: string;

beforeAll(async () => {
	setup = await Setup.open();
	command = await CommandHere.open(join(setup.root, "command"), environment());
	shop = join(setup.work, "projects/shop");
	const notes = join(setup.root, "notes");
	for (const folder of [
		shop,
		join(setup.work, "projects/site"),
		join(setup.root, "backups"),
		join(setup.work, "fixtures"),
		notes,
	])
		mkdirSync(folder, { recursive: true });
	mkdirSync(join(setup.work, ".config/fish/completions"), { recursive: true });
	execFileSync("git", ["init", "--quiet"], { cwd: shop });
	write("agents/reviewer/agent.md", "You review changes.\n");
	write("skills/release-notes.md", skill("release-notes"));
	mkdirSync(join(shop, ".parley/skills"), { recursive: true });
	writeFileSync(join(shop, ".parley/skills/deploy.md"), skill("deploy"));
	writeFileSync(join(shop, ".mcp.json"), '{ "mcpServers": { "shop": { "command": "sh" } } }');
	const { stdout } = await run('parley ask --output-format json "say: milk"');
	({ session_id: session } = JSON.parse(stdout));
	const create = "parley token create connector play --platform discord --tenant 100";
	({ stdout: connectorToken } = await run(create));
	await run("parley slack manifest > installed.json");
});

afterAll(async () => {
	command.close();
	await setup.close();
});

test.each(Object.entries(played))("%s", async (key, changes) => {
	const own = (await preparations[key]?.()) ?? [];
	const { code, stdout, stderr } = await run(withValues(documented(key, [...changes, ...own])));
	expect(code, stdout + stderr).toBe(0);
});

test("troubleshooting: the last command follows the events of all sessions until Ctrl-C", async () => {
	const PATH = [fileURLToPath(new URL("../../bin", import.meta.url)), environment()["PATH"]].join(delimiter);
	const options = { cwd: shop, env: { ...environment(), PATH } };
	await using block = new PlayedBlock(documented("troubleshooting: parley doctor"), options);
	await block.shows("session.created");
	block.interrupt();
	expect(await block.ended()).toMatch(/versions.*offline.*session\.created/s);
});

/** Preparations by key of the block. Each returns the changes that insert the ids of this run. */
const preparations: Readonly<Record<string, () => Promise<readonly Change[]>>> = {
	"approvals: parley answer": async () => {
		await using client = await connect();
		await client.call("open_session", {});
		await client.call("send_message", { content: "choose: yes | no" });
		await client.event("prompt.request");
		const { stdout } = await run("parley answer");
		return [["7fd1k2", /^\w{6}(?= )/m.exec(stdout)?.[0] ?? ""]];
	},
	"approvals: parley trust list": async () => {
		await run("parley people role discord:100:ada member");
		await using client = await connect(connectorToken);
		await client.call("open_session", as("ada"));
		const request = { channel: "discord:100:200", reason: "release", ...as("ada") };
		await client.call("request_grant", request);
		const { stdout } = await run("parley trust list");
		return [["approve ID", `approve ${/^prompt_\w+/m.exec(stdout)?.[0]}`]];
	},
	"people: parley people": async () => {
		await using client = await connect(connectorToken);
		const { code: own } = await client.call("pair", as("300"));
		const { code: other } = await client.call("pair", as("eve"));
		return [
			["approve CODE", `approve ${String(own)}`],
			["deny CODE", `deny ${String(other)}`],
		];
	},
};

function as(user: string): object {
	return { actor: { id: user, name: user }, place: { tenant: "100", channel: "200" } };
}

function connect(token = readFileSync(join(setup.data, "tokens/operator"), "utf8")): Promise<OzzieClient> {
	const headers = { authorization: `Bearer ${token.trim()}` };
	return OzzieClient.connect(`http://127.0.0.1:${setup.gateway.port}`, { headers });
}

function withValues(script: string): string {
	const values = {
		"/backups": join(setup.root, "backups"),
		"/srv/notes": join(setup.root, "notes"),
		sess_np2y: session,
		GUILD: "100",
		CHANNEL: "200",
		USER: "300",
		"slack:TEAM": "slack:T1",
	};
	return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), script);
}

function environment(): NodeJS.ProcessEnv {
	const { environment: own } = setup;
	return { ...own, PATH: [servers, own["PATH"]].join(delimiter) };
}

async function run(script: string) {
	const PATH = [command.folder, dirname(process.execPath), environment()["PATH"]].join(delimiter);
	const env = { ...environment(), PATH };
	const child = spawn("sh", ["-euc", script], { cwd: shop, env, stdio: ["ignore", "pipe", "pipe"] });
	const [stdout, stderr, [code]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { stdout, stderr, code };
}

function skill(name: string): string {
	return `---\nname: ${name}\ndescription: An example.\n---\nWrite.\n`;
}

function write(path: string, content: string): void {
	const file = join(setup.data, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, content);
}
