import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

async function succeeds(setup: Setup, ...args: readonly string[]): Promise<string> {
	const screen = setup.run(...args);
	expect(await screen.ended(), screen.text).toBe(0);
	return screen.text;
}

test("a gateway continues with a backup that was made while it worked, also after a killed restore", async ({
	setup,
}) => {
	const openChat = await setup.chat();
	const [session = ""] = /sess_[0-9a-z]{26}/.exec(openChat.text) ?? [];
	await openChat.enter("run: echo later");
	await openChat.shows("Allow run echo later?");
	await succeeds(setup, "memories", "add", "--", "お茶が好き");
	const file = join(setup.root, "saved.tar.gz");
	const saved = await succeeds(setup, "backup", file);
	expect(saved).toMatch(/saved 1 session of .*\/data\nin .*saved\.tar\.gz \(\d+\.\d kB, \d+ files\)\n/);
	await succeeds(setup, "ask", "-y", "say: what was not saved");
	await succeeds(setup, "memories", "forget", "--person", "me");
	const busy = setup.run("restore", file, "--force");
	expect(await busy.ended()).toBe(1);
	expect(busy.text).toContain("in use by another gateway");

	await setup.killGateway();
	await setup.run("restore", file, "--force", "--test-hooks", "restore.aside=kill@2").ended();
	expect((await readdir(setup.data)).join(" ")).toContain("restore.ready-");
	const backup = setup.run("backup", join(setup.root, "half.tar.gz"));
	expect(await backup.ended()).toBe(1);
	expect(backup.text).toContain("was interrupted");

	await setup.startGateway();
	const names = await readdir(setup.data);
	expect(names.filter((name) => name.startsWith("restore."))).toEqual([]);
	const [aside = ""] = names.filter((name) => name.startsWith("before-restore-"));
	expect(await readdir(join(setup.data, aside))).toContain("parley.sqlite");
	expect(await succeeds(setup, "sessions")).not.toContain("what was not saved");
	expect(await succeeds(setup, "memories", "好き")).toContain("お茶が好き");
	const joined = setup.run("chat", "--session", session);
	await joined.shows("Allow run echo later?");
	await joined.enter("y");
	await joined.shows("[offline] run_command returned:");
});

async function addSkill(directory: string, name: string, word: string): Promise<void> {
	await mkdir(directory, { recursive: true, mode: 0o700 });
	const text = ["---", `name: ${name}`, `description: says ${word}`, "---", `say: ${word}`];
	await writeFile(join(directory, `${name}.md`), text.join("\n"));
}

test("a restore includes schedules, skills and the trust in skills", async ({ setup }) => {
	const skills = join(setup.data, "skills");
	await addSkill(skills, "greet", "hello from the skill");
	await addSkill(join(setup.work, ".parley", "skills"), "local", "hello from the directory");
	await succeeds(setup, "skills", "trust", "--yes", setup.work);
	await succeeds(setup, "schedules", "add", "--key", "ops", "0 9 * * 1-5", "Summarise the issues");
	const before = await succeeds(setup, "schedules", "--json");
	const [scheduled = ""] = /sched_[0-9a-z]+/.exec(before) ?? [];
	expect(scheduled).not.toBe("");
	const file = join(setup.root, "skills.tar.gz");
	await succeeds(setup, "backup", file);
	await succeeds(setup, "schedules", "remove", scheduled);
	expect(await succeeds(setup, "schedules", "--json")).not.toContain(scheduled);
	await succeeds(setup, "skills", "untrust", setup.work);
	await rm(skills, { recursive: true });

	await setup.killGateway();
	await succeeds(setup, "restore", file, "--force");
	await setup.startGateway();
	expect(await succeeds(setup, "schedules", "--json")).toBe(before);
	expect(await succeeds(setup, "ask", "-y", "/greet")).toContain("hello from the skill");
	expect(await succeeds(setup, "ask", "-y", "/local")).toContain("hello from the directory");
});
