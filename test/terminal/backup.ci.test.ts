import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Place } from "./place.ts";
import { test } from "./terminal-test.ts";

/** What a command says that succeeds. */
async function succeeds(place: Place, ...args: readonly string[]): Promise<string> {
	const screen = place.run(...args);
	expect(await screen.ended(), screen.text).toBe(0);
	return screen.text;
}

test("a gateway goes on with what was saved while it worked, also where the restore was killed", async ({
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
