import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { citationsIn } from "./citations.ts";
import { requirements } from "./requirements.ts";

const folder = new URL("./", import.meta.url);

async function cited(): Promise<Set<string>> {
	const names = (await readdir(folder)).filter(
		(name) => name.endsWith(".test.ts") && name !== "coverage.test.ts",
	);
	const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
	return new Set(sources.flatMap(citationsIn).flatMap(({ ids }) => ids));
}

test("every promise has a scenario, and every scenario cites an existing promise", async () => {
	const shown = await cited();
	const defined = Object.keys(requirements);
	expect({
		withoutScenario: defined.filter((id) => !shown.has(id)),
		neverPromised: [...shown].filter((id) => !defined.includes(id)),
	}).toEqual({ withoutScenario: [], neverPromised: [] });
});

test("a promise is a sentence with a source", () => {
	for (const [id, { promise, source }] of Object.entries(requirements)) {
		expect(id).toMatch(/^[a-z]+\.[a-z-]+$/);
		expect(promise, id).toMatch(/\.$/);
		expect(source, id).not.toBe("");
	}
});

test("citations are found in any layout", () => {
	const source = 'verifies(["a.b"], "x");\nverifiesOn(\n\t"ozzie",\n\t["c.d", "e.f"],\n\t"y ["z.z"]",\n);';
	expect(citationsIn(source)).toEqual([
		{ wire: undefined, ids: ["a.b"] },
		{ wire: "ozzie", ids: ["c.d", "e.f"] },
	]);
});
