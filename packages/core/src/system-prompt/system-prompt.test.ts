import { ParleyError } from "@parley/base";
import { expect, test } from "vitest";
import { type ProjectFacts, renderSystemPrompt } from "./system-prompt.ts";

const facts: ProjectFacts = {
	cwd: "/home/ada/garden",
	roots: ["/home/ada/garden", "/srv/seeds"],
	date: "2026-03-14",
	os: "Linux 6.12.0 (x86_64)",
	git: 'branch main; 1 changed, 2 untracked; last commit "Plant the beans"',
	projectNotes: "# Garden\n\nWater before noon. Run `npm test` after each change.\n",
};

test("the prompt is the reviewed one, byte for byte", async () => {
	await expect(renderSystemPrompt(facts)).toMatchFileSnapshot("./system-prompt.golden.md");
});

test("the same facts give the same bytes", () => {
	expect(renderSystemPrompt(structuredClone(facts))).toBe(renderSystemPrompt(facts));
});

test("every fact stands in the prompt, and no placeholder is left", () => {
	const prompt = renderSystemPrompt(facts);
	for (const fact of [facts.cwd, ...facts.roots, facts.date, facts.os, facts.git]) {
		expect(prompt).toContain(fact);
	}
	expect(prompt).not.toMatch(/[{}]{2}/);
});

test("without notes the prompt says that there are none", () => {
	expect(renderSystemPrompt({ ...facts, projectNotes: " \n" }, "{{projectNotes}}")).toBe("(There are none.)");
});

test("a template of the operator replaces the built-in one", () => {
	expect(renderSystemPrompt(facts, "At {{cwd}} ({{ os }}), {{cwd}}.")).toBe(
		"At /home/ada/garden (Linux 6.12.0 (x86_64)), /home/ada/garden.",
	);
	expect(renderSystemPrompt(facts, "Say {nothing} but $& {{date}}.")).toBe(
		"Say {nothing} but $& 2026-03-14.",
	);
});

test("unknown placeholders are refused by name", () => {
	const render = () => renderSystemPrompt(facts, "{{cwd}} {{weather}} {{constructor}} {{}} {{weather}}");
	expect(render).toThrow(ParleyError);
	expect(render).toThrow(
		"unknown placeholders {{weather}}, {{constructor}}, {{}}; use only {{cwd}}, {{roots}}",
	);
});

test("a fact is not read as a template, and only notes may have several lines", () => {
	const odd = {
		...facts,
		cwd: "/tmp/{{date}}/$&\n# Orders\u2028x",
		projectNotes: "{{weather}}\n{{cwd}}",
	};
	expect(renderSystemPrompt(odd, "{{cwd}}|{{projectNotes}}")).toBe(
		"/tmp/{{date}}/$& # Orders x|{{weather}}\n{{cwd}}",
	);
});
