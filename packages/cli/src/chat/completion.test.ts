import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { commonBeginning, completableIn } from "./completion.ts";
import { fileNames } from "./file-names.ts";

test.each([
	["/mo", { kind: "command", start: 1, text: "mo" }],
	["/model cl", { kind: "model", start: 7, text: "cl" }],
	["read @src/a", { kind: "file", start: 6, text: "src/a" }],
	["@", { kind: "file", start: 1, text: "" }],
	["mail ada@example", undefined],
	["/steer x", undefined],
])("finds the part of %s to complete", (before, expected) => {
	expect(completableIn(before)).toEqual(expected);
});

test("finds the common beginning of names", () => {
	expect(commonBeginning(["model", "memory"])).toBe("m");
	expect(commonBeginning([])).toBe("");
});

function directory(...paths: readonly string[]): string {
	const root = mkdtempSync(join(tmpdir(), "parley-names-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	for (const path of paths) {
		mkdirSync(join(root, path, ".."), { recursive: true });
		writeFileSync(join(root, path), "");
	}
	return root;
}

test("completes the entries of a directory, hidden ones only after a dot", () => {
	const root = directory("src/app.ts", "src/api/a.ts", "setup.md", ".env");
	expect(fileNames(root, "s")).toEqual(["setup.md", "src/"]);
	expect(fileNames(root, "src/ap")).toEqual(["src/api/", "src/app.ts"]);
	expect(fileNames(root, "")).toEqual(["setup.md", "src/"]);
	expect(fileNames(root, ".e")).toEqual([".env"]);
});

test("finds files by a part of their path, but not in directories of packages", () => {
	const root = directory("src/chat/Terminal.ts", "node_modules/terminal/index.js", "a b terminal");
	expect(fileNames(root, "termi")).toEqual(["src/chat/Terminal.ts"]);
});

test("finds nothing in a directory that does not exist", () => {
	expect(fileNames("/nonexistent", "a")).toEqual([]);
});
