import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProjectNotes } from "./session-prompt.ts";

let outside = "";
let cwd = "";

beforeEach(async () => {
	outside = await realpath(await mkdtemp(join(tmpdir(), "notes-")));
	cwd = join(outside, "garden");
	await mkdir(cwd);
});

afterEach(() => rm(outside, { recursive: true }));

const read = (): Promise<string> => readProjectNotes(cwd, [cwd]);

test("the notes are the text of AGENTS.md", async () => {
	await writeFile(join(cwd, "AGENTS.md"), "Water before noon. 🌱\n");
	expect(await read()).toBe("Water before noon. 🌱\n");
});

test("without the file there are no notes", async () => {
	expect(await read()).toBe("");
	await symlink("nowhere", join(cwd, "AGENTS.md"));
	expect(await read()).toBe("");
});

test("text beyond 32 KiB is cut at a whole character, and its bytes are counted", async () => {
	await writeFile(join(cwd, "AGENTS.md"), `${"x".repeat(32 * 1024 - 1)}ééé`);
	expect(await read()).toBe(`${"x".repeat(32 * 1024 - 1)}\n\n[5 more bytes of AGENTS.md left out]`);
	await writeFile(join(cwd, "AGENTS.md"), "x".repeat(32 * 1024));
	expect(await read()).toBe("x".repeat(32 * 1024));
});

test("a link is followed inside the roots only", async () => {
	await writeFile(join(cwd, "notes.md"), "inside");
	await symlink("notes.md", join(cwd, "AGENTS.md"));
	expect(await read()).toBe("inside");
	await rm(join(cwd, "AGENTS.md"));
	await writeFile(join(outside, "secret.md"), "secret");
	await symlink("../secret.md", join(cwd, "AGENTS.md"));
	expect(await read()).toBe(
		"(AGENTS.md is not used: it leads outside the directories that tools may access.)",
	);
	expect(await readProjectNotes(cwd, [cwd, outside])).toBe("secret");
});

test("a directory whose name begins like a root is outside of it", async () => {
	await mkdir(join(outside, "garden2"));
	await writeFile(join(outside, "garden2", "AGENTS.md"), "next door");
	expect(await readProjectNotes(join(outside, "garden2"), [cwd])).toContain("is not used");
});

test("only a regular file is read", async () => {
	await mkdir(join(cwd, "AGENTS.md"));
	expect(await read()).toBe("(AGENTS.md is not used: it is not a regular file.)");
	await rm(join(cwd, "AGENTS.md"), { recursive: true });
	await symlink("/dev/null", join(cwd, "AGENTS.md"));
	expect(await readProjectNotes(cwd, ["/"])).toBe("(AGENTS.md is not used: it is not a regular file.)");
});

test("an unreadable file is reported", async () => {
	await symlink("AGENTS.md", join(cwd, "AGENTS.md"));
	expect(await read()).toBe("(AGENTS.md is not used: it could not be read (ELOOP).)");
	await rm(join(cwd, "AGENTS.md"));
	await writeFile(join(cwd, "AGENTS.md"), "locked");
	await chmod(join(cwd, "AGENTS.md"), 0);
	const powerful = process.getuid?.() === 0;
	expect(await read()).toBe(powerful ? "locked" : "(AGENTS.md is not used: it could not be read (EACCES).)");
});
