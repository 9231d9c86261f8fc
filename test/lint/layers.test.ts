import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseJson } from "@parley/base";
import { expect, test } from "vitest";
import * as z from "zod";
import { importedNames, sourceImports } from "../../scripts/source-imports.mjs";
import { againstLayers, cyclesIn, foldersOf, fullFolders, partsOf } from "./layer-rules.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const Layers = z.record(z.string(), z.array(z.array(z.string())));

/** Layers from the lowest to the highest. A layer may import only from lower layers. */
const layers = Layers.parse(parseJson(readFileSync(`${root}/lint/layers.json`, "utf8")));

/** Allowed cycles. An entry without a cycle fails the test. */
const knownCycles: Readonly<Record<string, readonly string[][]>> = {};

/** Allowed folders with too many files. An unnecessary entry fails the test. */
const knownFull: Readonly<Record<string, readonly string[]>> = {};

const names = ["base", "protocol", "core", "gateway", "cli", "connector", "discord", "slack"];
const packages = names.map((name) => ({ name, imports: sourceImports(`${root}/packages/${name}/src`) }));

test.each(packages)("the files of $name have no cycle, type imports included", ({ name, imports }) => {
	expect(imports.size).toBeGreaterThan(20);
	expect(cyclesIn(imports)).toEqual(knownCycles[name] ?? []);
});

test.each(packages)("the folders of $name have no cycle and none is too full", ({ name, imports }) => {
	expect(cyclesIn(partsOf(imports))).toEqual([]);
	expect(cyclesIn(foldersOf(imports))).toEqual([]);
	expect(fullFolders(imports.keys())).toEqual(knownFull[name] ?? []);
});

test.each(packages.filter(({ name }) => layers[name]))(
	"imports of $name follow lint/layers.json",
	({ name, imports }) => {
		expect(againstLayers(imports, layers[name] ?? [])).toEqual([]);
	},
);

test("violations are found", () => {
	const low = [["store"], ["agent"]];
	const planted = new Map([
		["store/rows.ts", ["agent/loop.ts"]],
		["agent/loop.ts", ["agent/run.ts"]],
		["agent/run.ts", ["agent/loop.ts", "store/rows.ts"]],
		["trust/people.ts", []],
	]);
	expect(againstLayers(planted, low)).toEqual(["trust has no layer", "store/rows.ts imports agent/loop.ts"]);
	const flat = new Map([
		["clock.ts", ["ids.ts", "store/rows.ts"]],
		["ids.ts", []],
		["store/rows.ts", ["clock.ts", "index.ts"]],
		["index.ts", ["store/rows.ts", "ids.ts"]],
	]);
	expect(againstLayers(flat, [["."], ["store"], ["index.ts"]])).toEqual([
		"clock.ts imports store/rows.ts",
		"store/rows.ts imports index.ts",
	]);
	expect(againstLayers(flat, [["store"]])).toEqual([]);
	expect(cyclesIn(planted)).toEqual([["agent/loop.ts", "agent/run.ts", "store/rows.ts"]]);
	expect(cyclesIn(partsOf(planted))).toEqual([["agent", "store"]]);
	const nested = new Map([
		["a/deep/one.ts", ["a/two.ts"]],
		["a/two.ts", []],
		["a/three.ts", ["a/deep/one.ts"]],
	]);
	expect(cyclesIn(foldersOf(nested))).toEqual([["a", "a/deep"]]);
	const many = Array.from({ length: 26 }, (_, index) => `a/f${index}.ts`);
	expect(fullFolders(many)).toEqual(["a"]);
	expect(fullFolders([...many, "a/b/c.ts"])).toEqual([]);
	expect(fullFolders(many.slice(1))).toEqual([]);
});

test("imports of each form are read", () => {
	const source =
		'import type { A } from "./a.ts"; export { b } from "./b.ts"; export * from "./c.ts"; import "./d.ts";\n' +
		'const e = () => import("./e.ts"); type F = import("./f.ts").F;';
	expect(new Set(importedNames("x.ts", source))).toEqual(
		new Set(["./a.ts", "./b.ts", "./c.ts", "./d.ts", "./e.ts", "./f.ts"]),
	);
});
