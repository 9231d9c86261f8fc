import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { choosePort, GatewayProcess } from "../gateway-process.ts";
import { FakeAnthropic } from "../simulators/anthropic/fake-anthropic.ts";
import type { ReceivedRequest } from "../simulators/anthropic/received-request.ts";
import { type ReplyBlock, says } from "../simulators/anthropic/reply.ts";

const run = promisify(execFile);
const binary = fileURLToPath(new URL("../../packages/cli/bin/parley.mjs", import.meta.url));

const faulty = "export function sum(numbers) {\n\treturn numbers.reduce((a, b) => a - b, 0);\n}\n";
const fixed = faulty.replace("a - b", "a + b");
const check =
	'import assert from "node:assert/strict";\nimport { test } from "node:test";\nimport { sum } from "./sum.mjs";\n\n' +
	'test("adds up", () => assert.equal(sum([1, 2, 3]), 6));\n';

function call(id: string, name: string, input: object): ReplyBlock {
	return { type: "tool_use", id, name, input };
}

const thought: ReplyBlock = { type: "thinking", thinking: "I look at both files.", signature: "c2lnbmVk" };

const recorded = [
	{
		content: [
			thought,
			{ type: "text", text: "I look at the files first." },
			call("toolu_1", "read_file", { path: "sum.mjs" }),
			call("toolu_2", "read_file", { path: "sum.test.mjs" }),
		],
	},
	{ content: [call("toolu_3", "run_command", { cmd: `'${process.execPath}' --test sum.test.mjs` })] },
	{
		content: [
			{ type: "text", text: "It subtracts. I mend that." },
			call("toolu_4", "edit_file", { path: "sum.mjs", old_text: "a - b", new_text: "a + b" }),
		],
	},
	{ content: [call("toolu_5", "run_command", { cmd: `'${process.execPath}' --test sum.test.mjs` })] },
	says("`sum.mjs` subtracted; now it adds, and its test passes."),
] as const;

function resultsIn({ body }: ReceivedRequest): Map<string, { text: string; failed: boolean }> {
	const { content } = body.messages.at(-1) ?? {};
	const blocks = Array.isArray(content) ? content : [];
	return new Map(
		blocks.flatMap((block) => {
			if (block.type !== "tool_result") return [];
			return [[block.tool_use_id, { text: JSON.stringify(block.content), failed: block.is_error === true }]];
		}),
	);
}

test(
	"a person asks the real binary to fix a program, and the model reads, edits and runs the tests",
	async () => {
		await using stack = new AsyncDisposableStack();
		const directory = stack.adopt(await mkdtemp(join(tmpdir(), "parley-e2e-")), (path) =>
			rm(path, { recursive: true, force: true }),
		);
		const [project, data] = [join(directory, "project"), join(directory, "data")];
		await run("mkdir", [project]);
		await writeFile(join(project, "sum.mjs"), faulty);
		await writeFile(join(project, "sum.test.mjs"), check);
		const model = stack.use(await FakeAnthropic.start());
		model.script(...recorded);
		const environment = {
			ANTHROPIC_API_KEY: model.apiKey,
			ANTHROPIC_BASE_URL: model.url,
			PARLEY_TITLES: "false",
		};
		const port = await choosePort();
		const options = { port, data, root: project, environment: { ...environment, PARLEY_MODEL: "standard" } };
		const gateway = new GatewayProcess(options);
		stack.defer(async () => {
			gateway.kill("SIGTERM");
			await gateway.exited;
		});
		expect(await gateway.ready, gateway.stderr.join("\n")).toBe(true);

		const ask = ["ask", "the test of sum.mjs fails: mend it", "-y", "--data", data];
		const { stdout, stderr } = await run(process.execPath, [binary, ...ask], { cwd: project });

		expect(stdout).toContain("`sum.mjs` subtracted; now it adds, and its test passes.");
		expect(await readFile(join(project, "sum.mjs"), "utf8")).toBe(fixed);
		expect(stderr).toContain("edit_file");
		expect(model.requests).toHaveLength(recorded.length);
		const results = new Map(model.requests.flatMap((request) => [...resultsIn(request)]));
		expect(results.get("toolu_1")).toMatchObject({ text: expect.stringContaining("a - b"), failed: false });
		expect(results.get("toolu_2")).toMatchObject({ text: expect.stringContaining("adds up"), failed: false });
		expect(results.get("toolu_3")?.text).toMatch(/fail 1/);
		expect(results.get("toolu_4")).toMatchObject({ failed: false });
		expect(results.get("toolu_5")?.text).toMatch(/pass 1.*fail 0/s);
		// The agent sends the thinking block back unchanged.
		const reply = model.requests[1]?.body.messages.find(({ role }) => role === "assistant");
		expect(reply?.content[0]).toMatchObject({ type: "thinking", signature: "c2lnbmVk" });
		const used = await run(process.execPath, [binary, "usage", "--json", "--data", data]);
		expect(JSON.parse(used.stdout)).toMatchObject({ total: { calls: recorded.length } });
	},
	paced(60_000),
);
