import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ownLinks, removeLink } from "./own-links.ts";

let directory: string;

beforeEach(() => {
	directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-links-")));
	for (const name of ["own", "other", "file"]) mkdirSync(join(directory, name));
	for (const name of ["parley.mjs", "other.mjs", "file/parley"]) writeFileSync(join(directory, name), "");
	symlinkSync("../parley.mjs", join(directory, "own/parley"));
	symlinkSync("../other.mjs", join(directory, "other/parley"));
});
afterEach(() => rmSync(directory, { recursive: true }));

function links(): Promise<string[]> {
	const folders = ["missing", "other", "file", "own", "own"].map((name) => join(directory, name));
	const PATH = ["relative", "", ...folders].join(delimiter);
	return ownLinks(join(directory, "parley.mjs"), { PATH });
}

test("the links to the program of a clone are found, and no other file", async () => {
	expect(await links()).toEqual([join(directory, "own/parley")]);
});

test("a link is removed, and one that this user may not remove is reported", async () => {
	const link = join(directory, "own/parley");
	expect(await removeLink(link)).toBe(true);
	expect(existsSync(link)).toBe(false);
	expect(existsSync(join(directory, "parley.mjs"))).toBe(true);
	expect(await removeLink(join(directory, "own"))).toBe(false);
});
