import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const runTask = fileURLToPath(new URL("../../scripts/run.mjs", import.meta.url));

test("test:near --help prints which tests run, and runs none", async () => {
	const { stdout } = await promisify(execFile)(process.execPath, [runTask, "test:near", "--help"]);
	expect(stdout).toContain("tests that import a changed file");
	expect(stdout).not.toContain("passed");
});

test("test:near refuses an unknown argument and names it", async () => {
	const ended = promisify(execFile)(process.execPath, [runTask, "test:near", "packages/cli"]);
	await expect(ended).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('"packages/cli"') });
});
