import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createIds, silentLogger, systemClock } from "@parley/base";
import { expect, test } from "vitest";
import { hasBubblewrap, shellCommand } from "../../testing/commands.ts";
import { createDirectory } from "../../testing/tool-context.ts";
import { findProgram } from "../commands/environment.ts";
import { createSandboxes } from "../sandboxes.ts";

async function openSandboxes(directory: string, keyctl: readonly string[] | undefined) {
	const bwrap = await findProgram("bwrap", "/usr/bin:/usr/local/bin:/bin");
	const programs = { bwrap: [`exec ${bwrap} "$@"`], ...(keyctl && { keyctl }) };
	for (const [name, lines] of Object.entries(programs)) {
		await writeFile(join(directory, name), ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });
	}
	return createSandboxes({
		mode: "required",
		environment: process.env,
		clock: systemClock,
		ids: createIds(),
		log: silentLogger,
		hidden: [],
		path: directory,
	});
}

test.skipIf(!hasBubblewrap).each([
	["own", ["shift 2", "echo 'Joined session keyring: 7' >&2", 'exec "$@"']],
	["denied", ["echo 'keyctl_join_session_keyring: Operation not permitted' >&2", "exit 1"]],
	["not-installed", undefined],
])("a command runs in the sandbox if its session keyring is %s", async (keyring, keyctl) => {
	await using directory = await createDirectory();
	const { check, of } = await openSandboxes(directory.path, keyctl);
	expect(await check()).toMatchObject({ state: "ready", features: { keyring } });
	await using root = await createDirectory();
	const { run } = await of({ chat: false, roots: [root.path] });
	const { output } = await run(shellCommand("echo inside", root.path));
	expect(output).toMatch(/^inside$/m);
});
