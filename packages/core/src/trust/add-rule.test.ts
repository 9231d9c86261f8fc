import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ScriptedModel } from "../testing/scripted-model.ts";
import { TestRuntime } from "../testing/test-runtime.ts";
import { createDirectory } from "../testing/tool-context.ts";
import { operator } from "../vocabulary/principal.ts";

const limit = 256 * 1024;
const offered = {
	tool: "run_command",
	classes: ["exec-sandboxed"],
	commands: [{ words: ["true"], exact: false }],
} as const;

function sized(bytes: number): string {
	const rules = '{ "rules": [] }\n';
	return `// ${"x".repeat(bytes - rules.length - 4)}\n${rules}`;
}

test("a rule that would make the file larger than can be read is not added", async () => {
	const { path: directory } = await createDirectory();
	const file = join(directory, "policy.jsonc");
	const change = async (edit: (text: string) => string): Promise<void> =>
		writeFile(file, edit(await readFile(file, "utf8")));
	await writeFile(file, sized(limit));
	await using t = await TestRuntime.open({ model: new ScriptedModel(), directory, policy: { file, change } });
	const { policies } = t.runtime.trust;
	await policies.load();
	await expect(policies.addRule(operator, { offered })).rejects.toMatchObject({
		code: "failed_precondition",
		message: expect.stringMatching(/policy\.jsonc would have 262\d{3} bytes, and at most 262144 are allowed/),
	});
	expect(await readFile(file, "utf8")).toBe(sized(limit));
	await writeFile(file, sized(limit - 200));
	await policies.addRule(operator, { offered });
	expect(policies.problem).toBeUndefined();
});
