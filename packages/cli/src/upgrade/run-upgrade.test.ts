import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processIo } from "../command-line/io.ts";
import { thisMachine } from "../service/machine.ts";
import { readLinks } from "./package-links.ts";
import { Upgrade } from "./run-upgrade.ts";
import { placesOf, type UpgradeJournal } from "./upgrade-journal.ts";

const name = "some-name";

/** Packs a version whose program prints its version number. */
function pack(directory: string, version: string): string {
	const content = join(directory, version, "package");
	mkdirSync(join(content, "bin"), { recursive: true });
	const bin = { parley: "bin/parley.mjs" };
	writeFileSync(join(content, "package.json"), JSON.stringify({ name, version, bin }));
	writeFileSync(join(content, "bin/parley.mjs"), `#!/usr/bin/env node\nconsole.log("${version}");\n`);
	const file = join(directory, `${version}.tgz`);
	execFileSync("tar", ["-czf", file, "-C", join(directory, version), "package"]);
	return file;
}

/**
 * Opens an upgrade between two small packages. `at` receives the name of each failpoint and the file of the
 * upgrade's journal.
 */
async function open(at: (point: string, journalFile: string) => void) {
	const directory = realpathSync(mkdtempSync(join(tmpdir(), "parley-run-upgrade-")));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const prefix = join(directory, "prefix");
	const install = [
		"install",
		"--global",
		"--prefix",
		prefix,
		"--no-audit",
		"--no-fund",
		"--loglevel",
		"error",
	];
	execFileSync("npm", [...install, pack(directory, "1.0.0")]);
	const home = join(prefix, "lib/node_modules", name);
	const journal: UpgradeJournal = {
		format: 1,
		phase: "staging",
		from: "1.0.0",
		to: "2.0.0",
		home,
		prefix,
		name,
		links: await readLinks(prefix, home),
		upgraded: [],
	};
	const journalFile = join(placesOf(journal).work, "upgrade.json");
	mkdirSync(placesOf(journal).work);
	const io = processIo();
	const upgrade = new Upgrade(journal, {
		io,
		machine: thisMachine(io),
		failpoints: { reach: async (point) => at(point, journalFile) },
		signal: new AbortController().signal,
		environments: new Map(),
		copies: undefined,
		show: () => undefined,
	});
	return {
		run: () => upgrade.run({ spec: pack(directory, "2.0.0"), version: "2.0.0" }),
		version: () => execFileSync(join(prefix, "bin/parley")).toString().trim(),
	};
}

/** Replaces the journal with a directory, which no file can replace. */
function block(journalFile: string): void {
	rmSync(journalFile);
	mkdirSync(journalFile);
}

test("if the journal cannot be written after the swap, only the package is restored", async () => {
	const points: string[] = [];
	const { run, version } = await open((point, journalFile) => {
		points.push(point);
		if (point === "upgrade.placed") block(journalFile);
		if (point === "rollback.placed") rmSync(journalFile, { recursive: true });
	});
	expect((await run()).failure).toContain("cannot write the files of the upgrade into ");
	expect(version()).toBe("1.0.0");
	expect(points).not.toContain("rollback.data");
});

test("if the last phase cannot be written, the new version stays", async () => {
	let file = "";
	const { run, version } = await open((point, journalFile) => {
		file = journalFile;
		if (point === "upgrade.started") block(journalFile);
	});
	await expect(run()).rejects.toThrow(file);
	expect(version()).toBe("2.0.0");
});
