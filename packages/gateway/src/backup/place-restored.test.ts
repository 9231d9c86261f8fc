import { mkdir, mkdtempDisposable, readdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import type { Failpoints } from "@parley/base";
import { expect, test } from "vitest";
import { contentOf, finishRestore, partOf, placeRestored } from "./place-restored.ts";

const before = { a: "old", b: "old", "parley.sqlite": "old", "parley.sqlite-wal": "old" };
const after = { a: "new", c: "new", "parley.sqlite": "new" };

async function write(directory: string, files: Readonly<Record<string, string>>): Promise<void> {
	await mkdir(directory, { recursive: true });
	for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
}

async function read(directory: string): Promise<Record<string, string>> {
	const names = await contentOf(directory);
	const texts = names.map(async (name) => [name, await readFile(join(directory, name), "utf8")] as const);
	return Object.fromEntries(await Promise.all(texts));
}

/**
 * Returns failpoints. The `nth` call of `reach`, counted from 1, never resolves, as if the process had ended in this
 * call. `reached` lists the names of the reached failpoints.
 */
function stopAt(nth: number): { readonly failpoints: Failpoints; readonly reached: string[] } {
	const reached: string[] = [];
	const reach = (name: string): Promise<void> | undefined => {
		reached.push(name);
		return reached.length === nth ? new Promise(() => undefined) : undefined;
	};
	return { reached, failpoints: { reach } };
}

/**
 * Resolves with the name of the `nth` failpoint, counted from 1, or with undefined if the restore completes
 * before it.
 */
async function stopped(data: string, nth: number): Promise<string | undefined> {
	await write(data, before);
	await write(join(data, "run"), { "lock.sqlite": "" });
	await write(partOf(data, "T"), after);
	const { failpoints, reached } = stopAt(nth);
	let ended = false;
	void placeRestored(data, "T", failpoints).then(() => {
		ended = true;
	});
	while (!ended && reached.length < nth) await tick();
	return ended ? undefined : reached.at(-1);
}

/** Repeats the recovery until it completes. Each attempt stops one failpoint later than the previous attempt. */
async function finishWithStops(data: string): Promise<void> {
	for (let nth = 1; ; nth++) {
		const { failpoints, reached } = stopAt(nth);
		let ended = false;
		void finishRestore(data, failpoints).then(() => {
			ended = true;
		});
		while (!ended && reached.length < nth) await tick();
		if (ended) return;
	}
}

test("the next start after a stopped restore has the complete old or new content", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-place-"));
	const seen = new Set<string>();
	for (let nth = 1; ; nth++) {
		const data = join(directory.path, String(nth));
		const place = await stopped(data, nth);
		if (place === undefined) break;
		seen.add(place);
		await finishWithStops(data);
		expect(await read(data), `${place}, ${nth}`).toEqual(place === "restore.written" ? before : after);
		const names = await readdir(data);
		expect(names.filter((name) => name.startsWith("restore."))).toEqual([]);
		expect(names).toContain("run");
		if (place !== "restore.written") expect(await read(join(data, "before-restore-T"))).toEqual(before);
	}
	expect([...seen].sort()).toEqual(
		["aside", "placed", "placing", "ready", "written"].map((name) => `restore.${name}`),
	);
});

test("an empty directory is not moved aside", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-place-"));
	await write(partOf(directory.path, "T"), after);
	expect(await placeRestored(directory.path, "T", { reach: () => undefined })).toBeUndefined();
	expect(await readdir(directory.path)).toEqual(Object.keys(after));
});

test("a directory in which nothing was restored is left unchanged", async () => {
	await using directory = await mkdtempDisposable(join(tmpdir(), "parley-place-"));
	await write(directory.path, before);
	await finishRestore(directory.path);
	expect(await read(directory.path)).toEqual(before);
	await finishRestore(join(directory.path, "none"));
});
