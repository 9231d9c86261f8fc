import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { line } from "../../scripts/counts.mjs";
import { endInTime } from "../../scripts/end-in-time.mjs";
import { limitOfRun } from "../../scripts/limit.mjs";
import { countProgress, unfinished } from "../../scripts/progress.mjs";

type Step = [file: string, state: string, test?: string];

function written(...steps: Step[]): string {
	return steps.map(([file, state, test]) => `${JSON.stringify({ file, state, test })}\n`).join("");
}

const cases: readonly { name: string; steps: Step[]; succeeded: boolean; counted: string }[] = [
	{
		name: "every state has its place",
		steps: [
			["a", "passed", "1"],
			["a", "failed", "2"],
			["a", "skipped", "3"],
			["a", "pending", "4"],
			["a", "failed"],
		],
		succeeded: false,
		counted: "1 passed, 1 failed, 2 skipped",
	},
	{
		name: "files add up",
		steps: [
			["a", "passed", "1"],
			["b", "passed", "1"],
			["a", "passed"],
			["b", "passed"],
		],
		succeeded: true,
		counted: "2 passed, 0 failed, 0 skipped",
	},
	{
		name: "a file that does not load is a failed test",
		steps: [
			["a", "failed"],
			["b", "passed", "1"],
			["b", "passed"],
		],
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{
		name: "a hook that throws after its tests passed is a failed test",
		steps: [
			["a", "passed", "1"],
			["a", "failed"],
		],
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{
		name: "an error outside all tests is a failed test",
		steps: [
			["a", "passed", "1"],
			["a", "passed"],
		],
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{
		name: "what had not ended is not counted",
		steps: [
			["a", "running"],
			["a", "running", "1"],
			["a", "passed", "1"],
			["a", "running", "2"],
		],
		succeeded: true,
		counted: "1 passed, 0 failed, 0 skipped",
	},
	{ name: "nothing", steps: [], succeeded: false, counted: "0 passed, 1 failed, 0 skipped" },
];

test.for(cases)("the output of a vitest run has these steps: $name", ({ steps, succeeded, counted }) => {
	expect(line(countProgress(written(...steps), succeeded))).toBe(counted);
});

test("failed tests are named, with the file that failed outside its tests", () => {
	const progress = written(
		["a", "passed", "1"],
		["a", "failed", "2"],
		["a", "failed"],
		["b", "failed"],
		["c", "passed", "1"],
	);
	expect(countProgress(progress, false).failures).toEqual(["a > 2", "b"]);
	const outside = countProgress(written(["c", "passed", "1"]), false).failures;
	expect(outside).toEqual([expect.stringContaining("outside all tests")]);
});

test.for([
	["900", 900_000],
	[undefined, Number.POSITIVE_INFINITY],
] as const)("a limit of %s s for a run is %d ms", ([text, limitMs]) => {
	vi.stubEnv("PARLEY_TEST_LIMIT_S", text);
	onTestFinished(() => void vi.unstubAllEnvs());
	expect(limitOfRun()).toBe(limitMs);
});

test("an invalid limit for a run is refused", () => {
	vi.stubEnv("PARLEY_TEST_LIMIT_S", "soon");
	onTestFinished(() => void vi.unstubAllEnvs());
	expect(limitOfRun).toThrow('Invalid PARLEY_TEST_LIMIT_S "soon": use a number of seconds.');
});

test("half a line of a killed run is not a step", () => {
	const progress = `${written(["a", "passed", "1"])}{"file":"a","sta`;
	expect(line(countProgress(progress, true))).toBe("1 passed, 0 failed, 0 skipped");
	expect(unfinished(progress)).toEqual(["a"]);
});

test("files that had started and not ended are named, with the running test", () => {
	const progress = written(
		["a", "running"],
		["b", "running"],
		["c", "running"],
		["a", "running", "1"],
		["a", "passed", "1"],
		["a", "passed"],
		["b", "running", "1"],
		["b", "passed", "1"],
		["b", "running", "2"],
		["d", "running"],
		["d", "running", "1"],
		["d", "passed"],
		["d", "passed", "1"],
	);
	expect(unfinished(progress)).toEqual(["b > 2", "c"]);
});

test("results of vitest are written as they arrive", async () => {
	const folder = mkdtempSync(join(tmpdir(), "parley-reporter-"));
	const progress = join(folder, "progress.jsonl");
	const reporter = new URL("../../scripts/progress-reporter.mjs", import.meta.url).href;
	const files = {
		"vitest.config.mjs": `import { ProgressReporter } from ${JSON.stringify(reporter)};
			const reporters = [new ProgressReporter(${JSON.stringify(progress)})];
			export default { test: { globals: true, reporters } };`,
		"all.test.mjs":
			'test("a", () => {}); test("b", () => { throw new Error("as wanted"); }); test.skip("c", () => {}); test.todo("d");',
		"broken.test.mjs": 'throw new Error("as wanted");',
		"hook.test.mjs": 'afterAll(() => { throw new Error("as wanted"); }); test("e", () => {});',
	};
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
	const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url));
	const child = spawn(process.execPath, [vitest, "run", "--root", folder], {
		cwd: folder,
		stdio: "ignore",
		env: { PATH: process.env["PATH"] },
	});
	expect(await endInTime(child, 60_000)).toEqual({ code: 1, isLate: false });
	const progressText = readFileSync(progress, "utf8");
	expect(line(countProgress(progressText, false))).toBe("2 passed, 3 failed, 2 skipped");
	expect(unfinished(progressText)).toEqual([]);
	expect(progressText).toMatch(/"file":" \S*all\.test\.mjs","test":"a","state":"passed"/);
	rmSync(folder, { recursive: true });
});

test("a program that ends in time is not stopped, and a later one is", async () => {
	const run = (program: string) => spawn(process.execPath, ["-e", program], { stdio: "ignore" });
	expect(await endInTime(run("process.exitCode = 7;"), 60_000)).toEqual({ code: 7, isLate: false });
	const unlimited = endInTime(run("process.exitCode = 8;"), Number.POSITIVE_INFINITY);
	expect(await unlimited).toEqual({ code: 8, isLate: false });
	expect(await endInTime(run("setInterval(() => {}, 1000);"), 1)).toEqual({ code: 1, isLate: true });
	expect(await endInTime(spawn("/nowhere/node", []), 60_000)).toEqual({ code: 127, isLate: false });
});
