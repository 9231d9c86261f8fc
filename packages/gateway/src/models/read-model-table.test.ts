import { mkdtempDisposable, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinModels } from "@parley/core";
import { expect, test } from "vitest";
import { readModelTable } from "./read-model-table.ts";

const own = { models: [{ id: "gemma.gguf", context_window: 8192, max_output: 2048 }] };

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-models-"));
}

test("without a file the table has the built-in models", async () => {
	await using data = await temporaryDirectory();
	const { table, own: named } = await readModelTable({ data: data.path });
	expect(table.list()).toEqual(builtinModels);
	expect(named).toEqual([]);
});

test("models.json of the data directory adds models, and another file replaces it", async () => {
	await using data = await temporaryDirectory();
	await writeFile(join(data.path, "models.json"), `\uFEFF${JSON.stringify(own)}`);
	const { table, own: named } = await readModelTable({ data: data.path });
	expect(named).toMatchObject([{ id: "gemma.gguf", contextWindow: 8192 }]);
	expect(table.find("gemma.gguf", "anthropic")).toMatchObject({ contextWindow: 8192 });
	expect(table.list()).toHaveLength(builtinModels.length + 1);
	const modelsFile = join(data.path, "other.json");
	await writeFile(modelsFile, '{"models":[]}');
	const other = await readModelTable({ data: data.path, modelsFile });
	expect(other.table.list()).toHaveLength(builtinModels.length);
});

test.each([
	["{", "is not valid: text is not JSON"],
	['{"models":[{"id":"m"}]}', "models[0].context_window"],
	['{"model":[]}', "model"],
])("a file with %j is refused by its name", async (text, reason) => {
	await using data = await temporaryDirectory();
	const path = join(data.path, "models.json");
	await writeFile(path, text);
	const refusal = await readModelTable({ data: data.path }).catch((error: unknown) => error);
	expect(refusal).toMatchObject({ code: "invalid_argument", message: expect.stringContaining(reason) });
	expect(refusal).toMatchObject({ message: expect.stringContaining(path) });
});

test("a named file must exist", async () => {
	await using data = await temporaryDirectory();
	const modelsFile = join(data.path, "absent.json");
	await expect(readModelTable({ data: data.path, modelsFile })).rejects.toMatchObject({
		code: "invalid_argument",
		message: `the models file ${modelsFile} cannot be read (ENOENT): correct the path or the permissions`,
	});
});
