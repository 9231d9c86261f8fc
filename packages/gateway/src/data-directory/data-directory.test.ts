import { chmod, mkdir, mkdtempDisposable, readFile, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { prepareDataDirectory } from "./data-directory.ts";

function temporaryDirectory() {
	return mkdtempDisposable(join(tmpdir(), "parley-data-"));
}

test("the directory is created with its parents, for its owner only, and reused by the next start", async () => {
	await using parent = await temporaryDirectory();
	const path = join(parent.path, "a", "b");
	await prepareDataDirectory(path);
	expect((await stat(path)).mode & 0o777).toBe(0o700);
	await prepareDataDirectory(path);
});

test.each([0o755, 0o701, 0o777])(
	"a directory of mode %o is refused with the command that fixes it",
	async (mode) => {
		await using directory = await temporaryDirectory();
		const path = `${directory.path}/it's`;
		await prepareDataDirectory(path);
		await chmod(path, mode);
		await expect(prepareDataDirectory(path)).rejects.toMatchObject({
			code: "failed_precondition",
			message: expect.stringContaining(`run: chmod 700 '${directory.path}/it'\\''s'`),
		});
	},
);

test("a directory that a group shares is allowed", async () => {
	await using directory = await temporaryDirectory();
	await chmod(directory.path, 0o2770);
	await expect(prepareDataDirectory(directory.path)).resolves.toBeUndefined();
});

test("a file at the path of the directory is refused", async () => {
	await using directory = await temporaryDirectory();
	const path = join(directory.path, "file");
	await writeFile(path, "");
	for (const wrong of [path, join(path, "below")]) {
		await expect(prepareDataDirectory(wrong)).rejects.toMatchObject({
			code: "failed_precondition",
			message: `${wrong} is not a directory; choose another data directory with --data DIR`,
		});
	}
});

// On a system without `/proc`, the directory is refused for another reason.
test("a directory that the system refuses to create is refused, and not retried forever", async () => {
	for (const path of ["/proc/parley", "/proc/parley/below"]) {
		await expect(prepareDataDirectory(path, "--session")).rejects.toMatchObject({
			code: "failed_precondition",
			message: expect.stringMatching(/^\/proc\/parley.* cannot be created.*with --session DIR$/),
		});
	}
});

test("an emptied database is refused and left unchanged, but a first empty one is not", async () => {
	await using directory = await temporaryDirectory();
	const file = join(directory.path, "parley.sqlite");
	await writeFile(file, "");
	await expect(prepareDataDirectory(directory.path)).resolves.toBeUndefined();
	await mkdir(join(directory.path, "keys"));
	await writeFile(join(directory.path, "keys", "secrets"), "");
	await expect(prepareDataDirectory(directory.path)).rejects.toMatchObject({
		code: "data_loss",
		message: expect.stringMatching(
			/^the database .*parley\.sqlite is damaged: it is empty.*Restore a backup/,
		),
	});
	expect(await readFile(file, "utf8")).toBe("");
	await writeFile(file, "something");
	await expect(prepareDataDirectory(directory.path)).resolves.toBeUndefined();
});
