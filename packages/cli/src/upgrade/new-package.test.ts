import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { thisMachine } from "../service/machine.ts";
import { findOffer } from "./new-package.ts";

const machine = thisMachine({ environment: process.env });
const name = "some-name";

function makeDirectory(): string {
	const directory = mkdtempSync(join(tmpdir(), "parley offer-"));
	onTestFinished(() => rmSync(directory, { recursive: true }));
	return directory;
}

test("a package is found in a directory whose name has a space, and another package is refused", async () => {
	const cwd = makeDirectory();
	mkdirSync(join(cwd, "package"));
	writeFileSync(join(cwd, "package/package.json"), JSON.stringify({ name, version: "1.2.3" }));
	execFileSync("tar", ["-czf", "the package.tgz", "package"], { cwd });
	const to = "./the package.tgz";
	expect(await findOffer({ to, name, cwd }, machine)).toEqual({
		spec: join(cwd, "the package.tgz"),
		version: "1.2.3",
	});
	await expect(findOffer({ to, name: "other", cwd }, machine)).rejects.toThrow(
		'the package has the name "some-name": use a package with the name other',
	);
});

test("a missing file, a directory, an invalid version and a broken package are refused", async () => {
	const cwd = makeDirectory();
	const offer = (to: string) => findOffer({ to, name, cwd }, machine);
	for (const to of ["../missing.tgz", "."]) await expect(offer(to)).rejects.toThrow("is not a file");
	await expect(offer("git+ssh:x")).rejects.toThrow('invalid version "git+ssh:x"');
	writeFileSync(join(cwd, "text.tgz"), "text");
	await expect(offer("text.tgz")).rejects.toThrow(/^`npm pack .*text\.tgz .*` failed: (?!without)/);
});
