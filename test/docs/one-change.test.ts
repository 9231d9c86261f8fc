import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Returns the paths in a table cell. A name without a folder is in the folder of an earlier path, or in the parent
 * of that folder.
 */
function pathsOf(cell: string): string[] {
	const paths: string[] = [];
	for (const [, name = ""] of cell.matchAll(/`([^`]+)`/g)) {
		if (/^(?:test|docs)\/|^CHANGELOG/.test(name)) paths.push(name);
		else if (name.includes("/")) paths.push(`packages/${name}`);
		else paths.push(besides(name, paths));
	}
	return paths;
}

function besides(name: string, paths: readonly string[]): string {
	const folders = paths.map(dirname).flatMap((folder) => [folder, dirname(folder)]);
	const folder = folders.find((folder) => existsSync(`${root}/${folder}/${name}`));
	return folder === undefined ? name : `${folder}/${name}`;
}

test("the files that the page of one change names exist", () => {
	const page = readFileSync(`${root}/docs/one-change.md`, "utf8");
	const rows = [...page.matchAll(/^\| [a-zA-Z ]+ \| (`[^|]+) \|/gm)];
	const paths = rows.flatMap(([, cell = ""]) => pathsOf(cell));
	expect(rows.length).toBe(page.split("\n").filter((line) => line.startsWith("| ")).length - 2);
	expect(paths.filter((path) => !existsSync(`${root}/${path}`))).toEqual([]);
});
