import { expect, test } from "vitest";
import { countVitest, line } from "../../scripts/counts.mjs";

const report = (...files: { status: string; tests: string[] }[]) =>
	JSON.stringify({
		testResults: files.map(({ status, tests }) => ({
			status,
			assertionResults: tests.map((status) => ({ status })),
		})),
	});

test.each([
	{
		name: "every status has its place",
		text: report({ status: "failed", tests: ["passed", "passed", "failed", "skipped", "todo"] }),
		succeeded: false,
		counted: "2 passed, 1 failed, 2 skipped",
	},
	{
		name: "files add up",
		text: report({ status: "passed", tests: ["passed"] }, { status: "passed", tests: ["passed", "pending"] }),
		succeeded: true,
		counted: "2 passed, 0 failed, 1 skipped",
	},
	{
		name: "a file that does not load is a failed test",
		text: report({ status: "failed", tests: [] }, { status: "passed", tests: ["passed"] }),
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{
		name: "a hook that throws after its tests passed is a failed test",
		text: report({ status: "failed", tests: ["passed"] }),
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{
		name: "an error outside all tests is a failed test",
		text: report({ status: "passed", tests: ["passed"] }),
		succeeded: false,
		counted: "1 passed, 1 failed, 0 skipped",
	},
	{ name: "no report", text: undefined, succeeded: false, counted: "0 passed, 1 failed, 0 skipped" },
	{ name: "half a report", text: '{"testResu', succeeded: false, counted: "0 passed, 1 failed, 0 skipped" },
])("what a run of vitest counts as: $name", ({ text, succeeded, counted }) => {
	expect(line(countVitest(text, succeeded))).toBe(counted);
});
