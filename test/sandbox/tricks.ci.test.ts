import { readdirSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { createSandboxes } from "@parley/core";
import { hasBubblewrap, shellCommand } from "@parley/core/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { tricks } from "./tricks.ts";

const canary = "the canary sings";
const undo = new AsyncDisposableStack();
let temporary: string;

beforeAll(async () => {
	temporary = await realpath(await mkdtemp(join(tmpdir(), "parley-tricks-")));
	undo.defer(() => rm(temporary, { recursive: true, force: true }));
	for (const name of ["work", "free", "out"]) await mkdir(join(temporary, name));
	await writeFile(join(temporary, "out/secret"), `${canary}\n`);
});
afterAll(() => undo.disposeAsync());

const common = { environment: { PATH: process.env["PATH"], HOME: "/nonexistent" }, clock: systemClock };
const sandboxes = (mode: "required" | "off") =>
	createSandboxes({ ...common, mode, ids: createIds(), log: silentLogger, hidden: [] });
const [confining, open] = [sandboxes("required"), sandboxes("off")];

/** Whether a trick succeeds. Removes files that the trick created outside of the root. */
async function succeeds(line: string, where: typeof confining, directory: string): Promise<boolean> {
	const root = join(temporary, directory);
	const sandbox = await where.of({ chat: false, roots: [root] });
	const variables = { SECRET: join(temporary, "out/secret"), OUT: join(temporary, "out") };
	const { output } = await sandbox.run(shellCommand(line, root, { environment: variables }));
	const createdFiles = readdirSync(join(temporary, "out")).filter((name) => name !== "secret");
	for (const name of createdFiles) await rm(join(temporary, "out", name), { recursive: true });
	return createdFiles.length > 0 || output.includes(canary);
}

test.skipIf(!hasBubblewrap).each(tricks)("the sandbox withstands this trick: %s", async (_name, line) => {
	expect(await succeeds(line, confining, "work")).toBe(false);
	expect(readFileSync(join(temporary, "out/secret"), "utf8")).toBe(`${canary}\n`);
});

test("without a sandbox the tricks work", async () => {
	const failed: string[] = [];
	for (const [name, line] of tricks) if (!(await succeeds(line, open, "free"))) failed.push(name);
	// Tricks that need programs, permissions or timing that some machines lack.
	const machineDependent =
		/^(?:perl|make|mount|chroot|namespace|set user id|left behind|other working tree|env split|hard link|archive through a link|pager of git)$/;
	expect(failed.filter((name) => !machineDependent.test(name))).toEqual([]);
	expect(tricks.length - failed.length).toBeGreaterThan(50);
});

test.skipIf(!hasBubblewrap)(
	"background processes end with the command and write no files later",
	async () => {
		const line = "( setsid sh -c 'sleep 0.3; echo x >late' & ); ( sleep 0.3; echo x >late ) & true";
		expect(await succeeds(line, confining, "work")).toBe(false);
		// Waits long enough for a remaining process to write its file.
		await succeeds("sleep 0.6", confining, "work");
		expect(readdirSync(join(temporary, "work"))).not.toContain("late");
	},
);
