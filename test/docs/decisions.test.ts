import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const index = readFileSync(`${root}docs/decisions/README.md`, "utf8");
const decisions = globSync("docs/decisions/[0-9]*.md", { cwd: root }).sort();
const sources = globSync("{lint,packages,proto,scripts,test}/**/*.{json,mjs,proto,ts,txt}", {
	cwd: root,
	exclude: ["**/node_modules/**", "**/dist/**"],
}).map((path) => `/${path}`);
/** Files that decisions mention and that a later decision removed. */
const removed = ["run/head-start.ts", "models/anthropic/http-fetch.ts", "models/anthropic/request-text.ts"];

function read(page: string): string {
	return readFileSync(`${root}${page}`, "utf8");
}

function namedFiles(page: string): string[] {
	return [...read(page).matchAll(/`([\w./-]+\.(?:ts|mjs))`/g)].map(([, file = ""]) => file);
}

test.each(decisions)("%s has a context, a decision and a consequence, on one screen", (page) => {
	const text = read(page);
	expect(text.trimEnd().split("\n").length).toBeLessThanOrEqual(45);
	expect([...text.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => heading)).toEqual([
		"Context",
		"Decision",
		"Consequence",
	]);
	expect(text).toMatch(new RegExp(`^# ${basename(page).slice(0, 3)}\\. `));
});

test("each decision is listed once in its README", () => {
	const listed = [...index.matchAll(/\]\((\d{3}-[^)]+)\)/g)].map(([, file]) => `docs/decisions/${file}`);
	expect(listed).toEqual(decisions);
});

test("a decision names only files that exist, except those that it removed", () => {
	const named = decisions.flatMap((page) => namedFiles(page).map((file) => ({ page, file })));
	const missing = named.filter(
		({ file }) => !removed.includes(file) && !sources.some((path) => path.endsWith(`/${file}`)),
	);
	expect(named.length).toBeGreaterThan(20);
	expect(missing).toEqual([]);
});
