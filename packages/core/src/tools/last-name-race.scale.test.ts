import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "@parley/base";
import { paced } from "@parley/base/testing";
import { expect, test } from "vitest";
import { openRegular } from "../filesystem/regular-file.ts";
import { createWorkplace } from "../testing/tool-context.ts";
import { replaceFile } from "./files/write-target.ts";

/** Python scripts that change names in a loop. For directories see `swap-race.ci.test.ts`. */
const loops = {
	/** Exchanges two names with renameat2(2) and RENAME_EXCHANGE. */
	exchange: `
import ctypes, random, sys, time
libc = ctypes.CDLL(None, use_errno=True)
a, b = (name.encode() for name in sys.argv[1:3])
print("ready", flush=True)
while libc.renameat2(-100, a, -100, b, 2) == 0:
    time.sleep(random.random() * 0.0004)
`,
	/** Makes the first name a link to the second whenever the first name is free. */
	link: `
import os, sys
print("ready", flush=True)
while True:
    try:
        os.symlink(sys.argv[2], sys.argv[1])
    except FileExistsError:
        pass
`,
} as const;

/**
 * Repeats the operation while the script changes the names. Ends after `durationMs`, or later if one of the
 * two results is missing.
 */
async function race(script: string, names: readonly string[], operation: () => Promise<unknown>) {
	const child = spawn("python3", ["-c", script, ...names], { stdio: ["ignore", "pipe", "inherit"] });
	await once(child.stdout, "data");
	const counts = { done: 0, refused: 0 };
	const start = systemClock.monotonic();
	const isOver = (): boolean =>
		systemClock.monotonic() - start > (counts.done > 0 && counts.refused > 0 ? durationMs : paced(10_000));
	while (!isOver()) {
		await operation().then(
			() => counts.done++,
			() => counts.refused++,
		);
	}
	const isAlive = child.exitCode === null;
	child.kill("SIGKILL");
	expect(isAlive).toBe(true);
	expect(counts.done).toBeGreaterThan(0);
	expect(counts.refused).toBeGreaterThan(0);
}

const durationMs = process.env["PARLEY_TEST_SCALE"] === undefined ? 1_000 : 10_000;
// Only Linux has renameat2 and links to an open directory. Each race has its own directories, process and time.
const onLinux = test.runIf(process.platform === "linux");
const sideBySide = { concurrent: true };

async function readAll(path: string): Promise<string> {
	await using file = await openRegular(path, path);
	return file.readFile("utf8");
}

onLinux("a link that replaces a file while it is opened is not followed", sideBySide, async () => {
	await using place = await createWorkplace();
	const [file, link] = [join(place.cwd, "file"), join(place.cwd, "link")];
	await writeFile(file, "inside");
	await writeFile(join(place.path, "outside/file"), "outside");
	await symlink("../outside/file", link);
	const read = new Set<string>();
	await race(loops.exchange, [file, link], async () => read.add(await readAll(file)));
	expect([...read]).toEqual(["inside"]);
});

onLinux("a pipe that replaces a file while it is opened is refused", sideBySide, async () => {
	await using place = await createWorkplace();
	const [file, pipe] = [join(place.cwd, "file"), join(place.cwd, "pipe")];
	await writeFile(file, "inside");
	await once(spawn("mkfifo", [pipe]), "exit");
	const read = new Set<string>();
	await race(loops.exchange, [file, pipe], async () => read.add(await readAll(file)));
	expect([...read]).toEqual(["inside"]);
});

onLinux("a link that replaces the temporary file is not followed", sideBySide, async () => {
	await using place = await createWorkplace();
	const victim = join(place.path, "outside/victim");
	await writeFile(victim, "outside");
	const written = { path: join(place.cwd, "file"), content: "inside", mode: undefined, key: "k" };
	await race(loops.link, [join(place.cwd, ".parley-k.tmp"), victim], () => replaceFile(written, false));
	expect(await readFile(victim, "utf8")).toBe("outside");
});
