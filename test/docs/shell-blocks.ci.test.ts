import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Setup } from "../terminal/setup.ts";
import { CommandHere } from "./command-here.ts";
import { played, shellBlocks } from "./shell-blocks.ts";

const blocks = new Map(shellBlocks().map(({ key, script }) => [key, script]));
let setup: Setup;
let command: CommandHere;
let shop: string;
let session: string;

beforeAll(async () => {
	setup = await Setup.open();
	command = await CommandHere.open(join(setup.root, "command"), setup.environment);
	shop = join(setup.work, "projects/shop");
	for (const folder of [shop, join(setup.work, "projects/site"), join(setup.root, "backups")])
		mkdirSync(folder, { recursive: true });
	mkdirSync(join(setup.work, ".config/fish/completions"), { recursive: true });
	execFileSync("git", ["init", "--quiet"], { cwd: shop });
	write("agents/reviewer/agent.md", "You review changes.\n");
	write("skills/release-notes.md", skill("release-notes"));
	mkdirSync(join(shop, ".parley/skills"), { recursive: true });
	writeFileSync(join(shop, ".parley/skills/deploy.md"), skill("deploy"));
	const { stdout } = await run('parley ask --output-format json "say: milk"');
	({ session_id: session } = JSON.parse(stdout));
	await run("parley slack manifest > installed.json");
});

afterAll(async () => {
	command.close();
	await setup.close();
});

test.each(Object.entries(played))("%s", async (key, changes) => {
	const script = changes.reduce((text, [part, other]) => text.replaceAll(part, other), blocks.get(key) ?? "");
	const { code, stderr } = await run(withValues(script));
	expect(code, stderr).toBe(0);
});

/** Replaces the placeholders and the directories that the pages use. */
function withValues(script: string): string {
	const values = {
		"/backups": join(setup.root, "backups"),
		sess_np2y: session,
		GUILD: "100",
		CHANNEL: "200",
		USER: "300",
		"slack:TEAM": "slack:T1",
	};
	return Object.entries(values).reduce((text, [name, value]) => text.replaceAll(name, value), script);
}

/** Runs commands in the project, without a terminal. */
async function run(script: string) {
	const PATH = [command.folder, dirname(process.execPath), setup.environment["PATH"]].join(delimiter);
	const env = { ...setup.environment, PATH };
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

/** Writes a file of the data directory. */
function write(path: string, content: string): void {
	const file = join(setup.data, path);
	mkdirSync(dirname(file), { recursive: true });
	writeFileSync(file, content);
}
