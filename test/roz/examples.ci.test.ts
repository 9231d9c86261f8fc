import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ExamplesGateway } from "../kontekst/examples-gateway.ts";
import type { Ended, ProgramOptions } from "../zot/client-host.ts";

const folder = fileURLToPath(new URL("../../examples/roz", import.meta.url));

let gateway: ExamplesGateway;
beforeAll(async () => {
	gateway = await ExamplesGateway.start();
	writeFileSync(gateway.path("pea.js"), "const pea = 1\n");
});
afterAll(() => gateway[Symbol.asyncDispose]());

function ide(question: string, options?: ProgramOptions): Promise<Ended> {
	return gateway.run([process.execPath, join(folder, "ide.ts"), gateway.path("pea.js"), question], options);
}

test.concurrent("ide.ts prints the reply and ends with 0", async () => {
	const { code, stdout, stderr } = await ide("say: Hello!");
	expect({ code, stdout }).toEqual({ code: 0, stdout: "[offline] Hello!\n(end_turn)\n" });
	expect(stderr).toMatch(/^offline in [0-9a-f-]{36}\n$/);
});

test.concurrent("ide.ts runs its own tools, and their results reach the model", async () => {
	const question = 'tool: open_file {}\ntool: show_diagnostic {"line": 1, "message": "no semicolon"}';
	const { code, stdout } = await ide(question);
	expect(stdout).toContain("const pea = 1");
	expect(stdout).toContain(`\n${gateway.path("pea.js")}:1: no semicolon\n`);
	expect(stdout).toMatch(/\(end_turn\)\n$/);
	expect(code).toBe(0);
});

test.concurrent("ide.ts reports a failed call of its tool", async () => {
	const { stdout } = await ide('tool: show_diagnostic {"line": 9, "message": "gone"}');
	expect(stdout).toContain("there is no line 9");
});

test.concurrent.each([
	["approve\n", true],
	["deny\n", false],
	["", false],
])("ide.ts asks about a call of the gateway: %j", async (input, runs) => {
	const name = `answer-${input.trim()}.txt`;
	const { code, stdout } = await ide(`write: ${gateway.path(name)} <<< one`, { input });
	expect(stdout).toMatch(/\nThe call \S+ waits: approve or deny\? /);
	expect(code).toBe(0);
	const read = () => readFileSync(gateway.path(name), "utf8");
	if (runs) expect(read()).toBe("one");
	else expect(read).toThrow("ENOENT");
});

test.concurrent("ide.ts exits with 1 and reports the failure", async () => {
	const { code, stdout, stderr } = await ide("fail: invalid");
	expect({ code, stdout }).toEqual({ code: 1, stdout: "\n(failed)\n" });
	expect(stderr).toMatch(/\nmodel_error: invalid\n$/);
});

test.concurrent("ide.ts ends with 1 if the gateway refuses its token", async () => {
	const { code, stdout, stderr } = await ide("say: Hello!", { env: { PARLEY_TOKEN: "gw_operator_a_b" } });
	expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
	expect(stderr).toMatch(/^[^\n]*UNAUTHENTICATED: unauthorized: [^\n]*\n$/);
});

test.concurrent("ide.ts ends with 2 without a file and a question", async () => {
	expect(await gateway.run([process.execPath, join(folder, "ide.ts")])).toEqual({
		...{ code: 2, stdout: "", stderr: "usage: ide.ts FILE QUESTION\n" },
	});
});

const isInstalled = (program: string, ...args: readonly string[]): boolean =>
	spawnSync(program, args, { stdio: "ignore" }).status === 0;
const hasPrograms = isInstalled("grpcurl", "-version") && isInstalled("jq", "--version");

test.skipIf(!hasPrograms)(
	"the lines for grpcurl of the README work, if grpcurl and jq are installed",
	async () => {
		const page = readFileSync(join(folder, "README.md"), "utf8");
		const [, section = ""] = page.split("## grpcurl");
		const blocks = [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, lines = ""]) => lines);
		const script = blocks.join("").replaceAll("127.0.0.1:8080", gateway.environment.PARLEY_ADDRESS);
		const env = { PARLEY_URL: `http://${gateway.environment.PARLEY_ADDRESS}` };
		const { code, stdout, stderr } = await gateway.run(["sh", "-ec", script], { env, cwd: gateway.path() });
		expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^session: \S+\n$/) });
		expect(stdout).toContain("roz.v1.AgentService.WatchTeam\n");
		for (const event of ["workerStarted", "workerPhase", "workerToolCall", "workerCompleted", "workerExited"])
			expect(stdout).toContain(`"${event}"`);
	},
);
