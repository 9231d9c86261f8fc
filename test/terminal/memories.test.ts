import { expect } from "vitest";
import { test } from "./terminal-test.ts";

test("notes of the agent are added, found and deleted", async ({ place }) => {
	const added = place.run("memories", "add", "--everyone", "--tag", "ops", "--", "Deploys happen on Friday");
	expect(await added.ended()).toBe(0);
	const [id = ""] = /mem_[0-9a-z]{26}/.exec(added.text) ?? [];
	const found = place.run("memories", "friday");
	expect(await found.ended()).toBe(0);
	expect(found.text).toMatch(
		/^mem_\S+ +for everyone, by operator, just now #ops\n +Deploys happen on Friday/,
	);
	const none = place.run("memories", "zebra");
	expect(await none.ended()).toBe(0);
	expect(none.text).toBe("no memory contains these words");
	const neither = place.run("memories", "forget");
	expect(await neither.ended()).toBe(2);
	const forgotten = place.run("memories", "forget", id);
	expect(await forgotten.ended()).toBe(0);
	expect(forgotten.text).toBe("deleted 1 memory");
	const left = place.run("memories");
	expect(await left.ended()).toBe(0);
	expect(left.text).toBe("no memories");
});
