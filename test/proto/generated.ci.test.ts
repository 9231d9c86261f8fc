import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const committed = join(root, "packages/gateway/src/gen");

async function textsIn(folder: string): Promise<Record<string, string>> {
	const entries = await readdir(folder, { recursive: true, withFileTypes: true });
	const files = entries.filter((entry) => entry.isFile());
	const names = files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
	const texts = names.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
	return Object.fromEntries(await Promise.all(texts));
}

test("the generated files match the .proto files", { timeout: 120_000 }, async () => {
	const folder = await mkdtemp(join(tmpdir(), "parley-generated-"));
	try {
		await promisify(execFile)(process.execPath, ["scripts/run.mjs", "generate", folder], { cwd: root });
		expect(await textsIn(folder)).toEqual(await textsIn(committed));
	} finally {
		await rm(folder, { recursive: true });
	}
});
