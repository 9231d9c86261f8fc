import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("notes of the agent are added, searched and deleted", async ({ setup }) => {
	const added = setup.run("memories", "add", "--everyone", "--tag", "ops", "--", "Deploys happen on Friday");
	expect(await added.ended()).toBe(0);
	expect(added.text).toMatch(/^stored mem_[0-9a-z]{26}$/);
	const matching = setup.run("memories", "friday");
	expect(await matching.ended()).toBe(0);
	expect(matching.text).toMatch(
		/^mem_\S+ +for all people, by operator, just now #ops\n +Deploys happen on Friday/,
	);
	const none = setup.run("memories", "zebra");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("no note contains any of these words");
	for (const [note, query] of [
		["お茶が好き", "茶"],
		[`Ann's "quotes": 100%`, `"quotes"?!`],
	] as const) {
		expect(await setup.run("memories", "add", "--", note).ended()).toBe(0);
		const listed = setup.run("memories", "--", query);
		expect(await listed.ended()).toBe(0);
		expect(listed.text).toContain(`  ${note}`);
		expect(listed.text.split("\n")).toHaveLength(2);
	}
	const all = setup.run("memories", "forget", "--person", "me");
	expect(await all.ended()).toBe(0);
	expect(all.text).toBe("deleted 3 notes");
	const repeated = setup.run("memories", "add", "--scope", "everyone", "--", "Deploys happen on Friday");
	expect(await repeated.ended()).toBe(0);
	const [other = ""] = /mem_[0-9a-z]{26}/.exec(repeated.text) ?? [];
	const ofAll = setup.run("memories", "--scope", "everyone");
	expect(await ofAll.ended()).toBe(0);
	expect(ofAll.text).toContain(other);
	const neither = setup.run("memories", "forget");
	expect(await neither.ended()).toBe(2);
	const forgotten = setup.run("memories", "forget", other);
	expect(await forgotten.ended()).toBe(0);
	expect(forgotten.text).toBe("deleted 1 note");
	const remaining = setup.run("memories");
	expect(await remaining.ended()).toBe(0);
	expect(remaining.text).toBe("no notes");
});
