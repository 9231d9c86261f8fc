import { readdir, readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { requirements } from "./requirements.ts";

const folder = new URL("./", import.meta.url);

/** The ids that a scenario file cites, in `verifies([…], …)` and `verifiesOn("WIRE", […], …)`. */
function citedIn(source: string): string[] {
	const heads = source.matchAll(/\bverifies(?:On)?\(\s*(?:"[a-z]+",\s*)?\[([^\]]*)\]/g);
	return [...heads].flatMap(([, ids = ""]) => [...ids.matchAll(/"([^"]+)"/g)].map(([, id = ""]) => id));
}

async function cited(): Promise<Set<string>> {
	const names = (await readdir(folder)).filter(
		(name) => name.endsWith(".test.ts") && name !== "coverage.test.ts",
	);
	const sources = await Promise.all(names.map((name) => readFile(new URL(name, folder), "utf8")));
	return new Set(sources.flatMap(citedIn));
}

test("every promise is shown by a scenario, and every scenario shows a promise that was given", async () => {
	const shown = await cited();
	const given = Object.keys(requirements);
	expect({
		withoutScenario: given.filter((id) => !shown.has(id)),
		neverPromised: [...shown].filter((id) => !given.includes(id)),
	}).toEqual({ withoutScenario: [], neverPromised: [] });
});

test("a promise is a sentence with a source", () => {
	for (const [id, { promise, source }] of Object.entries(requirements)) {
		expect(id).toMatch(/^[a-z]+\.[a-z-]+$/);
		expect(promise, id).toMatch(/\.$/);
		expect(source, id).not.toBe("");
	}
});

test("citations are found however they are laid out", () => {
	const source = 'verifies(["a.b"], "x");\nverifiesOn(\n\t"ozzie",\n\t["c.d", "e.f"],\n\t"y ["z.z"]",\n);';
	expect(citedIn(source)).toEqual(["a.b", "c.d", "e.f"]);
});
