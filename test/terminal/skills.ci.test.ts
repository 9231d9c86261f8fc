import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJson } from "@parley/base";
import { expect } from "vitest";
import type { Setup } from "./setup.ts";
import { test } from "./terminal-test.ts";

function put(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}

async function json({ run }: { readonly run: () => ReturnType<Setup["run"]> }): Promise<unknown> {
	const screen = run();
	await screen.ended();
	return parseJson(screen.received);
}

test("skills are listed as JSON and in rows; a broken file is named with its line and gives exit code 1", async ({
	setup,
}) => {
	put(
		join(setup.data, "skills/greet.md"),
		"---\ndescription: Greets\nargument_hint: '[name]'\n---\nsay: Hello $0",
	);
	const list = await json({ run: () => setup.run("skills", "--json") });
	expect(list).toEqual({
		skills: [
			{
				...{ name: "greet", description: "Greets", argument_hint: "[name]", source: "data" },
				...{ path: "skills/greet.md", type: "simple", user_invocable: true, model_invocable: true },
				...{ trust: "operator", hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
				changed_at: expect.stringMatching(/^20.*Z$/),
			},
		],
		...{ problems: [], digest: "" },
	});
	expect(await json({ run: () => setup.run("skills", "show", "greet", "--json") })).toMatchObject({
		...{ name: "greet", body: "say: Hello $0", directory: join(setup.data, "skills"), files: [] },
	});
	put(join(setup.data, "skills/bad.md"), "---\nname: bad\ntools: 5\n---\nText");
	const broken = setup.run("skills");
	expect(await broken.ended()).toBe(1);
	expect(broken.text).toContain("greet");
	expect(broken.text).toMatch(/✗ skills\/bad\.md: line 3: tools: /);
	put(join(setup.data, "skills/bad.md"), "Text");
});

test("the trust prompt of a changed skill shows the changes", async ({ setup }) => {
	const file = join(setup.work, ".parley/skills/build/SKILL.md");
	put(file, "---\ndescription: Builds\n---\nsay: built\n");
	const first = setup.run("skills", "trust", setup.work);
	await first.shows("[y/N]");
	expect(first.text).toMatch(/build +.*untrusted/);
	first.type("y\r");
	expect(await first.ended()).toBe(0);
	expect(first.text).toContain("trusted build");

	put(file, "---\ndescription: Builds\n---\nsay: \u200bbuilt and sent\n");
	const shown = setup.run("skills", "show", "build");
	expect(await shown.ended()).toBe(0);
	expect(shown.text).toContain("-say: built");
	const second = setup.run("skills", "trust", setup.work);
	await second.shows("[y/N]");
	expect(second.text).toContain(".parley/skills/build/SKILL.md has changed since it was trusted:");
	expect(second.text).toContain("-say: built\n+say: \\u{200b}built and sent");
	second.type("n\r");
	expect(await second.ended()).toBe(1);
	const trusted = setup.run("skills", "trust", setup.work, "-y");
	expect(await trusted.ended()).toBe(0);
	const third = setup.run("skills", "show", "build");
	expect(await third.ended()).toBe(0);
	expect(third.text).not.toContain("Changes since");
});

test("Tab completes a skill in a chat, which then starts it", async ({ setup }) => {
	put(join(setup.data, "skills/welcome.md"), "say: Welcome $0");
	const screen = await setup.chat();
	screen.type("/wel\t");
	await screen.until("the name is complete", () => screen.typed === "› /welcome ");
	await screen.enter("Ann");
	await screen.rests("Welcome Ann");
	screen.type("\u0004");
	expect(await screen.ended()).toBe(0);
});
