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
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { documentedArguments } from "../docs/shell-blocks.ts";
import { binary } from "../gateway-process.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { Screen } from "./screen.ts";

const root = realpathSync(mkdtempSync("/tmp/parley-setup-"));
const home = join(root, "home");
const shop = join(home, "shop");
const data = join(home, ".local/share/parley");
mkdirSync(shop, { recursive: true });
const env = { PATH: process.env["PATH"] ?? "", HOME: home, NO_COLOR: "1" };
const screens: Screen[] = [];
let claude: FakeAnthropic;

beforeAll(async () => {
	claude = await FakeAnthropic.start();
	claude.otherwise(says("ok"));
});

afterAll(async () => {
	for (const screen of screens) screen.close();
	await piped(["stop"]);
	// The simulator reports requests with a wrong key.
	expect(claude.drainViolations().every((text) => text.endsWith("is not the key"))).toBe(true);
	await claude.close();
	rmSync(root, { recursive: true, force: true });
});

function parley(...args: readonly string[]): Screen {
	const screen = new Screen({ args, cwd: shop, env });
	screens.push(screen);
	return screen;
}

/**
 * Runs a command without a terminal, and returns its output and exit code. Must not block, because the simulator
 * runs in this process.
 */
async function piped(args: readonly string[], { input = "", variables = {} } = {}) {
	const child = spawn(process.execPath, [binary, ...args], { cwd: shop, env: { ...env, ...variables } });
	child.stdin.end(input);
	const [stdout, stderr, [status]] = await Promise.all([
		text(child.stdout),
		text(child.stderr),
		once(child, "close"),
	]);
	return { stdout, stderr, status };
}

test("the wizard can be stopped, tests the key, and continues at the same step", async () => {
	const first = parley("setup", "--base-url", claude.url);
	await first.shows("Which model should answer?");
	first.type("\r");
	await first.shows("API key of anthropic");
	first.type("a wrong key\r");
	await first.shows("contains a space");
	first.type("sk-ant-wrong-0123456789\r");
	await first.shows("Model: a name");
	first.type("\r");
	await first.shows("How do you want to continue?");
	expect(first.text).toContain("The test failed");
	first.type("\r");
	await first.shows("◆  Which model should answer?");
	first.type("\r");
	await first.shows("◆  API key of anthropic");
	first.type(`${claude.apiKey}\r`);
	await first.shows("◆  Model: a name");
	first.type("\r");
	await first.shows("answered in");
	await first.shows("Directory of your project");
	first.type("\u0003");
	expect(await first.ended()).toBe(130);
	expect(first.text).toContain("Stopped at the step “Directory and permissions”");
	expect(first.received).not.toContain(claude.apiKey);
	expect(first.received).not.toContain("sk-ant-wrong");
	expect(statSync(join(data, "api-keys.json")).mode & 0o777).toBe(0o600);

	const second = parley(...documentedArguments("setup: parley setup"));
	await second.shows("Complete: Model");
	await second.shows("Directory of your project");
	second.type("\r");
	await second.shows("Where should commands");
	second.type("\r");
	await second.shows("Set up Discord now?");
	second.type("\r");
	await second.shows("Set up Slack now?");
	second.type("\r");
	await second.shows("Start the gateway at boot");
	second.type("\r");
	expect(await second.ended()).toBe(0);
	const summary = second.text.slice(second.text.indexOf("Result:")).replaceAll(/\s+/g, " ");
	expect(summary).toContain("Model anthropic, standard");
	expect(summary).toContain(`agents may work in ${shop}`);
	expect(summary).toContain("sandbox: preferred");
	expect(summary).toContain("Next:");
	expect(summary).toContain("parley service install");
	expect(existsSync(join(data, "setup.json"))).toBe(false);
});

test("with TERM=dumb, the wizard prints lines for screen readers and does not redraw", async () => {
	const variables = { ...env, TERM: "dumb", PARLEY_DATA: join(root, "in-lines") };
	const start = (): Screen => {
		const screen = new Screen({ args: ["setup", "--base-url", claude.url], cwd: shop, env: variables });
		screens.push(screen);
		return screen;
	};
	const interrupted = start();
	await interrupted.shows("number, or Enter for 1 ›");
	interrupted.type("\u0003");
	expect(await interrupted.ended()).toBe(130);
	expect(interrupted.text).toContain("Stopped at the step “Model”");

	const wizard = start();
	await wizard.shows("8  offline: built in");
	wizard.type("99\r");
	await wizard.shows("Type a number from 1 to 8.");
	wizard.type("1\r");
	await wizard.shows("hidden ›");
	wizard.type(`wrong\u0015${claude.apiKey}\r`);
	await wizard.shows("Enter for standard, or - for an empty answer ›");
	wizard.type("\r");
	await wizard.shows("answered in");
	await wizard.shows(`Enter for ${shop}`);
	wizard.type("/no/such/directory\r");
	await wizard.shows("/no/such/directory is not a directory");
	wizard.type("\r");
	await wizard.shows("Where should commands");
	wizard.type("2\r");
	for (const question of ["Set up Discord now?", "Set up Slack now?", "Start the gateway at boot"]) {
		await wizard.shows(question);
		wizard.type("\r");
	}
	expect(await wizard.ended()).toBe(0);
	expect(wizard.text).toContain(`agents may work in ${shop}`);
	expect(wizard.text).toContain("sandbox: required");
	expect(interrupted.received + wizard.received).not.toContain("\u001b");
	expect(wizard.received).not.toContain(claude.apiKey);
});

test("the stored key answers in the project, and no command shows it", async () => {
	claude.script(says("Hello from Claude."));
	const chat = parley();
	await chat.rests("session sess_");
	expect(chat.text).not.toContain("May agents");
	await chat.enter("hello");
	await chat.rests("Hello from Claude.");
	chat.type("\u0004");
	expect(await chat.ended()).toBe(0);
	const doctor = await piped(["doctor"]);
	const config = await piped(["config", "get", "--all", "--json"]);
	const log = readFileSync(join(data, "run/gateway.log"), "utf8");
	expect(doctor.stdout + doctor.stderr + config.stdout + log).not.toContain(claude.apiKey);
});

test("without a terminal, the wizard needs --yes; with --yes, flags and variables are sufficient", async () => {
	const without = await piped(["setup"]);
	expect(without).toMatchObject({ status: 2, stderr: expect.stringContaining("parley setup --yes") });
	const other = { PARLEY_DATA: join(root, "other") };
	expect(await piped(["setup", "--yes", "--provider", "openai"], { variables: other })).toMatchObject({
		status: 2,
		stderr: expect.stringContaining("openai needs a key: set OPENAI_API_KEY"),
	});
	const flags = [
		"--provider",
		"anthropic",
		"--model",
		"standard",
		"--base-url",
		claude.url,
		"--project",
		shop,
		"--sandbox",
		"required",
	];
	const provided = await piped(["setup", "--yes", "--key-stdin", ...flags], {
		input: `${claude.apiKey}\n`,
		variables: other,
	});
	expect(provided, provided.stderr).toMatchObject({ status: 0 });
	expect(provided.stdout + provided.stderr).not.toContain(claude.apiKey);
	expect(readFileSync(join(root, "other/api-keys.json"), "utf8")).toContain(claude.apiKey);
	const config = await piped(["config", "get"], { variables: other });
	expect(config.stdout).toMatch(/provider +anthropic/);
	expect(config.stdout).toMatch(/sandbox +required/);
	const tokens = await piped(["setup", "--yes", "--only", "discord", "--discord"], {
		variables: { ...other, DISCORD_TOKEN: "discord-token-0123456789" },
	});
	expect(tokens.stderr).toContain("stored DISCORD_TOKEN");
	expect(tokens.stdout + tokens.stderr).not.toContain("discord-token-0123456789");
	const broad = await piped(["setup", "--yes", "--only", "directory", "--project", "/"], {
		variables: other,
	});
	expect(broad).toMatchObject({
		status: 2,
		stderr: expect.stringMatching(/parley projects allow -y \/ --data /),
	});
	expect((await piped(["setup", "--yes", "--only", "modle"], { variables: other })).stderr).toContain(
		'"modle" is not a step',
	);
});

test("a refused key is not stored in a script, and the reason does not contain it", async () => {
	const other = { PARLEY_DATA: join(root, "refused"), ANTHROPIC_API_KEY: "sk-ant-refused-0123456789" };
	const refused = await piped(["setup", "--yes", "--model", "standard", "--base-url", claude.url], {
		variables: other,
	});
	expect(refused.status).toBe(1);
	expect(refused.stderr).toContain("The test failed");
	expect(refused.stdout + refused.stderr).not.toContain("sk-ant-refused");
	expect(existsSync(join(root, "refused/api-keys.json"))).toBe(false);
});

async function refusingServer() {
	const keys: (string | undefined)[] = [];
	const server = createServer((request, response) => {
		keys.push(request.headers.authorization);
		response.writeHead(401).end("{}");
	}).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	return { keys, url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

test("the key of another provider is not sent to the address of the previous provider", async () => {
	const [before, after] = await Promise.all([refusingServer(), refusingServer()]);
	const variables = { PARLEY_DATA: join(root, "moved"), OPENAI_API_KEY: "key-of-another-provider-0123" };
	const servers = { openai: { baseUrl: after.url, key: "OPENAI_API_KEY" } };
	mkdirSync(variables.PARLEY_DATA, { mode: 0o700 });
	writeFileSync(
		join(variables.PARLEY_DATA, "parley.config.json"),
		JSON.stringify({ provider: "mistral", baseUrl: before.url, models: { providers: servers } }),
	);
	const setup = ["setup", "--yes", "--only", "model", "--provider", "openai", "--model", "gpt-5"];
	expect(await piped(setup, { variables })).toMatchObject({ status: 1 });
	expect(before.keys).toEqual([]);
	expect(after.keys).toContain(`Bearer ${variables.OPENAI_API_KEY}`);
	expect(await piped([...setup, "--no-test"], { variables })).toMatchObject({ status: 0 });
	expect((await piped(["config", "get", "baseUrl"], { variables })).stdout).not.toContain(before.url);
	before.close();
	after.close();
});

test("a stored key is for parley rpc, and for the MCP servers that name its variable", async () => {
	const variables = { PARLEY_DATA: join(root, "named"), PARLEY_SANDBOX: "off" };
	const key = "stored-key-of-mistral-0123";
	const server = await refusingServer();
	const printing = { command: "sh", args: ["-c", 'echo "got <$MISTRAL_API_KEY>" >&2'] };
	const servers = { named: { ...printing, envFrom: ["MISTRAL_API_KEY"] }, other: printing };
	const files = {
		"parley.config.json": { provider: "mistral", baseUrl: server.url },
		"api-keys.json": { MISTRAL_API_KEY: key },
		"mcp.json": { servers },
	};
	mkdirSync(variables.PARLEY_DATA, { mode: 0o700 });
	for (const [name, content] of Object.entries(files)) {
		writeFileSync(join(variables.PARLEY_DATA, name), JSON.stringify(content), { mode: 0o600 });
	}
	const rpc = await piped(["rpc"], { variables });
	expect(server.keys, rpc.stderr).toContain(`Bearer ${key}`);
	expect(rpc.stdout + rpc.stderr).not.toContain(key);
	const { stdout } = await piped(["mcp", "doctor"], { variables });
	expect(stdout).toContain("got <[redacted]>");
	expect(stdout).toContain("got <>");
	server.close();
});

test("a script cannot store a text that is not a key", async () => {
	const variables = { PARLEY_DATA: join(root, "lines") };
	const setup = ["setup", "--yes", "--no-test", "--key-stdin", "--provider", "openai"];
	expect(await piped(setup, { variables, input: "first-line\nsecond-line\n" })).toMatchObject({
		status: 2,
		stderr: expect.stringContaining("standard input is not one key"),
	});
	expect(existsSync(join(variables.PARLEY_DATA, "api-keys.json"))).toBe(false);
});

test("the first start offers the wizard once, and never without a terminal", async () => {
	const start = (...args: readonly string[]): Screen => {
		const variables = { ...env, PARLEY_DATA: join(root, "first"), PARLEY_LISTEN: "127.0.0.1:0" };
		const screen = new Screen({ args: ["start", ...args], cwd: shop, env: variables });
		screens.push(screen);
		return screen;
	};
	const first = start("--offer-setup");
	await first.shows("Set up a model");
	first.type("\u001b[B\r");
	await first.shows("Press Ctrl-C to stop");
	first.type("\u0003");
	expect(await first.ended()).toBe(0);
	rmSync(join(root, "first/parley.sqlite"));
	rmSync(join(root, "first/keys"), { recursive: true, force: true });
	const second = start("--offer-setup");
	await second.shows("Press Ctrl-C to stop");
	expect(second.text).not.toContain("Set up a model");
	second.type("\u0003");
	await second.ended();
});
