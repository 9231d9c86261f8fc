import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { paced } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";

const scripts = new URL("../../scripts/", import.meta.url).href;

test("a run that was stopped names the running test and says how many tests did not run", () => {
	const folder = mkdtempSync(join(tmpdir(), "parley-cut-"));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	const files = {
		"vitest.config.mjs": `import { ProgressReporter } from "${scripts}progress-reporter.mjs";
			const reporters = [new ProgressReporter(process.env.PARLEY_TEST_PROGRESS)];
			export default { test: { globals: true, reporters: process.env.PARLEY_TEST_PROGRESS ? reporters : [] } };`,
		"a.test.mjs": `test("first", () => {});
			test("endless", () => new Promise(() => {}), 3_600_000);
			test("third", () => {});
			for (const n of [4, 5]) test("later " + n, () => {});`,
		"run.mjs": `import { vitest } from "${scripts}vitest.mjs";
			import { report } from "${scripts}counts.mjs";
			report(await vitest({ args: ["--root", ${JSON.stringify(folder)}], limitMs: ${paced(8_000)} }));`,
	};
	for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
	const output = execFileSync(process.execPath, [join(folder, "run.mjs")], { encoding: "utf8" });
	expect(output).toMatch(/these were running:\n {2} ?\S*a\.test\.mjs > endless/);
	expect(output).toMatch(/\nfailed:\n {2}the tests took more than \d+ s: 4 of 5 tests did not run\n/);
	expect(output).toMatch(/\n1 passed, 1 failed, 0 skipped\n$/);
});
