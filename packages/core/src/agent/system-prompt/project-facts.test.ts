import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ManualClock } from "@parley/base/testing";
import { expect, onTestFinished, test } from "vitest";
import { gatherFacts } from "./session-prompt.ts";
import { renderSystemPrompt } from "./system-prompt.ts";

test("the facts of a directory are collected, and the prompt contains them unchanged", async () => {
	const cwd = await realpath(await mkdtemp(join(tmpdir(), "facts-")));
	onTestFinished(() => rm(cwd, { recursive: true }));
	await writeFile(join(cwd, "AGENTS.md"), "Water before noon.");
	const clock = new ManualClock(Date.UTC(2026, 2, 14, 23, 59));
	const facts = await gatherFacts({ cwd, roots: [cwd], clock });
	expect(facts).toEqual({
		cwd,
		roots: [cwd],
		date: "2026-03-14",
		os: expect.stringMatching(/^\S+ \S+ \(\S+\)$/),
		git: "no repository in these directories",
		projectNotes: "Water before noon.",
	});
	expect(renderSystemPrompt({ ...facts, commands: "", questions: true })).toMatch(
		/- Git: no repository in these directories\n.*\n\nWater before noon\.\n$/s,
	);
});
