import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { elsewhere, played, reasons } from "./block-tests.ts";
import { shellBlocks } from "./shell-blocks.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const blocks = shellBlocks();

/** Pages with their own tests, which play the marked blocks. */
const marked = ["connectors", "install", "remote"];

test("each shell block of the pages is played by a test, or is listed with a reason", () => {
	const keys = blocks.filter(({ isMarked }) => !isMarked).map(({ key }) => key);
	const listed = [...Object.keys(played), ...Object.values(elsewhere).flat(), ...Object.keys(reasons)];
	const hint = "play the block with a test of test/docs/block-tests.ts, or list the reason there";
	expect(keys.toSorted(), hint).toEqual(listed.toSorted());
	expect(new Set(keys).size).toBe(keys.length);
});

test.each(Object.entries(elsewhere))("%s reads its blocks from the pages", (file, keys) => {
	const text = readFileSync(`${root}/${file}`, "utf8");
	expect(text).toMatch(/\bdocumented\w*\(|\bpackDocumented\(/);
	// In the source of the test, each backslash of a key is escaped.
	const written = (key: string): string => key.replaceAll("\\", "\\\\");
	const isRead = (key: string): boolean =>
		['"', "'", "`"].some((quote) => text.includes(`${quote}${written(key)}${quote}`));
	expect(keys.filter((key) => !isRead(key))).toEqual([]);
});

test("the tests that the reasons name exist", () => {
	const named = Object.values(reasons).flatMap((reason) => reason.match(/test\/[\w./-]*\w/g) ?? []);
	expect(named.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});

test("blocks with a marker are only on pages that a test plays", () => {
	const pages = blocks.filter(({ isMarked }) => isMarked).map(({ key }) => key.split(":")[0] ?? "");
	expect([...new Set(pages)]).toEqual(marked);
});
