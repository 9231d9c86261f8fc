import { chmod, mkdir, writeFile } from "node:fs/promises";
import { delimiter, join, relative } from "node:path";
import { expect, test } from "vitest";
import { createDirectory, createToolContext } from "../../testing/tool-context.ts";
import { programFacts } from "./surroundings.ts";

test("the program in a relative directory of PATH is not identified, because sandboxes do not start it", async () => {
	await using directory = await createDirectory();
	const [first, second] = [join(directory.path, "first"), join(directory.path, "second")];
	for (const path of [first, second]) {
		await mkdir(path);
		await writeFile(join(path, "tool"), path);
		await chmod(join(path, "tool"), 0o755);
	}
	const { sandbox } = createToolContext(directory.path);
	const factsFor = (...entries: readonly string[]) =>
		programFacts("tool", { ...sandbox, environment: { PATH: entries.join(delimiter) } });

	const { executable } = await factsFor(second);

	expect(executable).toContain(join(second, "tool"));
	expect(await factsFor(relative(process.cwd(), first), "", second)).toMatchObject({ executable });
});
