import {
	lstat,
	mkdir,
	mkdtemp,
	readdir,
	readFile,
	readlink,
	realpath,
	rm,
	symlink,
	writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import type { Failpoints } from "@parley/base";
import { noFailpoints } from "@parley/base";
import { expect, onTestFinished, test } from "vitest";
import { readLinks } from "./package-links.ts";
import { restorePackage, swapPackage } from "./swap-package.ts";
import { placesOf, type UpgradeJournal } from "./upgrade-journal.ts";

const name = "some-name";

/** Writes a package and its links in the form that npm uses. */
async function install(prefix: string, version: string, programs: readonly string[]): Promise<void> {
	const home = join(prefix, "lib/node_modules", name);
	for (const directory of [join(home, "bin"), join(prefix, "bin")])
		await mkdir(directory, { recursive: true });
	await writeFile(join(home, "bin/parley.mjs"), version);
	for (const program of programs) {
		await symlink(`../lib/node_modules/${name}/bin/parley.mjs`, join(prefix, "bin", program));
	}
}

async function open(): Promise<UpgradeJournal> {
	const prefix = await realpath(await mkdtemp(join(tmpdir(), "parley-swap-")));
	onTestFinished(() => rm(prefix, { recursive: true }));
	const home = join(prefix, "lib/node_modules", name);
	await install(prefix, "old", ["parley", "removed"]);
	await writeFile(join(prefix, "bin/foreign"), "foreign");
	const links = await readLinks(prefix, home);
	const journal = {
		format: 1,
		phase: "swapping",
		from: "1",
		to: "2",
		home,
		prefix,
		name,
		links,
		upgraded: [],
	} as const;
	await install(placesOf(journal).stage, "new", ["parley", "added", "foreign"]);
	return journal;
}

/** Resolves with the text of the file that each program link leads to, or "" if the file does not exist. */
async function programs({ prefix }: UpgradeJournal): Promise<Record<string, string>> {
	const names = (await readdir(join(prefix, "bin"))).sort();
	const read = (one: string): Promise<string> => readFile(join(prefix, "bin", one), "utf8").catch(() => "");
	const texts = names.map(async (one) => [one, await read(one)] as const);
	return Object.fromEntries(await Promise.all(texts));
}

const before = { foreign: "foreign", parley: "old", removed: "old" };
const after = { added: "new", foreign: "foreign", parley: "new" };

/** Whether the work reaches its nth failpoint, at which it then waits forever. */
async function stopped(nth: number, work: (failpoints: Failpoints) => Promise<void>): Promise<boolean> {
	let reached = 0;
	let ended = false;
	const reach = (): Promise<void> | undefined =>
		++reached === nth ? new Promise(() => undefined) : undefined;
	void work({ reach }).then(() => {
		ended = true;
	});
	while (!ended && reached < nth) await tick();
	return !ended;
}

test("a swap replaces the package and its links, and leaves files of other programs", async () => {
	const journal = await open();
	await swapPackage(journal, noFailpoints);
	expect(await programs(journal)).toEqual(after);
	const link = join(journal.prefix, "bin/parley");
	expect(await readlink(link)).toBe(`../lib/node_modules/${name}/bin/parley.mjs`);
	await restorePackage(journal, noFailpoints);
	expect(await programs(journal)).toEqual(before);
	await restorePackage(journal, noFailpoints);
	expect(await programs(journal)).toEqual(before);
});

test("after a kill at any place, the command can be started, and the old package can be restored, also after further kills", async () => {
	for (let nth = 1; ; nth++) {
		const journal = await open();
		if (!(await stopped(nth, (failpoints) => swapPackage(journal, failpoints)))) break;
		expect((await programs(journal))["parley"]).toMatch(/^(?:old|new)$/);
		for (let place = 1; await stopped(place, (failpoints) => restorePackage(journal, failpoints)); place++) {
			expect((await programs(journal))["parley"]).toMatch(/^(?:old|new)$/);
		}
		expect(await programs(journal)).toEqual(before);
		expect((await lstat(join(journal.prefix, "bin/foreign"))).isFile()).toBe(true);
		expect(await readdir(dirname(journal.home))).toContain(name);
	}
});
