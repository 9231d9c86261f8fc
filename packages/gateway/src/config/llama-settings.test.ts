import { mkdirSync, mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { modelInArguments } from "./llama-settings.ts";
import { type Config, loadConfig } from "./load.ts";

function load(file: object, environment: Readonly<Record<string, string>> = {}): Config {
	using data = mkdtempDisposableSync(join(tmpdir(), "parley-llama-"));
	mkdirSync(join(data.path, "models"));
	writeFileSync(join(data.path, "parley.config.json"), JSON.stringify(file));
	return loadConfig({ flags: {}, environment, cwd: "/", defaultData: data.path });
}

test("a local model server has defaults, absolute paths and an environment without the gateway's keys", () => {
	const environment = {
		PATH: "/bin",
		HOME: "/home/me",
		PARLEY_TOKEN: "t",
		ANTHROPIC_API_KEY: "k",
		SLACK_BOT_TOKEN: "s",
		LLAMA_API_KEY: "own",
		CUDA_VISIBLE_DEVICES: "0",
		LLAMA_ARG_PORT: "1",
	};
	const { llama } = load({ llama: { model_dir: "models", command: "bin/llama-server" } }, environment);
	expect(llama).toMatchObject({
		endpoint: "http://127.0.0.1:8080",
		args: [],
		autostart: true,
		apiKey: "own",
		modelDir: expect.stringMatching(/^\/.*\/models$/),
		command: expect.stringMatching(/^\/.*\/bin\/llama-server$/),
	});
	expect(llama?.environment).toEqual({
		PATH: "/bin",
		HOME: "/home/me",
		LLAMA_API_KEY: "own",
		CUDA_VISIBLE_DEVICES: "0",
		LLAMA_ARG_HOST: "127.0.0.1",
		LLAMA_ARG_PORT: "8080",
		LLAMA_ARG_MODELS_DIR: llama?.modelDir,
	});
	expect(load({ llama: { command: "llama-server", endpoint: "http://[::1]:9/" } }).llama).toMatchObject({
		command: "llama-server",
		endpoint: "http://[::1]:9",
		environment: { LLAMA_ARG_HOST: "::1", LLAMA_ARG_PORT: "9" },
	});
});

test.each<[object, RegExp]>([
	[{ llama: { endpoint: "8080" } }, /llama\.endpoint .*allowed: an http or https address/],
	[
		{ llama: { port: 8080 } },
		/unknown setting "llama\.port".*allowed: endpoint, model_dir, command, args, autostart/,
	],
	[
		{ llama: { model_dir: "nowhere" } },
		/nowhere" is not allowed for llama\.model_dir .*allowed: a directory that exists/,
	],
	[
		{ llama: { command: "x", endpoint: "https://127.0.0.1:8080" } },
		/llama\.endpoint .*the program in llama\.command serves plain http, at an address without a path; allowed: http:\/\/HOST:PORT/,
	],
	[
		{ baseUrl: "http://127.0.0.1:1", llama: {} },
		/baseUrl .*the setting llama also names a model server; allowed: only one of the settings baseUrl and llama/,
	],
])("%j is refused with the allowed values", (file, message) => {
	expect(() => load(file)).toThrow(message);
});

test("the key of a local model server is not sent without TLS through the internet", () => {
	const file = { llama: { endpoint: "http://models.example.org:8080" } };
	expect(() => load(file, { LLAMA_API_KEY: "own" })).toThrow(/llama\.endpoint .*allowed: https/);
	expect(load(file).llama?.endpoint).toBe("http://models.example.org:8080");
});

test.each<[string, readonly string[]]>([
	["default", ["--jinja"]],
	["tiny.gguf", ["-m", "/models/tiny.gguf"]],
	["tiny.gguf", ["--model=/models/tiny.gguf", "--jinja"]],
	["tiny", ["-m", "tiny.gguf", "--alias", "tiny,small"]],
	["org/name:Q4", ["-hf", "org/name:Q4"]],
])("the model is named %s by %j", (name, args) => {
	expect(modelInArguments(args)).toBe(name);
	expect(load({ llama: { command: "x", args } }).model).toBe(name);
	expect(load({ llama: { command: "x", args }, model: "chosen" }).model).toBe("chosen");
});
