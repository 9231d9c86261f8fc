import { mkdtempDisposableSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says } from "../simulators/anthropic/reply.ts";
import { chatWire } from "../simulators/providers/chat-wire.ts";
import { FakeProvider } from "../simulators/providers/fake-provider.ts";
import { geminiWire } from "../simulators/providers/gemini-wire.ts";
import { responsesWire } from "../simulators/providers/responses-wire.ts";
import { Screen } from "./screen.ts";
import { Setup } from "./setup.ts";

test("one gateway uses several providers, with prices of models.json, and each gets only its own key", async () => {
	await using claude = await FakeAnthropic.start();
	await using lab = await FakeProvider.start(chatWire, { apiKey: "lab-key-0123456789abcdef" });
	await using openai = await FakeProvider.start(responsesWire, { apiKey: "openai-key-0123456789" });
	await using gemini = await FakeProvider.start(geminiWire, { apiKey: "gemini-key-0123456789" });
	using directory = mkdtempDisposableSync(join(tmpdir(), "parley-providers-"));
	const file = join(directory.path, "parley.json");
	const table = join(directory.path, "models.json");
	const priced = { context_window: 50_000, max_output: 5_000, prices: { input: 1_000, output: 1_000 } };
	writeFileSync(table, JSON.stringify({ models: [{ id: "qwen", provider: "lab", ...priced }] }));
	const providers = {
		lab: { baseUrl: lab.url, key: "LAB_KEY" },
		openai: { api: "responses", baseUrl: openai.url, key: "OPENAI_API_KEY" },
		gemini: { api: "gemini", baseUrl: gemini.url, key: "GEMINI_API_KEY" },
	};
	writeFileSync(file, JSON.stringify({ models: { providers, file: table }, titles: false }));
	const setup = await Setup.open({
		...{ PARLEY_CONFIG: file, PARLEY_MODEL: "standard", ANTHROPIC_API_KEY: claude.apiKey },
		...{ ANTHROPIC_BASE_URL: claude.url, LAB_KEY: lab.apiKey },
		...{ OPENAI_API_KEY: openai.apiKey, GEMINI_API_KEY: gemini.apiKey },
	});
	try {
		claude.script(says("I am Claude."));
		lab.script({ content: [{ type: "text", text: "I am Qwen." }] });
		openai.script({ content: [{ type: "text", text: "I am Sol." }] });
		gemini.script({ content: [{ type: "text", text: "I am Hydrogen." }] });
		const models = setup.run("models");
		expect(await models.ended()).toBe(0);
		for (const name of ["lab/qwen", "openai/gpt-6.2-sol", "gemini/gemini-4-hydrogen"]) {
			expect(models.received).toContain(name);
		}
		for (const [model, answer] of [
			["standard", "I am Claude."],
			["lab/qwen", "I am Qwen."],
			["openai/standard", "I am Sol."],
			["gemini/gemini-4-hydrogen", "I am Hydrogen."],
		] as const) {
			const ask = setup.run("ask", "--model", model, "who are you?");
			expect(await ask.ended(), ask.text).toBe(0);
			expect(ask.text).toContain(answer);
		}
		const usage = setup.run("usage", "--by", "model", "--json");
		expect(await usage.ended()).toBe(0);
		expect(usage.received).toMatch(/"lab\/qwen"/);
		expect(usage.received).toMatch(/"openai\/gpt-6\.2-sol"/);
		expect(usage.received).toMatch(/"gemini\/gemini-4-hydrogen"/);
		const log = setup.gateway.stderr.join("\n");
		for (const { apiKey } of [claude, lab, openai, gemini]) expect(log).not.toContain(apiKey);
	} finally {
		await setup.close();
	}
});

test("parley models --check shows where each key was found, and a server that does not run", async () => {
	const apiKey = "lab-key-0123456789abcdef";
	await using lab = await FakeProvider.start(chatWire, { apiKey, models: ["qwen", "llama"] });
	const stopped = await FakeProvider.start(chatWire);
	const { url: stoppedUrl } = stopped;
	await stopped.close();
	using directory = mkdtempDisposableSync(join(tmpdir(), "parley-providers-"));
	const file = join(directory.path, "parley.json");
	const providers = { lab: { baseUrl: lab.url, key: "LAB_KEY" }, gone: { baseUrl: stoppedUrl } };
	writeFileSync(
		file,
		JSON.stringify({ provider: "lab", model: "qwen", models: { providers }, titles: false }),
	);
	const setup = await Setup.open({ PARLEY_CONFIG: file, LAB_KEY: apiKey });
	try {
		const bare = setup.run("models", "--check");
		expect(await bare.ended()).toBe(1);
		expect(bare.text).toMatch(/✗ \(default\): this shell does not have the settings of this provider/);
		const run = (...args: readonly string[]) => {
			const env = { ...setup.environment, PARLEY_CONFIG: file, LAB_KEY: apiKey };
			return new Screen({ args: ["models", "--check", ...args], cwd: setup.work, env });
		};
		const checked = run();
		expect(await checked.ended()).toBe(1);
		expect(checked.text).toMatch(/lab +127\.0\.0\.1:\d+ +in LAB_KEY +2\n/);
		expect(checked.text).toMatch(/✗ gone: .*connection refused/s);
		const json = run("--json");
		expect(await json.ended()).toBe(1);
		expect(json.received).toMatch(/"providers":\s*\[/);
		expect(`${checked.text}${json.received}`).not.toContain(apiKey);
	} finally {
		await setup.close();
	}
});
