import { execFile } from "node:child_process";
import { mkdtempDisposable, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import { says, uses } from "../simulators/anthropic/reply.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "eval.ts");
const task = ["--task", "files: read one value"];

async function evaluate(
	home: string,
	args: readonly string[],
	environment: Readonly<Record<string, string>> = {},
) {
	const env = { PATH: process.env["PATH"], HOME: home, TMPDIR: home, ...environment };
	try {
		return { code: 0, ...(await run(process.execPath, [program, ...args], { env })) };
	} catch (reason) {
		const { code, stdout, stderr } = Object(reason);
		return { code, stdout, stderr };
	}
}

test("a task is played with the configured model, and its success, calls, tokens and cost are printed", async () => {
	await using home = await mkdtempDisposable(join(tmpdir(), "parley-eval-"));
	await using service = await FakeAnthropic.start();
	service.script(uses("toolu_1", "read_file", { path: "config.ini" }), says("It sets port 4711."));
	const file = join(home.path, "results.json");
	const args = [...task, "--model", "claude-sonnet-5-5", "--json", file];
	const environment = { ANTHROPIC_API_KEY: service.apiKey, ANTHROPIC_BASE_URL: service.url };
	const { code, stdout } = await evaluate(home.path, args, environment);
	expect(stdout).toMatch(
		/^✓ files: read one value \(2 calls, .*\n\n +succeeded +calls +tokens in +tokens out +US \$\nfiles +1\/1 +2 /,
	);
	expect(code).toBe(0);
	const { totals } = Object(parseJson(await readFile(file, "utf8")));
	expect(totals.at(-1)).toMatchObject({ name: "all", tasks: 1, succeeded: 1, turns: 2 });
	const { tokensInput, tokensOutput, cost } = totals.at(-1);
	expect(Math.min(tokensInput, tokensOutput, cost)).toBeGreaterThan(0);
});

test.each([
	["without a model", task, "no model is configured: set ANTHROPIC_API_KEY"],
	["with an unknown task", ["--task", "none"], 'no task has "none" in its name: use one of\nfiles: read'],
])("%s, the program fails with the reason", async (_, args, reason) => {
	await using home = await mkdtempDisposable(join(tmpdir(), "parley-eval-"));
	const { code, stdout, stderr } = await evaluate(home.path, args);
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toContain(reason);
});
