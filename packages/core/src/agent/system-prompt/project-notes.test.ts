import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readProjectNotes } from "./project-notes.ts";

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

test("text beyond 32 KiB is cut between characters, and its bytes are counted", async () => {
	await writeFile(join(cwd, "AGENTS.md"), `${"x".repeat(32 * 1024 - 1)}ééé`);
	expect(await read()).toBe(`${"x".repeat(32 * 1024 - 1)}\n\n[5 more bytes of AGENTS.md were left out]`);
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

test("CLAUDE.md is read too, once if it has the same content", async () => {
	await writeFile(join(cwd, "CLAUDE.md"), "Prune in winter.\n");
	expect(await read()).toBe("## CLAUDE.md\n\nPrune in winter.\n");
	await writeFile(join(cwd, "AGENTS.md"), "Water before noon.\n");
	expect(await read()).toBe("## AGENTS.md\n\nWater before noon.\n\n## CLAUDE.md\n\nPrune in winter.\n");
	await rm(join(cwd, "CLAUDE.md"));
	await symlink("AGENTS.md", join(cwd, "CLAUDE.md"));
	expect(await read()).toBe("Water before noon.\n");
});

test("the files of parent directories inside the roots precede the files of the working directory", async () => {
	const bed = join(cwd, "north", "bed");
	await mkdir(bed, { recursive: true });
	await writeFile(join(outside, "AGENTS.md"), "outside the root");
	await writeFile(join(cwd, "AGENTS.md"), "all beds");
	await writeFile(join(cwd, "CLAUDE.md"), "all beds, too");
	await writeFile(join(bed, "CLAUDE.md"), "this bed");
	expect(await readProjectNotes(bed, [cwd])).toBe(
		"## ../../AGENTS.md\n\nall beds\n\n## ../../CLAUDE.md\n\nall beds, too\n\n## CLAUDE.md\n\nthis bed\n",
	);
	expect(await readProjectNotes(bed, [bed])).toBe("## CLAUDE.md\n\nthis bed\n");
});

test("all files together have at most 32 KiB, and the nearest ones are read first", async () => {
	const bed = join(cwd, "bed");
	await mkdir(bed);
	await writeFile(join(bed, "AGENTS.md"), "b".repeat(30 * 1024));
	await writeFile(join(cwd, "AGENTS.md"), "c".repeat(3 * 1024));
	await writeFile(join(cwd, "CLAUDE.md"), "d".repeat(1024));
	expect(await readProjectNotes(bed, [cwd])).toBe(
		[
			`## ../AGENTS.md\n\n${"c".repeat(2 * 1024)}\n\n[1024 more bytes of ../AGENTS.md were left out]\n`,
			"## ../CLAUDE.md\n\n[1024 more bytes of ../CLAUDE.md were left out]\n",
			`## AGENTS.md\n\n${"b".repeat(30 * 1024)}\n`,
		].join("\n"),
	);
});

test("directories are read upwards to a limit", async () => {
	let deep = cwd;
	for (let n = 0; n < 20; n++) deep = join(deep, "d");
	await mkdir(deep, { recursive: true });
	await writeFile(join(cwd, "AGENTS.md"), "too far");
	await writeFile(join(deep, "..", "AGENTS.md"), "near");
	expect(await readProjectNotes(deep, ["/"])).toBe("## ../AGENTS.md\n\nnear\n");
});
