import { appendFileSync } from "node:fs";
import { relative } from "node:path";
import { root } from "./paths.mjs";

/**
 * Reporter of vitest that writes every result immediately, as a line of JSON (see progress.mjs), so that a
 * stopped run's tests can be counted.
 */
export class ProgressReporter {
	/** @param {string} file */
	constructor(file) {
		this.file = file;
	}

	/** @param {import("vitest/node").TestModule} module */
	onTestModuleStart(module) {
		this.write({ file: fileOf(module), state: "running" });
	}

	/** @param {import("vitest/node").TestCase} test */
	onTestCaseReady(test) {
		this.write({ file: fileOf(test.module), test: test.fullName, state: "running" });
	}

	/** @param {import("vitest/node").TestCase} test */
	onTestCaseResult(test) {
		this.write({ file: fileOf(test.module), test: test.fullName, state: test.result().state });
	}

	/** @param {import("vitest/node").TestModule} module */
	onTestModuleEnd(module) {
		this.write({ file: fileOf(module), state: module.state() });
	}

	/** @param {import("./progress.mjs").Step} step */
	write(step) {
		appendFileSync(this.file, `${JSON.stringify(step)}\n`);
	}
}

/** @param {import("vitest/node").TestModule} module */
function fileOf(module) {
	return `${module.project.name} ${relative(root, module.moduleId)}`;
}
