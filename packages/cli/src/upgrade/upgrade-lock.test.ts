import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { placesOf } from "./upgrade-journal.ts";
import { lockWork, unlockWork } from "./upgrade-lock.ts";

test("a second upgrade of an installation must wait, and another fault is reported with its reason", async () => {
	const directory = mkdtempSync(join(tmpdir(), "parley-upgrade-lock-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	const installation = { name: "some-name", home: join(directory, "some-name") };
	const { work } = placesOf(installation);
	const lock = lockWork(installation);
	expect(() => lockWork(installation)).toThrow("another `parley upgrade` is running for this installation");
	await unlockWork(lock, installation);
	expect(existsSync(work)).toBe(false);
	// A file at the path of the directory prevents its creation.
	writeFileSync(work, "");
	expect(() => lockWork(installation)).toThrow(/^cannot write the files of the upgrade into .*: ENOTDIR/);
	rmSync(work);
	mkdirSync(work);
	await unlockWork(lockWork(installation), installation);
	expect(existsSync(work)).toBe(false);
});
