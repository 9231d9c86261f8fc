import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { hasBubblewrap } from "@parley/core/testing";
import { build } from "rolldown";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemPath } from "../packages/packed.ts";
import { PlayedBlock } from "./played-block.ts";
import { type Change, documented } from "./shell-blocks.ts";

const clone = fileURLToPath(new URL("../..", import.meta.url));
const stage = realpathSync(mkdtempSync("/tmp/parley-start-"));
const home = join(stage, "home");
const programs = join(stage, "programs");
const listening = "parley listening on http://127.0.0.1:7777\n";
/**
 * Test for a block that runs in its own network namespace, because it uses the ports from the pages. Skipped without
 * bubblewrap.
 */
const testAlone = test.runIf(hasBubblewrap);

beforeAll(() => {
	for (const folder of [join(home, "projects/shop"), programs, join(stage, "work")])
		mkdirSync(folder, { recursive: true });
	symlinkSync(clone, join(home, "parley"));
	const llama = fileURLToPath(new URL("../simulators/llama/llama-server.ts", import.meta.url));
	// The program starts the server in the background and exits when the server listens. The page uses a second terminal
	// instead.
	const begin = `'${process.execPath}' '${llama}' "$@" > started 2>&1 &`;
	program("llama-server", `cd; mkfifo started; ${begin}\ngrep -q listening started; rm started`);
	program("parley", `exec '${process.execPath}' '${clone}packages/cli/bin/parley.mjs' "$@"`);
});
afterAll(() => rmSync(stage, { recursive: true, force: true }));

function program(name: string, script: string): void {
	writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

interface Playing {
	readonly changes?: readonly Change[];
	/** Working directory of the block. By default, the clone. */
	readonly cwd?: string;
	readonly variables?: Readonly<Record<string, string>>;
}

function play(key: string, { changes = [], cwd = clone, variables = {} }: Playing = {}): PlayedBlock {
	return new PlayedBlock(documented(key, changes), { cwd, env: environment(variables), isAlone: true });
}

function environment(variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
	return {
		PATH: [join(home, ".local/bin"), programs, ...systemPath].join(delimiter),
		HOME: home,
		PARLEY_SANDBOX: "off",
		npm_config_update_notifier: "false",
		...variables,
	};
}

/** Plays a block that starts one gateway per item of `models`. Returns the output. */
async function starts(key: string, models: readonly string[], playing: Playing = {}): Promise<string> {
	await using block = play(key, playing);
	for (const [index, model] of models.entries()) {
		await block.shows(listening, index + 1);
		expect(block.output).toContain(`\nmodel: ${model}\n`);
		block.interrupt();
	}
	const output = await block.ended();
	expect(output.split(listening)).toHaveLength(models.length + 1);
	return output;
}

const offline = "offline (no API key): set ANTHROPIC_API_KEY to use Claude";
/** Script that starts a gateway in the background and waits until it listens. */
const inBackground = `
	mkfifo "$HOME/lines"
	parley gateway > "$HOME/lines" 2> /dev/null &
	{ grep -q "^parley listening"; cat > /dev/null & } < "$HOME/lines"
`;
const key: Change = ["YOUR-KEY", `key-${"0123456789".repeat(4)}`];

testAlone("install: `parley start` works in the project, `npm start` with and without a root", async () => {
	const shop = join(home, "projects/shop");
	await starts("install: cd ~/projects/shop", [offline], { cwd: stage });
	await starts("install: npm start", [offline]);
	const verbose = await starts("install: npm start -- --root ~/projects/shop --log-level info", [offline]);
	expect(verbose).toContain(shop);
});

testAlone("install: with the printed line, a shell finds the command of the clone", async () => {
	const line = documented('install: export PATH=~/parley/bin:"$PATH"');
	// The PATH also contains another program with the name `parley`.
	await using block = script(`${line}command -v parley`);
	const output = await block.ended();
	expect(output).toMatch(/^\d+\.\d+\.\d+$/m);
	expect(output).toContain(`\n${join(home, "parley/bin/parley")}\n`);
});

testAlone("ozzie-client and service: the gateway listens at each address of the block", async () => {
	const second = "parley listening on http://127.0.0.1:18420\n";
	const both = "ozzie-client: parley gateway --listen 127.0.0.1:7777 --listen 127.0.0.1:18420";
	for (const key of ["ozzie-client: parley start --ozzie", both]) {
		await using block = play(key, { cwd: stage });
		for (const line of [listening, second]) await block.shows(line);
	}
	await using service = play("service: parley gateway --connectors --data /var/lib/parley --root /srv/work", {
		changes: [
			["/var/lib/parley", join(stage, "data")],
			["/srv/work", join(stage, "work")],
		],
		cwd: stage,
	});
	await service.shows(listening);
});

testAlone(
	"protocols: the gateway listens at the usual ports of kontekst and roz, and zot answers a prompt",
	async () => {
		const ports = {
			"protocols/kontekst: parley start --listen 127.0.0.1:50051": 50_051,
			"protocols/roz: parley start --listen 127.0.0.1:8080": 8080,
		};
		for (const [key, port] of Object.entries(ports)) {
			await using block = play(key, { cwd: stage });
			await block.shows(`parley listening on http://127.0.0.1:${port}\n`);
		}
		const zot = `protocols/zot: printf '%s\\n' '{"id":"1","type":"prompt","message":"say: Hello!"}' | npx --no zot rpc --provider offline`;
		await using block = play(zot);
		expect(await block.ended()).toContain("[offline] Hello!");
	},
);

testAlone("models: each line with a key or a local server starts with its model", async () => {
	await starts(
		"models: export ANTHROPIC_API_KEY=YOUR-KEY",
		["claude-sonnet-5-5 (anthropic): ANTHROPIC_API_KEY is set"],
		{
			changes: [key],
		},
	);
	await starts(
		"models: OPENAI_API_KEY=YOUR-KEY npm start",
		[
			"gpt-6.2-sol (openai): the key of openai is set",
			"gemini-3.8-flash (gemini): the key of gemini is set",
			"qwen/qwen3-coder (openrouter): the key of openrouter is set",
			"kimi-for-coding (kimi): the key of kimi is set",
			"mistral-large-latest (mistral): the provider mistral is configured",
			"openai/gpt-oss-120b (groq): the provider groq is configured",
			"openai.gpt-oss-120b-1:0 (bedrock): the provider bedrock is configured",
			"gpt-5 (azure API at name.openai.azure.com): the provider azure is configured",
			"vllm-model (vllm): the provider vllm is configured",
			"qwen3-8b (lmstudio): the provider lmstudio is configured",
			"qwen3:8b (ollama): the provider ollama is configured",
		],
		{
			changes: [
				key,
				[
					"npm start -- --provider vllm",
					"llama-server -m vllm-model --port 8000; npm start -- --provider vllm",
				],
			],
		},
	);
});

testAlone("models: a local server answers at the documented address", async () => {
	await starts("models: llama-server -m MODEL.gguf --jinja -c 65536 --port 8080", [
		"MODEL.gguf (anthropic API at 127.0.0.1:8080): a base URL is set",
	]);
	await starts("models: npm start -- --base-url http://127.0.0.1:11434 --model qwen3-coder", [
		"qwen3-coder (anthropic API at 127.0.0.1:11434): a base URL is set",
	]);
});

testAlone("backup: the running gateway stops, and another one continues with the backup", async () => {
	const file = join(stage, "saved.tar.gz");
	const block = documented("backup: parley stop", [["/backups/parley-2026-11-22.tar.gz", file]]);
	const steps = `${inBackground}\nparley backup ${file}\ncd '${clone}'\n${block}`;
	await using played = script(steps);
	await played.shows(listening);
	played.interrupt();
	expect(await played.ended()).toMatch(/has stopped\nrestored \d+ files/);
});

testAlone("mcp: a server is added, tried, listed and removed", async () => {
	const add =
		"mcp: parley mcp add notes --env MEMORY_FILE_PATH=/srv/notes/memory.jsonl --write /srv/notes -- mcp-server-memory";
	await installMemoryServer();
	await using block = play(add, { changes: [["/srv/notes", join(stage, "work")]], cwd: stage });
	expect(await block.ended()).toMatch(/added notes.*✓ notes.*create_entities.*removed notes/s);
});

async function installMemoryServer(): Promise<void> {
	const input = realpathSync(
		join(clone, "test/node_modules/@modelcontextprotocol/server-memory/dist/index.js"),
	);
	const folder = join(home, ".local/lib/node_modules/server-memory");
	await build({ input, platform: "node", logLevel: "silent", output: { file: join(folder, "index.js") } });
	writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
	chmodSync(join(folder, "index.js"), 0o755);
	mkdirSync(join(home, ".local/bin"));
	symlinkSync("../lib/node_modules/server-memory/index.js", join(home, ".local/bin/mcp-server-memory"));
}

testAlone("editors: the inspector lists the tools of a running gateway", async () => {
	const key =
		"editors: npx @modelcontextprotocol/inspector --cli node_modules/.bin/parley mcp serve --method tools/list";
	// From this directory, npx finds the test dependencies and needs no registry.
	await using block = script(`${inBackground}\ncd '${clone}test'\n${documented(key)}parley stop`);
	expect(await block.ended()).toMatch(/"name": "ask".*has stopped/s);
});

testAlone(
	"gallery: the files of the command are tests, and the directory of its difference exists",
	async () => {
		const key =
			"gallery: PATH=$PWD/node_modules/.bin:$PATH vitest run test/connector/scenes/golden.test.ts test/connector/scenes/slack-golden.test.ts -u";
		// `vitest run -u` would write into the clone, and `npm test` runs these tests anyway.
		await using block = play(key, { changes: [["vitest run", "vitest list --filesOnly"]] });
		const output = await block.ended();
		expect(output).toMatch(/scenes\/golden\.test\.ts\n.*scenes\/slack-golden\.test\.ts\n/);
		// Git prints these words for a directory that does not exist.
		expect(output).not.toContain("ambiguous argument");
	},
);

testAlone("web-search: with the variable, the gateway has the key of the configured engine", async () => {
	const data = join(stage, "search");
	mkdirSync(data, { mode: 0o700 });
	writeFileSync(join(data, "parley.config.json"), '{ "search": { "provider": "brave" } }');
	const variables = { PARLEY_DATA: data };
	await using without = script("parley gateway", variables);
	expect(await without.ended()).toContain("BRAVE_API_KEY");
	const exported = documented("web-search: export BRAVE_API_KEY=…", [["…", "brave-key-0123456789"]]);
	await using having = script(`${exported}parley gateway`, variables);
	await having.shows(listening);
	having.interrupt();
	await having.ended();
});

function script(text: string, variables: Readonly<Record<string, string>> = {}): PlayedBlock {
	return new PlayedBlock(text, { cwd: stage, env: environment(variables), isAlone: true });
}
