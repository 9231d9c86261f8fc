import { systemClock } from "@parley/base";
import { pacedNow } from "@parley/base/testing";
import { applyPatch } from "diff";
import { expect, test } from "vitest";
import { previewChange, previewWrite } from "./write-preview.ts";

function preview(old: string, content: string): string {
	return previewWrite("f", { kind: "text", text: old }, content);
}

test("a change is shown with three lines around it", () => {
	const lines = ["1", "2", "3", "4", "5", "6", "7", "8", "9"].map((line) => `${line}\n`);
	expect(preview(lines.join(""), lines.join("").replace("5", "five"))).toBe(
		"--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n",
	);
});

test("a missing line end at the end of the file is shown", () => {
	expect(previewWrite("f", { kind: "absent" }, "a")).toBe(
		"--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n",
	);
	expect(preview("a\n", "a")).toContain("\\ No newline at end of file");
});

test("a preview shows when a write empties a file or changes nothing", () => {
	expect(preview("a\n", "")).toContain("-a\n");
	expect(preview("a\n", "a\n")).toBe("--- f\n+++ f\n");
});

test("hidden content is reported", () => {
	expect(previewWrite("f", { kind: "hidden", reason: "(the old content is binary)" }, "a\n")).toBe(
		"(the old content is binary)\n--- f\n+++ f\n@@ -0,0 +1,1 @@\n+a\n",
	);
});

test("the preview is a patch that turns the old text into the new one", () => {
	const old = Array.from({ length: 200 }, (_, index) => `line ${index}\n`);
	for (let step = 1; step < 40; step += 1) {
		const content = old.map((line, index) => (index % step === 0 ? `changed ${index}\n` : line)).join("");
		expect(applyPatch(old.join(""), preview(old.join(""), content))).toBe(content);
	}
});

test("long texts without common lines are compared quickly", () => {
	const old = Array.from({ length: 60_000 }, (_, index) => `${index}\n`).join("");
	const content = Array.from({ length: 60_000 }, (_, index) => `x${index}\n`).join("");
	const start = systemClock.monotonic();
	const shown = preview(old, content);
	expect(systemClock.monotonic() - start).toBeLessThan(pacedNow(3_000));
	expect(shown).toContain("@@ -1,60000 +1,60000 @@");
	expect(shown).toContain("+x59999\n");
});

test("a line cannot imitate another one by moving the cursor", () => {
	expect(preview("a\n", "safe\r\u{1b}[1Aevil\u{2028}\n")).toContain("+safe\\u{d}\\u{1b}[1Aevil\\u{2028}\n");
});

test("a change shows created, deleted and changed files, and only the reason of hidden content", () => {
	const text = { kind: "text", text: "a\n" } as const;
	expect(previewChange("f", text, { kind: "text", text: "b\n" })).toBe(
		"--- f\n+++ f\n@@ -1,1 +1,1 @@\n-a\n+b\n",
	);
	expect(previewChange("f", { kind: "absent" }, text)).toBe("--- /dev/null\n+++ f\n@@ -0,0 +1,1 @@\n+a\n");
	expect(previewChange("f", text, { kind: "absent" })).toBe("--- f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
	expect(previewChange("f", text, { kind: "hidden", reason: "(binary)" })).toBe("--- f\n+++ f\n(binary)\n");
});
