import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Place } from "./place.ts";
import { test } from "./terminal-test.ts";

/** Output of a command that succeeds. */
async function succeeds(place: Place, ...args: readonly string[]): Promise<string> {
	const screen = place.run(...args);
	expect(await screen.ended(), screen.text).toBe(0);
	return screen.text;
}

test("a gateway continues with a backup that was made while it worked, also after a killed restore", async ({
	place,
}) => {
	const asking = await place.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(asking.text) ?? [];
	await asking.enter("run: echo later");
	await asking.shows("Allow run echo later?");
	await succeeds(place, "memories", "add", "--", "お茶が好き");
	const file = join(place.root, "saved.tar.gz");
	const saved = await succeeds(place, "backup", file);
	expect(saved).toMatch(/saved 1 conversation of .*\/data\nin .*saved\.tar\.gz \(\d+\.\d kB, \d+ files\)\n/);
	await succeeds(place, "ask", "-y", "say: what was not saved");
	await succeeds(place, "memories", "forget", "--person", "me");
	const busy = place.run("restore", file, "--force");
	expect(await busy.ended()).toBe(1);
	expect(busy.text).toContain("in use by another gateway");

	await place.killGateway();
	await place.run("restore", file, "--force", "--test-hooks", "restore.aside=kill@2").ended();
	expect((await readdir(place.data)).join(" ")).toContain("restore.ready-");
	const backup = place.run("backup", join(place.root, "half.tar.gz"));
	expect(await backup.ended()).toBe(1);
	expect(backup.text).toContain("was interrupted");

	await place.startGateway();
	const names = await readdir(place.data);
	expect(names.filter((name) => name.startsWith("restore."))).toEqual([]);
	const [aside = ""] = names.filter((name) => name.startsWith("before-restore-"));
	expect(await readdir(join(place.data, aside))).toContain("parley.sqlite");
	expect(await succeeds(place, "sessions")).not.toContain("what was not saved");
	expect(await succeeds(place, "memories", "好き")).toContain("お茶が好き");
	const joined = place.run("chat", "--session", session);
	await joined.shows("Allow run echo later?");
	await joined.enter("y");
	await joined.shows("[offline] run_command returned:");
});

/** Writes a skill that replies with a word. */
async function addSkill(directory: string, name: string, word: string): Promise<void> {
	await mkdir(directory, { recursive: true, mode: 0o700 });
	const text = ["---", `name: ${name}`, `description: says ${word}`, "---", `say: ${word}`];
	await writeFile(join(directory, `${name}.md`), text.join("\n"));
}

test("schedules, skills and the trust in skills come back with a restore", async ({ place }) => {
	const skills = join(place.data, "skills");
	await addSkill(skills, "greet", "hello from the skill");
	await addSkill(join(place.work, ".parley", "skills"), "local", "hello from the directory");
	await succeeds(place, "skills", "trust", "--yes", place.work);
	await succeeds(place, "schedules", "add", "--key", "ops", "0 9 * * 1-5", "Summarise the issues");
	const before = await succeeds(place, "schedules", "--json");
	const [scheduled = ""] = /sched_[0-9a-z]+/.exec(before) ?? [];
	expect(scheduled).not.toBe("");
	const file = join(place.root, "skills.tar.gz");
	await succeeds(place, "backup", file);
	await succeeds(place, "schedules", "remove", scheduled);
	expect(await succeeds(place, "schedules", "--json")).not.toContain(scheduled);
	await succeeds(place, "skills", "untrust", place.work);
	await rm(skills, { recursive: true });

	await place.killGateway();
	await succeeds(place, "restore", file, "--force");
	await place.startGateway();
	expect(await succeeds(place, "schedules", "--json")).toBe(before);
	expect(await succeeds(place, "ask", "-y", "/greet")).toContain("hello from the skill");
	expect(await succeeds(place, "ask", "-y", "/local")).toContain("hello from the directory");
});
