import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { defined } from "@parley/base";
import { afterAll, beforeAll, expect, test } from "vitest";
import { OzzieClient } from "../conformance/drivers/ozzie-client.ts";
import { binary } from "../gateway-process.ts";
import { Managers } from "../service/managers.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";
import { responsesWire } from "../simulators/providers/responses-wire.ts";
import { PlayedBlock } from "./played-block.ts";
import { type Change, documented } from "./shell-blocks.ts";

let managers: Managers;

beforeAll(async () => {
	managers = await open();
});
afterAll(() => managers[Symbol.asyncDispose]());

async function open(): Promise<Managers> {
	const opened = await Managers.open();
	const programs = join(opened.root, "programs");
	for (const folder of [join(opened.home, "projects/shop"), programs]) mkdirSync(folder, { recursive: true });
	const commands = {
		parley: `exec '${process.execPath}' '${binary}' "$@"`,
		// The simulated service managers need no root privileges.
		sudo: 'exec "$@"',
	};
	for (const [name, script] of Object.entries(commands))
		writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
	return opened;
}

interface Playing {
	readonly changes?: readonly Change[];
	readonly variables?: Readonly<Record<string, string>>;
	readonly on?: Managers;
	readonly place?: readonly string[];
	readonly after?: string;
}

function play(
	key: string,
	{ changes = [], variables = {}, on = managers, after = "", place }: Playing = {},
): PlayedBlock {
	const { PATH = "", ...environment } = on.environment;
	const folders = [join(on.root, "programs"), dirname(process.execPath), PATH];
	const env = { ...environment, PATH: folders.join(delimiter), USER: "user", ...variables };
	return new PlayedBlock(`${documented(key, changes)}${after}`, { cwd: on.work, env, ...defined({ place }) });
}

const warning = "the named models are ignored";

test("service: it is installed, keeps running after a logout, and its log is followed and filtered", async () => {
	const key = `sk-ant-api03-${"k".repeat(40)}`;
	const variables = { ANTHROPIC_API_KEY: key, PARLEY_PROVIDER: "offline", PARLEY_MODEL: "named" };
	await using install = play("service: cd ~/projects/shop", { variables });
	await install.shows(warning);
	install.interrupt();
	expect(await install.ended()).toMatch(/installed: .*running: .*gateway +ok/s);
	expect(readFileSync(join(managers.data, "service.env"), "utf8")).toContain(key);
	await using linger = play('service: sudo loginctl enable-linger "$USER"');
	await linger.ended();
	expect(managers.calls().at(-1)).toBe("loginctl enable-linger user");
	await using logs = play("service: parley logs -f --level warn");
	await logs.shows(warning);
	logs.interrupt();
	await logs.shows(`"msg":"the offline model is used: ${warning}"`);
	expect(await logs.ended()).not.toMatch(/^\d\d:\d\d:\d\d info/m);
});

const messageLines = `operating: journalctl -u parley -o cat | jq -cR 'fromjson? | select(.correlation == "C0123-1700000000.000100")'`;

test("operating: the lines of one message are found in the journal", async () => {
	const correlation = "C0123-1700000000.000100";
	const token = readFileSync(join(managers.data, "tokens/operator"), "utf8").trim();
	const headers = { authorization: `Bearer ${token}` };
	await using client = await OzzieClient.connect(`http://127.0.0.1:${managers.port}`, { headers });
	await client.call("open_session", {});
	await client.call("send_message", { content: "say: hello", correlation_id: correlation });
	await client.event("assistant.message");
	await using block = play(messageLines);
	const lines = (await block.ended()).trim().split("\n").slice(1);
	expect(lines.map((line) => JSON.parse(line).correlation)).toEqual(lines.map(() => correlation));
	expect(lines.join("\n")).toContain('"msg":"run started"');
});

test("setup: scripts store keys, tokens and the service", async () => {
	await using claude = await FakeAnthropic.start();
	await using openai = await FakeProvider.start(responsesWire, {
		apiKey: "openai-key-0123456789",
		models: ["gpt-6.2-sol"],
	});
	claude.otherwise(says("ok"));
	openai.script({ content: [{ type: "text", text: "ok" }] });
	await using on = await open();
	const { data, work } = on;
	mkdirSync(data, { mode: 0o700 });
	const providers = { openai: { api: "responses", baseUrl: openai.url, key: "OPENAI_API_KEY" } };
	writeFileSync(join(data, "parley.config.json"), JSON.stringify({ models: { providers } }), { mode: 0o600 });
	writeFileSync(join(work, "key.txt"), `${openai.apiKey}\n`);
	const flags = `--provider anthropic --model standard --base-url ${claude.url}`;
	await using block = play("setup: parley setup --yes --provider anthropic --project ~/projects/shop", {
		changes: [["--provider anthropic", flags]],
		variables: { ANTHROPIC_API_KEY: claude.apiKey, DISCORD_TOKEN: "discord-token-0123456789" },
		on,
	});
	const output = await block.ended();
	for (const row of [
		/Model +anthropic, standard .*\n +key stored/,
		/agents may work in .*projects\/shop/,
		/Model +openai, standard .*\n +key stored/,
		/Discord +tokens stored/,
		/Service +installed/,
	])
		expect(output).toMatch(row);
});

test.runIf(existsSync("/usr/bin/apt"))(
	"sandbox: the package of the page exists, and the check runs",
	async () => {
		// With `--simulate`, the system of the test stays unchanged.
		await using block = play("sandbox: sudo apt install bubblewrap", {
			changes: [["apt install", "apt install --simulate"]],
		});
		expect(await block.ended()).toMatch(/^(?:Inst bubblewrap |bubblewrap is already ).*^\S+ +sandbox/ms);
	},
);

test.runIf(process.getuid?.() === 0)("service: an account and a service of the system are made", async () => {
	await using on = await open();
	const place = systemOfItsOwn(on);
	const key = "service: sudo useradd --system --create-home parley";
	const checks =
		"id -un parley\ngrep ^User= /etc/systemd/system/parley.service\nsudo parley service uninstall --system";
	await using block = play(key, { on, place, after: checks });
	expect(await block.ended()).toMatch(
		/installed: \/etc\/systemd\/system\/parley\.service\nrunning: .*\nparley\nUser=parley\nstopped and removed/s,
	);
});

/**
 * Returns the start of a command line that runs in a mount namespace with its own accounts, units and home
 * directories.
 */
function systemOfItsOwn({ root }: Managers): string[] {
	const etc = join(root, "etc");
	cpSync("/etc", etc, { recursive: true, verbatimSymlinks: true });
	const empty = ["/home", "/srv", "/var/lib"].flatMap((path) => ["--tmpfs", path]);
	return [
		"bwrap",
		"--dev-bind",
		"/",
		"/",
		"--bind",
		etc,
		"/etc",
		...empty,
		"--dir",
		"/srv/work",
		"--cap-add",
		"ALL",
		"--",
	];
}
